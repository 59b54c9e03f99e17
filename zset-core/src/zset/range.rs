//! Iteration over all elements, and over ranges of ranks, scores or members.

use core::ops::{Range, RangeBounds};

use super::{Elements, Iter, Sorted, ZSet};
use crate::bounds::{is_after, is_before};
use crate::{ByteString, Score, skiplist};

impl ZSet {
    /// Returns the elements in order, lowest score first. Lazy, double-ended, **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.iter().rev().map(|(member, _)| member[0]).eq(*b"ab"));
    /// ```
    pub fn iter(&self) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.iter().into(),
            Elements::Skiplist(set) => set[0].iter().into(),
        }
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start.
    ///
    /// Ranks beyond the end are ignored; an inverted range is empty. For Redis's indexes, which may
    /// be negative, see [`rank_range`](crate::redis::rank_range).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.range_by_rank(1..9).len(), 1);
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range_by_rank(range).into(),
            Elements::Skiplist(set) => set[0].range_by_rank(range).into(),
        }
    }

    /// Returns the elements whose scores lie in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty. For Redis's syntax, see
    /// [`ScoreRange`](crate::redis::ScoreRange).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::ScoreRange;
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.range_by_score(Score::from(2)..).len(), 1);
    /// assert_eq!(set.range_by_score(ScoreRange::parse(b"-inf", b"(2")?).len(), 1);
    /// # Ok::<(), zset_core::redis::ParseRangeError>(())
    /// ```
    pub fn range_by_score(&self, range: impl RangeBounds<Score>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range_by_score(range).into(),
            Elements::Skiplist(set) => set[0].range_by_score(range).into(),
        }
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty.
    ///
    /// # Examples
    ///
    /// Each page continues after the last element of the previous one, whatever its score:
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from(["ann", "bob", "cid"].map(|member| (member, Score::ZERO)));
    /// let page: Vec<_> = set.iter().take(2).collect();
    /// let (member, score) = &page[1];
    /// let mut next = set.range((Excluded((*score, &**member)), Unbounded));
    /// assert!(next.all(|(member, _)| member == "cid"));
    /// ```
    pub fn range<'q>(&self, range: impl RangeBounds<(Score, &'q [u8])>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range(range).into(),
            Elements::Skiplist(set) => set[0].range(range).into(),
        }
    }

    /// Returns the elements whose members lie in the range, assuming that all scores are equal.
    /// Lazy; **O(log n)** to start, O(log^2 n) if scores differ.
    ///
    /// If scores differ, it is unspecified which elements are returned, as in Redis. For the
    /// elements with one score, see [`range_by_member`](Self::range_by_member). An inverted range
    /// is empty. For Redis's syntax, see [`LexRange`](crate::redis::LexRange).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::LexRange;
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from(["ant", "bee", "cat"].map(|word| (word, Score::ZERO)));
    /// assert_eq!(set.range_by_lex(&b"b"[..]..).len(), 2);
    /// assert_eq!(set.range_by_lex(LexRange::parse(b"(ant", b"[bee")?).len(), 1);
    /// # Ok::<(), zset_core::redis::ParseRangeError>(())
    /// ```
    pub fn range_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range_by_lex(range).into(),
            Elements::Skiplist(set) => lex_range(&set[0], &range).into(),
        }
    }

    /// Returns the elements with exactly this score whose members lie in the range. Lazy;
    /// **O(log n)** to start.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("ant", 0), ("bee", 0), ("cat", 1)].map(|(m, s)| (m, Score::from(s))));
    /// assert_eq!(set.range_by_member(Score::ZERO, &b"b"[..]..).len(), 1);
    /// ```
    pub fn range_by_member<'q>(&self, score: Score, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        match &self.elements {
            Elements::Listpack(set) => set.range_by_member(score, range).into(),
            Elements::Skiplist(set) => set[0].range_by_member(score, range).into(),
        }
    }

    /// Returns how many elements have scores in the range. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.count_by_score(..Score::from(2)), 1);
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<Score>) -> usize {
        match &self.elements {
            Elements::Listpack(set) => set.count_by_score(range),
            Elements::Skiplist(set) => set[0].count_by_score(range),
        }
    }

    /// Returns how many members lie in the range, assuming that all scores are equal. **O(log n)**.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from(["ant", "bee", "cat"].map(|word| (word, Score::ZERO)));
    /// assert_eq!(set.count_by_lex(..&b"bee"[..]), 1);
    /// ```
    pub fn count_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> usize {
        self.range_by_lex(range).len()
    }
}

/// Returns the elements of a skip list whose members lie in the range.
fn lex_range<'a, 'q>(
    set: &'a Sorted,
    range: &impl RangeBounds<&'q [u8]>,
) -> skiplist::Iter<'a, ByteString, Score> {
    let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
    match (set.first(), set.last()) {
        (Some((_, first)), Some((_, last))) if first == last => set.range_by_member(first, bounds),
        // Search as if members were in ascending order.
        _ => {
            let start = partition_point(set, |member| is_before(&member, range.start_bound()));
            let end = partition_point(set, |member| !is_after(&member, range.end_bound()));
            set.range_by_rank(start..end)
        }
    }
}

/// Returns the ranks of the elements of `lex_range`.
pub(super) fn lex_ranks<'q>(set: &Sorted, range: &impl RangeBounds<&'q [u8]>) -> Range<usize> {
    let mut elements = lex_range(set, range);
    let len = elements.len();
    let start = elements.next().and_then(|(member, _)| set.rank(&**member)).unwrap_or(0);
    start..start + len
}

/// Returns a rank at which `is_below` changes from true to false, found by binary search.
fn partition_point(set: &Sorted, is_below: impl Fn(&[u8]) -> bool) -> usize {
    let (mut low, mut high) = (0, set.len());
    while low < high {
        let middle = low.midpoint(high);
        if set.get_by_rank(middle).is_some_and(|(member, _)| is_below(member)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
