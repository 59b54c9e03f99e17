//! What a sorted set must offer to be measured.

/// A sorted set of `u64` members with `f64` scores, ordered by `(score, member)`.
///
/// Each contender does every operation in the best way that its public API has, and the members are
/// hashed by `hashbrown::DefaultHashBuilder` in all of them. Scores are never NaN.
pub trait Contender: Sized {
    /// What the tables call it.
    const NAME: &'static str;

    /// Whether [`rank`](Self::rank) and [`select`](Self::select) take less than linear time.
    ///
    /// If not, both return `None`, and the tables show a dash.
    const HAS_RANK: bool = true;

    /// Makes an empty set.
    fn new() -> Self;

    /// Adds `member`, or gives it another score if it is there.
    fn insert(&mut self, member: u64, score: f64);

    /// Gives `member`, which is there, another score.
    #[inline]
    fn update(&mut self, member: u64, score: f64) {
        self.insert(member, score);
    }

    /// Returns the score of `member`.
    fn score(&self, member: u64) -> Option<f64>;

    /// Returns the number of elements below `member`.
    fn rank(&self, member: u64) -> Option<usize>;

    /// Returns the element with `rank` others below it.
    fn select(&self, rank: usize) -> Option<(u64, f64)>;

    /// Visits the first `limit` elements whose scores are at least `score`, and returns the sum of
    /// their [`digest`]s.
    fn sum_from(&self, score: f64, limit: usize) -> u64;

    /// Removes the first element.
    fn pop_first(&mut self) -> Option<(u64, f64)>;

    /// Returns the number of elements.
    fn len(&self) -> usize;

    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Mixes an element into one number, so that a range must read both its halves.
///
/// It is integers that are added up: a sum of floats would wait four cycles for each element, and
/// hide what the range itself costs.
#[inline]
pub fn digest(member: u64, score: f64) -> u64 {
    member ^ score.to_bits()
}
