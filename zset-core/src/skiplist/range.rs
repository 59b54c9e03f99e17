//! Ranges: runs of consecutive elements, by score, by rank and by member.
//!
//! An inverted range is an empty run, whereas `BTreeMap::range` panics.

use core::borrow::Borrow;
use core::ops::{Bound, Range, RangeBounds};

use super::search::{Place, Way};
use super::{Iter, SkipList};
use crate::bounds::ranks;

/// A run of consecutive elements.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: Place,
    pub(crate) end: Place,
    /// The number of elements before `start`.
    pub(crate) start_rank: usize,
    pub(crate) len: usize,
}

impl Run {
    /// Creates a run from two places and their ranks. The run is empty if they are inverted.
    fn between((start, start_rank): (Place, usize), (end, end_rank): (Place, usize)) -> Run {
        Run { start, end, start_rank, len: end_rank.saturating_sub(start_rank) }
    }
}

impl<M, S: Copy> SkipList<M, S> {
    pub(crate) fn run_of_all(&self) -> Run {
        Run { start: self.start(), end: self.end(), start_rank: 0, len: self.len }
    }

    /// Returns the run between two places, which must be in order.
    pub(crate) fn run_of(&self, places: Range<Place>) -> Run {
        let Range { start, end } = places;
        Run::between((start, self.rank_of(start)), (end, self.rank_of(end)))
    }

    pub(crate) fn run_by_rank(&self, range: &impl RangeBounds<usize>) -> Run {
        let Range { start, end } = ranks(range, self.len);
        Run::between((self.place_at(start), start), (self.place_at(end), end))
    }
}

impl<M, S: Ord + Copy> SkipList<M, S> {
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
        Iter::new(self, || self.places_across(range, part))
    }

    pub(crate) fn run_by_score(&self, range: &impl RangeBounds<S>) -> Run {
        let all = (self.start(), 0)..(self.end(), self.len);
        let Range { start, end } = by_score(range, all, |score, is_after| {
            let mut rank = 0;
            let place = self.search_score(score, is_after, |block, index| {
                rank += block.span_before(index);
            });
            (place, rank + place.position)
        });
        Run::between(start, end)
    }

    /// Returns the start and end places of a range of scores, without their ranks.
    pub(crate) fn places_by_score(&self, range: &impl RangeBounds<S>) -> Range<Place> {
        let all = self.all_places();
        in_order(by_score(range, all, |score, is_after| {
            let mut way = Way::FIRST;
            let place = self.search_score(score, is_after, |_, index| way.push(index));
            (place, way)
        }))
    }

    /// Returns the start and end places of the elements with exactly this score whose members, compared
    /// by `part`, are in the range.
    pub(crate) fn places_by_part<'q, Q>(
        &self,
        score: S,
        range: &impl RangeBounds<&'q Q>,
        part: impl Fn(&M) -> &Q,
    ) -> Range<Place>
    where
        Q: Ord + ?Sized + 'q,
    {
        let start = match range.start_bound() {
            Bound::Included(&from) => self.search_way(score, |member| part(member) < from),
            Bound::Excluded(&from) => self.search_way(score, |member| part(member) <= from),
            Bound::Unbounded => self.search_way(score, |_| false),
        };
        let end = match range.end_bound() {
            Bound::Included(&to) => self.search_way_from(start, score, |member| part(member) <= to),
            Bound::Excluded(&to) => self.search_way_from(start, score, |member| part(member) < to),
            // Where all scores are equal, a search would read members on every level.
            Bound::Unbounded if self.last().is_none_or(|(_, last)| last <= score) => {
                self.all_places().end
            }
            Bound::Unbounded => self.search_way(score, |_| true),
        };
        in_order(start..end)
    }

    /// Returns the start and end places of a range of scores and members. Members are compared by
    /// `part`.
    fn places_across<'q, Q>(
        &self,
        range: &impl RangeBounds<(S, &'q Q)>,
        part: impl Fn(&M) -> &Q,
    ) -> Range<Place>
    where
        Q: Ord + ?Sized + 'q,
    {
        let all = self.all_places();
        let start = match range.start_bound() {
            Bound::Included(&(score, from)) => self.search_way(score, |member| part(member) < from),
            Bound::Excluded(&(score, from)) => {
                self.search_way(score, |member| part(member) <= from)
            }
            Bound::Unbounded => all.start,
        };
        let end = match range.end_bound() {
            Bound::Included(&(score, to)) => {
                self.search_way_from(start, score, |member| part(member) <= to)
            }
            Bound::Excluded(&(score, to)) => {
                self.search_way_from(start, score, |member| part(member) < to)
            }
            Bound::Unbounded => all.end,
        };
        in_order(start..end)
    }

    /// Returns the places at both ends of the list, with their ways.
    fn all_places(&self) -> Range<(Place, Way)> {
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
fn in_order(places: Range<(Place, Way)>) -> Range<Place> {
    let ((start, start_way), (end, end_way)) = (places.start, places.end);
    let is_inverted = (start_way, start.position) > (end_way, end.position);
    start..if is_inverted { start } else { end }
}
