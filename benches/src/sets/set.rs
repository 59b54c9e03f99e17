//! The interface of a measured sorted set.

use crate::sets::member::Member;

// The labels of the operations that a contender may lack, or that tables and pictures refer to.
pub(crate) const INSERT: &str = "insert";
pub(crate) const SCORE: &str = "score";
pub(crate) const RANK: &str = "rank";
pub(crate) const SELECT: &str = "select";
pub(crate) const TEN_BY_SCORE: &str = "10 by score";
pub(crate) const HUNDRED_BY_SCORE: &str = "100 by score";
pub(crate) const THOUSAND_BY_SCORE: &str = "1000 by score";
pub(crate) const HUNDRED_BY_RANK: &str = "100 by rank";
pub(crate) const COUNT: &str = "count by score";
pub(crate) const ITERATE: &str = "iterate, an element";
pub(crate) const UPDATE: &str = "update";
pub(crate) const POP_FIRST: &str = "pop first";
pub(crate) const BY_MEMBER: &str = "100 by member";

/// The operations that need ranks.
pub(crate) const RANKED: [&str; 4] = [RANK, SELECT, HUNDRED_BY_RANK, COUNT];

/// The operations that need the order of the elements.
pub(crate) const ORDERED: [&str; 5] =
    [TEN_BY_SCORE, HUNDRED_BY_SCORE, THOUSAND_BY_SCORE, ITERATE, BY_MEMBER];

/// A sorted set of members with `f64` scores, ordered by `(score, member)`.
///
/// Each contender implements every operation in the best way that its public API allows, and all of
/// them hash members with `hashbrown::DefaultHashBuilder`. Scores are never NaN. Operations that
/// visit elements return the sum of their [`digest`]s, so that every element must be read.
pub trait Set<M: Member>: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// Returns whether an operation takes less time than a scan of all elements.
    ///
    /// If not, the tables show a dash, and the methods that the operation needs are never called.
    fn offers(_operation: &str) -> bool {
        true
    }

    /// Returns an empty set.
    fn new() -> Self;

    /// Builds a set from elements with distinct members, in any order.
    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        let mut set = Self::new();
        for (member, score) in elements {
            set.insert(member, score);
        }
        set
    }

    /// Builds a set from elements with distinct members, in set order.
    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        Self::from_unsorted(elements)
    }

    /// Moves all elements of another set into this one; the sets have no members in common.
    fn unite(&mut self, other: Self);

    /// Inserts `member`, or updates its score if it is present.
    fn insert(&mut self, member: M, score: f64);

    /// Removes the first element and returns its digest.
    fn pop_first(&mut self) -> Option<u64>;

    // The defaults of the following methods are for contenders that do not support them.

    /// Updates the score of `member`, which is present.
    fn update(&mut self, _member: &M, _score: f64) {}

    /// Adds to the score of `member`, which is present.
    fn increment(&mut self, _member: &M, _by: f64) {}

    /// Returns the score of `member`.
    fn score(&self, _member: &M) -> Option<f64> {
        None
    }

    /// Returns the number of elements before `member`.
    fn rank(&self, _member: &M) -> Option<usize> {
        None
    }

    /// Returns the digest of the element at `rank`.
    fn select(&self, _rank: usize) -> Option<u64> {
        None
    }

    /// Visits the first `limit` elements whose scores are at least `score`.
    fn sum_by_score(&self, _score: f64, _limit: usize) -> u64 {
        0
    }

    /// Visits `limit` elements, starting at a rank.
    fn sum_by_rank(&self, _rank: usize, _limit: usize) -> u64 {
        0
    }

    /// Visits the first `limit` elements with a score, starting at the first member not less than
    /// `member`.
    fn sum_by_member(&self, _score: f64, _member: &M, _limit: usize) -> u64 {
        0
    }

    /// Visits all elements in order.
    fn sum(&self) -> u64 {
        0
    }

    /// Returns the number of elements with scores in `start..end`.
    fn count(&self, _start: f64, _end: f64) -> usize {
        0
    }
}

/// Mixes the [digest](Member::digest) of a member with a score, so that a range must read both.
///
/// Digests are integers because a sum of floats would wait about four cycles per element and hide
/// the cost of the range itself.
#[inline]
pub fn digest(member: u64, score: f64) -> u64 {
    member ^ score.to_bits()
}

/// Returns the sum of digests, as a range that folds its elements computes it.
#[inline]
pub fn sum(digests: impl Iterator<Item = u64>) -> u64 {
    digests.fold(0, u64::wrapping_add)
}
