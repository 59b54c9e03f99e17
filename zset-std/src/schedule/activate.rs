//! Removing the ids that are due.

use core::hash::Hash;
use core::iter::FusedIterator;

use super::Schedule;
use super::upcoming::pair;
use crate::Timestamp;
use crate::delay_queue::PopDue;

impl<Id: Hash> Schedule<Id> {
    /// Returns an iterator that removes and returns the ids that are due, with their times, in order.
    /// Lazy; **O(log n)** to start, and per step.
    ///
    /// Each id is removed when the iterator returns it. If the iterator is dropped early, the remaining
    /// ids stay due. To change the schedule between ids, take them one at a time:
    /// `while let Some((id, at)) = schedule.activate_due(now).next()`.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = [("shoes", at(20)), ("hats", at(10)), ("bags", at(30))];
    /// let mut sales = Schedule::from(sales);
    /// assert_eq!(sales.activate_due(at(20)).next(), Some(("hats", at(10)))); // removes only one
    /// assert!(sales.activate_due(at(20)).eq([("shoes", at(20))]));
    /// ```
    pub fn activate_due(&mut self, now: Timestamp) -> ActivateDue<'_, Id> {
        ActivateDue(self.queue.pop_due(usize::MAX, now))
    }
}

/// An iterator that removes the ids that are due, returned by [`Schedule::activate_due`].
#[derive(Debug)]
#[must_use = "ids are removed as they come out of the iterator"]
pub struct ActivateDue<'a, Id>(PopDue<'a, (), Id>);

impl<Id: Hash> Iterator for ActivateDue<'_, Id> {
    type Item = (Id, Timestamp);

    fn next(&mut self) -> Option<(Id, Timestamp)> {
        self.0.next().map(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<Id: Hash> ExactSizeIterator for ActivateDue<'_, Id> {}

impl<Id: Hash> FusedIterator for ActivateDue<'_, Id> {}
