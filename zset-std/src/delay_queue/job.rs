//! [`Job`] and [`JobId`], and how a queue keeps a job.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use zset_core::Equivalent;

use super::Key;
use crate::Timestamp;

/// The id that a queue gives a job.
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, JobId, Timestamp};
///
/// let mut queue = DelayQueue::new();
/// let id = queue.push(Timestamp::ZERO, "mail");
/// assert_eq!(id.to_string(), "0");
/// assert_eq!(JobId::new(id.get()), id); // as it is when it has been stored
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobId(u64);

impl JobId {
    /// Makes the id of this number.
    ///
    /// # Examples
    ///
    /// See [`JobId`].
    pub const fn new(number: u64) -> Self {
        JobId(number)
    }

    /// Returns its number.
    ///
    /// # Examples
    ///
    /// See [`JobId`].
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A job: what is to be done, and when.
///
/// A queue that is only looked at shows a `Job<&T, &I>`.
///
/// # Examples
///
/// ```
/// use zset_std::{DelayQueue, Job, Timestamp};
///
/// let mut queue = DelayQueue::new();
/// let id = queue.push(Timestamp::ZERO, "mail");
/// assert_eq!(queue.first(), Some(Job { id: &id, due: Timestamp::ZERO, payload: &"mail" }));
/// assert_eq!(queue.pop(Timestamp::ZERO), Some(Job { id, due: Timestamp::ZERO, payload: "mail" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Job<T, I = JobId> {
    /// What tells it from the other jobs of its queue.
    pub id: I,
    /// When it is due.
    pub due: Timestamp,
    /// What is to be done.
    pub payload: T,
}

/// A member of the sorted set: told from others by its id alone.
#[derive(Clone)]
pub(super) struct Entry<T, I> {
    pub(super) id: I,
    pub(super) payload: T,
}

impl<T, I> Entry<T, I> {
    pub(super) fn into_job(self, (due, _): Key) -> Job<T, I> {
        Job { id: self.id, due, payload: self.payload }
    }

    pub(super) fn as_job(&self, (due, _): Key) -> Job<&T, &I> {
        Job { id: &self.id, due, payload: &self.payload }
    }
}

impl<T, I: PartialEq> PartialEq for Entry<T, I> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T, I: Eq> Eq for Entry<T, I> {}

impl<T, I: Ord> PartialOrd for Entry<T, I> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T, I: Ord> Ord for Entry<T, I> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl<T, I: Hash> Hash for Entry<T, I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// What an entry is looked up by.
pub(super) struct ById<'a, Q: ?Sized>(pub(super) &'a Q);

impl<Q: Hash + ?Sized> Hash for ById<'_, Q> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T, I, Q: Equivalent<I> + ?Sized> Equivalent<Entry<T, I>> for ById<'_, Q> {
    fn equivalent(&self, entry: &Entry<T, I>) -> bool {
        self.0.equivalent(&entry.id)
    }
}
