//! The handwritten sequences, taken to every kind of set.

use test_support::zset::{Element, Operation, Profile, Runner, Subject, run_member};
use zset_core::{ListpackLimits, PackedZSet, ZSet};

use crate::operations::plain_question;
use crate::seeds::{self, Case};

/// Takes a case to one set.
fn follow<S: Subject>(
    case: &Case,
    subject: S,
    limits: ListpackLimits,
    capacity: usize,
) -> Vec<Element> {
    let mut runner = Runner::new(subject, limits, capacity, Profile::Any);
    let question = plain_question();
    for (left, operation) in (0..case.operations.len()).rev().zip(&case.operations) {
        if cfg!(miri) && left > 0 {
            // To compare everything takes half a second there.
            runner.apply(operation);
        } else {
            runner.step(operation, &question);
        }
    }
    runner.reference.sorted()
}

/// Takes cases to every kind of set, all of which have room for them.
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
            // A packed set has no such operation, and would go on with what it has.
            continue;
        }
        if !cfg!(miri) {
            assert_eq!(follow(&case, PackedZSet::new(), none, usize::MAX), left, "{}", case.name);
            let array = PackedZSet::with_storage([0; 256]).unwrap();
            assert_eq!(follow(&case, array, none, 256), left, "{}", case.name);
        }
        // In a smaller buffer some writes fail, and all that is left is compared nevertheless.
        follow(&case, PackedZSet::with_storage([0; 24]).unwrap(), none, 24);
    }
}

#[test]
fn order_is_by_score_then_by_bytes() {
    follow_everywhere(seeds::order_and_scores());
}

#[test]
fn additions_follow_their_options() {
    follow_everywhere(seeds::additions());
}

#[test]
fn ranges_hold_what_their_bounds_say() {
    follow_everywhere(seeds::ranges());
}

#[test]
fn sets_grow_and_shrink_and_are_used_again() {
    follow_everywhere(seeds::growing_and_shrinking());
}

#[test]
fn runs_have_the_members_that_the_cases_name() {
    assert_eq!(run_member(3), b"m3");
}
