//! A random sequence of operations, with scores of one profile.

use std::hash::BuildHasher;
use zset_core::SortedSet;

use super::apply::apply;
use super::compare::{compare_all, compare_query};
use super::{Operation, Query, Reference};

/// The distribution of scores.
#[derive(Clone, Copy, Debug)]
pub enum Profile {
    /// All scores are equal, so the order is by member.
    Equal,
    /// The distinct scores are so few that most elements share one.
    Few,
    /// Each score is above all previous ones, as in a time index.
    Ascending,
    /// Each score is below all previous ones.
    Descending,
    /// Scores are alternately above and below all previous ones.
    Ends,
    /// Scores are arbitrary.
    Wide,
}

impl Profile {
    pub const ALL: [Profile; 6] = [
        Profile::Equal,
        Profile::Few,
        Profile::Ascending,
        Profile::Descending,
        Profile::Ends,
        Profile::Wide,
    ];

    /// Maps a raw number to a score; `tick` is the number of earlier scores.
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

    /// Returns a score to query that is likely to exist, or to be close to one that does.
    fn score_asked(self, raw: i32, ticks: i32) -> i32 {
        match self {
            Profile::Equal => 7 + raw.signum(),
            Profile::Ascending => raw.rem_euclid(ticks + 2),
            Profile::Descending => -raw.rem_euclid(ticks + 2),
            Profile::Ends => raw % (ticks + 2),
            Profile::Few | Profile::Wide => self.score(raw, ticks),
        }
    }
}

/// A set and its reference, which are changed together.
#[derive(Debug)]
pub struct Sequence<H> {
    set: SortedSet<u16, i32, H>,
    reference: Reference,
    profile: Profile,
    /// The number of scores so far.
    tick: i32,
}

impl<H: BuildHasher + Clone + Default> Sequence<H> {
    pub fn new(profile: Profile) -> Self {
        Sequence { set: SortedSet::default(), reference: Reference::default(), profile, tick: 0 }
    }

    /// Applies an operation to the set and to the reference, and compares the results.
    pub fn apply(&mut self, operation: Operation) {
        let Sequence { set, reference, profile, tick } = self;
        let is_asked =
            matches!(operation, Operation::RemoveRangeByScore(_) | Operation::DrainByScore(_));
        apply(operation, set, reference, |raw| {
            if is_asked {
                return profile.score_asked(raw, *tick);
            }
            *tick += 1;
            profile.score(raw, *tick)
        });
    }

    /// Applies an operation to the set and to the reference, and compares everything.
    pub fn step(&mut self, operation: Operation, query: &Query) {
        self.apply(operation);
        let Sequence { set, reference, profile, tick } = self;
        set.check();
        compare_all(set, reference);
        let asked = |raw| profile.score_asked(raw, *tick);
        let scores = (query.scores.0.map(asked), query.scores.1.map(asked));
        compare_query(set, reference, &Query { scores, ..query.clone() });
    }
}
