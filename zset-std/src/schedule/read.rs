//! Lookups by id, and the ids that are due next.

use core::hash::Hash;

use zset_core::Equivalent;

use super::{Schedule, Upcoming};
use crate::Timestamp;

impl<Id> Schedule<Id> {
    /// Returns the time of an id. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let sales = Schedule::from([("shoes".to_string(), Timestamp::MAX)]);
    /// assert_eq!(sales.at("shoes"), Some(Timestamp::MAX));
    /// assert_eq!(sales.at("hats"), None);
    /// ```
    pub fn at<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.queue.due(id)
    }

    /// Returns whether an id is in the schedule, i.e. neither returned as due nor cancelled. **O(1)**
    /// expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let sales = Schedule::from([("shoes".to_string(), Timestamp::MAX)]);
    /// assert!(sales.contains("shoes"));
    /// ```
    pub fn contains<Q>(&self, id: &Q) -> bool
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        self.queue.contains(id)
    }

    /// Returns the earliest time, at which to call [`activate_due`](Self::activate_due) next. It may be
    /// in the past. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10))]);
    /// assert_eq!(sales.next_at(), Some(at(10)));
    /// ```
    pub fn next_at(&self) -> Option<Timestamp> {
        self.queue.next_due()
    }

    /// Returns the number of ids. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// assert_eq!(Schedule::from([("shoes", Timestamp::MAX)]).len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Returns whether there are no ids. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_std::Schedule::<u64>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns all ids with their times, in order, including those already due. Lazy, double-ended,
    /// **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10)), ("bags", at(20))]);
    /// assert!(sales.iter().map(|(id, _)| *id).eq(["hats", "shoes", "bags"]));
    /// ```
    pub fn iter(&self) -> Upcoming<'_, Id> {
        Upcoming(self.queue.iter())
    }

    /// Returns the first `n` ids with their times, in order, or all if there are fewer. Lazy;
    /// **O(log n)** to start.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{Schedule, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let sales = Schedule::from([("shoes", at(20)), ("hats", at(10)), ("bags", at(30))]);
    /// assert!(sales.upcoming(2).eq([(&"hats", at(10)), (&"shoes", at(20))]));
    /// ```
    pub fn upcoming(&self, n: usize) -> Upcoming<'_, Id> {
        Upcoming(self.queue.upcoming(n))
    }
}
