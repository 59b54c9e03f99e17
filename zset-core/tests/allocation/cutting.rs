//! Tests that a failed allocation in a drain or a split leaves the set unchanged, and that short
//! drains allocate little.

use std::hash::BuildHasherDefault;
use zset_core::{Score, SkipList, SortedMap, ZSet};

use crate::counting::counted;
use crate::failures::{Subject, fail_in_turn, or_error};
use crate::{Scattering, Set, grown, hashing, scattered_score};

/// Runs an operation in trials, in each of which another allocation fails. Each failure must panic
/// and leave the subject unchanged. Returns the number of allocations.
fn failures<C: Subject, T: std::fmt::Debug>(
    original: &C,
    operation: impl Fn(&mut C) -> T,
) -> usize {
    fail_in_turn(original, |subject| or_error(|| operation(subject)))
}

/// The sets have one leaf, one block of leaves, two blocks, and a dict of many tables. Only a few
/// leaves of the last set are cut, since each trial takes long.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_drain_or_split_leaves_a_set_unchanged() {
    for (len, drained, kept) in [
        (3, 1, 1),
        (64, 22, 32),
        (65, 23, 32),
        (200, 68, 100),
        (5_000, 1_668, 2_500),
        (28_700, 200, 28_500),
    ] {
        let set = grown(len);
        let start = (len as usize - drained) / 2;
        let failed = failures(&set, |set| set.drain_by_rank(start..start + drained).count());
        assert!(failed > 1 || len == 3, "few allocations can fail at {len}");
        let failed = failures(&set, |set| set.split_off_by_rank(kept).len());
        assert!(failed > 1, "few allocations can fail at {len}");
        if len < 10_000 {
            let score = set.get_by_rank(kept).expect("the rank is below the length").1;
            failures(&set, |set| set.drain_by_score(score..).count());
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_drain_or_split_leaves_a_list_unchanged() {
    let list: SkipList<u64, Score> = (0..5_000).map(|i| (i, scattered_score(i))).collect();
    assert!(failures(&list, |list| list.drain_by_rank(70..4_000).count()) > 2);
    assert!(failures(&list, |list| list.split_off_by_rank(9).len()) > 2);
}

/// Returns a set of 100 elements in both encodings.
fn zsets() -> [ZSet; 2] {
    let listpack: ZSet = (0..100).map(|i| (i.to_string(), Score::from(i))).collect();
    let mut skiplist = listpack.clone();
    skiplist.promote();
    [listpack, skiplist]
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_drain_or_split_leaves_a_zset_unchanged() {
    for set in zsets() {
        assert!(failures(&set, |set| set.drain_by_rank(9..70).count()) > 0);
        assert!(failures(&set, |set| set.split_off_by_rank(9).len()) > 0);
        assert!(failures(&set, |set| set.drain_by_score(Score::from(7)..).count()) > 0);
    }
}

#[test]
fn draining_or_splitting_off_all_or_nothing_allocates_nothing() {
    let original = grown(if cfg!(miri) { 70 } else { 1_000 });
    let len = original.len();
    for rank in [len, 0] {
        let (mut drained, mut split) = (original.clone(), original.clone());
        let (count, total) = counted(|| drained.drain_by_rank(rank..).len());
        assert_eq!((total.calls, count, drained.len()), (0, len - rank, rank));
        let (upper, total) = counted(|| split.split_off_by_rank(rank));
        assert_eq!((total.calls, upper.len(), split.len()), (0, len - rank, rank));
        for set in [drained, split, upper] {
            set.check();
        }
    }
}

/// A drain of at most this many elements allocates no more than the two columns of the leaf that
/// receives them.
const FEW: usize = if cfg!(target_pointer_width = "64") { 32 } else { 4 };

/// A removal hashes at most two members: the removed one, and the one that moves into its slot. A
/// drain hashes no more than that for each element, except when leaves merge.
#[test]
fn a_short_drain_hashes_and_allocates_for_its_elements_only() {
    let lens = if cfg!(miri) { &[70][..] } else { &[10, 64, 65, 1_000, 10_000] };
    for &len in lens {
        let sorted = Set::from_sorted_iter((0..len).map(|i| (i, Score::from(i as u32)))).unwrap();
        for original in [grown(len), sorted] {
            let len = len as usize;
            for drained in [1, 2, 3, 8, FEW, FEW + 1, 64, 200].map(|most| most.min(len / 2)) {
                let step = if cfg!(miri) { len / 2 } else { 1 + len / 10 };
                for start in (0..=len - drained).step_by(step) {
                    let mut set = original.clone();
                    let range = start..start + drained;
                    let drain = || counted(|| set.drain_by_rank(range).count());
                    let ((count, total), hashes) = hashing(drain);
                    assert_eq!(count, drained);
                    // Draining one element allocates nothing, and a short drain allocates two
                    // columns. A longer one also allocates a list of hashes, and nodes if the
                    // elements fill more than one leaf.
                    let calls = match drained {
                        1 => 0,
                        2.. if drained <= FEW => 2,
                        _ => 3 + 3 * (drained / 64),
                    };
                    assert!(total.calls <= calls, "{total:?} for {drained} of {len}");
                    assert!(
                        drained != 3 || total.bytes < 100 && total.live == 0,
                        "{total:?} of {len}"
                    );
                    assert!(total.bytes < 30_000, "{total:?} of {len}");
                    // Only elements of the leaves at both ends of the range move. What remains of
                    // these leaves may merge with a neighbour.
                    let merging = if drained <= 8 { 0 } else { 40 };
                    let most = drained + drained.min(64) + merging;
                    assert!(hashes <= most, "{hashes} hashes for {drained} of {len} at {start}");
                    set.check();
                }
            }
        }
    }
}

#[test]
fn a_drain_of_one_element_allocates_nothing_in_any_type() {
    let len = if cfg!(miri) { 70 } else { 1_000 };
    let mut set = grown(len);
    let (&first, &score) = set.first().unwrap();
    let elements = set.iter().map(|(member, score)| (*member, *member, *score));
    let mut map: SortedMap<u64, u64, Score, BuildHasherDefault<Scattering>> = elements.collect();
    let mut list: SkipList<u64, Score> = set.clone().into_iter().collect();
    let [mut listpack, mut skiplist] = zsets();
    let ((), total) = counted(|| {
        let ((), hashes) = hashing(|| {
            assert!(set.drain_by_rank(5..6).len() == 1 && set.drain_by_score(..=score).len() == 1);
            let lowest = *set.first().unwrap().1;
            assert_eq!(set.drain_by_member(&lowest, ..).count(), 1);
        });
        assert!(hashes <= 6, "{hashes}");
        let ((), hashes) = hashing(|| {
            assert!(
                map.drain_by_rank(5..6).len() == 1 && map.drain_by_key(&score, &first..).len() == 1
            );
            let lowest = *map.first().unwrap().2;
            assert_eq!(map.drain_by_score(..=lowest).count(), 1);
        });
        assert!(hashes <= 6, "{hashes}");
        assert!(list.drain_by_rank(5..6).len() == 1 && list.drain_by_score(..=score).len() == 1);
        let lowest = *list.first().unwrap().1;
        assert_eq!(list.drain_by_member(&lowest, ..).next_back().into_iter().len(), 1);
        for set in [&mut listpack, &mut skiplist] {
            assert!(set.drain_by_rank(5..6).eq([("5".into(), Score::from(5))]));
            assert!(set.drain_by_score(..=Score::ZERO).rev().eq([("0".into(), Score::ZERO)]));
            assert_eq!(set.drain_by_member(Score::from(1), ..).len(), 1);
            assert_eq!(set.drain_by_member(Score::from(1), ..).len(), 0);
        }
    });
    assert_eq!(total.calls, 0);
    set.check();
    map.check();
    list.check();
    assert_eq!((listpack.len(), &listpack), (97, &skiplist));
    listpack.check();
    skiplist.check();
    // From a listpack, draining one long member allocates its bytes, and draining several elements
    // allocates one buffer.
    listpack.insert([b'x'; 40], Score::INFINITY);
    assert_eq!(counted(|| listpack.drain_by_rank(97..).len()).1.calls, 1);
    let total = counted(|| listpack.drain_by_rank(9..80).len()).1;
    assert!(total.calls == 1 && total.bytes <= 320, "{total:?} for 71 elements of 4 bytes");
    listpack.check();
}
