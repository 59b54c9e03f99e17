//! Pushing jobs.

use std::error::Error;
use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use super::{SharedDelayQueue, Task, without_leases};
use crate::at::timed;
use crate::delay_queue::DuplicateJob;
use crate::{Clock, Job, JobId, Timestamp};

/// The error returned when a payload is not pushed; contains the payload.
///
/// # Examples
///
/// ```
/// use zset_std::shared_delay_queue::PushError;
/// use zset_std::{SharedDelayQueue, Timestamp};
///
/// let queue = SharedDelayQueue::<&str>::new();
/// queue.close();
/// let error = queue.push("mail", Timestamp::ZERO).unwrap_err();
/// assert!(matches!(error, PushError::Closed(_)));
/// assert_eq!(error.to_string(), "the queue is closed");
/// assert_eq!(error.into_payload(), "mail");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushError<T> {
    /// The queue has reached its maximum number of jobs.
    Full(T),
    /// The queue is closed.
    Closed(T),
}

/// The error returned when a job is not pushed with its id; contains the job.
///
/// # Examples
///
/// ```
/// use zset_std::shared_delay_queue::PushWithIdError;
/// use zset_std::{SharedDelayQueue, Timestamp};
///
/// let queue = SharedDelayQueue::new();
/// queue.push_with_id("backup", 1, Timestamp::ZERO)?;
/// let error = queue.push_with_id("backup", 2, Timestamp::MAX).unwrap_err();
/// assert!(matches!(error, PushWithIdError::Duplicate(_)));
/// assert_eq!(error.to_string(), "a job with this id is already in the queue");
/// assert_eq!(error.into_job().payload, 2);
/// # Ok::<(), PushWithIdError<u32, &str>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushWithIdError<T, I = JobId> {
    /// A job in the queue, on lease or not, already has this id.
    Duplicate(Job<T, I>),
    /// The queue has reached its maximum number of jobs.
    Full(Job<T, I>),
    /// The queue is closed.
    Closed(Job<T, I>),
}

const FULL: &str = "the queue is full";
const CLOSED: &str = "the queue is closed";

impl<T> PushError<T> {
    /// Returns the payload that was not pushed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::<&str>::new();
    /// queue.close();
    /// let error = queue.push("mail", Timestamp::ZERO).unwrap_err();
    /// assert_eq!(error.into_payload(), "mail");
    /// ```
    pub fn into_payload(self) -> T {
        match self {
            PushError::Full(payload) | PushError::Closed(payload) => payload,
        }
    }
}

impl<T, I> PushWithIdError<T, I> {
    /// Returns the job that was not pushed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::new();
    /// queue.close();
    /// let job = queue.push_with_id("backup", 7, Timestamp::ZERO).unwrap_err().into_job();
    /// assert_eq!((job.id, job.payload), ("backup", 7));
    /// ```
    pub fn into_job(self) -> Job<T, I> {
        match self {
            PushWithIdError::Duplicate(job)
            | PushWithIdError::Full(job)
            | PushWithIdError::Closed(job) => job,
        }
    }
}

// Like the errors of channels, these implement `Debug` for any payload.

impl<T> fmt::Debug for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushError::Full(_) => "Full(..)",
            PushError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T, I> fmt::Debug for PushWithIdError<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushWithIdError::Duplicate(_) => "Duplicate(..)",
            PushWithIdError::Full(_) => "Full(..)",
            PushWithIdError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushError::Full(_) => FULL,
            PushError::Closed(_) => CLOSED,
        })
    }
}

impl<T, I> fmt::Display for PushWithIdError<T, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushWithIdError::Duplicate(_) => "a job with this id is already in the queue",
            PushWithIdError::Full(_) => FULL,
            PushWithIdError::Closed(_) => CLOSED,
        })
    }
}

impl<T> Error for PushError<T> {}

impl<T, I> Error for PushWithIdError<T, I> {}

impl<T, C> SharedDelayQueue<T, JobId, C> {
    /// Pushes a job and returns the id assigned to it. **O(log n)**.
    ///
    /// Wakes at most one waiter, and only if the job is due before all others.
    ///
    /// # Errors
    ///
    /// [`PushError`], which contains the payload, if the queue is closed or full.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 * 10^9
    /// jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::new();
    /// let id = queue.push("mail", Timestamp::MAX)?;
    /// assert!(queue.contains(&id));
    /// # Ok::<(), zset_std::shared_delay_queue::PushError<&str>>(())
    /// ```
    #[track_caller]
    pub fn push(&self, payload: T, due: Timestamp) -> Result<JobId, PushError<T>> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(PushError::Closed(payload));
        }
        if state.queue.len() >= self.max_len {
            return Err(PushError::Full(payload));
        }
        Ok(state.queue.push(Task::new(payload), due))
    }
}

timed!(impl[T, C: Clock] SharedDelayQueue<T, JobId, C> {
    /// Pushes a job that is due after `delay`. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`PushError`], which contains the payload, if the queue is closed or full.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 * 10^9
    /// jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FakeClock, SharedDelayQueue};
    ///
    /// let clock = FakeClock::new();
    /// let queue = SharedDelayQueue::<&str>::new().with_clock(clock.clone());
    /// queue.push_after("mail", Duration::from_secs(10)).unwrap();
    /// assert!(queue.pop().is_none());
    /// clock.advance(Duration::from_secs(10));
    /// assert_eq!(queue.pop().map(|job| job.payload), Some("mail"));
    /// ```
    #[track_caller]
    pub fn push_after(&self, payload: T, delay: Duration) -> Result<JobId, PushError<T>> {
        let (queue, now) = self.timed();
        queue.push(payload, now.saturating_add(delay))
    }
});

impl<T, I: Ord + Hash, C> SharedDelayQueue<T, I, C> {
    /// Pushes a job with this id. **O(log n)**.
    ///
    /// Wakes at most one waiter, and only if the job is due before all others.
    ///
    /// # Errors
    ///
    /// [`PushWithIdError`], which contains the job, if the queue is closed or full, or a job in it, on
    /// lease or not, already has this id.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted, which takes at least 2 * 10^9
    /// jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{SharedDelayQueue, Timestamp};
    ///
    /// let queue = SharedDelayQueue::new();
    /// assert!(queue.push_with_id("backup", 1, Timestamp::ZERO).is_ok());
    /// assert!(queue.push_with_id("backup", 2, Timestamp::ZERO).is_err());
    /// ```
    #[track_caller]
    pub fn push_with_id(
        &self,
        id: I,
        payload: T,
        due: Timestamp,
    ) -> Result<(), PushWithIdError<T, I>> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(PushWithIdError::Closed(Job { id, due, payload }));
        }
        if state.queue.len() >= self.max_len {
            let job = Job { id, due, payload };
            return Err(if state.queue.contains(&job.id) {
                PushWithIdError::Duplicate(job)
            } else {
                PushWithIdError::Full(job)
            });
        }
        let pushed = state.queue.push_with_id(id, Task::new(payload), due);
        pushed.map_err(|DuplicateJob { job }| PushWithIdError::Duplicate(without_leases(job)))
    }
}
