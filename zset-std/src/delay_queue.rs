//! [`DelayQueue`]: jobs, each of which is due at a time, with its iterators and errors.

// Invariants: the jobs are in one sorted map from their ids to their payloads. The score of a job is
// the time at which it is due and the number of its arrival. Each such number is below `arrivals`, and
// no two jobs have the same.

mod change;
mod iter;
mod job;
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

use std::hash::Hash;

use zset_core::SortedMap;

use crate::Timestamp;

/// When a job is due, and the number of its arrival.
type Key = (Timestamp, u64);

/// Jobs, each of which is due at a time: a queue ordered by that time, and for jobs that are due at
/// the same time by their arrival.
///
/// It is one sorted map: a job is found by its id in O(1), and cancelled or rescheduled in O(log n).
/// Any time will do, [`Timestamp::ZERO`] and [`Timestamp::MAX`] too. The queue has no clock: what
/// depends on the time is told it. [`SharedDelayQueue`](crate::SharedDelayQueue) has one, and is for
/// threads.
///
/// A job has a [`JobId`] that the queue gives it, or one of the caller's own type `I`. It takes the
/// memory of its payload and its id and about 40 bytes, from its push until it is popped, cancelled
/// or drained. Payloads are moved about in memory, so large ones are better put in a `Box`.
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
    /// The number of the next arrival. Were it ever to reach its end, all that arrive from then on
    /// have the same one.
    arrivals: u64,
    /// The next id to give away, unless it is in use.
    next_id: u64,
}

impl<T, I> DelayQueue<T, I> {
    /// Makes an empty queue, which allocates nothing until the first push. **O(1)**.
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

    /// Returns the number for a job that arrives.
    ///
    /// It cannot reach its end in practice: that takes 584 years of a billion jobs a second. There,
    /// jobs that are due at the same time are ordered by their ids.
    fn arrive(&mut self) -> u64 {
        let arrival = self.arrivals;
        self.arrivals = arrival.saturating_add(1);
        arrival
    }
}

impl<T, I: Ord + Hash> DelayQueue<T, I> {
    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.jobs.check();
        let mut arrivals: Vec<_> = self.jobs.iter().map(|(_, _, (_, arrival))| arrival).collect();
        arrivals.sort_unstable();
        assert!(arrivals.is_sorted_by(|a, b| a < b), "two jobs have arrived at once");
        assert!(arrivals.last().is_none_or(|last| *last < self.arrivals), "not yet arrived");
    }
}
