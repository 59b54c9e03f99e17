//! Ranges: runs of elements next to each other, by score, by rank and by member.
//!
//! An inverted range is an empty run, where `BTreeMap::range` panics.

use core::borrow::Borrow;
use core::ops::{Bound, RangeBounds};

use super::SkipList;
use super::search::Place;

/// A run of elements next to each other.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: Place,
    pub(crate) end: Place,
    /// The number of elements before `start`.
    pub(crate) start_rank: usize,
    pub(crate) len: usize,
}

impl Run {
    /// Makes a run of two places with their ranks; it is empty if they are inverted.
    fn between((start, start_rank): (Place, usize), (end, end_rank): (Place, usize)) -> Run {
        Run { start, end, start_rank, len: end_rank.saturating_sub(start_rank) }
    }
}

impl<M, S: Copy> SkipList<M, S> {
    pub(crate) fn run_of_all(&self) -> Run {
        Run { start: self.start(), end: self.end(), start_rank: 0, len: self.len }
    }

    pub(crate) fn run_by_rank(&self, range: &impl RangeBounds<usize>) -> Run {
        let start = match range.start_bound() {
            Bound::Included(&rank) => rank,
            Bound::Excluded(&rank) => rank.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&rank) => rank.saturating_add(1),
            Bound::Excluded(&rank) => rank,
            Bound::Unbounded => self.len,
        };
        let (start, end) = (start.min(self.len), end.min(self.len));
        Run::between((self.place_at(start), start), (self.place_at(end), end))
    }
}

impl<M, S: Ord + Copy> SkipList<M, S> {
    pub(crate) fn run_by_score(&self, range: &impl RangeBounds<S>) -> Run {
        let start = match range.start_bound() {
            Bound::Included(&score) => self.search_rank(score, |_| false),
            Bound::Excluded(&score) => self.search_rank(score, |_| true),
            Bound::Unbounded => (self.start(), 0),
        };
        let end = match range.end_bound() {
            Bound::Included(&score) => self.search_rank(score, |_| true),
            Bound::Excluded(&score) => self.search_rank(score, |_| false),
            Bound::Unbounded => (self.end(), self.len),
        };
        Run::between(start, end)
    }

    /// Returns the run of the elements of exactly this score whose members lie in the range.
    pub(crate) fn run_by_member<'q, Q>(&self, score: S, range: &impl RangeBounds<&'q Q>) -> Run
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let start = match range.start_bound() {
            Bound::Included(&from) => self.search_rank(score, |member| member.borrow() < from),
            Bound::Excluded(&from) => self.search_rank(score, |member| member.borrow() <= from),
            Bound::Unbounded => self.search_rank(score, |_| false),
        };
        let end = match range.end_bound() {
            Bound::Included(&to) => self.search_rank_from(start, score, |m| m.borrow() <= to),
            Bound::Excluded(&to) => self.search_rank_from(start, score, |m| m.borrow() < to),
            // A search would look at members all the way down where all scores are equal.
            Bound::Unbounded if self.last().is_none_or(|(_, last)| last <= score) => {
                (self.end(), self.len)
            }
            Bound::Unbounded => self.search_rank(score, |_| true),
        };
        Run::between(start, end)
    }
}
