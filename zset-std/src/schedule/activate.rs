//! Taking out what is due.

use std::hash::Hash;
use std::iter::FusedIterator;

use super::Schedule;
use super::upcoming::without_arrival;
use crate::Timestamp;
use crate::due::pop_first_if;

impl<Id: Hash> Schedule<Id> {
    /// Returns an iterator that removes and returns the ids that are due, with their times, in
    /// order. Lazy; **O(log n)** for each one.
    ///
    /// Each is removed when it comes out of the iterator; the others stay when that is dropped, and
    /// come out next time. To change the schedule at each one, take them singly:
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
    /// assert_eq!(sales.activate_due(at(20)).next(), Some(("hats", at(10)))); // and no more
    /// assert!(sales.activate_due(at(20)).eq([("shoes", at(20))]));
    /// ```
    pub fn activate_due(&mut self, now: Timestamp) -> ActivateDue<'_, Id> {
        ActivateDue { schedule: self, now }
    }
}

/// The iterator of [`Schedule::activate_due`].
#[derive(Debug)]
#[must_use = "ids are removed as they come out of the iterator"]
pub struct ActivateDue<'a, Id> {
    schedule: &'a mut Schedule<Id>,
    now: Timestamp,
}

impl<Id: Hash> Iterator for ActivateDue<'_, Id> {
    type Item = (Id, Timestamp);

    fn next(&mut self) -> Option<(Id, Timestamp)> {
        pop_first_if(&mut self.schedule.ids, |(at, _)| at <= self.now).map(without_arrival)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.schedule.ids.count_by_score(..=(self.now, u64::MAX));
        (len, Some(len))
    }
}

impl<Id: Hash> ExactSizeIterator for ActivateDue<'_, Id> {}

impl<Id: Hash> FusedIterator for ActivateDue<'_, Id> {}
