//! Scheduling, rescheduling and cancelling.

use core::hash::Hash;

use zset_core::Equivalent;

use super::Schedule;
use crate::Timestamp;

/// The outcome of [`Schedule::schedule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduled {
    /// The id is new in the schedule.
    New,
    /// The id was already in the schedule, and now has the new time, which may equal the old one.
    Moved {
        /// The previous time.
        from: Timestamp,
    },
}

impl<Id: Ord + Hash> Schedule<Id> {
    /// Schedules an id for a time, or moves an existing id to that time. **O(log n)**.
    ///
    /// Any time is accepted; an id scheduled in the past is due at once. A new or moved id comes after
    /// existing ids with the same time. An id that already has this time keeps its place, so scheduling
    /// everything again, for example after reloading a table, is a no-op.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
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
    /// assert_eq!(sales.schedule("shoes", at(30)), Scheduled::Moved { from: at(20) });
    /// assert_eq!(sales.len(), 1);
    /// ```
    #[track_caller]
    pub fn schedule(&mut self, id: Id, at: Timestamp) -> Scheduled {
        if let Some(from) = self.reschedule(&id, at) {
            return Scheduled::Moved { from };
        }
        self.queue.insert(id, (), at);
        Scheduled::New
    }

    /// Moves an existing id to another time and returns its previous time. **O(log n)**.
    ///
    /// The id comes after existing ids with the same time, unless it already has that time.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut sales = Schedule::from([("shoes", at(10)), ("hats", at(20))]);
    /// assert_eq!(sales.reschedule("shoes", at(20)), Some(at(10)));
    /// assert_eq!(sales.reschedule("bags", at(20)), None);
    /// assert!(sales.iter().eq([(&"hats", at(20)), (&"shoes", at(20))]));
    /// ```
    #[track_caller]
    pub fn reschedule<Q>(&mut self, id: &Q, at: Timestamp) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        let from = self.at(id)?;
        if from != at {
            self.queue.reschedule(id, at);
        }
        Some(from)
    }

    /// Removes an id and returns its time. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut sales = Schedule::from([("shoes", at(10))]);
    /// assert_eq!(sales.cancel("shoes"), Some(at(10)));
    /// assert_eq!(sales.cancel("shoes"), None);
    /// ```
    pub fn cancel<Q>(&mut self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.queue.cancel(id).map(|job| job.due)
    }

    /// Removes all ids. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let mut sales = Schedule::from([("shoes", Timestamp::MAX)]);
    /// sales.clear();
    /// assert!(sales.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.queue.clear();
    }

    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.queue.check_invariants();
    }
}
