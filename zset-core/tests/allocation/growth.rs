//! Memory use: low in small sets, without large single allocations, and exactly as reported.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use zset_core::{Score, SkipList};

use crate::counting::{Total, counted};
use crate::{Scattering, Set, grown, scattered_score};

/// Verifies that a set reports exactly the bytes it has allocated.
fn assert_exact<H: BuildHasher>(set: &Set<H>, live: isize) {
    assert_eq!(isize::try_from(set.allocation_size()), Ok(live), "{} members", set.len());
}

#[test]
fn the_allocation_size_is_exact() {
    let lens: &[u64] =
        if cfg!(miri) { &[0, 3, 70] } else { &[0, 1, 3, 10, 63, 64, 65, 500, 900, 3000, 50_000] };
    for &len in lens {
        let (mut set, Total { mut live, .. }) = counted(|| grown(len));
        assert_exact(&set, live);
        let (clone, total) = counted(|| set.clone());
        assert_exact(&clone, total.live);
        let mut change = |operation: &dyn Fn(&mut Set)| {
            live += counted(|| operation(&mut set)).1.live;
            assert_exact(&set, live);
        };
        change(&|set| set.try_reserve(1000).unwrap());
        change(&|set| _ = set.remove_range_by_rank(..set.len() / 2));
        change(&|set| set.extend((0..100).map(|member| (member, scattered_score(member)))));
        change(&|set| set.shrink_to_fit());
        change(&|set| set.retain(|member, _| member % 3 == 0));
        change(&|set| set.clear());
        change(&|set| set.shrink_to_fit());
        assert_eq!(live, 0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn the_allocation_size_of_a_list_is_exact() {
    for len in [0, 1, 64, if cfg!(miri) { 65 } else { 10_000 }] {
        let (list, total) =
            counted(|| (0..len).map(|i| (i, scattered_score(i))).collect::<SkipList<_, _>>());
        assert_eq!(isize::try_from(list.allocation_size()), Ok(total.live));
    }
}

#[test]
fn a_new_set_allocates_nothing() {
    assert_eq!(counted(<Set>::default).1.calls, 0);
    assert_eq!(counted(|| <Set>::default().remove(&1)).1.calls, 0);
}

#[test]
fn a_set_of_three_uses_little_memory() {
    let (set, total) = counted(|| grown(3));
    assert_eq!(set.len(), 3);
    assert!(total.live < 400, "{total:?}");
    assert!(total.calls <= 8, "{total:?}");
}

#[test]
fn a_leaf_built_at_once_grows_to_full_size_at_most() {
    let mut set: Set = (0..40_u64).map(|i| (i, scattered_score(i))).collect();
    for member in 40..64 {
        set.insert(member, scattered_score(member));
        let size = set.allocation_size() - set.dict_layout().allocation_size;
        assert!(size <= 64 * (size_of::<u64>() + size_of::<Score>()), "{size} bytes");
    }
}

/// Grows a set; returns the largest allocation of a single insertion.
fn greatest_pause<H: BuildHasher + Default>(scores: impl Iterator<Item = Score>) -> Total {
    let mut set: Set<H> = Set::default();
    let takes = (0..).zip(scores).map(|(member, score)| counted(|| set.insert(member, score)).1);
    takes.max_by_key(|total| total.bytes).unwrap()
}

const MANY: u64 = if cfg!(miri) { 130 } else { 200_000 };

/// The largest measured allocation is 322 KiB: the tables into which the dict's first table splits,
/// and the boxes of a few leaves. In sets of millions, the vector of an arena exceeds it.
const BOUND: usize = 352 << 10;

#[test]
fn no_insertion_up_to_200_000_members_allocates_more_than_352_kib() {
    let random = greatest_pause::<BuildHasherDefault<Scattering>>((0..MANY).map(scattered_score));
    assert!(random.bytes <= BOUND, "{random:?}");
    let ascending = (0..MANY).map(|i| Score::from(i as u32));
    let ascending = greatest_pause::<BuildHasherDefault<Scattering>>(ascending);
    assert!(ascending.bytes <= BOUND, "{ascending:?}");
}

/// Uses the bits of a float as its hash: those of small integers end in zeros.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn no_insertion_allocates_much_at_once_if_hashes_differ_only_in_upper_bits() {
    #[derive(Default)]
    struct Upper(Scattering);

    impl Hasher for Upper {
        fn write(&mut self, bytes: &[u8]) {
            self.0.write(bytes);
        }

        fn finish(&self) -> u64 {
            self.0.finish() & !0 << 44
        }
    }
    let scores = (0..MANY / 6).map(scattered_score);
    let greatest = greatest_pause::<BuildHasherDefault<Upper>>(scores);
    assert!(greatest.bytes <= BOUND, "{greatest:?}");
}
