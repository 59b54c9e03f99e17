//! [`Upcoming`] and [`IntoUpcoming`]: the iterators over a schedule.

use core::fmt;
use core::iter::FusedIterator;

use crate::delay_queue::{IntoJobs, Jobs};
use crate::{Job, Timestamp};

/// Returns the id and the time of a job.
pub(super) fn pair<T, Id>(job: Job<T, Id>) -> (Id, Timestamp) {
    (job.id, job.due)
}

/// An iterator over ids of a [`Schedule`](super::Schedule) and their times, in order.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_std::{Schedule, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
/// let mut upcoming = sales.upcoming(10);
/// assert_eq!(upcoming.next(), Some((&"hats", at(10))));
/// ```
pub struct Upcoming<'a, Id>(pub(super) Jobs<'a, (), Id>);

impl<'a, Id> Iterator for Upcoming<'a, Id> {
    type Item = (&'a Id, Timestamp);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.0.nth(n).map(pair)
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl<Id> DoubleEndedIterator for Upcoming<'_, Id> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(pair)
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        self.0.nth_back(n).map(pair)
    }
}

impl<Id> ExactSizeIterator for Upcoming<'_, Id> {}

impl<Id> FusedIterator for Upcoming<'_, Id> {}

impl<Id> Clone for Upcoming<'_, Id> {
    fn clone(&self) -> Self {
        Upcoming(self.0.clone())
    }
}

impl<Id: fmt::Debug> fmt::Debug for Upcoming<'_, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An owning iterator over the ids of a [`Schedule`](super::Schedule) and their times, in order.
///
/// # Examples
///
/// ```
/// use zset_std::{Schedule, Timestamp};
///
/// let sales = Schedule::from([("shoes", Timestamp::MAX), ("hats", Timestamp::ZERO)]);
/// assert!(sales.into_iter().map(|(id, _)| id).eq(["hats", "shoes"]));
/// ```
pub struct IntoUpcoming<Id>(pub(super) IntoJobs<(), Id>);

impl<Id> Iterator for IntoUpcoming<Id> {
    type Item = (Id, Timestamp);

    fn next(&mut self) -> Option<(Id, Timestamp)> {
        self.0.next().map(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<Id> DoubleEndedIterator for IntoUpcoming<Id> {
    fn next_back(&mut self) -> Option<(Id, Timestamp)> {
        self.0.next_back().map(pair)
    }
}

impl<Id> ExactSizeIterator for IntoUpcoming<Id> {}

impl<Id> FusedIterator for IntoUpcoming<Id> {}

impl<Id> fmt::Debug for IntoUpcoming<Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoUpcoming").field("len", &self.len()).finish_non_exhaustive()
    }
}
