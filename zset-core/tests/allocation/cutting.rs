//! Drains and splits: a failed allocation leaves the set unchanged, and small removals allocate
//! little.

use std::hash::BuildHasherDefault;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::{Score, SkipList, SortedMap, ZSet};

use crate::counting::{counted, failing_after, some_allocations};
use crate::{Scattering, Set, grown, hashing, scattered_score};

/// Runs an operation whose first allocation fails, then one whose second or a later one fails, and
/// so on until it succeeds; returns the number of allocations. `verify` receives the state after
/// each failure.
fn fail_in_turn<T: Clone, R>(
    original: &T,
    operation: impl Fn(&mut T) -> R,
    verify: impl Fn(&T),
) -> usize {
    for succeeding in some_allocations() {
        let mut trial = original.clone();
        let result =
            failing_after(succeeding, || catch_unwind(AssertUnwindSafe(|| operation(&mut trial))));
        let Err(panic) = result else { return succeeding };
        assert!(panic.downcast::<String>().expect("a text").contains("memory"));
        verify(&trial);
        // Memory reserved before the failure has no later effect.
        operation(&mut trial);
    }
    unreachable!("the operation succeeds once no allocation fails")
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_drain_or_split_leaves_a_set_unchanged() {
    for len in [3, 64, 65, 200, 5_000, 30_000] {
        let set = grown(len);
        let len = len as usize;
        let verify = |trial: &Set| {
            trial.check();
            assert_eq!(*trial, set);
        };
        let drain = |set: &mut Set| set.drain_by_rank(len / 3..len - len / 3).count();
        let failed = fail_in_turn(&set, drain, verify);
        assert!(failed > 1 || len == 3, "few allocations can fail at {len}");
        let split = |set: &mut Set| set.split_off_by_rank(len / 2).len();
        assert!(fail_in_turn(&set, split, verify) > 1, "few allocations can fail at {len}");
        let middle = set.get_by_rank(len / 2).expect("the rank is below the length").1;
        fail_in_turn(&set, |set| set.drain_by_score(..middle).count(), verify);
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_drain_or_split_leaves_a_list_unchanged() {
    let list: SkipList<u64, Score> = (0..5_000).map(|i| (i, scattered_score(i))).collect();
    let verify = |trial: &SkipList<u64, Score>| {
        trial.check();
        assert_eq!(*trial, list);
    };
    assert!(fail_in_turn(&list, |list| list.drain_by_rank(70..4_000).count(), verify) > 2);
    assert!(fail_in_turn(&list, |list| list.split_off_by_rank(9).len(), verify) > 2);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_drain_or_split_leaves_a_zset_unchanged() {
    let listpack: ZSet = (0..100).map(|i| (i.to_string(), Score::from(i))).collect();
    let mut skiplist = listpack.clone();
    skiplist.promote();
    for set in [listpack, skiplist] {
        let verify = |trial: &ZSet| {
            trial.check();
            assert_eq!(*trial, set);
            assert_eq!(trial.encoding(), set.encoding());
        };
        assert!(fail_in_turn(&set, |set| set.drain_by_rank(9..70).count(), verify) > 0);
        assert!(fail_in_turn(&set, |set| set.split_off_by_rank(9).len(), verify) > 0);
        assert!(fail_in_turn(&set, |set| set.drain_by_score(Score::from(7)..).count(), verify) > 0);
    }
}

#[test]
fn draining_all_or_nothing_allocates_nothing() {
    let mut set = grown(if cfg!(miri) { 70 } else { 1_000 });
    let len = set.len();
    let (_, total) = counted(|| set.drain_by_rank(len..).len());
    assert_eq!(total.calls, 0);
    let (drained, total) = counted(|| set.drain_by_rank(..).len());
    assert_eq!((drained, total.calls), (len, 0));
    set.check();
}

#[test]
fn splitting_all_or_nothing_off_allocates_nothing() {
    let mut set = grown(if cfg!(miri) { 70 } else { 1_000 });
    let len = set.len();
    for rank in [len, 0] {
        let (upper, total) = counted(|| set.split_off_by_rank(rank));
        assert_eq!(total.calls, 0);
        assert_eq!((set.len(), upper.len()), (rank, len - rank));
        upper.check();
        set.check();
    }
}

/// The maximum length of a drain that allocates only the two columns of its leaf.
const FEW: usize = if cfg!(target_pointer_width = "64") { 32 } else { 4 };

/// A removal hashes the member and the one that moves into its slot; a drain hashes no more than
/// that for each element.
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
                    // The columns, the hashes, and for more than a leaf, the nodes.
                    let calls = match drained {
                        1 => 0,
                        2.. if drained <= FEW => 2,
                        _ => 3 + 3 * (drained / 64),
                    };
                    assert!(total.calls <= calls, "{total:?} for {drained} of {len}");
                    // Elements move only in the leaves at both ends. The rest of these leaves may
                    // merge with a neighbour.
                    let merging = if drained <= 8 { 0 } else { 40 };
                    let most = drained + drained.min(2 * 63) + merging;
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
    let mut listpack: ZSet = (0..100).map(|i| (i.to_string(), Score::from(i))).collect();
    let mut skiplist = listpack.clone();
    skiplist.promote();
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
    // A long member needs its own allocation, and several elements of a listpack need one buffer.
    listpack.insert([b'x'; 40], Score::INFINITY);
    assert_eq!(counted(|| listpack.drain_by_rank(97..).len()).1.calls, 1);
    assert_eq!(counted(|| listpack.drain_by_rank(9..80).len()).1.calls, 1);
    listpack.check();
}

#[test]
fn draining_a_few_elements_allocates_only_for_them() {
    let mut set = grown(if cfg!(miri) { 200 } else { 10_000 });
    let (drained, total) = counted(|| set.drain_by_rank(..3).count());
    assert_eq!(drained, 3);
    // Only the leaf of the drained elements is allocated.
    assert!(total.bytes < 100, "{} bytes", total.bytes);
    assert_eq!(total.live, 0);
}
