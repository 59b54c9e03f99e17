//! Pushing jobs.

use core::error::Error;
use core::fmt;
use core::hash::Hash;

#[cfg(feature = "serde")]
use zset_core::TryReserveError;

use super::{DelayQueue, Job, JobId};
use crate::Timestamp;

/// The error returned when a job's id is already in use; contains the job.
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, Timestamp};
///
/// let mut queue = DelayQueue::new();
/// queue.push_with_id("backup", 1, Timestamp::ZERO)?;
/// let error = queue.push_with_id("backup", 2, Timestamp::MAX).unwrap_err();
/// assert_eq!(error.to_string(), "a job with this id is already in the queue");
/// assert_eq!((error.job.id, error.job.payload), ("backup", 2));
/// # Ok::<(), zset_std::delay_queue::DuplicateJob<u32, &str>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateJob<T, I = JobId> {
    /// The job that was not pushed.
    pub job: Job<T, I>,
}

impl<T, I> fmt::Debug for DuplicateJob<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DuplicateJob").finish_non_exhaustive()
    }
}

impl<T, I> fmt::Display for DuplicateJob<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a job with this id is already in the queue")
    }
}

impl<T, I> Error for DuplicateJob<T, I> {}

impl<T> DelayQueue<T> {
    /// Pushes a job and returns the id assigned to it. **O(log n)**.
    ///
    /// Ids are consecutive numbers and are not reused. Ids of queued jobs that were pushed
    /// [with an id](Self::push_with_id) are skipped.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 * 10^9
    /// jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// let first = queue.push("first", Timestamp::ZERO);
    /// let second = queue.push("second", Timestamp::ZERO);
    /// assert!(queue.iter().map(|job| *job.id).eq([first, second]));
    /// ```
    #[track_caller]
    pub fn push(&mut self, payload: T, due: Timestamp) -> JobId {
        let id = self.unused_id();
        self.insert(id, payload, due);
        id
    }

    /// Returns an id that is not in use and was not returned before.
    fn unused_id(&mut self) -> JobId {
        loop {
            let id = JobId::new(self.next_id);
            self.next_id = self.next_id.wrapping_add(1);
            if !self.contains(&id) {
                return id;
            }
        }
    }
}

impl<T, I: Ord + Hash> DelayQueue<T, I> {
    /// Pushes a job with this id. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`DuplicateJob`], which contains the job, if a job in the queue already has this id. The queue
    /// is unchanged. To change the due time of a queued job, see [`reschedule`](Self::reschedule).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 * 10^9
    /// jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// assert!(queue.push_with_id("backup", 1, Timestamp::from_nanos(10)).is_ok());
    /// assert!(queue.push_with_id("backup", 2, Timestamp::from_nanos(20)).is_err());
    /// assert_eq!(queue.len(), 1);
    /// ```
    #[track_caller]
    pub fn push_with_id(
        &mut self,
        id: I,
        payload: T,
        due: Timestamp,
    ) -> Result<(), DuplicateJob<T, I>> {
        if self.contains(&id) {
            return Err(DuplicateJob { job: Job { id, due, payload } });
        }
        self.insert(id, payload, due);
        Ok(())
    }

    /// Inserts a job whose id is not in use.
    #[track_caller]
    pub(crate) fn insert(&mut self, id: I, payload: T, due: Timestamp) {
        let key = (due, self.arrive());
        self.jobs.insert(id, payload, key);
    }

    /// Inserts a deserialized job and returns whether its id is new. If it is not, the caller must
    /// discard the queue.
    #[cfg(feature = "serde")]
    pub(crate) fn try_insert(
        &mut self,
        id: I,
        payload: T,
        due: Timestamp,
    ) -> Result<bool, TryReserveError> {
        let key = (due, self.arrive());
        Ok(self.jobs.try_insert(id, payload, key)?.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_ids_skip_ids_in_use_and_wrap_around() {
        let mut queue = DelayQueue::new();
        for id in [0, 1, 3, u64::MAX] {
            queue.push_with_id(JobId::new(id), (), Timestamp::ZERO).unwrap();
        }
        let ids = [(); 3].map(|()| queue.push((), Timestamp::ZERO).get());
        assert_eq!(ids, [2, 4, 5]);
        queue.next_id = u64::MAX;
        assert_eq!(queue.push((), Timestamp::ZERO).get(), 6);
        queue.check_invariants();
    }

    #[test]
    fn an_id_is_not_reused_after_its_job_is_cancelled() {
        let mut queue = DelayQueue::new();
        let first = queue.push((), Timestamp::ZERO);
        queue.cancel(&first);
        assert_ne!(queue.push((), Timestamp::ZERO), first);
    }

    #[test]
    fn jobs_are_ordered_by_id_once_arrival_numbers_run_out() {
        let mut queue = DelayQueue::new();
        queue.arrivals = u64::MAX;
        for id in [2, 1, 3] {
            queue.push_with_id(id, (), Timestamp::ZERO).unwrap();
        }
        assert!(queue.into_iter().map(|job| job.id).eq([1, 2, 3]));
    }
}
