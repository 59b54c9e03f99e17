//! Tests the memory use of sets: it is low in small sets, no insertion allocates much at once, and
//! the reported size is exact.

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
fn a_new_set_allocates_nothing_and_one_of_three_little() {
    assert_eq!(counted(|| <Set>::default().remove(&1)).1.calls, 0);
    let (set, total) = counted(|| grown(3));
    assert_eq!(set.len(), 3);
    assert!(total.live < 400 && total.calls <= 8, "{total:?}");
}

#[test]
fn a_leaf_built_at_once_grows_to_full_size_at_most() {
    let mut set: Set = (0..40_u64).map(|i| (i, scattered_score(i))).collect();
    for member in 40..64 {
        set.insert(member, scattered_score(member));
        let size = set.allocation_size() - set.dict_layout().allocation_size;
        assert!(size <= 64 * (size_of::<u64>() + size_of::<Score>()), "{size} bytes");
    }
    // Each of the two columns grows to room for 4, 10, 19, 32, 52 and 64 elements.
    let mut list = SkipList::new();
    assert_eq!(counted(|| (0..64).for_each(|i| list.insert(i, i))).1.calls, 2 * 6);
}

/// The range that README promises for `u64` members and `f64` scores. By 120,000 entries, each
/// segment of the dict has split.
#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_entry_takes_28_to_39_bytes_from_1_000_entries_on() {
    let mut set = grown(1_000);
    let mut sizes = Vec::new();
    for member in 1_000..120_000 {
        if member % 97 == 0 || member == 1_000 {
            sizes.push((100 * set.allocation_size() / set.len(), set.len()));
        }
        set.insert(member, scattered_score(member));
    }
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    let is_kept = least.0 >= 2_800 && most.0 <= 3_900;
    assert!(is_kept, "hundredths of a byte, and the length: {least:?} to {most:?}");
}

/// The number of members up to which insertions are measured. Without optimizations, three million
/// would take a minute. To measure them, run `cargo test --release -p zset-core --test allocation
/// growth`.
const MANY: u64 = if cfg!(miri) {
    130
} else if cfg!(debug_assertions) {
    200_000
} else {
    3_000_000
};

/// Returns the number of bytes that one insertion into a set of this length may allocate.
///
/// In smaller sets, the largest insertion allocates 322 KiB: the tables into which the dict's first
/// table splits, and the boxes of a few leaves. In sets of millions, the vector of all boxes is
/// larger: it has a pointer for each leaf, and doubles in size when it grows.
fn bound(len: u64) -> u64 {
    (352 << 10).max(len / 2)
}

/// Grows a set, and verifies that no single insertion allocates more than the bound.
fn assert_no_insertion_allocates_much<H>(scores: impl Iterator<Item = Score>)
where
    H: BuildHasher + Default,
{
    let mut set: Set<H> = Set::default();
    for (member, score) in (0..).zip(scores) {
        let (_, total) = counted(|| set.insert(member, score));
        assert!(total.bytes as u64 <= bound(member), "member {member}: {total:?}");
    }
}

#[test]
fn no_insertion_allocates_more_than_352_kib_or_half_a_byte_a_member() {
    type Hasher = BuildHasherDefault<Scattering>;
    assert_no_insertion_allocates_much::<Hasher>((0..MANY).map(scattered_score));
    assert_no_insertion_allocates_much::<Hasher>((0..MANY).map(|i| Score::from(i as u32)));
}

/// These hashes differ only in their upper 20 bits, like the bit patterns of floats with small
/// integral values.
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
    // Slightly more members than one table can hold. Many have the same hash, so probe sequences
    // are long.
    let scores = (0..29_000).map(scattered_score);
    assert_no_insertion_allocates_much::<BuildHasherDefault<Upper>>(scores);
}

#[test]
fn a_merge_allocates_little_beyond_the_merged_set() {
    let len = if cfg!(miri) { 100 } else { 5_000 };
    let (mut set, mut other) = (grown(len), <Set>::default());
    other.extend((len / 2..2 * len).map(|member| (member, scattered_score(member))));
    let ((), total) = counted(|| set.append(&mut other));
    assert_eq!(set.len() as u64, 2 * len);
    assert!(total.bytes <= 2 * set.allocation_size(), "{} bytes", total.bytes);
    assert!(total.largest <= 9 * set.len(), "{} bytes at once", total.largest);
}
