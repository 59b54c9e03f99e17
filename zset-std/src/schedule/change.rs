//! Scheduling, rescheduling, cancelling.

use std::hash::Hash;

use zset_core::Equivalent;

use super::Schedule;
use crate::Timestamp;

/// What became of an id, from [`Schedule::schedule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduled {
    /// It was not in the schedule before.
    New,
    /// It was in the schedule, and has the new time now.
    Moved {
        /// The time it had.
        from: Timestamp,
    },
}

impl<Id: Ord + Hash> Schedule<Id> {
    /// Schedules an id for a time, or moves one that is there to it. **O(log n)**.
    ///
    /// Any time is accepted; one that is over is due at once. Among equal times an id comes behind
    /// those that were there, but one that already has the time keeps its place: to give all of
    /// them again, from a table that is read anew, changes nothing.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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

    /// Moves an id that is there to another time; returns the one that it had. **O(log n)**.
    ///
    /// Among equal times it comes behind those that were there, unless it already has the time.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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

    /// Removes an id, so that it does not happen; returns the time it had. **O(log n)**.
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

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.queue.check_invariants();
    }
}
