//! Removing expired members.

use core::hash::Hash;
use core::iter::FusedIterator;

use zset_core::SortedSet;

use super::{ExpiringSet, is_live};
use crate::Timestamp;

impl<M: Hash> ExpiringSet<M> {
    /// Returns an iterator that removes and returns up to `budget` expired members, earliest deadline
    /// first. Lazy; **O(log n)** per step.
    ///
    /// Each member is removed when the iterator returns it; if the iterator is dropped early, the
    /// remaining ones stay. The budget bounds the time of a sweep: the next one continues where it
    /// ended.
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

/// An iterator that removes expired members, returned by [`ExpiringSet::expire_due`].
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
