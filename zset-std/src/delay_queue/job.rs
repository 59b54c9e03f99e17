//! [`Job`] and [`JobId`].

use core::fmt;

use super::Key;
use crate::Timestamp;

/// An id assigned to a job by its queue.
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, JobId, Timestamp};
///
/// let mut queue = DelayQueue::new();
/// let id = queue.push("mail", Timestamp::ZERO);
/// assert_eq!(id.to_string(), "0");
/// assert_eq!(JobId::new(id.get()), id); // can be stored as a number
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobId(u64);

impl JobId {
    /// Creates the id with this number. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::JobId;
    ///
    /// assert_eq!(JobId::new(7), JobId::new(7));
    /// ```
    pub const fn new(number: u64) -> Self {
        JobId(number)
    }

    /// Returns the number of the id. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_std::JobId::new(7).get(), 7);
    /// ```
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A job: a payload and when it is due.
///
/// Borrowing methods of a queue return a `Job<&T, &I>`.
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, Job, Timestamp};
///
/// let mut queue = DelayQueue::new();
/// let id = queue.push("mail", Timestamp::ZERO);
/// assert_eq!(queue.first(), Some(Job { id: &id, due: Timestamp::ZERO, payload: &"mail" }));
/// assert_eq!(queue.pop(Timestamp::ZERO), Some(Job { id, due: Timestamp::ZERO, payload: "mail" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Job<T, I = JobId> {
    /// The id, unique within its queue.
    pub id: I,
    /// When the job is due.
    pub due: Timestamp,
    /// The payload.
    pub payload: T,
}

/// Converts an entry of the map into a job; both may be owned or borrowed.
pub(super) fn job<T, I>((id, payload, (due, _)): (I, T, Key)) -> Job<T, I> {
    Job { id, due, payload }
}
