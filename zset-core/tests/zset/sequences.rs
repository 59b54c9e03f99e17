//! Runs random sequences of operations, with listpack limits of all sizes and in fixed buffers.

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

/// Runs a sequence on a packed set, which has no limits.
fn follow_packed<S: Subject>(set: S, capacity: usize, steps: &Steps) {
    let limits =
        ListpackLimits { max_listpack_entries: usize::MAX, max_listpack_value: usize::MAX };
    follow(set, limits, capacity, steps);
}

fn follow_array<const N: usize>(steps: &Steps) {
    follow_packed(PackedZSet::with_storage([0x5A; N]).unwrap(), N, steps);
}

/// Listpack limits (number of members, bytes of a member): those of Redis, smaller ones, and none.
const LIMITS: [(usize, usize); 7] =
    [(4, 4), (0, 64), (128, 64), (128, 4), (4, 64), (1, 64), (usize::MAX, usize::MAX)];

proptest! {
    #![proptest_config(test_support::strategy::config(20 * LIMITS.len() as u32, 2))]

    #[test]
    fn sets_with_limits_of_all_sizes(
        limits in prop::sample::select(&LIMITS[..if cfg!(miri) { 2 } else { 7 }]),
        steps in steps(),
    ) {
        let (max_listpack_entries, max_listpack_value) = limits;
        let limits = ListpackLimits { max_listpack_entries, max_listpack_value };
        follow(ZSet::with_limits(limits), limits, usize::MAX, &steps);
    }
}

proptest! {
    #![proptest_config(test_support::strategy::config(20, 1))]

    #[test]
    #[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
    fn a_packed_set_in_a_vector(steps in steps()) {
        follow_packed(PackedZSet::new(), usize::MAX, &steps);
    }

    #[test]
    fn packed_sets_in_arrays_of_all_sizes(steps in steps()) {
        follow_array::<300>(&steps);
        follow_array::<40>(&steps);
        follow_array::<12>(&steps);
        follow_array::<7>(&steps);
    }
}
