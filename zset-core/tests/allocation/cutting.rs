//! Drains and splits: a failed allocation leaves the set unchanged, and small removals allocate
//! little.

use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::{Score, SkipList, ZSet};

use crate::counting::{counted, failing_after};
use crate::{Set, grown, scattered_score};

/// Runs an operation whose first allocation fails, then one whose second fails, and so on until it
/// succeeds; returns the number of failures. `verify` receives the state after each failure.
fn fail_in_turn<T: Clone, R>(
    original: &T,
    operation: impl Fn(&mut T) -> R,
    verify: impl Fn(&T),
) -> usize {
    for succeeding in 0.. {
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
    for len in [3, 64, 65, 200, 5_000, 40_000] {
        let set = grown(len);
        let len = len as usize;
        let verify = |trial: &Set| {
            trial.check();
            assert_eq!(*trial, set);
        };
        let drain = |set: &mut Set| set.drain_by_rank(len / 3..len - len / 3).count();
        assert!(fail_in_turn(&set, drain, verify) > 2, "few allocations can fail at {len}");
        let split = |set: &mut Set| set.split_off_by_rank(len / 2).len();
        assert!(fail_in_turn(&set, split, verify) > 3, "few allocations can fail at {len}");
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
fn splitting_all_or_nothing_off_allocates_for_no_element() {
    let mut set = grown(if cfg!(miri) { 70 } else { 1_000 });
    let len = set.len();
    for rank in [len, 0] {
        let (upper, total) = counted(|| set.split_off_by_rank(rank));
        // The new set itself, which is on the heap until it is returned.
        assert_eq!((total.bytes, total.live), (size_of_val(&upper), 0));
        assert_eq!((set.len(), upper.len()), (rank, len - rank));
        upper.check();
        set.check();
    }
}

#[test]
fn draining_a_few_elements_allocates_only_for_them() {
    let mut set = grown(if cfg!(miri) { 200 } else { 10_000 });
    let (drained, total) = counted(|| set.drain_by_rank(..3).count());
    assert_eq!(drained, 3);
    // A leaf for them, and the hashes of all members in the leaf that they leave.
    assert!(total.bytes < 700, "{} bytes", total.bytes);
    assert_eq!(total.live, 0);
}
