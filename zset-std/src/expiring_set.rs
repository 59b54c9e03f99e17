//! [`ExpiringSet`]: members with individual deadlines, with its iterators and errors.

// Invariants: those of the sorted set, whose scores are the deadlines. A member is live strictly before
// its deadline; only `is_live` decides this.

mod expire;
mod insert;
mod read;
#[cfg(test)]
mod tests;
mod traits;

pub use expire::ExpireDue;
pub use insert::{DeadlinePassed, InsertError};

#[cfg(feature = "serde")]
use core::hash::Hash;
use core::ops::Bound;

use zset_core::SortedSet;

use crate::Timestamp;

/// A set of members, each with its own deadline: sessions, online users, cache entries.
///
/// A member is live strictly before its deadline: while `deadline > now`. From then on, operations that
/// take the time treat it as absent, even before [`expire_due`] removes it. This replaces the Redis
/// pattern of a sorted set with deadlines as scores.
///
/// ```text
///                         now
///  sessions    a    b      │   c       d
///  ────────────┴────┴──────┼───┴───────┴──▶ deadlines
///              expire_due  │   iter, contains, live_len
/// ```
///
/// The set has no clock: operations that depend on the time take it as an argument and use no other. If
/// the clock steps back, an expired member is live again, unless it has been removed.
///
/// The set grows with each new member, and shrinks through [`expire_due`] and [`remove`];
/// [`with_max_len`] bounds it. An 8-byte member uses 25 to 50 bytes in total, plus what it owns.
///
/// [`expire_due`]: Self::expire_due
/// [`remove`]: Self::remove
/// [`with_max_len`]: Self::with_max_len
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{ExpiringSet, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let ttl = Duration::from_nanos(10);
/// let mut sessions = ExpiringSet::new();
/// sessions.insert("ann", ttl, at(0))?;
/// sessions.insert("bob", ttl, at(2))?;
/// assert_eq!(sessions.touch("ann", ttl, at(5)), Ok(Some(at(10))));
///
/// assert!(sessions.contains("bob", at(11)));
/// assert!(!sessions.contains("bob", at(12))); // its deadline
/// assert_eq!(sessions.touch("bob", ttl, at(12)), Ok(None)); // too late
/// assert_eq!(sessions.live_len(at(12)), 1);
/// assert!(sessions.expire_due(100, at(12)).eq([("bob", at(12))]));
/// # Ok::<(), zset_std::expiring_set::InsertError<&str>>(())
/// ```
///
/// With the `serde` feature, a set serializes as a sequence of member-deadline pairs, earliest deadline
/// first, and its cap. Deserializing fails on a repeated member.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "M: ::serde::Serialize",
        deserialize = "M: ::serde::Deserialize<'de> + Ord + Hash"
    ))
)]
pub struct ExpiringSet<M> {
    members: SortedSet<M, Timestamp>,
    max_len: Option<usize>,
}

/// Returns whether a member is live: before its deadline, not at it.
fn is_live(deadline: Timestamp, now: Timestamp) -> bool {
    deadline > now
}

/// Returns the range of deadlines for which [`is_live`] holds.
fn live(now: Timestamp) -> (Bound<Timestamp>, Bound<Timestamp>) {
    (Bound::Excluded(now), Bound::Unbounded)
}

impl<M> ExpiringSet<M> {
    /// Creates an empty set without a cap. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::ExpiringSet;
    ///
    /// let set = ExpiringSet::<&str>::new();
    /// assert!(set.is_empty());
    /// ```
    pub fn new() -> Self {
        ExpiringSet { members: SortedSet::new(), max_len: None }
    }

    /// Returns the set with a bound on the number of members. **O(1)**.
    ///
    /// In a full set, a new member replaces an expired one or is rejected; live members are never
    /// evicted. If the set already has more members, they stay until they expire or are removed.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::expiring_set::InsertError;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut online = ExpiringSet::new().with_max_len(1);
    /// assert!(online.insert_until("ann", at(10), at(0)).is_ok());
    /// assert_eq!(online.insert_until("bob", at(20), at(9)), Err(InsertError::Full("bob")));
    /// assert!(online.insert_until("bob", at(20), at(10)).is_ok()); // Ann has expired
    /// assert_eq!(online.len(), 1);
    /// ```
    pub fn with_max_len(mut self, max_len: usize) -> Self {
        self.max_len = Some(max_len);
        self
    }

    fn is_full(&self) -> bool {
        self.max_len.is_some_and(|max_len| self.members.len() >= max_len)
    }
}
