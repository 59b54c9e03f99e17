//! What a sorted set must offer to be measured.

use crate::member::Member;
use crate::operation::Operation;

/// A sorted set of members with `f64` scores, ordered by `(score, member)`.
///
/// Each contender does every operation in the best way that its public API has, and the members are
/// hashed by `hashbrown::DefaultHashBuilder` in all of them. Scores are never NaN. What visits elements
/// returns the sum of their [`digest`]s, so that it has to read them.
pub trait Contender<M: Member>: Sized {
    /// What the tables call it.
    const NAME: &'static str;

    /// Returns whether it can do an operation in less time than it takes to look at all elements.
    ///
    /// If not, the tables show a dash, and nobody calls what the operation calls.
    fn offers(operation: Operation) -> bool;

    /// Makes an empty set.
    fn new() -> Self;

    /// Makes a set of elements with distinct members, in any order.
    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        let mut set = Self::new();
        for (member, score) in elements {
            set.insert(member, score);
        }
        set
    }

    /// Makes a set of elements with distinct members, in the order of the set.
    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        Self::from_unsorted(elements)
    }

    /// Moves all elements of another set here, which has none of the same members.
    fn unite(&mut self, other: Self);

    /// Adds `member`, or gives it another score if it is there.
    fn insert(&mut self, member: M, score: f64);

    /// Removes the first element, and returns its digest.
    fn pop_first(&mut self) -> Option<u64>;

    /// Returns the number of elements.
    fn len(&self) -> usize;

    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    // From here on, what is written here is for contenders that do not offer it.

    /// Gives `member`, which is there, another score.
    fn update(&mut self, _member: &M, _score: f64) {}

    /// Adds to the score of `member`, which is there.
    fn increment(&mut self, _member: &M, _by: f64) {}

    /// Returns the score of `member`.
    fn score(&self, _member: &M) -> Option<f64> {
        None
    }

    /// Returns the number of elements below `member`.
    fn rank(&self, _member: &M) -> Option<usize> {
        None
    }

    /// Returns the digest of the element with `rank` others below it.
    fn select(&self, _rank: usize) -> Option<u64> {
        None
    }

    /// Visits the first `limit` elements whose scores are at least `score`.
    fn sum_by_score(&self, _score: f64, _limit: usize) -> u64 {
        0
    }

    /// Visits `limit` elements from a rank on.
    fn sum_by_rank(&self, _rank: usize, _limit: usize) -> u64 {
        0
    }

    /// Visits the first `limit` elements with a score and a member that is not below `member`.
    fn sum_by_member(&self, _score: f64, _member: &M, _limit: usize) -> u64 {
        0
    }

    /// Visits all elements in their order.
    fn sum(&self) -> u64 {
        0
    }

    /// Returns the number of elements with scores from `start` to below `end`.
    fn count(&self, _start: f64, _end: f64) -> usize {
        0
    }
}

/// Mixes the [digest](Member::digest) of a member and a score, so that a range must read both.
///
/// It is integers that are added up: a sum of floats would wait four cycles for each element, and
/// hide what the range itself costs.
#[inline]
pub fn digest(member: u64, score: f64) -> u64 {
    member ^ score.to_bits()
}

/// Returns the sum of digests.
#[inline]
pub fn sum(digests: impl Iterator<Item = u64>) -> u64 {
    digests.fold(0, u64::wrapping_add)
}
