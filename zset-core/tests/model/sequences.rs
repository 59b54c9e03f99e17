//! Random sequences of operations, with several score profiles and hashers.

use proptest::collection::vec;
use proptest::prelude::*;
use std::hash::{BuildHasher, RandomState};
use zset_core::{DefaultHashBuilder, SortedSet};

use crate::hashers::{BuildConstant, BuildIdentity, BuildNarrow};
use crate::operations::{Bounds, Operation, Query, any_operation, any_query, apply};
use crate::reference::Reference;

/// The distribution of scores.
#[derive(Clone, Copy, Debug)]
enum Profile {
    /// All equal, so the order is by member.
    Equal,
    /// So few distinct scores that most elements share theirs.
    Few,
    /// Each above all previous ones, as in a time index.
    Ascending,
    /// Each below all previous ones.
    Descending,
    /// Alternately above and below all previous ones.
    Ends,
    /// Arbitrary.
    Wide,
}

impl Profile {
    /// Maps a raw number to a score; `tick` counts the scores made before.
    fn score(self, raw: i32, tick: i32) -> i32 {
        match self {
            Profile::Equal => 7,
            Profile::Few => raw.rem_euclid(4),
            Profile::Ascending => tick,
            Profile::Descending => -tick,
            Profile::Ends => tick * (1 - 2 * (tick % 2)),
            Profile::Wide => raw,
        }
    }

    /// Makes a score to query that is likely to exist, or to be near one that does.
    fn query_score(self, raw: i32, ticks: i32) -> i32 {
        match self {
            Profile::Equal => 7 + raw.signum(),
            Profile::Ascending => raw.rem_euclid(ticks + 2),
            Profile::Descending => -raw.rem_euclid(ticks + 2),
            Profile::Ends => raw % (ticks + 2),
            Profile::Few | Profile::Wide => self.score(raw, ticks),
        }
    }
}

type Steps = Vec<(Operation, Query)>;

/// Runs a sequence and compares everything after each step.
fn follow<H: BuildHasher + Clone + Default>(profile: Profile, steps: Steps) {
    let mut set: SortedSet<u16, i32, H> = SortedSet::default();
    let mut reference = Reference::default();
    let mut tick = 0;
    // Starts with several leaves under Miri, which has time for few operations only.
    if cfg!(miri) {
        let run = Operation::InsertRun { first: 0, len: 140, step: 3, score: 1 };
        apply(run, &mut set, &mut reference, |raw| {
            tick += 1;
            profile.score(raw * tick, tick)
        });
    }
    for (operation, query) in steps {
        let ranged = matches!(operation, Operation::RemoveRangeByScore(_));
        apply(operation, &mut set, &mut reference, |raw| {
            if ranged {
                return profile.query_score(raw, tick);
            }
            tick += 1;
            profile.score(raw, tick)
        });
        set.check();
        compare_all(&set, &reference);
        let asked = |raw| profile.query_score(raw, tick);
        let scores = (query.scores.0.map(asked), query.scores.1.map(asked));
        compare_query(&set, &reference, &Query { scores, ..query });
    }
}

fn compare_all<H: BuildHasher>(set: &SortedSet<u16, i32, H>, reference: &Reference) {
    let elements = reference.elements();
    assert!(set.iter().map(|(&member, score)| (member, score)).eq(elements.iter().copied()));
    assert_eq!((set.len(), set.is_empty()), (elements.len(), elements.is_empty()));
    let owned = |element: Option<(&u16, i32)>| element.map(|(&member, score)| (member, score));
    assert_eq!(owned(set.first()), elements.first().copied());
    assert_eq!(owned(set.last()), elements.last().copied());
    assert_eq!(set.get_by_rank(elements.len()), None);
    // All elements by rank and by member; under Miri only some.
    for (rank, (member, score)) in elements.iter().enumerate().step_by(step_of_miri()) {
        assert_eq!(set.get_by_rank(rank), Some((member, *score)));
        assert_eq!(set.rank(member), Some(rank));
        assert_eq!(set.rev_rank(member), Some(elements.len() - 1 - rank));
        assert_eq!(set.score(member), Some(*score));
    }
}

const fn step_of_miri() -> usize {
    if cfg!(miri) { 31 } else { 1 }
}

fn compare_query<H: BuildHasher>(
    set: &SortedSet<u16, i32, H>,
    reference: &Reference,
    query: &Query,
) {
    let Query { member, members, scores, ranks } = query;
    assert_eq!(set.score(member), reference.score(*member));
    assert_eq!(set.contains(member), reference.score(*member).is_some());
    assert_eq!(set.rank(member), reference.rank(*member));

    let expected = reference.by_score(scores);
    assert_eq!(set.count_by_score(*scores), expected.len());
    assert_eq!(collect(set.range_by_score(*scores)), expected);

    assert_eq!(collect(set.range_by_rank(*ranks)), reference.by_rank(ranks));

    let exactly = reference.score(*member).unwrap_or(7);
    let expected =
        reference.matching(|member, score| score == exactly && contains(*members, member));
    let (start, end) = (members.0.as_ref(), members.1.as_ref());
    assert_eq!(collect(set.range_by_member(exactly, (start, end))), expected);
}

fn contains(members: Bounds<u16>, member: u16) -> bool {
    std::ops::RangeBounds::contains(&members, &member)
}

/// Collects a view, and verifies its length.
fn collect<'a>(view: impl ExactSizeIterator<Item = (&'a u16, i32)>) -> Vec<(u16, i32)> {
    let len = view.len();
    let elements: Vec<_> = view.map(|(&member, score)| (member, score)).collect();
    assert_eq!(len, elements.len());
    elements
}

fn steps() -> impl Strategy<Value = Steps> {
    let most = if cfg!(miri) { 4 } else { 100 };
    vec((any_operation(), any_query()), 1..most)
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
    fn widely_spread_scores(steps in steps()) {
        follow::<DefaultHashBuilder>(Profile::Wide, steps);
    }

    #[test]

    #[cfg_attr(miri, ignore = "hashers access no memory")]
    fn the_hasher_of_the_standard_library(steps in steps()) {
        follow::<RandomState>(Profile::Few, steps);
    }

    #[test]

    #[cfg_attr(miri, ignore = "hashers access no memory")]
    fn a_32_bit_hasher(steps in steps()) {
        follow::<BuildNarrow>(Profile::Wide, steps);
    }

    #[test]

    #[cfg_attr(miri, ignore = "hashers access no memory")]
    fn an_identity_hasher(steps in steps()) {
        follow::<BuildIdentity>(Profile::Few, steps);
    }
}

proptest! {
    // Every lookup takes linear time.
    #![proptest_config(crate::config(6, 1))]

    #[test]

    #[cfg_attr(miri, ignore = "hashers access no memory")]
    fn a_hasher_under_which_all_members_collide(steps in steps()) {
        follow::<BuildConstant>(Profile::Wide, steps);
    }
}
