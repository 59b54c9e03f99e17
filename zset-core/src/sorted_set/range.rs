//! Views: all elements, or a range of scores, ranks or members.

use core::borrow::Borrow;
use core::ops::RangeBounds;

use super::SortedSet;
use crate::skiplist::Iter;

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Returns the elements in order, lowest score first. Lazy and double-ended; **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert!(set.iter().eq([(&"a", 1), (&"b", 2)]));
    /// assert!(set.iter().rev().eq([(&"b", 2), (&"a", 1)]));
    /// ```
    pub fn iter(&self) -> Iter<'_, M, S> {
        self.list.iter()
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start.
    ///
    /// Ranks past the end are ignored; an inverted range is empty, whereas indexing a slice panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(set.range_by_rank(1..9).eq([(&"b", 2), (&"c", 3)]));
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S> {
        self.list.range_by_rank(range)
    }

    /// Returns the number of elements with scores in the range. **O(log n)**.
    ///
    /// Returns 0 for an inverted range.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// assert_eq!(set.count_by_score(2..), 2);
    /// assert_eq!(set.count_by_score(..1), 0);
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<S>) -> usize
    where
        S: Ord,
    {
        self.list.count_by_score(range)
    }

    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::{Score, SortedSet};
    ///
    /// let set = SortedSet::from([("a", 1), ("b", 2), ("c", 3)].map(|(m, s)| (m, Score::from(s))));
    /// assert_eq!(set.range_by_score(..=Score::from(2)).len(), 2);
    /// let mut above = set.range_by_score((Excluded(Score::from(2)), Unbounded));
    /// assert_eq!(above.next(), Some((&"c", Score::from(3))));
    /// assert_eq!(set.range_by_score(Score::from(3)..Score::from(1)).len(), 0);
    /// ```
    #[inline]
    pub fn range_by_score(&self, range: impl RangeBounds<S>) -> Iter<'_, M, S>
    where
        S: Ord,
    {
        self.list.range_by_score(range)
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// Pagination: each page starts after the last element of the previous one, whatever its score.
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from([("ann", 1), ("bob", 1), ("cid", 1), ("dan", 2)]);
    /// let page: Vec<_> = set.iter().take(2).collect();
    /// assert_eq!(page, [(&"ann", 1), (&"bob", 1)]);
    /// let (member, score) = page[1];
    /// let next = set.range((Excluded((score, member)), Unbounded));
    /// assert!(next.eq([(&"cid", 1), (&"dan", 2)]));
    ///
    /// // The element itself may have been removed in the meantime.
    /// assert_eq!(set.range((1, "bill")..(2, "dan")).len(), 2);
    /// ```
    pub fn range<'q, Q>(&self, range: impl RangeBounds<(S, &'q Q)>) -> Iter<'_, M, S>
    where
        M: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.list.range(range)
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start.
    ///
    /// Elements with equal scores are ordered by member, so a set with equal scores throughout is an
    /// index of its members. An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let words = ["bee", "ant", "cat", "cow"].map(|word| (word.to_string(), 0));
    /// let words = SortedSet::from(words);
    /// assert!(words.range_by_member(0, "b".."co").map(|(m, _)| m).eq(["bee", "cat"]));
    /// assert!(words.range_by_member(0, "c"..).map(|(m, _)| m).eq(["cat", "cow"]));
    /// ```
    pub fn range_by_member<'q, Q>(&self, score: S, range: impl RangeBounds<&'q Q>) -> Iter<'_, M, S>
    where
        M: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.list.range_by_member(score, range)
    }
}
