//! Splitting a set in two.

use alloc::vec::Vec;

use super::promote::try_box;
use super::{Elements, Sorted, ZSet};
use crate::packed_zset::Run;
use crate::reserve::infallible;
use crate::{PackedZSet, Score};

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
        self.split_off(|set| set.run_by_rank(&(rank..)), |set| set.split_off_by_rank(rank))
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
        self.split_off(|set| set.run_by_score(&(score..)), |set| set.split_off_by_score(score))
    }

    #[track_caller]
    fn split_off(
        &mut self,
        run: impl FnOnce(&PackedZSet<Vec<u8>>) -> Run,
        split: impl FnOnce(&mut Sorted) -> Sorted,
    ) -> Self {
        let elements = match &mut self.elements {
            Elements::Listpack(set) => Elements::Listpack(infallible(set.try_cut(run(set)))),
            Elements::Skiplist(set) => {
                // Allocate the box first: this must not fail once the elements have moved.
                let mut upper = infallible(try_box(Sorted::with_hasher(set[0].hasher().clone())));
                upper[0] = split(&mut set[0]);
                Elements::Skiplist(upper)
            }
        };
        ZSet { elements, limits: self.limits }
    }
}
