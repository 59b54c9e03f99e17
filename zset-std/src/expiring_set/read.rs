//! Lookups by member, live members, and the next deadline.

use core::hash::Hash;

use zset_core::Equivalent;
use zset_core::sorted_set::Iter;

use super::{ExpiringSet, is_live, live};
use crate::Timestamp;

impl<M> ExpiringSet<M> {
    /// Returns whether a member is in the set and live. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut sessions = ExpiringSet::new();
    /// sessions.insert("ann", Duration::from_nanos(10), at(0)).unwrap();
    /// assert!(sessions.contains("ann", at(9)));
    /// assert!(!sessions.contains("ann", at(10)));
    /// ```
    pub fn contains<Q>(&self, member: &Q, now: Timestamp) -> bool
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.deadline(member).is_some_and(|deadline| is_live(deadline, now))
    }

    /// Returns the deadline of a member, even if it has expired but is still in the set. **O(1)**
    /// expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut set = ExpiringSet::from([("a", at(1))]);
    /// assert_eq!(set.deadline("a"), Some(at(1)));
    /// assert_eq!(set.expire_due(1, at(1)).count(), 1);
    /// assert_eq!(set.deadline("a"), None);
    /// ```
    pub fn deadline<Q>(&self, member: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.members.score(member)
    }

    /// Returns the earliest deadline, at which to call [`expire_due`](Self::expire_due) next. It may be
    /// in the past. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let set = ExpiringSet::from([("b", at(2)), ("a", at(1))]);
    /// assert_eq!(set.next_deadline(), Some(at(1)));
    /// ```
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.members.first().map(|(_, deadline)| deadline)
    }

    /// Returns the number of members, including expired ones still in the set. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let set = ExpiringSet::from([("a", at(1)), ("b", at(2))]);
    /// assert_eq!((set.len(), set.live_len(at(1))), (2, 1));
    /// ```
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the number of live members. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut sessions = ExpiringSet::new();
    /// sessions.insert("ann", Duration::from_nanos(10), at(0)).unwrap();
    /// assert_eq!(sessions.live_len(at(9)), 1);
    /// assert_eq!(sessions.live_len(at(10)), 0);
    /// ```
    pub fn live_len(&self, now: Timestamp) -> usize {
        self.members.count_by_score(live(now))
    }

    /// Returns whether the set has no members, including expired ones. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_std::ExpiringSet::<u64>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the live members, earliest deadline first. Lazy, double-ended; **O(log n)** to start,
    /// O(1) per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let set = ExpiringSet::from([("c", at(3)), ("a", at(1)), ("b", at(2))]);
    /// assert!(set.iter(at(1)).eq([(&"b", at(2)), (&"c", at(3))]));
    /// ```
    pub fn iter(&self, now: Timestamp) -> Iter<'_, M, Timestamp> {
        self.members.range_by_score(live(now))
    }
}
