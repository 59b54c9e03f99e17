//! Every allocation of an insertion fails in turn: each failure is reported and leaves the set
//! unchanged.

use std::fmt::Debug;
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::{IncrementError, Score, SkipList, SortedSet, TryReserveError};

use crate::counting::{counted, failing_after, has_failed, some_allocations};
use crate::{Set, grown, scattered_score};

/// Runs an operation whose first allocation fails, then one whose second or a later one fails, and
/// so on until none fails; returns the number of allocations. The operation may succeed without
/// one.
fn fail_in_turn<H: BuildHasher + Clone, T: Debug, E: Into<TryReserveError> + Debug>(
    original: &Set<H>,
    operation: impl Fn(&mut Set<H>) -> Result<T, E>,
) -> usize {
    for succeeding in some_allocations() {
        let mut set = original.clone();
        let result = failing_after(succeeding, || operation(&mut set)).map_err(Into::into);
        set.check();
        match result {
            Ok(_) if !has_failed() => return succeeding,
            Ok(_) => continue,
            Err(error) => {
                assert_eq!(error, TryReserveError::AllocError);
                assert_eq!(set, *original);
            }
        }
        // Memory reserved before the failure has no later effect.
        operation(&mut set).unwrap();
        set.check();
    }
    unreachable!("the operation succeeds once no allocation fails")
}

/// Runs an operation that panics if memory runs out.
fn or_error<T: Debug>(operation: impl FnOnce() -> T) -> Result<T, TryReserveError> {
    match catch_unwind(AssertUnwindSafe(operation)) {
        Ok(result) => Ok(result),
        panicked => {
            assert_eq!(message(panicked), TryReserveError::AllocError.to_string());
            Err(TryReserveError::AllocError)
        }
    }
}

/// Returns the sizes at which the next insertion allocates: for columns that grow, new leaves, or
/// the dict.
fn sizes_that_allocate(up_to: u64) -> Vec<u64> {
    let mut set = <Set>::default();
    let mut allocates =
        |member: u64| counted(|| set.insert(member, scattered_score(member))).1.calls > 0;
    (0..up_to).filter(|&len| allocates(len)).collect()
}

#[test]
fn insert_fails_cleanly_at_every_size_that_allocates() {
    let sizes = sizes_that_allocate(if cfg!(miri) { 80 } else { 5000 });
    for small in [0, 4, 10, 64] {
        assert!(sizes.contains(&small), "columns and leaves grow at {small}: {sizes:?}");
    }
    for &len in &sizes {
        let failures = fail_in_turn(&grown(len), |set| set.try_insert(len, scattered_score(len)));
        assert!(failures > 0, "nothing failed at {len}");
    }
}

/// Returns the allocation error; the sum itself is always valid.
fn of_memory<T, E: Debug>(result: Result<T, IncrementError<E>>) -> Result<T, TryReserveError> {
    match result {
        Err(IncrementError::Full(error)) => Err(error),
        sum => Ok(sum.expect("the sum is a valid score")),
    }
}

#[test]
fn other_insertions_fail_cleanly_at_every_size_that_allocates() {
    for len in sizes_that_allocate(if cfg!(miri) { 10 } else { 300 }) {
        let (set, score) = (grown(len), scattered_score(len));
        for failed in [
            fail_in_turn(&set, |set| or_error(|| set.insert_max(len, score))),
            fail_in_turn(&set, |set| or_error(|| set.insert_min(len, score))),
            fail_in_turn(&set, |set| or_error(|| set.replace(len, score))),
            fail_in_turn(&set, |set| of_memory(set.try_increment(len, score.get()))),
        ] {
            assert!(failed > 0, "nothing failed at {len}");
        }
    }
}

/// Creates a set of full leaves, with gaps between the scores.
fn full_leaves(leaves: u32) -> Set {
    let elements = (0..64 * leaves).map(|i| (u64::from(i), Score::from(10 * i)));
    <Set>::from_sorted_iter(elements).expect("the numbers are ascending")
}

/// Numbers of leaves, the last of which is enough for a second index level.
const LEAVES: &[u32] = if cfg!(miri) { &[1, 2] } else { &[1, 2, 3, 4, 16, 31, 62, 63, 64, 65] };

#[test]
fn insertions_into_full_leaves_fail_cleanly() {
    let mut failed = [0; 3];
    for &leaves in LEAVES {
        let (set, end) = (full_leaves(leaves), 640 * leaves);
        for (failed, score) in failed.iter_mut().zip([0, end / 2 + 5, end]) {
            *failed += fail_in_turn(&set, |set| set.try_insert(u64::MAX, Score::from(score)));
        }
    }
    assert!(failed.iter().all(|&failed| failed >= 3), "few allocations failed: {failed:?}");
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_move_to_a_full_leaf_fails_cleanly() {
    let mut failed = 0;
    for &leaves in LEAVES {
        let set = full_leaves(leaves);
        let last = u64::from(64 * leaves - 1);
        let middle = Score::from(320 * leaves + 5);
        for (member, score) in [(0, middle), (0, Score::INFINITY), (last, Score::from(-1))] {
            let failures = fail_in_turn(&set, |set| set.try_insert(member, score));
            let by = score.get() - set.score(&member).unwrap().get();
            let others = [
                fail_in_turn(&set, |set| set.try_update(&member, |_| score)),
                fail_in_turn(&set, |set| or_error(|| set.replace(member, score))),
                fail_in_turn(&set, |set| of_memory(set.try_increment(member, by))),
                if member == 0 {
                    fail_in_turn(&set, |set| or_error(|| set.insert_max(member, score)))
                } else {
                    fail_in_turn(&set, |set| or_error(|| set.insert_min(member, score)))
                },
            ];
            assert_eq!(others, [failures; 4]);
            failed += failures;
        }
    }
    assert!(failed >= 3 || cfg!(miri), "few allocations failed: {failed}");
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn reserve_fails_cleanly_at_every_kind_of_size() {
    for len in if cfg!(miri) { vec![0, 64] } else { vec![0, 1, 63, 64, 65, 3584, 28_672] } {
        let set = grown(len);
        for additional in [1, 60, 65, if cfg!(miri) { 100 } else { 5000 }] {
            let failed = fail_in_turn(&set, |set| set.try_reserve(additional));
            assert!(failed > 0 || additional < 100, "nothing failed at {len} + {additional}");
        }
    }
}

// With 32-bit addresses, memory ends before the handles do.
#[cfg(target_pointer_width = "64")]
#[test]
fn reserving_more_than_the_handles_can_address_is_an_immediate_error() {
    let mut set = grown(100);
    let before = set.clone();
    for additional in [usize::MAX, usize::MAX / 2, 1 << 40] {
        let (result, total) = counted(|| set.try_reserve(additional));
        assert_eq!(result, Err(TryReserveError::CapacityOverflow));
        assert_eq!(total.calls, 0, "the check allocates nothing");
    }
    set.check();
    assert_eq!(set, before);
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn list_insertions_fail_cleanly_at_every_size_that_allocates() {
    let mut list = SkipList::new();
    for i in 0..if cfg!(miri) { 70 } else { 3000_u64 } {
        for succeeding in 0.. {
            let mut trial = list.clone();
            match failing_after(succeeding, || trial.try_insert(i, scattered_score(i))) {
                Ok(()) => break,
                Err(error) => {
                    assert_eq!(error.element, (i, scattered_score(i)));
                    assert_eq!(error.error, TryReserveError::AllocError);
                }
            }
            trial.check();
            assert_eq!(trial, list);
        }
        list.insert(i, scattered_score(i));
    }
}

/// A huge size hint must be rejected before it causes an allocation.
#[test]
fn a_size_hint_beyond_the_handle_limit_is_rejected_without_allocating() {
    let claims = (0..u64::MAX).map(|i| (i, Score::ZERO));
    let panicked =
        std::panic::catch_unwind(|| SortedSet::<_, _>::from_sorted_iter(claims).map(drop));
    assert_eq!(message(panicked), "sorted set is full: its handles have 32 bits");
    let claims = (0..u64::MAX).map(|i| (i, Score::ZERO));
    let panicked = std::panic::catch_unwind(|| drop(claims.collect::<SortedSet<_, _>>()));
    assert_eq!(message(panicked), "sorted set is full: its handles have 32 bits");
}

fn message<T: Debug>(panicked: std::thread::Result<T>) -> String {
    let message = panicked.expect_err("it panics");
    *message.downcast::<String>().expect("the panic has a message")
}

/// Builds a set in bulk.
type Make = fn(Vec<(u64, Score)>) -> Set;

/// Bulk construction panics if an allocation fails; an abort would end this test.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn bulk_construction_panics_if_an_allocation_fails() {
    let elements = (0..4200_u64).map(|i| (i, Score::from(i as u32)));
    let functions: [Make; 4] = [
        |elements| elements.into_iter().collect(),
        |elements| Set::from_sorted_iter(elements).expect("the elements are ascending"),
        |elements| {
            let (one, other) = elements.split_at(elements.len() / 2);
            let set = |elements: &[_]| elements.iter().copied().collect::<Set>();
            set(one).union_with(&set(other), |a, b| *a.max(b))
        },
        |elements| {
            let set: Set = elements.into_iter().collect();
            set.intersection_with(&set, |a, b| *a.max(b))
        },
    ];
    for make in functions {
        for len in [3, 64, 65, 4200] {
            let elements: Vec<_> = elements.clone().take(len).collect();
            for succeeding in some_allocations() {
                let given = elements.clone();
                let make = || catch_unwind(move || make(given));
                match failing_after(succeeding, make) {
                    Ok(set) => {
                        set.check();
                        assert!(succeeding > 2, "few allocations can fail");
                        break;
                    }
                    panicked => assert!(message(panicked).contains("memory")),
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_shrink_to_fit_changes_nothing() {
    for len in [70, 4161, 4230, 8000] {
        let original = grown(len);
        for succeeding in some_allocations() {
            let mut set = original.clone();
            let shrunk = failing_after(succeeding, || {
                catch_unwind(AssertUnwindSafe(|| set.shrink_to_fit()))
            });
            set.check();
            assert_eq!(set, original);
            if shrunk.is_ok() {
                assert!(succeeding > 2, "few allocations can fail");
                break;
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_merge_without_memory_falls_back_to_single_insertions() {
    for len in [70, 500, 4230] {
        let original = grown(len);
        let others: Set = (len / 2..2 * len).map(|i| (i, Score::ZERO)).collect();
        let (mut expected, mut appended) = (original.clone(), others.clone());
        let ((), total) = counted(|| expected.append(&mut appended));
        assert!(total.calls > 4, "few allocations can fail");
        for succeeding in some_allocations().take_while(|&succeeding| succeeding < total.calls) {
            let (mut set, mut other) = (original.clone(), others.clone());
            failing_after(succeeding, || set.append(&mut other));
            set.check();
            assert_eq!(set, expected);
            assert!(other.is_empty());
        }
    }
}
