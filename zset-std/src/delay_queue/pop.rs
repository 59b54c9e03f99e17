//! Taking the jobs that are due.

use std::fmt;
use std::hash::Hash;
use std::iter::FusedIterator;

use super::{DelayQueue, Job, JobId};
use crate::Timestamp;
use crate::due::pop_first_if;

impl<T, I: Hash> DelayQueue<T, I> {
    /// Removes and returns the first job if it is due: not after `now`. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut queue = DelayQueue::new();
    /// queue.push(at(5), "mail");
    /// assert_eq!(queue.pop(at(4)), None);
    /// assert_eq!(queue.pop(at(5)).unwrap().payload, "mail");
    /// ```
    pub fn pop(&mut self, now: Timestamp) -> Option<Job<T, I>> {
        let (entry, key) = pop_first_if(&mut self.jobs, |(due, _)| due <= now)?;
        Some(entry.into_job(key))
    }

    /// Returns an iterator that removes and returns the jobs that are due, `max` at most, in order.
    /// Lazy; **O(log n)** to start, and a step.
    ///
    /// A job is removed when the iterator returns it: what it has not come to, when it is dropped or
    /// leaked, stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut queue: DelayQueue<_> = [(at(2), "b"), (at(1), "a"), (at(3), "c")].into_iter().collect();
    /// let mut due = queue.pop_due(at(2), 10);
    /// assert_eq!(due.len(), 2);
    /// assert_eq!(due.next().unwrap().payload, "a");
    /// drop(due);
    /// assert_eq!(queue.len(), 2);
    /// assert_eq!(queue.pop_due(at(9), 1).count(), 1);
    /// assert_eq!(queue.len(), 1);
    /// ```
    pub fn pop_due(&mut self, now: Timestamp, max: usize) -> PopDue<'_, T, I> {
        let left = self.count_due(now).min(max);
        PopDue { queue: self, left }
    }
}

/// The iterator of [`DelayQueue::pop_due`].
///
/// # Examples
///
/// See [`DelayQueue::pop_due`].
#[must_use = "a job is removed when the iterator comes to it"]
pub struct PopDue<'a, T, I = JobId> {
    queue: &'a mut DelayQueue<T, I>,
    /// How many of the first jobs are to be returned yet.
    left: usize,
}

impl<T, I: Hash> Iterator for PopDue<'_, T, I> {
    type Item = Job<T, I>;

    fn next(&mut self) -> Option<Job<T, I>> {
        let left = self.left.checked_sub(1)?;
        let (entry, key) = self.queue.jobs.pop_first()?;
        self.left = left;
        Some(entry.into_job(key))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T, I: Hash> ExactSizeIterator for PopDue<'_, T, I> {}

impl<T, I: Hash> FusedIterator for PopDue<'_, T, I> {}

impl<T: fmt::Debug, I: fmt::Debug> fmt::Debug for PopDue<'_, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.queue.iter().take(self.left)).finish()
    }
}
