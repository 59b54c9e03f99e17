//! Cancelling, rescheduling, and clearing the queue.

use core::hash::Hash;

use zset_core::Equivalent;

use super::job::job;
use super::{DelayQueue, DrainJobs, Job};
use crate::Timestamp;

impl<T, I: Hash> DelayQueue<T, I> {
    /// Removes a job, due or not, and returns it. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// let id = queue.push("mail", Timestamp::ZERO);
    /// assert_eq!(queue.cancel(&id).unwrap().payload, "mail");
    /// assert_eq!(queue.cancel(&id), None);
    /// ```
    pub fn cancel<Q>(&mut self, id: &Q) -> Option<Job<T, I>>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.remove_entry(id).map(job)
    }
}

impl<T, I: Ord + Hash> DelayQueue<T, I> {
    /// Changes the due time of a job and returns the old one. **O(log n)**.
    ///
    /// The job counts as a new arrival: it comes last among jobs due at the same time, even if its time
    /// does not change.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, JobId, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut queue = DelayQueue::new();
    /// let (a, _) = (queue.push("a", at(1)), queue.push("b", at(2)));
    /// assert_eq!(queue.reschedule(&a, at(2)), Some(at(1)));
    /// assert_eq!(queue.reschedule(&JobId::new(7), at(2)), None);
    /// assert!(queue.iter().map(|job| *job.payload).eq(["b", "a"]));
    /// ```
    #[track_caller]
    pub fn reschedule<Q>(&mut self, id: &Q, due: Timestamp) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        let key = (due, self.arrive());
        let (old, _) = self.jobs.set_score(id, key)?;
        Some(old)
    }
}

impl<T, I> DelayQueue<T, I> {
    /// Removes all jobs and frees their memory. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// let id = queue.push("mail", Timestamp::ZERO);
    /// queue.clear();
    /// assert!(queue.is_empty());
    /// assert_ne!(queue.push("mail", Timestamp::ZERO), id); // ids are not reused
    /// ```
    pub fn clear(&mut self) {
        self.jobs.clear();
    }

    /// Removes all jobs, due or not, and returns them in order. **O(n)**.
    ///
    /// The queue is empty at once, even if the iterator is leaked.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// queue.push("later", Timestamp::MAX);
    /// queue.push("now", Timestamp::ZERO);
    /// assert!(queue.drain().map(|job| job.payload).eq(["now", "later"]));
    /// assert!(queue.is_empty());
    /// ```
    pub fn drain(&mut self) -> DrainJobs<'_, T, I> {
        DrainJobs::new(self.jobs.drain())
    }
}
