//! Ranges of consecutive elements: by rank, by score and by key.
//!
//! An inverted range is empty, whereas `BTreeMap::range` panics if given one.

use core::borrow::Borrow;
use core::ops::{Bound, Range, RangeBounds};

use super::Nodes;
use super::find::{Path, Position, RankedRange};
use super::iter::Iter;
use crate::bounds::ranks;

impl<K, V, S> Nodes<K, V, S> {
    #[inline]
    pub(crate) fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, K, V, S> {
        self.between_ranks(ranks(&range, self.len))
    }

    /// Like `range_by_rank`, but not generic over the type of the range, so that all callers share
    /// its code.
    #[inline]
    fn between_ranks(&self, ranks: Range<usize>) -> Iter<'_, K, V, S> {
        Iter::ranked(self, || self.resolve_between(ranks))
    }

    /// Returns the range between two positions, which must be in order.
    fn with_ranks(&self, positions: Range<Position>) -> RankedRange {
        let Range { start, end } = positions;
        RankedRange::new((start, self.rank_of(start)), (end, self.rank_of(end)))
    }

    pub(crate) fn resolve_ranks(&self, range: &impl RangeBounds<usize>) -> RankedRange {
        self.resolve_between(ranks(range, self.len))
    }

    #[inline]
    fn resolve_between(&self, ranks: Range<usize>) -> RankedRange {
        let Range { start, end } = ranks;
        let first = if start == 0 {
            self.start()
        } else {
            self.position_near(start, (self.end(), self.len))
        };
        let last = self.position_near(end, (first, start));
        RankedRange::new((first, start), (last, end))
    }

    /// Like `position_at`, but needs no search if the rank is in the leaf of `near`, a position
    /// given with its own rank.
    fn position_near(&self, rank: usize, near: (Position, usize)) -> Position {
        let (Position { leaf, index }, near_rank) = near;
        // If the rank is before this leaf, the index wraps around and exceeds the length of any
        // leaf.
        let index = index.wrapping_add(rank).wrapping_sub(near_rank);
        if index <= self.leaf(leaf).len() {
            Position { leaf, index }
        } else {
            self.position_at(rank)
        }
    }
}

/// Ranges by score and by key. A bound may be of any type that the score or the key borrows as.
impl<K, V, S> Nodes<K, V, S> {
    #[inline]
    pub(crate) fn range_by_score<T>(&self, range: &impl RangeBounds<T>) -> Iter<'_, K, V, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        Iter::new(self, || self.positions_by_score(range))
    }

    pub(crate) fn resolve_scores<T>(&self, range: &impl RangeBounds<T>) -> RankedRange
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
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

    /// Returns the range of the elements with this score or a higher one.
    pub(crate) fn resolve_from_score<T>(&self, score: &T) -> RankedRange
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        self.resolve_scores::<T>(&(Bound::Included(score), Bound::Unbounded))
    }

    /// Returns the range of the elements between two bounds, each of which is a score with a key.
    pub(crate) fn resolve_across<'q, T, Q>(
        &self,
        range: &impl RangeBounds<(&'q T, &'q Q)>,
    ) -> RankedRange
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        K: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.with_ranks(self.positions_across(range))
    }

    /// Returns the range of the elements with exactly this score whose keys are in the range.
    pub(crate) fn resolve_keys<'q, T, Q>(
        &self,
        score: &T,
        range: &impl RangeBounds<&'q Q>,
    ) -> RankedRange
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.with_ranks(self.positions_by_key(score, range))
    }

    /// Returns the start and end positions of a range of scores, without their ranks.
    pub(crate) fn positions_by_score<T>(&self, range: &impl RangeBounds<T>) -> Range<Position>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let all = self.all_positions();
        in_order(by_score(range, all, |score, is_after| {
            let mut path = Path::FIRST;
            let position = self.search_score(score, is_after, |_, index| path.push(index));
            (position, path)
        }))
    }

    /// Returns the start and end positions of the elements with exactly this score whose keys are
    /// in the range.
    pub(crate) fn positions_by_key<'q, T, Q>(
        &self,
        score: &T,
        range: &impl RangeBounds<&'q Q>,
    ) -> Range<Position>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let with_score = |bound: Bound<&&'q Q>| bound.map(|&key| (score, key));
        let start = self
            .search_start(with_score(range.start_bound()))
            .unwrap_or_else(|| self.search(score, |_| false));
        let end = self.search_end(start, with_score(range.end_bound())).unwrap_or_else(|| {
            // If no score is higher, skip the search: among equal scores, it would read keys on
            // every level.
            if self.last().is_none_or(|(_, last)| last.borrow() <= score) {
                self.all_positions().end
            } else {
                self.search(score, |_| true)
            }
        });
        in_order(start..end)
    }

    /// Returns the start and end positions of a range whose bounds are scores with keys.
    pub(crate) fn positions_across<'q, T, Q>(
        &self,
        range: &impl RangeBounds<(&'q T, &'q Q)>,
    ) -> Range<Position>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        K: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let all = self.all_positions();
        let start = self.search_start(range.start_bound().cloned()).unwrap_or(all.start);
        let end = self.search_end(start, range.end_bound().cloned()).unwrap_or(all.end);
        in_order(start..end)
    }

    /// Returns the position of a start bound, or `None` if it is unbounded.
    #[inline]
    fn search_start<T, Q>(&self, bound: Bound<(&T, &Q)>) -> Option<(Position, Path)>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        match bound {
            Bound::Included((score, from)) => Some(self.search(score, |key| key.borrow() < from)),
            Bound::Excluded((score, from)) => Some(self.search(score, |key| key.borrow() <= from)),
            Bound::Unbounded => None,
        }
    }

    /// Returns the position of an end bound, or `None` if it is unbounded.
    #[inline]
    fn search_end<T, Q>(
        &self,
        start: (Position, Path),
        bound: Bound<(&T, &Q)>,
    ) -> Option<(Position, Path)>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        match bound {
            Bound::Included((score, to)) => {
                Some(self.search_from(start, score, |key| key.borrow() <= to))
            }
            Bound::Excluded((score, to)) => {
                Some(self.search_from(start, score, |key| key.borrow() < to))
            }
            Bound::Unbounded => None,
        }
    }

    /// Returns the positions at both ends of the core, with their paths.
    fn all_positions(&self) -> Range<(Position, Path)> {
        (self.start(), Path::FIRST)..(self.end(), Path::LAST)
    }
}

/// Resolves both bounds of a range of scores. `search` returns the position before all elements
/// with a score or, given `true`, after them.
#[inline]
fn by_score<T: ?Sized, P>(
    range: &impl RangeBounds<T>,
    all: Range<P>,
    search: impl Fn(&T, bool) -> P,
) -> Range<P> {
    let start = match range.start_bound() {
        Bound::Included(score) => search(score, false),
        Bound::Excluded(score) => search(score, true),
        Bound::Unbounded => all.start,
    };
    let end = match range.end_bound() {
        Bound::Included(score) => search(score, true),
        Bound::Excluded(score) => search(score, false),
        Bound::Unbounded => all.end,
    };
    start..end
}

/// Drops the paths, and makes an inverted range empty.
#[inline]
fn in_order(positions: Range<(Position, Path)>) -> Range<Position> {
    let ((start, start_path), (end, end_path)) = (positions.start, positions.end);
    let is_inverted = (start_path, start.index) > (end_path, end.index);
    start..if is_inverted { start } else { end }
}
