//! Taking out what has expired.

use std::hash::Hash;
use std::iter::FusedIterator;

use zset_core::SortedSet;

use super::{ExpiringSet, is_live};
use crate::Timestamp;

impl<M: Hash> ExpiringSet<M> {
    /// Returns an iterator that removes and returns the members that have expired, at most `budget`
    /// of them, the earliest deadline first. Lazy; **O(log n)** for each one.
    ///
    /// Each is removed when it comes out of the iterator; the others stay when that is dropped. A
    /// budget bounds how long a sweep takes: the next one goes on where it ended.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut set = ExpiringSet::from([("c", at(3)), ("a", at(1)), ("b", at(2))]);
    /// assert!(set.expire_due(1, at(2)).eq([("a", at(1))]));
    /// assert!(set.expire_due(9, at(2)).eq([("b", at(2))]));
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn expire_due(&mut self, budget: usize, now: Timestamp) -> ExpireDue<'_, M> {
        ExpireDue { members: &mut self.members, now, budget }
    }
}

/// The iterator of [`ExpiringSet::expire_due`].
#[derive(Debug)]
#[must_use = "members are removed as they come out of the iterator"]
pub struct ExpireDue<'a, M> {
    members: &'a mut SortedSet<M, Timestamp>,
    now: Timestamp,
    budget: usize,
}

impl<M: Hash> Iterator for ExpireDue<'_, M> {
    type Item = (M, Timestamp);

    fn next(&mut self) -> Option<(M, Timestamp)> {
        let left = self.budget.checked_sub(1)?;
        let expired = self.members.pop_first_if(|_, deadline| !is_live(deadline, self.now))?;
        self.budget = left;
        Some(expired)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.members.count_by_score(..=self.now).min(self.budget);
        (len, Some(len))
    }
}

impl<M: Hash> ExactSizeIterator for ExpireDue<'_, M> {}

impl<M: Hash> FusedIterator for ExpireDue<'_, M> {}
