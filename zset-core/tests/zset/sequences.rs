//! Random sequences of operations, with limits of all sizes, and in buffers.

use proptest::collection::vec;
use proptest::prelude::*;
use test_support::zset::{Operation, Profile, Question, Runner, Subject};
use zset_core::{ListpackLimits, PackedZSet, ZSet};

use crate::operations::{any_operation, any_question};

type Steps = (Profile, Vec<(Operation, Question)>);

fn steps() -> impl Strategy<Value = Steps> {
    let profile = prop_oneof![3 => Just(Profile::Any), 1 => Just(Profile::Equal)];
    let most = if cfg!(miri) { 4 } else { 60 };
    (profile, vec((any_operation(), any_question()), 1..most))
}

fn follow<S: Subject>(
    subject: S,
    limits: ListpackLimits,
    capacity: usize,
    (profile, steps): &Steps,
) {
    let mut runner = Runner::new(subject, limits, capacity, *profile);
    for (operation, question) in steps {
        runner.step(operation, question);
    }
}

fn follow_zset(max_listpack_entries: usize, max_listpack_value: usize, steps: &Steps) {
    let limits = ListpackLimits { max_listpack_entries, max_listpack_value };
    follow(ZSet::with_limits(limits), limits, usize::MAX, steps);
}

/// A set in a listpack that nothing limits.
fn follow_packed<S: Subject>(set: S, capacity: usize, steps: &Steps) {
    let limits =
        ListpackLimits { max_listpack_entries: usize::MAX, max_listpack_value: usize::MAX };
    follow(set, limits, capacity, steps);
}

fn follow_array<const N: usize>(steps: &Steps) {
    follow_packed(PackedZSet::with_storage([0x5A; N]).unwrap(), N, steps);
}

proptest! {
    #![proptest_config(test_support::strategy::config(20, 1))]

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_set_of_redis_limits(steps in steps()) {
        follow_zset(128, 64, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_set_that_is_promoted_by_short_members(steps in steps()) {
        follow_zset(128, 4, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_set_that_is_promoted_at_the_fifth_member(steps in steps()) {
        follow_zset(4, 64, &steps);
    }

    #[test]
    fn a_set_that_is_promoted_at_the_fifth_member_or_by_a_short_one(steps in steps()) {
        follow_zset(4, 4, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_set_that_is_promoted_at_the_second_member(steps in steps()) {
        follow_zset(1, 64, &steps);
    }

    #[test]
    fn a_set_that_is_never_a_listpack_unless_empty(steps in steps()) {
        follow_zset(0, 64, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_set_that_is_only_promoted_on_demand(steps in steps()) {
        follow_zset(usize::MAX, usize::MAX, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
    fn a_packed_set_in_a_vector(steps in steps()) {
        follow_packed(PackedZSet::new(), usize::MAX, &steps);
    }

    #[test]
    fn a_packed_set_in_an_array_for_some_members(steps in steps()) {
        follow_array::<300>(&steps);
    }

    #[test]
    fn a_packed_set_in_an_array_for_few_members(steps in steps()) {
        follow_array::<40>(&steps);
        follow_array::<12>(&steps);
        follow_array::<7>(&steps);
    }
}
