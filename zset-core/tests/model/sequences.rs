//! Random sequences of operations, over scores of several profiles and hashers of several kinds.

use proptest::collection::vec;
use proptest::prelude::*;
use std::hash::{BuildHasher, RandomState};
use test_support::sorted_set::{Operation, Profile, Question, Run, Sequence};
use zset_core::DefaultHashBuilder;

use crate::hashers::{BuildConstant, BuildIdentity, BuildNarrow};
use crate::operations::{any_operation, any_question};

type Steps = Vec<(Operation, Question)>;

/// Goes through a sequence, and compares everything after each step.
fn follow<H: BuildHasher + Clone + Default>(profile: Profile, steps: Steps) {
    let mut sequence = Sequence::<H>::new(profile);
    // A start of several leaves, for the interpreter, which has time for few operations.
    if cfg!(miri) {
        let run = Run { first: 0, len: 140, member_step: 3, score: 1, score_step: 1 };
        sequence.apply(Operation::InsertRun(run));
    }
    for (operation, question) in steps {
        sequence.step(operation, &question);
    }
}

fn steps() -> impl Strategy<Value = Steps> {
    let most = if cfg!(miri) { 4 } else { 100 };
    vec((any_operation(), any_question()), 1..most)
}

proptest! {
    #![proptest_config(crate::config(24, 1))]

    #[test]
    fn equal_scores(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Equal, steps);
    }

    #[test]
    fn few_distinct_scores(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Few, steps);
    }

    #[test]
    fn ascending_scores(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Ascending, steps);
    }

    #[test]
    fn descending_scores(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Descending, steps);
    }

    #[test]
    fn scores_at_alternating_ends(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Ends, steps);
    }

    #[test]
    fn scores_far_apart(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Wide, steps);
    }

    #[test]

    #[cfg_attr(miri, ignore = "hashers touch no memory")]
    fn the_hasher_of_the_standard_library(steps in steps()) {
        follow::<RandomState>(Profile::Few, steps);
    }

    #[test]

    #[cfg_attr(miri, ignore = "hashers touch no memory")]
    fn a_hasher_of_32_bits(steps in steps()) {
        follow::<BuildNarrow>(Profile::Wide, steps);
    }

    #[test]

    #[cfg_attr(miri, ignore = "hashers touch no memory")]
    fn a_hasher_that_returns_the_member_itself(steps in steps()) {
        follow::<BuildIdentity>(Profile::Few, steps);
    }
}

proptest! {
    // Every look-up takes time in proportion to the size.
    #![proptest_config(crate::config(6, 1))]

    #[test]

    #[cfg_attr(miri, ignore = "hashers touch no memory")]
    fn a_hasher_that_makes_all_members_collide(steps in steps()) {
        follow::<BuildConstant>(Profile::Wide, steps);
    }
}
