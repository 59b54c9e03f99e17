//! Splitting a set in two.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Elements, Sorted, ZSet};
use crate::packed_zset::Run;
use crate::reserve::infallible;
use crate::{PackedZSet, Score, TryReserveError};

impl ZSet {
    /// Splits the set at a 0-based rank: returns the elements from this rank on, and keeps the
    /// others. **O(log n + m)** for m returned elements.
    ///
    /// Both parts keep the limits and the encoding of the set. If the rank is beyond the end, the
    /// returned set is empty.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// let upper = set.split_off_by_rank(1);
    /// assert!(set.contains("b") && upper.contains("a"));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        self.split_off(|set| set.run_by_rank(&(rank..)), |set| set.try_split_off_by_rank(rank))
    }

    /// Splits the set at a score: returns the elements with this score or a higher one, and keeps
    /// the others. **O(log n + m)** for m returned elements.
    ///
    /// Both parts keep the limits and the encoding of the set.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// let upper = set.split_off_by_score(Score::from(2));
    /// assert!(set.contains("b") && upper.contains("a"));
    /// ```
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score(&mut self, score: Score) -> Self {
        self.split_off(|set| set.run_by_score(&(score..)), |set| set.try_split_off_by_score(score))
    }

    #[track_caller]
    fn split_off(
        &mut self,
        run: impl FnOnce(&PackedZSet<Vec<u8>>) -> Run,
        split: impl FnOnce(&mut Sorted) -> Result<Box<[Sorted; 1]>, TryReserveError>,
    ) -> Self {
        let elements = match &mut self.elements {
            Elements::Listpack(set) => Elements::Listpack(infallible(set.try_cut(run(set)))),
            Elements::Skiplist(set) => Elements::Skiplist(infallible(split(&mut set[0]))),
        };
        ZSet { elements, limits: self.limits }
    }
}
