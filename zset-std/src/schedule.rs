//! [`Schedule`]: what happens at its time, once, with its iterators.

// It is a delay queue of jobs that are nothing but their ids, and its invariants are that queue's.

mod activate;
mod change;
mod read;
mod runner;
#[cfg(feature = "serde")]
mod serde;
#[cfg(test)]
mod tests;
mod traits;
mod upcoming;

pub use activate::ActivateDue;
pub use change::Scheduled;
pub use runner::ScheduleRunner;
pub use upcoming::{IntoUpcoming, Upcoming};

use crate::DelayQueue;

/// Ids that are each due at a time: sales that open, posts that go public.
///
/// [`activate_due`](Self::activate_due) takes out all that are due by now, in the order of their
/// times, and among equal times in that in which they were scheduled. Each comes out exactly once,
/// however late the call and whatever the clock does, since what has come out is not there any
/// more.
///
/// ```text
///  last call                       now, late
///  ────┼──────a────────b──c─────────┼────────d──▶ time
///             └ activate_due: a, b, c        └ upcoming
/// ```
///
/// An id is due from its time on: while `at <= now`. The schedule holds no clock;
/// [`run`](Self::run) gives it to a thread that has one. It grows by an id
/// that is scheduled; one of 8 bytes takes 35 to 70 in all, and what it owns.
///
/// # Examples
///
/// ```
/// use zset_std::schedule::Scheduled;
/// use zset_std::{Schedule, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut sales = Schedule::new();
/// assert_eq!(sales.schedule("shoes", at(20)), Scheduled::New);
/// sales.schedule("hats", at(10));
/// sales.schedule("bags", at(20));
/// sales.cancel("hats");
/// assert_eq!(sales.next_at(), Some(at(20)));
///
/// assert_eq!(sales.activate_due(at(19)).len(), 0);
/// assert!(sales.activate_due(at(25)).eq([("shoes", at(20)), ("bags", at(20))]));
/// assert_eq!(sales.activate_due(at(20)).next(), None); // the clock has stepped back
/// ```
///
/// With the feature `serde` it is a sequence of pairs of id and time, in order; an id that is there
/// twice is an error.
#[derive(Clone)]
pub struct Schedule<Id> {
    queue: DelayQueue<(), Id>,
}

impl<Id> Schedule<Id> {
    /// Makes an empty schedule. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let mut sales = Schedule::new();
    /// sales.schedule("shoes", Timestamp::from_nanos(10));
    /// assert_eq!(sales.len(), 1);
    /// ```
    pub fn new() -> Self {
        Schedule { queue: DelayQueue::new() }
    }
}
