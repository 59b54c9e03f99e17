//! Splitting a set in two.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use super::rebuild::try_dict;
use crate::reserve::infallible;
use crate::skiplist::RankedRange;

impl<M: Hash, S: Copy, H: BuildHasher + Clone> SortedSet<M, S, H> {
    /// Splits the set at a 0-based rank: returns the elements from this rank on, and keeps those before
    /// it. **O(log n + m)** for m returned.
    ///
    /// Returns an empty set if the rank is past the end.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// let upper = set.split_off_by_rank(1);
    /// assert!(set.iter().eq([(&"a", 1)]));
    /// assert!(upper.iter().eq([(&"b", 2), (&"c", 3)]));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        self.split_off_range(self.list.resolve_ranks(&(rank..)))
    }

    /// Splits the set at a score: returns the elements with this or a higher score, and keeps the
    /// others. **O(log n + m)** for m returned.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 2)]);
    /// let upper = set.split_off_by_score(2);
    /// assert!(set.iter().eq([(&"a", 1)]));
    /// assert_eq!(upper.score("c"), Some(2));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score(&mut self, score: S) -> Self
    where
        S: Ord,
    {
        self.split_off_range(self.list.resolve_scores(&(score..)))
    }

    #[track_caller]
    fn split_off_range(&mut self, range: RankedRange) -> Self {
        let mut upper = Self::with_hasher(self.hasher.clone());
        upper.list = self.list.empty();
        if range.len == 0 {
            return upper;
        }
        if range.len == self.len() {
            core::mem::swap(self, &mut upper);
        } else {
            let hashes = infallible(self.try_hashes(range));
            // The handles of the elements in the new list are known before they move.
            upper.dict = infallible(try_dict::<M, S>(&hashes));
            upper.list = infallible(self.try_cut(range, &hashes));
        }
        upper
    }
}
