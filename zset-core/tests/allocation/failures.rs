//! Makes each allocation of an operation fail in turn. Every failure must be reported and leave the
//! set unchanged.

use std::fmt::Debug;
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zset_core::{Encoding, IncrementError, Score, SkipList, SortedSet, TryReserveError};

use crate::counting::{counted, failing_after, has_failed, some_allocations};
use crate::{Set, grown, scattered_score};

/// A collection to test with failing allocations.
pub(crate) trait Subject: Clone + Debug + PartialEq {
    /// Verifies the invariants.
    fn verify(&self);

    /// Returns the encoding and the bytes of a `ZSet` or `PackedZSet`. A failure leaves them
    /// unchanged.
    fn encoded(&self) -> Option<(Encoding, Vec<u8>)> {
        None
    }

    /// Returns the number of allocations to let succeed in each trial.
    fn allocations() -> Box<dyn Iterator<Item = usize>> {
        Box::new(some_allocations())
    }
}

impl<H: BuildHasher + Clone> Subject for Set<H> {
    fn verify(&self) {
        self.check();
    }
}

impl Subject for SkipList<u64, Score> {
    fn verify(&self) {
        self.check();
    }
}

/// Runs an operation in trials, each on a clone of `original`. In the first trial, the first
/// allocation fails; in each later trial, a later one fails, until none does. A failure must be
/// reported and leave the subject unchanged, unless the operation can do without the allocation.
/// Returns the number of allocations allowed in the last trial.
pub(crate) fn fail_in_turn<C: Subject, T: Debug, E: Into<TryReserveError> + Debug>(
    original: &C,
    operation: impl Fn(&mut C) -> Result<T, E>,
) -> usize {
    for succeeding in C::allocations() {
        let mut subject = original.clone();
        let result = failing_after(succeeding, || operation(&mut subject)).map_err(Into::into);
        subject.verify();
        match result {
            Ok(_) if !has_failed() => return succeeding,
            Ok(_) => continue,
            Err(error) => {
                assert_eq!(error, TryReserveError::AllocError);
                assert_eq!(subject, *original);
                assert_eq!(subject.encoded(), original.encoded());
            }
        }
        // A second attempt must succeed, whatever memory the failed one reserved.
        operation(&mut subject).unwrap();
        subject.verify();
    }
    unreachable!("the operation succeeds once no allocation fails")
}

/// Runs an operation that panics if memory runs out.
pub(crate) fn or_error<T: Debug>(operation: impl FnOnce() -> T) -> Result<T, TryReserveError> {
    match catch_unwind(AssertUnwindSafe(operation)) {
        Ok(result) => Ok(result),
        panicked => {
            assert_eq!(message(panicked), TryReserveError::AllocError.to_string());
            Err(TryReserveError::AllocError)
        }
    }
}

/// Keeps only the allocation error of an increment. Here, the sum is always a valid score.
pub(crate) fn of_memory<T, E: Debug>(
    result: Result<T, IncrementError<E>>,
) -> Result<T, TryReserveError> {
    match result {
        Err(IncrementError::Full(error)) => Err(error),
        sum => Ok(sum.expect("the sum is a valid score")),
    }
}

/// Returns the message of a panic.
pub(crate) fn message<T: Debug>(panicked: std::thread::Result<T>) -> String {
    let message = panicked.expect_err("it panics");
    *message.downcast::<String>().expect("the panic has a message")
}

/// Returns the sizes at which the next insertion allocates: to grow columns, to add a leaf, or to
/// grow the dict.
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

/// Numbers of leaves. 65 leaves need a second index level.
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
            let insert_better = if member == 0 { Set::insert_max } else { Set::insert_min };
            let others = [
                fail_in_turn(&set, |set| set.try_update(&member, |_| score)),
                fail_in_turn(&set, |set| or_error(|| set.replace(member, score))),
                fail_in_turn(&set, |set| of_memory(set.try_increment(member, by))),
                fail_in_turn(&set, |set| or_error(|| insert_better(set, member, score))),
            ];
            assert_eq!(others, [failures; 4]);
            failed += failures;
        }
    }
    assert!(failed >= 3 || cfg!(miri), "few allocations failed: {failed}");
}

/// For up to 28,672 members, the dict has one table. With one more, that table splits.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn reserve_fails_cleanly_at_every_kind_of_size() {
    for len in [0, 1, 63, 64, 65, 3584, 28_672] {
        let set = grown(len);
        for &additional in if len < 10_000 { &[1, 60, 65, 5000][..] } else { &[65] } {
            let failed = fail_in_turn(&set, |set| set.try_reserve(additional));
            assert!(failed > 0 || additional < 100, "nothing failed at {len} + {additional}");
        }
    }
}

// On 32-bit targets, memory is exhausted before the handles are.
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
    for i in 0..3000 {
        let (before, element) = (list.clone(), (i, scattered_score(i)));
        let ((), total) = counted(|| list.insert(element.0, element.1));
        if i < 70 || total.calls > 0 {
            fail_in_turn(&before, |list| {
                let inserted = list.try_insert(element.0, element.1);
                inserted.inspect_err(|error| assert_eq!(error.element, element))
            });
        }
    }
}

/// A huge size hint must be rejected before it causes an allocation.
#[test]
fn a_size_hint_beyond_the_handle_limit_is_rejected_without_allocating() {
    let claims = || (0..u64::MAX).map(|i| (i, Score::ZERO));
    for panicked in [
        catch_unwind(|| SortedSet::<_, _>::from_sorted_iter(claims()).map(drop).unwrap()),
        catch_unwind(|| drop(claims().collect::<SortedSet<_, _>>())),
    ] {
        assert_eq!(message(panicked), "sorted set is full: its handles have 32 bits");
    }
}

/// Builds a set in bulk.
type Make = fn(&[(u64, Score)]) -> Set;

/// Bulk construction panics if an allocation fails; an abort would end this test.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn bulk_construction_panics_if_an_allocation_fails() {
    let elements: Vec<_> = (0..4200_u64).map(|i| (i, Score::from(i as u32))).collect();
    let functions: [Make; 4] = [
        |elements| elements.iter().copied().collect(),
        |elements| Set::from_sorted_iter(elements.iter().copied()).expect("they are ascending"),
        |elements| {
            let (one, other) = elements.split_at(elements.len() / 2);
            let set = |elements: &[_]| elements.iter().copied().collect::<Set>();
            set(one).union_with(&set(other), |a, b| *a.max(b))
        },
        |elements| {
            let set: Set = elements.iter().copied().collect();
            set.intersection_with(&set, |a, b| *a.max(b))
        },
    ];
    for make in functions {
        for len in [3, 64, 65, 4200] {
            let elements = &elements[..len];
            let failed = fail_in_turn(&Set::default(), |set| or_error(|| *set = make(elements)));
            assert!(failed > 2, "few allocations can fail");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_failed_shrink_to_fit_changes_nothing() {
    for len in [70, 4161, 4230, 8000] {
        let original = grown(len);
        let failed = fail_in_turn(&original, |set| {
            or_error(|| set.shrink_to_fit()).inspect(|()| assert_eq!(*set, original))
        });
        assert!(failed > 2, "few allocations can fail");
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
