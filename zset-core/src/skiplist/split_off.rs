//! Splitting a list in two.

use super::SkipList;
use crate::reserve::infallible;

impl<M, S: Copy> SkipList<M, S> {
    /// Splits the list at a 0-based rank: returns the elements from this rank on, and keeps those
    /// before it. **O(log n + m)** for m returned.
    ///
    /// Returns an empty list if the rank is past the end.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// let upper = list.split_off_by_rank(1);
    /// assert!(list.iter().eq([(&"a", 1)]));
    /// assert!(upper.iter().eq([(&"b", 2), (&"c", 3)]));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        infallible(self.try_cut(self.resolve_ranks(&(rank..))))
    }

    /// Splits the list at a score: returns the elements with this or a higher score, and keeps the
    /// others. **O(log n + m)** for m returned.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 2)]);
    /// let upper = list.split_off_by_score(2);
    /// assert!(list.iter().eq([(&"a", 1)]));
    /// assert!(upper.iter().eq([(&"b", 2), (&"c", 2)]));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score(&mut self, score: S) -> Self
    where
        S: Ord,
    {
        infallible(self.try_cut(self.resolve_scores(&(score..))))
    }
}
