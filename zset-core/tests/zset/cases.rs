//! Runs the handwritten sequences on every kind of set.

use test_support::zset::{Element, Operation, Profile, Runner, Subject};
use zset_core::{ListpackLimits, PackedZSet, ZSet};

use crate::operations::simple_query;
use crate::seeds::{self, Case};

/// Runs a case on one set.
fn follow<S: Subject>(
    case: &Case,
    subject: S,
    limits: ListpackLimits,
    capacity: usize,
) -> Vec<Element> {
    let mut runner = Runner::new(subject, limits, capacity, Profile::Any);
    let query = simple_query();
    for (left, operation) in (0..case.operations.len()).rev().zip(&case.operations) {
        if cfg!(miri) && left > 0 {
            // Under Miri, a full comparison takes half a second, so only the last operation gets
            // one.
            runner.apply(operation);
        } else {
            runner.step(operation, &query);
        }
    }
    runner.reference.sorted()
}

/// Runs cases on every kind of set.
fn follow_everywhere(cases: Vec<Case>) {
    const LIMITS: [(usize, usize); 6] = [(128, 64), (4, 64), (0, 64), (128, 4), (1, 64), (4, 4)];
    let none = ListpackLimits { max_listpack_entries: usize::MAX, max_listpack_value: usize::MAX };
    let some = if cfg!(miri) { 4 } else { 1 };
    for (i, case) in cases.into_iter().enumerate().step_by(some) {
        let left = case.left.iter().map(|&(member, score)| (member.to_vec(), score + 0.0));
        let left: Vec<Element> = left.collect();
        let limits = LIMITS.iter().skip(if cfg!(miri) { i % 5 } else { 0 });
        for &(max_listpack_entries, max_listpack_value) in
            limits.take(if cfg!(miri) { 1 } else { 6 })
        {
            let limits = ListpackLimits { max_listpack_entries, max_listpack_value };
            let set = ZSet::with_limits(limits);
            assert_eq!(follow(&case, set, limits, usize::MAX), left, "{}", case.name);
        }
        if case.operations.iter().any(|operation| matches!(operation, Operation::Drain { .. })) {
            // A packed set has no `drain`, so its elements would differ from the expected ones.
            continue;
        }
        if !cfg!(miri) {
            assert_eq!(follow(&case, PackedZSet::new(), none, usize::MAX), left, "{}", case.name);
            let array = PackedZSet::with_storage([0; 256]).unwrap();
            assert_eq!(follow(&case, array, none, 256), left, "{}", case.name);
        }
        // In a smaller buffer, some writes fail, so the final elements may not be the expected
        // ones. After each operation, they are still compared with the reference.
        follow(&case, PackedZSet::with_storage([0; 24]).unwrap(), none, 24);
    }
}

#[test]
fn order_is_by_score_then_by_bytes() {
    follow_everywhere(seeds::order_and_scores());
}

#[test]
fn additions_obey_their_options() {
    follow_everywhere(seeds::additions());
}

#[test]
fn ranges_obey_their_bounds() {
    follow_everywhere(seeds::ranges());
}

#[test]
fn sets_grow_shrink_and_are_reused() {
    follow_everywhere(seeds::growing_and_shrinking());
}
