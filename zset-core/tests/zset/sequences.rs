//! Random sequences of operations, with limits of all sizes and in buffers.

use proptest::collection::vec;
use proptest::prelude::*;
use test_support::zset::{Operation, Profile, Query, Runner, Subject};
use zset_core::{ListpackLimits, PackedZSet, ZSet};

use crate::operations::{any_operation, any_query};

type Steps = (Profile, Vec<(Operation, Query)>);

fn steps() -> impl Strategy<Value = Steps> {
    let profile = prop_oneof![3 => Just(Profile::Any), 1 => Just(Profile::Equal)];
    let most = if cfg!(miri) { 4 } else { 60 };
    (profile, vec((any_operation(), any_query()), 1..most))
}

fn follow<S: Subject>(
    subject: S,
    limits: ListpackLimits,
    capacity: usize,
    (profile, steps): &Steps,
) {
    let mut runner = Runner::new(subject, limits, capacity, *profile);
    for (operation, query) in steps {
        runner.step(operation, query);
    }
}

fn follow_zset(max_listpack_entries: usize, max_listpack_value: usize, steps: &Steps) {
    let limits = ListpackLimits { max_listpack_entries, max_listpack_value };
    follow(ZSet::with_limits(limits), limits, usize::MAX, steps);
}

/// Runs a sequence on a packed set, which has no limits.
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
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_set_with_the_limits_of_redis(steps in steps()) {
        follow_zset(128, 64, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_set_promoted_by_short_members(steps in steps()) {
        follow_zset(128, 4, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_set_promoted_at_the_fifth_member(steps in steps()) {
        follow_zset(4, 64, &steps);
    }

    #[test]
    fn a_set_promoted_at_the_fifth_member_or_by_a_short_one(steps in steps()) {
        follow_zset(4, 4, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_set_promoted_at_the_second_member(steps in steps()) {
        follow_zset(1, 64, &steps);
    }

    #[test]
    fn a_set_that_is_a_listpack_only_while_empty(steps in steps()) {
        follow_zset(0, 64, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_set_promoted_only_on_demand(steps in steps()) {
        follow_zset(usize::MAX, usize::MAX, &steps);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_packed_set_in_a_vector(steps in steps()) {
        follow_packed(PackedZSet::new(), usize::MAX, &steps);
    }

    #[test]
    fn a_packed_set_in_a_medium_array(steps in steps()) {
        follow_array::<300>(&steps);
    }

    #[test]
    fn a_packed_set_in_a_small_array(steps in steps()) {
        follow_array::<40>(&steps);
        follow_array::<12>(&steps);
        follow_array::<7>(&steps);
    }
}
