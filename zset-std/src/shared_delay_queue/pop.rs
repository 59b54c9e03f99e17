//! Removing jobs.

use std::hash::Hash;
use std::vec::Vec;

use super::{DeadLetter, Locked, SharedDelayQueue, Task, without_leases};
use crate::at::timed;
use crate::{Clock, Job, Timestamp};

timed!(impl[T, I: Hash, C: Clock] SharedDelayQueue<T, I, C> {
    /// Removes and returns the first job if it is due. **O(log n)**.
    ///
    /// If several threads compete for a job, exactly one gets it.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::new();
    /// queue.push("mail", Timestamp::ZERO)?;
    /// assert_eq!(queue.pop().unwrap().payload, "mail");
    /// assert_eq!(queue.pop(), None);
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// ```
    pub fn pop(&self) -> Option<Job<T, I>> {
        let (queue, now) = self.timed();
        queue.pop_locked(&mut queue.lock(), now)
    }

    /// Removes and returns up to `max` jobs that are due, in order. **O(m log n)** for m returned.
    ///
    /// This is atomic: no other thread takes a job in between.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::new();
    /// for payload in ["a", "b", "c"] {
    ///     queue.push(payload, Timestamp::ZERO)?;
    /// }
    /// let jobs = queue.pop_due(2);
    /// assert!(jobs.iter().map(|job| job.payload).eq(["a", "b"]));
    /// assert_eq!(queue.len(), 1);
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// ```
    pub fn pop_due(&self, max: usize) -> Vec<Job<T, I>> {
        let (queue, now) = self.timed();
        let mut jobs = Vec::new();
        let mut state = queue.lock();
        jobs.reserve_exact(state.queue.count_due(now).min(max));
        while jobs.len() < max {
            let Some(job) = queue.pop_locked(&mut state, now) else { break };
            jobs.push(job);
        }
        jobs
    }
});

impl<T, I: Hash, C> SharedDelayQueue<T, I, C> {
    /// Removes and returns the first job if it is due.
    pub(super) fn pop_locked(
        &self,
        state: &mut Locked<'_, T, I>,
        now: Timestamp,
    ) -> Option<Job<T, I>> {
        self.bury_exhausted(state, now);
        state.take_first(now).map(without_leases)
    }

    /// Turns jobs at the front that are due and have reached their maximum number of deliveries into
    /// dead letters.
    pub(super) fn bury_exhausted(&self, state: &mut Locked<'_, T, I>, now: Timestamp) {
        while state.queue.first().is_some_and(|job| self.is_exhausted(job.payload)) {
            let Some(job) = state.take_first(now) else { break };
            let since = job.due;
            state.bury(DeadLetter::new(job, since), self.max_dead_letters);
        }
    }
}

impl<T, I: Hash> Locked<'_, T, I> {
    /// Removes and returns the first job if it is due.
    fn take_first(&mut self, now: Timestamp) -> Option<Job<Task<T>, I>> {
        let job = self.queue.pop(now)?;
        self.forget_lease(&job.payload);
        Some(job)
    }

    /// Updates the lease count for a task that has left the queue.
    pub(super) fn forget_lease(&mut self, task: &Task<T>) {
        self.leased -= usize::from(task.receipt.is_some());
    }
}
