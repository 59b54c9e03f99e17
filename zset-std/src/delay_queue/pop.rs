//! Removing the jobs that are due.

use core::fmt;
use core::hash::Hash;
use core::iter::FusedIterator;

use super::job::job;
use super::{DelayQueue, Job, JobId};
use crate::Timestamp;

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
    /// queue.push("mail", at(5));
    /// assert_eq!(queue.pop(at(4)), None);
    /// assert_eq!(queue.pop(at(5)).unwrap().payload, "mail");
    /// ```
    pub fn pop(&mut self, now: Timestamp) -> Option<Job<T, I>> {
        self.jobs.pop_first_if(|_, _, (due, _)| due <= now).map(job)
    }

    /// Returns an iterator that removes and returns up to `max` jobs that are due, in order. Lazy;
    /// **O(log n)** per step, and to compute its length.
    ///
    /// Each job is removed when the iterator returns it. If the iterator is dropped or leaked early,
    /// the remaining jobs stay.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut queue: DelayQueue<_> = [("b", at(2)), ("a", at(1)), ("c", at(3))].into_iter().collect();
    /// let mut due = queue.pop_due(10, at(2));
    /// assert_eq!(due.len(), 2);
    /// assert_eq!(due.next().unwrap().payload, "a");
    /// drop(due);
    /// assert_eq!(queue.len(), 2);
    /// assert_eq!(queue.pop_due(1, at(9)).count(), 1);
    /// assert_eq!(queue.len(), 1);
    /// ```
    pub fn pop_due(&mut self, max: usize, now: Timestamp) -> PopDue<'_, T, I> {
        PopDue { queue: self, now, left: max }
    }
}

/// An iterator that removes the jobs that are due, returned by [`DelayQueue::pop_due`].
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, Timestamp};
///
/// let mut queue = DelayQueue::<&str>::new();
/// queue.push("early", Timestamp::from_nanos(10));
/// queue.push("late", Timestamp::from_nanos(20));
/// let due = queue.pop_due(usize::MAX, Timestamp::from_nanos(15));
/// assert!(due.map(|job| job.payload).eq(["early"]));
/// ```
#[must_use = "a job is removed when the iterator comes to it"]
pub struct PopDue<'a, T, I = JobId> {
    queue: &'a mut DelayQueue<T, I>,
    now: Timestamp,
    /// The number of jobs that may still be returned. The number due is computed only on request, since
    /// most callers take only a few.
    left: usize,
}

impl<T, I> PopDue<'_, T, I> {
    fn due(&self) -> usize {
        self.queue.count_due(self.now).min(self.left)
    }
}

impl<T, I: Hash> Iterator for PopDue<'_, T, I> {
    type Item = Job<T, I>;

    fn next(&mut self) -> Option<Job<T, I>> {
        let left = self.left.checked_sub(1)?;
        let job = self.queue.pop(self.now)?;
        self.left = left;
        Some(job)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.due();
        (count, Some(count))
    }
}

impl<T, I: Hash> ExactSizeIterator for PopDue<'_, T, I> {}

impl<T, I: Hash> FusedIterator for PopDue<'_, T, I> {}

impl<T: fmt::Debug, I: fmt::Debug> fmt::Debug for PopDue<'_, T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.queue.iter().take(self.due())).finish()
    }
}
