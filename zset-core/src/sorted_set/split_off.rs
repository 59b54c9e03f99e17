//! Splitting a set in two.

use alloc::boxed::Box;
use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use super::rebuild::try_fill_dict;
use crate::TryReserveError;
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
        let [upper] = *infallible(self.try_split_off_by_rank(rank));
        upper
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
        let [upper] = *infallible(self.try_split_off_by_score(score));
        upper
    }

    pub(crate) fn try_split_off_by_rank(
        &mut self,
        rank: usize,
    ) -> Result<Box<[Self; 1]>, TryReserveError> {
        self.try_split_off(self.list.resolve_ranks(&(rank..)))
    }

    pub(crate) fn try_split_off_by_score(
        &mut self,
        score: S,
    ) -> Result<Box<[Self; 1]>, TryReserveError>
    where
        S: Ord,
    {
        self.try_split_off(self.list.resolve_scores(&(score..)))
    }

    /// Moves a range to a set of its own. On error, the set is unchanged.
    ///
    /// Not inlined, so that the caller's stack has no set meanwhile.
    #[inline(never)]
    fn try_split_off(&mut self, range: RankedRange) -> Result<Box<[Self; 1]>, TryReserveError> {
        let mut upper = self.try_boxed_empty(self.hasher.clone())?;
        if range.len == 0 {
            return Ok(upper);
        }
        if range.len == self.len() {
            self.swap_elements(&mut upper[0]);
        } else {
            let [SortedSet { list, dict, .. }] = &mut *upper;
            // The handles of the elements in the new list are known before they move.
            self.try_cut_to(list, range, |hashes| try_fill_dict::<M, S>(dict, hashes))?;
        }
        Ok(upper)
    }
}
