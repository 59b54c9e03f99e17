//! [`Schedule`]: ids that each become due once, with its iterators.

// A delay queue whose jobs have an id and no payload; the invariants are those of the queue.

mod activate;
mod change;
mod read;
#[cfg(feature = "std")]
mod runner;
#[cfg(feature = "serde")]
mod serde;
#[cfg(test)]
mod tests;
mod traits;
mod upcoming;

pub use activate::ActivateDue;
pub use change::Scheduled;
#[cfg(feature = "std")]
pub use runner::ScheduleRunner;
pub use upcoming::{IntoUpcoming, Upcoming};

use crate::DelayQueue;

/// A set of ids, each due at a time: sales that open, posts that are published.
///
/// [`activate_due`](Self::activate_due) removes and returns all ids that are due, ordered by time;
/// equal times are in scheduling order. Each id is returned exactly once, however late the call and
/// even if the clock steps back, because a returned id is no longer in the schedule.
///
/// ```text
///  last call                       now, late
///  ────┼──────a────────b──c─────────┼────────d──▶ time
///             └ activate_due: a, b, c        └ upcoming
/// ```
///
/// An id is due from its time on: while `at <= now`. The schedule has no clock; [`run`](Self::run)
/// starts a thread that has one. The schedule grows with each new id; an 8-byte id uses 35 to 70 bytes
/// in total, plus what the id owns.
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
/// With the `serde` feature, a schedule serializes as a sequence of id-time pairs, in order.
/// Deserializing fails on a repeated id.
#[derive(Clone)]
pub struct Schedule<Id> {
    queue: DelayQueue<(), Id>,
}

impl<Id> Schedule<Id> {
    /// Creates an empty schedule. **O(1)**.
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
