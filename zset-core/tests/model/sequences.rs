//! Runs random sequences of operations with several score profiles and hashers.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::hash::{BuildHasher, RandomState};
use test_support::sorted_set::{Operation, Profile, Query, Run, Sequence};
use zset_core::DefaultHashBuilder;

use crate::hashers::{BuildConstant, BuildIdentity, BuildNarrow};
use crate::operations::{any_operation, any_query};

type Steps = Vec<(Operation, Query)>;

/// Runs a sequence of operations and compares everything after each one.
fn follow<H: BuildHasher + Clone + Default>(profile: Profile, steps: Steps) {
    let mut sequence = Sequence::<H>::new(profile);
    // Miri has time for only a few operations, so the set starts with several leaves.
    if cfg!(miri) {
        let run = Run { first: 0, len: 140, member_step: 3, score: 1, score_step: 1 };
        sequence.apply(Operation::InsertRun(run));
    }
    for (operation, query) in steps {
        sequence.step(operation, &query);
    }
}

fn steps() -> impl Strategy<Value = Steps> {
    let most = if cfg!(miri) { 4 } else { 100 };
    vec((any_operation(), any_query()), 1..most)
}

proptest! {
    // There are six profiles, so each gets 24 cases on average.
    #![proptest_config(crate::config(144, 6))]

    #[test]
    fn scores_of_every_profile(profile in select(&Profile::ALL[..]), steps in steps()) {
        follow::<DefaultHashBuilder>(profile, steps);
    }
}

proptest! {
    #![proptest_config(crate::config(24, 1))]

    #[test]
    #[cfg_attr(miri, ignore = "hashers access no memory")]
    fn hashers_of_any_quality(steps in steps()) {
        follow::<RandomState>(Profile::Few, steps.clone());
        follow::<BuildNarrow>(Profile::Wide, steps.clone());
        follow::<BuildIdentity>(Profile::Few, steps);
    }
}

proptest! {
    // With this hasher, every lookup takes linear time, so there are only a few cases.
    #![proptest_config(crate::config(6, 1))]

    #[test]
    #[cfg_attr(miri, ignore = "hashers access no memory")]
    fn a_hasher_under_which_all_members_collide(steps in steps()) {
        follow::<BuildConstant>(Profile::Wide, steps);
    }
}
