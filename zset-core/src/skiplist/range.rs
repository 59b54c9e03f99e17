//! Ranges of consecutive elements: all of them, by rank, by score and by member.
//!
//! An inverted range is empty, whereas `BTreeMap::range` panics.

use core::borrow::Borrow;
use core::ops::{Bound, Range, RangeBounds};

use super::position::Position;
use super::search::Way;
use super::{Iter, SkipList};
use crate::bounds::ranks;

/// A range of elements whose ranks are known.
#[derive(Clone, Copy)]
pub(crate) struct RankedRange {
    pub(crate) start: Position,
    pub(crate) end: Position,
    /// The number of elements before `start`.
    pub(crate) start_rank: usize,
    pub(crate) len: usize,
}

impl RankedRange {
    /// Creates a range from two positions and their ranks. The range is empty if they are inverted.
    fn new((start, start_rank): (Position, usize), (end, end_rank): (Position, usize)) -> Self {
        RankedRange { start, end, start_rank, len: end_rank.saturating_sub(start_rank) }
    }
}

impl<M, S: Copy> SkipList<M, S> {
    /// Returns the elements in order. Lazy and double-ended; **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert!(list.iter().eq([(&"a", 1), (&"b", 2)]));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, M, S> {
        Iter::ranked(self, self.whole())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start.
    ///
    /// Ranks past the end are ignored; an inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(list.range_by_rank(1..).eq([(&"b", 2), (&"c", 3)]));
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S> {
        Iter::ranked(self, self.resolve_ranks(&range))
    }

    fn whole(&self) -> RankedRange {
        RankedRange { start: self.start(), end: self.end(), start_rank: 0, len: self.len }
    }

    /// Returns the range between two positions, which must be in order.
    pub(crate) fn with_ranks(&self, positions: Range<Position>) -> RankedRange {
        let Range { start, end } = positions;
        RankedRange::new((start, self.rank_of(start)), (end, self.rank_of(end)))
    }

    pub(crate) fn resolve_ranks(&self, range: &impl RangeBounds<usize>) -> RankedRange {
        let Range { start, end } = ranks(range, self.len);
        RankedRange::new((self.position_at(start), start), (self.position_at(end), end))
    }
}

impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the number of elements with scores in the range. **O(log n)**.
    ///
    /// Returns 0 for an inverted range.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 2)]);
    /// assert_eq!(list.count_by_score(2..), 2);
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<S>) -> usize {
        self.resolve_scores(&range).len
    }

    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(list.range_by_score(2..).eq([(&"b", 2), (&"c", 3)]));
    /// ```
    #[inline]
    pub fn range_by_score(&self, range: impl RangeBounds<S>) -> Iter<'_, M, S> {
        Iter::new(self, || self.positions_by_score(&range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to start.
    ///
    /// Elements equal to a bound are either all included or all excluded. An inverted range is empty,
    /// whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// Pagination: each page starts after the last element of the previous one, whatever its score.
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::SkipList;
    ///
    /// let list = SkipList::from_iter([("a", 1), ("b", 1), ("c", 1), ("d", 2)]);
    /// let page: Vec<_> = list.iter().take(2).collect();
    /// assert_eq!(page, [(&"a", 1), (&"b", 1)]);
    /// let (member, score) = page[1];
    /// let next = list.range((Excluded((score, member)), Unbounded));
    /// assert!(next.eq([(&"c", 1), (&"d", 2)]));
    /// ```
    pub fn range<'q, Q>(&self, range: impl RangeBounds<(S, &'q Q)>) -> Iter<'_, M, S>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.range_across(&range, Borrow::borrow)
    }

    /// Returns the elements between two bounds. Members are compared by `part`.
    pub(crate) fn range_across<'q, Q>(
        &self,
        range: &impl RangeBounds<(S, &'q Q)>,
        part: impl Fn(&M) -> &Q,
    ) -> Iter<'_, M, S>
    where
        Q: Ord + ?Sized + 'q,
    {
        Iter::new(self, || self.positions_across(range, part))
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 0), ("b", 0), ("c", 0)]);
    /// assert!(list.range_by_member(0, "b"..).eq([(&"b", 0), (&"c", 0)]));
    /// ```
    pub fn range_by_member<'q, Q>(&self, score: S, range: impl RangeBounds<&'q Q>) -> Iter<'_, M, S>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.range_by_part(score, &range, Borrow::borrow)
    }

    /// Returns the elements with exactly this score whose members, compared by `part`, are in the
    /// range.
    pub(crate) fn range_by_part<'q, Q>(
        &self,
        score: S,
        range: &impl RangeBounds<&'q Q>,
        part: impl Fn(&M) -> &Q,
    ) -> Iter<'_, M, S>
    where
        Q: Ord + ?Sized + 'q,
    {
        Iter::new(self, || self.positions_by_part(score, range, part))
    }

    pub(crate) fn resolve_scores(&self, range: &impl RangeBounds<S>) -> RankedRange {
        let all = (self.start(), 0)..(self.end(), self.len);
        let Range { start, end } = by_score(range, all, |score, is_after| {
            let mut rank = 0;
            let position = self.search_score(score, is_after, |block, index| {
                rank += block.span_before(index);
            });
            (position, rank + position.index)
        });
        RankedRange::new(start, end)
    }

    /// Returns the start and end positions of a range of scores, without their ranks.
    pub(crate) fn positions_by_score(&self, range: &impl RangeBounds<S>) -> Range<Position> {
        let all = self.all_positions();
        in_order(by_score(range, all, |score, is_after| {
            let mut way = Way::FIRST;
            let position = self.search_score(score, is_after, |_, index| way.push(index));
            (position, way)
        }))
    }

    /// Returns the start and end positions of the elements with exactly this score whose members,
    /// compared by `part`, are in the range.
    pub(crate) fn positions_by_part<'q, Q>(
        &self,
        score: S,
        range: &impl RangeBounds<&'q Q>,
        part: impl Fn(&M) -> &Q,
    ) -> Range<Position>
    where
        Q: Ord + ?Sized + 'q,
    {
        let with_score = |bound: Bound<&&'q Q>| bound.map(|&member| (score, member));
        let start = self
            .search_start(with_score(range.start_bound()), &part)
            .unwrap_or_else(|| self.search_way(score, |_| false));
        let end =
            self.search_end(start, with_score(range.end_bound()), &part).unwrap_or_else(|| {
                // Where all scores are equal, a search would read members on every level.
                if self.last().is_none_or(|(_, last)| last <= score) {
                    self.all_positions().end
                } else {
                    self.search_way(score, |_| true)
                }
            });
        in_order(start..end)
    }

    /// Returns the start and end positions of a range of scores and members. Members are compared by
    /// `part`.
    fn positions_across<'q, Q>(
        &self,
        range: &impl RangeBounds<(S, &'q Q)>,
        part: impl Fn(&M) -> &Q,
    ) -> Range<Position>
    where
        Q: Ord + ?Sized + 'q,
    {
        let all = self.all_positions();
        let start = self.search_start(range.start_bound().cloned(), &part).unwrap_or(all.start);
        let end = self.search_end(start, range.end_bound().cloned(), &part).unwrap_or(all.end);
        in_order(start..end)
    }

    /// Returns the start of a range of scores and members, or `None` if it is unbounded.
    #[inline]
    fn search_start<Q: Ord + ?Sized>(
        &self,
        bound: Bound<(S, &Q)>,
        part: impl Fn(&M) -> &Q,
    ) -> Option<(Position, Way)> {
        match bound {
            Bound::Included((score, from)) => {
                Some(self.search_way(score, |member| part(member) < from))
            }
            Bound::Excluded((score, from)) => {
                Some(self.search_way(score, |member| part(member) <= from))
            }
            Bound::Unbounded => None,
        }
    }

    /// Returns the end of a range of scores and members, or `None` if it is unbounded.
    #[inline]
    fn search_end<Q: Ord + ?Sized>(
        &self,
        start: (Position, Way),
        bound: Bound<(S, &Q)>,
        part: impl Fn(&M) -> &Q,
    ) -> Option<(Position, Way)> {
        match bound {
            Bound::Included((score, to)) => {
                Some(self.search_way_from(start, score, |member| part(member) <= to))
            }
            Bound::Excluded((score, to)) => {
                Some(self.search_way_from(start, score, |member| part(member) < to))
            }
            Bound::Unbounded => None,
        }
    }

    /// Returns the positions at both ends of the list, with their ways.
    fn all_positions(&self) -> Range<(Position, Way)> {
        (self.start(), Way::FIRST)..(self.end(), Way::LAST)
    }
}

/// Resolves both bounds of a range of scores. Each is before or after all elements with a score.
#[inline]
fn by_score<S: Copy, T>(
    range: &impl RangeBounds<S>,
    all: Range<T>,
    search: impl Fn(S, bool) -> T,
) -> Range<T> {
    let start = match range.start_bound() {
        Bound::Included(&score) => search(score, false),
        Bound::Excluded(&score) => search(score, true),
        Bound::Unbounded => all.start,
    };
    let end = match range.end_bound() {
        Bound::Included(&score) => search(score, true),
        Bound::Excluded(&score) => search(score, false),
        Bound::Unbounded => all.end,
    };
    start..end
}

/// Drops the ways, and makes an inverted range empty.
#[inline]
fn in_order(positions: Range<(Position, Way)>) -> Range<Position> {
    let ((start, start_way), (end, end_way)) = (positions.start, positions.end);
    let is_inverted = (start_way, start.index) > (end_way, end.index);
    start..if is_inverted { start } else { end }
}
