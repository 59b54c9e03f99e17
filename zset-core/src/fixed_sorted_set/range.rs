//! Views: all elements, or a range of scores, ranks or members.

use core::borrow::Borrow;
use core::ops::{Bound, Range, RangeBounds};

use super::{FixedSortedSet, Iter, SlotNumber};
use crate::bounds;

impl<M, S: Copy, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the elements in order, lowest score first. Lazy and double-ended; **O(1)** per step and
    /// per leap.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("b", 2).unwrap();
    /// set.try_insert("a", 1).unwrap();
    /// assert!(set.iter().eq([(&"a", 1), (&"b", 2)]));
    /// assert!(set.iter().rev().eq([(&"b", 2), (&"a", 1)]));
    /// ```
    pub fn iter(&self) -> Iter<'_, M, S, I> {
        self.range_by_rank(..)
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(1)** to start.
    ///
    /// Ranks past the end are ignored; an inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// set.try_insert("b", 2).unwrap();
    /// assert!(set.range_by_rank(1..9).eq([(&"b", 2)]));
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S, I> {
        self.view(bounds::ranks(&range, self.len()))
    }

    /// Returns the elements with ranks in a range that ends at the length or before it. An inverted range is empty.
    fn view(&self, ranks: Range<usize>) -> Iter<'_, M, S, I> {
        Iter::new(self.order.get(ranks).unwrap_or_default(), &self.members, &self.scores)
    }

    /// Returns the number of elements with scores in the range. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// set.try_insert("a", 1).unwrap();
    /// set.try_insert("b", 2).unwrap();
    /// assert_eq!(set.count_by_score(2..), 1);
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<S>) -> usize
    where
        S: Ord,
    {
        self.ranks_by_score(&range).len()
    }

    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 3>::new();
    /// for (member, score) in [("a", 1), ("b", 2), ("c", 3)] {
    ///     set.try_insert(member, score).unwrap();
    /// }
    /// assert!(set.range_by_score(2..).rev().eq([(&"c", 3), (&"b", 2)]));
    /// assert_eq!(set.range_by_score(3..1).len(), 0);
    /// ```
    pub fn range_by_score(&self, range: impl RangeBounds<S>) -> Iter<'_, M, S, I>
    where
        S: Ord,
    {
        self.view(self.ranks_by_score(&range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    ///
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 3>::new();
    /// for (member, score) in [("a", 1), ("b", 1), ("c", 2)] {
    ///     set.try_insert(member, score).unwrap();
    /// }
    /// assert!(set.range((Excluded((1, "a")), Unbounded)).eq([(&"b", 1), (&"c", 2)]));
    /// ```
    pub fn range<'q, Q>(&self, range: impl RangeBounds<(S, &'q Q)>) -> Iter<'_, M, S, I>
    where
        M: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        let from = self.partition_point(|member, score| {
            bounds::is_before(&(*score, member.borrow()), range.start_bound())
        });
        let to = self.partition_point(|member, score| {
            !bounds::is_after(&(*score, member.borrow()), range.end_bound())
        });
        self.range_by_rank(from..to)
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start.
    ///
    /// An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = zset_core::FixedSortedSet::<&str, u32, 3>::new();
    /// for word in ["bee", "ant", "cat"] {
    ///     words.try_insert(word, 0).unwrap();
    /// }
    /// assert!(words.range_by_member(0, "b"..).map(|(word, _)| *word).eq(["bee", "cat"]));
    /// ```
    pub fn range_by_member<'q, Q>(
        &self,
        score: S,
        range: impl RangeBounds<&'q Q>,
    ) -> Iter<'_, M, S, I>
    where
        M: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        let start = |member: &M| bounds::is_before(&member.borrow(), range.start_bound());
        let end = |member: &M| !bounds::is_after(&member.borrow(), range.end_bound());
        let from = self
            .partition_point(|member, other| *other < score || *other == score && start(member));
        let to =
            self.partition_point(|member, other| *other < score || *other == score && end(member));
        self.range_by_rank(from..to)
    }

    /// Returns the ranks of the elements with scores in the range.
    pub(super) fn ranks_by_score(&self, range: &impl RangeBounds<S>) -> Range<usize>
    where
        S: Ord,
    {
        let start = match range.start_bound() {
            Bound::Included(score) => self.count_below(score, false),
            Bound::Excluded(score) => self.count_below(score, true),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(score) => self.count_below(score, true),
            Bound::Excluded(score) => self.count_below(score, false),
            Bound::Unbounded => self.len(),
        };
        start..end
    }

    /// Returns the number of elements with scores below this one, or up to it. O(log n).
    fn count_below(&self, score: &S, is_included: bool) -> usize
    where
        S: Ord,
    {
        self.partition_point(|_, other| if is_included { other <= score } else { other < score })
    }
}
