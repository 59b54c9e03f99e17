//! [`DelayQueue`]: a queue of jobs ordered by due time, with its iterators and errors.

// Invariants: one sorted map holds the jobs, from ids to payloads. The score of a job is its due time
// and its arrival number. Each arrival number is below `arrivals`, and no two jobs have the same one.

mod change;
mod iter;
mod job;
#[cfg(feature = "std")]
mod map;
mod pop;
mod push;
mod read;
#[cfg(feature = "serde")]
mod serde;
mod traits;

pub use iter::{DrainJobs, IntoJobs, Jobs};
pub use job::{Job, JobId};
pub use pop::PopDue;
pub use push::DuplicateJob;

use alloc::vec::Vec;
use core::hash::Hash;

use zset_core::SortedMap;

use crate::Timestamp;

/// The due time and the arrival number of a job.
type Key = (Timestamp, u64);

/// A queue of jobs ordered by due time; jobs due at the same time are in order of arrival. A
/// `DelayQueue<(), Id>` is a schedule of events, each returned once when it is due; see the
/// [guide](crate::_guide::queues#events-and-expiry).
///
/// The queue is one sorted map: finding a job by its id takes O(1), cancelling or rescheduling it
/// O(log n). Any time is valid, including [`Timestamp::ZERO`] and [`Timestamp::MAX`]. The queue has no
/// clock: operations that depend on the time take it as an argument.
/// [`SharedDelayQueue`](crate::SharedDelayQueue) has a clock, and is for use by multiple threads.
///
/// A job has either a [`JobId`] assigned by the queue or an id of the caller's type `I`. It uses the
/// memory of its payload and id plus about 40 bytes, until it is popped, cancelled or drained. Payloads
/// are moved in memory, so box large ones.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{DelayQueue, Timestamp};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut mails = DelayQueue::new();
/// mails.push("remind ann", at(60));
/// let bob = mails.push("remind bob", at(30));
/// let cid = mails.push("remind cid", at(10));
/// assert_eq!(mails.next_due(), Some(at(10)));
///
/// mails.cancel(&cid); // Cid has answered.
/// mails.reschedule(&bob, at(90)); // Bob asked for more time.
/// let due: Vec<_> = mails.pop_due(10, at(60)).map(|job| job.payload).collect();
/// assert_eq!(due, ["remind ann"]);
/// assert_eq!(mails.next_due(), Some(at(90)));
/// ```
pub struct DelayQueue<T, I = JobId> {
    jobs: SortedMap<I, T, Key>,
    /// The next arrival number. If it ever saturates, later arrivals share the last number.
    arrivals: u64,
    /// The next id to assign, unless it is in use.
    next_id: u64,
}

impl<T, I> DelayQueue<T, I> {
    /// Creates an empty queue, which does not allocate until the first push. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue: DelayQueue<u32, String> = DelayQueue::new();
    /// assert!(queue.push_with_id("backup".to_string(), 7, Timestamp::ZERO).is_ok());
    /// ```
    pub fn new() -> Self {
        DelayQueue { jobs: SortedMap::new(), arrivals: 0, next_id: 0 }
    }

    /// Returns the arrival number for a new job.
    ///
    /// It cannot saturate in practice: that takes 584 years at a billion jobs per second. If it does,
    /// jobs due at the same time are ordered by id.
    fn arrive(&mut self) -> u64 {
        let arrival = self.arrivals;
        self.arrivals = arrival.saturating_add(1);
        arrival
    }
}

impl<T, I: Ord + Hash> DelayQueue<T, I> {
    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.jobs.check();
        let mut arrivals: Vec<_> = self.jobs.iter().map(|(_, _, (_, arrival))| arrival).collect();
        arrivals.sort_unstable();
        assert!(arrivals.is_sorted_by(|a, b| a < b), "two jobs have the same arrival number");
        assert!(
            arrivals.last().is_none_or(|last| *last < self.arrivals),
            "an arrival number is too large"
        );
    }
}
