//! [`ExpiringSet`], a set whose members each have a deadline, and its errors.

use core::error::Error;
use core::fmt;
use core::hash::Hash;
use core::ops::Bound;
use core::time::Duration;

use zset_core::sorted_set::{Drain, IntoIter, Iter};
use zset_core::{Equivalent, SortedSet};

use crate::Timestamp;

// The scores of the sorted set are the deadlines. There are no invariants besides those of the
// sorted set: it may contain expired members and, if the cap was set later, more members than the
// cap.

/// A set of members, each with its own deadline: sessions, online users, cache entries.
///
/// A member is live strictly before its deadline: while `deadline > now`. From then on, look-ups
/// that take the time treat it as absent, even before [`expire`] removes it. This replaces the
/// Redis pattern of a sorted set with deadlines as scores.
///
/// ```text
///                         now
///  sessions    a    b      │   c       d
///  ────────────┴────┴──────┼───┴───────┴──▶ deadlines
///                expire    │   iter, contains, len
/// ```
///
/// The set has no clock. Operations that depend on the time take it as an argument, and use only
/// that time. If the clock steps back, an expired member is live again unless it has been removed.
///
/// The set grows with each new member. [`expire`] and [`remove`] shrink it, and [`with_max_len`]
/// bounds it. In a set of a hundred members or more, an 8-byte member uses about 24 to 50 bytes in
/// total, plus any memory that it owns. It uses more after many other members have been removed.
///
/// [`expire`]: Self::expire
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
/// assert_eq!((sessions.len(at(12)), sessions.len_with_expired()), (1, 2));
/// assert!(sessions.expire(100, at(12)).eq([("bob", at(12))]));
/// # Ok::<(), zset_std::expiring_set::InsertError<&str>>(())
/// ```
///
/// With the `serde` feature, a set serializes as a sequence of member-deadline pairs (earliest
/// deadline first) and its cap. Deserializing fails on a repeated member.
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

/// Returns whether a member is live, i.e. strictly before its deadline.
fn is_live(deadline: Timestamp, now: Timestamp) -> bool {
    deadline > now
}

/// Returns the range of deadlines for which [`is_live`] is true.
fn live(now: Timestamp) -> (Bound<Timestamp>, Bound<Timestamp>) {
    (Bound::Excluded(now), Bound::Unbounded)
}

impl<M> ExpiringSet<M> {
    /// Creates an empty set without a cap. **O(1)**.
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
    /// use std::time::Duration;
    /// use zset_std::expiring_set::InsertError;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let (at, ttl) = (Timestamp::from_nanos, Duration::from_nanos(10));
    /// let mut online = ExpiringSet::new().with_max_len(1);
    /// assert!(online.insert("ann", ttl, at(0)).is_ok());
    /// assert_eq!(online.insert("bob", ttl, at(9)), Err(InsertError::Full("bob")));
    /// assert!(online.insert("bob", ttl, at(10)).is_ok()); // Ann has expired
    /// assert_eq!(online.len_with_expired(), 1);
    /// ```
    pub fn with_max_len(mut self, max_len: usize) -> Self {
        self.max_len = Some(max_len);
        self
    }

    fn is_full(&self) -> bool {
        self.max_len.is_some_and(|max_len| self.members.len() >= max_len)
    }
}

/// The error returned when a member is not inserted. It contains the member.
///
/// # Examples
///
/// ```
/// use zset_std::expiring_set::InsertError;
/// use zset_std::{ExpiringSet, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut set = ExpiringSet::new();
/// let error = set.extend([("ann", at(5))], at(10)).unwrap_err();
/// assert_eq!(error, InsertError::DeadlinePassed("ann"));
/// assert_eq!(error.to_string(), "the deadline has passed");
/// assert_eq!(error.into_member(), "ann");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError<M> {
    /// The member is new, and the set is full of live members. A place may become free at
    /// [`next_deadline`](ExpiringSet::next_deadline).
    Full(M),
    /// The deadline is not after the time of the call.
    DeadlinePassed(M),
}

impl<M> InsertError<M> {
    /// Returns the member that was not inserted. **O(1)**.
    pub fn into_member(self) -> M {
        match self {
            InsertError::Full(member) | InsertError::DeadlinePassed(member) => member,
        }
    }
}

impl<M> fmt::Debug for InsertError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InsertError::Full(_) => "Full(..)",
            InsertError::DeadlinePassed(_) => "DeadlinePassed(..)",
        })
    }
}

impl<M> fmt::Display for InsertError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InsertError::Full(_) => f.write_str("the set is full"),
            InsertError::DeadlinePassed(_) => DeadlinePassed.fmt(f),
        }
    }
}

impl<M> Error for InsertError<M> {}

/// The error returned for a deadline that is not after the time of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlinePassed;

impl fmt::Display for DeadlinePassed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the deadline has passed")
    }
}

impl Error for DeadlinePassed {}

impl<M: Ord + Hash> ExpiringSet<M> {
    /// Inserts a member that lives for `ttl` from `now`, or sets this deadline if the member is
    /// present. Returns the old deadline if it was live. **O(log n)**.
    ///
    /// If the set is full, a new member evicts expired ones, the earliest first, and only as many
    /// as needed. They are dropped, even if the live members alone exceed the cap. To keep them,
    /// call [`expire`](Self::expire) first.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the member if it is new and the set is full of live members, or if
    /// `ttl` is zero or `now` is [`Timestamp::MAX`]. If the member is present, its deadline is
    /// unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn insert(
        &mut self,
        member: M,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, InsertError<M>> {
        self.insert_until(member, now.saturating_add(ttl), now)
    }

    #[track_caller]
    fn insert_until(
        &mut self,
        member: M,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, InsertError<M>> {
        if !is_live(deadline, now) {
            return Err(InsertError::DeadlinePassed(member));
        }
        if self.is_full() && !self.members.contains(&member) {
            while self.is_full() {
                if self.members.pop_first_if(|_, &due| !is_live(due, now)).is_none() {
                    return Err(InsertError::Full(member));
                }
            }
        }
        let old = self.members.insert(member, deadline);
        Ok(old.filter(|&old| is_live(old, now)))
    }

    /// Inserts members with their deadlines in order, until one is rejected; otherwise like
    /// [`insert`](Self::insert). **O(log n)** each.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the first member for which there is no room, or whose deadline is not
    /// after `now`. Members before it are inserted. Those after it remain in the iterator, if that
    /// was passed with `by_ref`.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn extend(
        &mut self,
        members: impl IntoIterator<Item = (M, Timestamp)>,
        now: Timestamp,
    ) -> Result<(), InsertError<M>> {
        for (member, deadline) in members {
            self.insert_until(member, deadline, now)?;
        }
        Ok(())
    }

    /// Sets the deadline of a live member to `ttl` from `now`, later or earlier than the old one,
    /// which it returns. **O(log n)**; O(1) expected if the member stays between its neighbours.
    ///
    /// A no-op if the member has expired or is absent.
    ///
    /// # Errors
    ///
    /// [`DeadlinePassed`] if `ttl` is zero or `now` is [`Timestamp::MAX`]. The set is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    #[track_caller]
    pub fn touch<Q>(
        &mut self,
        member: &Q,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, DeadlinePassed>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let deadline = now.saturating_add(ttl);
        if !is_live(deadline, now) {
            return Err(DeadlinePassed);
        }
        let touched = |&old: &Timestamp| if is_live(old, now) { deadline } else { old };
        Ok(self.members.update(member, touched).filter(|&old| is_live(old, now)))
    }

    /// Removes a member, live or expired, and returns its deadline. **O(log n)**.
    pub fn remove<Q>(&mut self, member: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.members.remove(member)
    }

    /// Removes all members, keeping the cap. **O(n)**.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.members.check();
    }
}

impl<M> ExpiringSet<M> {
    /// Returns whether a member is in the set and live. **O(1)** expected.
    pub fn contains<Q>(&self, member: &Q, now: Timestamp) -> bool
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.deadline(member).is_some_and(|deadline| is_live(deadline, now))
    }

    /// Returns the deadline of a member, even if it has expired but is still in the set. **O(1)**
    /// expected.
    pub fn deadline<Q>(&self, member: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.members.score(member).copied()
    }

    /// Returns the earliest deadline, at which to call [`expire`](Self::expire) next. It
    /// may be in the past. **O(1)**.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.members.first().map(|(_, deadline)| *deadline)
    }

    /// Returns the number of live members. **O(log n)**.
    pub fn len(&self, now: Timestamp) -> usize {
        self.members.count_by_score(live(now))
    }

    /// Returns whether there are no live members. **O(1)**.
    pub fn is_empty(&self, now: Timestamp) -> bool {
        self.members.last().is_none_or(|(_, &deadline)| !is_live(deadline, now))
    }

    /// Returns the number of members, including expired ones still in the set. **O(1)**.
    pub fn len_with_expired(&self) -> usize {
        self.members.len()
    }

    /// Returns the live members, earliest deadline first. Lazy, double-ended; **O(log n)** to
    /// start, O(1) per step.
    pub fn iter(&self, now: Timestamp) -> Iter<'_, M, Timestamp> {
        self.members.range_by_score(live(now))
    }
}

impl<M: Hash> ExpiringSet<M> {
    /// Removes up to `budget` expired members, earliest deadline first, and returns them.
    /// **O(log n)**, plus O(m) expected for m removed.
    ///
    /// The budget bounds the time of a call; the next call continues where it ended.
    ///
    /// All of them are removed at once; those that the iterator has not returned are dropped with
    /// it.
    pub fn expire(&mut self, budget: usize, now: Timestamp) -> Drain<'_, M, Timestamp> {
        let expired = self.members.count_by_score(..=now);
        self.members.drain_by_rank(..expired.min(budget))
    }
}

impl<M> Default for ExpiringSet<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Two sets are equal if they have the same members with the same deadlines, including expired
/// ones, regardless of their caps. **O(n)**.
impl<M: PartialEq> PartialEq for ExpiringSet<M> {
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl<M: Eq> Eq for ExpiringSet<M> {}

/// Creates a set without a cap. If a member repeats, the last deadline wins.
impl<M: Ord + Hash> FromIterator<(M, Timestamp)> for ExpiringSet<M> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (M, Timestamp)>>(members: I) -> Self {
        ExpiringSet { members: members.into_iter().collect(), max_len: None }
    }
}

impl<M: Ord + Hash, const N: usize> From<[(M, Timestamp); N]> for ExpiringSet<M> {
    #[track_caller]
    fn from(members: [(M, Timestamp); N]) -> Self {
        members.into_iter().collect()
    }
}

/// Iterates over all members, including expired ones, earliest deadline first.
impl<M> IntoIterator for ExpiringSet<M> {
    type Item = (M, Timestamp);
    type IntoIter = IntoIter<M, Timestamp>;

    fn into_iter(self) -> IntoIter<M, Timestamp> {
        self.members.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;
    use std::time::Duration;

    use super::{DeadlinePassed, ExpiringSet};
    use crate::Timestamp;

    #[test]
    fn errors_say_why_and_return_the_member() {
        let mut set = ExpiringSet::new().with_max_len(0);
        for (ttl, message) in [(4, "the set is full"), (0, "the deadline has passed")] {
            let error =
                set.insert("a", Duration::from_nanos(ttl), Timestamp::from_nanos(0)).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.into_member()), (message, "a"));
        }
        assert_eq!(DeadlinePassed.to_string(), "the deadline has passed");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_repeated_member_is_an_error() {
        let text = r#"{"members":[["a",1],["b",2],["a",3]],"max_len":null}"#;
        let error = serde_json::from_str::<ExpiringSet<&str>>(text).unwrap_err().to_string();
        assert!(error.contains("element 2 repeats"), "{error}");
    }
}
