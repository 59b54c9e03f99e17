//! [`ExpiringSet`]: members with individual deadlines, with its iterators and errors.

use core::error::Error;
use core::fmt;
use core::hash::Hash;
use core::iter::FusedIterator;
use core::ops::Bound;
use core::time::Duration;

use zset_core::sorted_set::{IntoIter, Iter};
use zset_core::{Equivalent, SortedSet};

use crate::Timestamp;

// Invariants: those of the sorted set, whose scores are the deadlines. A member is live strictly
// before its deadline; only `is_live` decides this.

/// A set of members, each with its own deadline: sessions, online users, cache entries.
///
/// A member is live strictly before its deadline: while `deadline > now`. From then on, operations
/// that take the time treat it as absent, even before [`expire_due`] removes it. This replaces the
/// Redis pattern of a sorted set with deadlines as scores.
///
/// ```text
///                         now
///  sessions    a    b      │   c       d
///  ────────────┴────┴──────┼───┴───────┴──▶ deadlines
///              expire_due  │   iter, contains, live_len
/// ```
///
/// The set has no clock: operations that depend on the time take it as an argument and use no
/// other. If the clock steps back, an expired member is live again, unless it has been removed.
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
/// With the `serde` feature, a set serializes as a sequence of member-deadline pairs, earliest
/// deadline first, and its cap. Deserializing fails on a repeated member.
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

/// The error returned when a member is not inserted; contains the member.
///
/// # Examples
///
/// ```
/// use zset_std::expiring_set::InsertError;
/// use zset_std::{ExpiringSet, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut set = ExpiringSet::new();
/// let error = set.insert_until("ann", at(5), at(10)).unwrap_err();
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
    /// as needed; they are dropped, even if live members above the cap then leave no room. To keep
    /// them, call [`expire_due`](Self::expire_due) first.
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

    /// Like [`insert`](Self::insert), until a `deadline` instead of for a time to live. **O(log
    /// n)**.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the member if the deadline is not after `now`, and otherwise as for
    /// [`insert`](Self::insert).
    #[track_caller]
    pub fn insert_until(
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

    /// Inserts members with their deadlines in order, until one is rejected. **O(log n)** each.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the first member that [`insert_until`](Self::insert_until) rejects;
    /// members before it are inserted. Members after it remain in the iterator, if that was passed
    /// with `by_ref`.
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

    /// Sets the deadline of a live member to `ttl` from `now` and returns the old one. **O(log
    /// n)**; O(1) expected if the member stays between its neighbours.
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
        self.touch_until(member, now.saturating_add(ttl), now)
    }

    /// Like [`touch`](Self::touch) and at the same cost, with a `deadline`, which may be later or
    /// earlier than the old one.
    ///
    /// # Errors
    ///
    /// [`DeadlinePassed`] if the deadline is not after `now`. The set is unchanged.
    #[track_caller]
    pub fn touch_until<Q>(
        &mut self,
        member: &Q,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, DeadlinePassed>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
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

    /// Returns the earliest deadline, at which to call [`expire_due`](Self::expire_due) next. It
    /// may be in the past. **O(1)**.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.members.first().map(|(_, deadline)| *deadline)
    }

    /// Returns the number of members, including expired ones still in the set. **O(1)**.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the number of live members. **O(log n)**.
    pub fn live_len(&self, now: Timestamp) -> usize {
        self.members.count_by_score(live(now))
    }

    /// Returns whether the set has no members, including expired ones. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the live members, earliest deadline first. Lazy, double-ended; **O(log n)** to
    /// start, O(1) per step.
    pub fn iter(&self, now: Timestamp) -> Iter<'_, M, Timestamp> {
        self.members.range_by_score(live(now))
    }
}

impl<M: Hash> ExpiringSet<M> {
    /// Returns an iterator that removes and returns up to `budget` expired members, earliest
    /// deadline first. Lazy; **O(log n)** per step.
    ///
    /// Each member is removed when the iterator returns it; if the iterator is dropped early, the
    /// remaining ones stay. The budget bounds the time of a sweep: the next one continues where it
    /// ended.
    pub fn expire_due(&mut self, budget: usize, now: Timestamp) -> ExpireDue<'_, M> {
        ExpireDue { members: &mut self.members, now, budget }
    }
}

/// An iterator that removes expired members, returned by [`ExpiringSet::expire_due`].
#[derive(Debug)]
#[must_use = "members are removed as they come out of the iterator"]
pub struct ExpireDue<'a, M> {
    members: &'a mut SortedSet<M, Timestamp>,
    now: Timestamp,
    budget: usize,
}

impl<M: Hash> Iterator for ExpireDue<'_, M> {
    type Item = (M, Timestamp);

    fn next(&mut self) -> Option<(M, Timestamp)> {
        let left = self.budget.checked_sub(1)?;
        let expired = self.members.pop_first_if(|_, &deadline| !is_live(deadline, self.now))?;
        self.budget = left;
        Some(expired)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.members.count_by_score(..=self.now).min(self.budget);
        (len, Some(len))
    }
}

impl<M: Hash> ExactSizeIterator for ExpireDue<'_, M> {}

impl<M: Hash> FusedIterator for ExpireDue<'_, M> {}

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
    //! Edge cases: times, budgets and caps; and the derived serialization.

    use std::string::ToString;
    use std::time::Duration;

    use super::{DeadlinePassed, ExpiringSet, InsertError};
    use crate::Timestamp;

    fn at(nanos: u64) -> Timestamp {
        Timestamp::from_nanos(nanos)
    }

    #[test]
    fn a_member_is_live_strictly_before_its_deadline() {
        let set = ExpiringSet::from([("a", at(5))]);
        for (now, is_live) in [(0, true), (4, true), (5, false), (6, false)] {
            let now = at(now);
            assert_eq!(set.contains("a", now), is_live);
            assert_eq!(set.iter(now).len(), usize::from(is_live));
            assert_eq!(set.live_len(now), usize::from(is_live));
            assert_eq!(set.clone().expire_due(1, now).len(), usize::from(!is_live));
            assert_eq!(set.clone().touch_until("a", at(9), now).unwrap().is_some(), is_live);
            assert_eq!(set.clone().insert_until("a", at(9), now).unwrap().is_some(), is_live);
            assert_eq!(set.clone().with_max_len(1).insert_until("b", at(9), now).is_err(), is_live);
        }
    }

    #[test]
    fn the_first_and_last_timestamps_are_valid_deadlines() {
        let mut set = ExpiringSet::from([("never", Timestamp::ZERO), ("ever", Timestamp::MAX)]);
        assert!(!set.contains("never", Timestamp::ZERO));
        assert!(set.contains("ever", at(u64::MAX - 1)));
        assert!(set.expire_due(9, Timestamp::ZERO).eq([("never", Timestamp::ZERO)]));
        assert!(!set.contains("ever", Timestamp::MAX));
        assert!(set.expire_due(9, Timestamp::MAX).eq([("ever", Timestamp::MAX)]));
        assert_eq!(set.next_deadline(), None);
    }

    #[test]
    fn swapped_times_are_an_error_and_change_nothing() {
        let mut set = ExpiringSet::from([("a", at(5))]);
        for (deadline, now) in [(3, 4), (4, 4)] {
            let (deadline, now) = (at(deadline), at(now));
            for member in ["a", "b"] {
                let error = InsertError::DeadlinePassed(member);
                assert_eq!(set.insert_until(member, deadline, now), Err(error));
                assert_eq!(set.insert(member, Duration::ZERO, now), Err(error));
                assert_eq!(set.touch_until(member, deadline, now), Err(DeadlinePassed));
                assert_eq!(set.touch(member, Duration::ZERO, now), Err(DeadlinePassed));
            }
            assert_eq!(
                set.extend([("c", at(9)), ("d", deadline)], now).unwrap_err().into_member(),
                "d"
            );
            assert_eq!(set.remove("c"), Some(at(9)));
        }
        assert_eq!(set, ExpiringSet::from([("a", at(5))]));
    }

    #[test]
    fn a_time_to_live_counts_from_now() {
        let mut set = ExpiringSet::new();
        assert_eq!(set.insert("a", Duration::from_nanos(5), at(10)), Ok(None));
        assert_eq!(set.touch("a", Duration::from_nanos(1), at(14)), Ok(Some(at(15))));
        assert_eq!(set.deadline("a"), Some(at(15)));
        assert_eq!(set.touch("a", Duration::MAX, at(14)), Ok(Some(at(15))));
        assert_eq!(set.deadline("a"), Some(Timestamp::MAX));
        assert_eq!(set.remove("a"), Some(Timestamp::MAX));
        assert_eq!(set.touch("a", Duration::from_nanos(1), at(14)), Ok(None));
        // At `Timestamp::MAX`, no deadline can be later than now.
        let error = set.insert("b", Duration::MAX, Timestamp::MAX).unwrap_err();
        assert_eq!(error, InsertError::DeadlinePassed("b"));
    }

    #[test]
    fn a_budget_of_zero_removes_nothing() {
        let mut set = ExpiringSet::from([("a", at(1))]);
        assert_eq!(set.expire_due(0, at(9)).next(), None);
        assert_eq!(set.len(), 1);
    }

    #[test]
    fn a_dropped_iterator_keeps_the_remaining_elements() {
        let mut set = ExpiringSet::from([("a", at(1)), ("b", at(1)), ("c", at(1))]);
        let _ = set.expire_due(9, at(1));
        assert_eq!(set.len(), 3);
        assert_eq!(set.expire_due(9, at(1)).next(), Some(("a", at(1))));
        assert_eq!(set.len(), 2);
    }

    #[test]
    fn a_clock_step_back_revives_only_members_not_yet_removed() {
        let mut set = ExpiringSet::from([("a", at(5)), ("b", at(6))]);
        assert_eq!(set.expire_due(1, at(9)).next(), Some(("a", at(5))));
        assert!(!set.contains("a", at(0)));
        assert!(set.contains("b", at(0)));
    }

    #[test]
    fn a_set_without_room_rejects_and_returns_the_member() {
        let mut set = ExpiringSet::new().with_max_len(0);
        let full = set.insert_until("a".to_string(), Timestamp::MAX, at(0)).unwrap_err();
        assert_eq!(full.to_string(), "the set is full");
        assert_eq!(full.into_member(), "a");
    }

    #[test]
    fn a_full_set_removes_only_as_many_expired_members_as_needed() {
        let mut set = ExpiringSet::from([("a", at(1)), ("b", at(2)), ("c", at(9))]).with_max_len(3);
        assert_eq!(set.insert_until("d", at(9), at(5)), Ok(None));
        assert_eq!((set.len(), set.deadline("a"), set.deadline("b")), (3, None, Some(at(2))));
        // An existing member needs no room, even if it has expired.
        assert_eq!(set.insert_until("b", at(9), at(5)), Ok(None));
        assert!(set.insert_until("e", at(9), at(5)).is_err());
        assert_eq!(set.insert_until("c", at(7), at(5)), Ok(Some(at(9))));
    }

    #[test]
    fn members_beyond_a_cap_set_later_stay() {
        let mut set = ExpiringSet::from([("a", at(1)), ("b", at(2)), ("c", at(9))]).with_max_len(1);
        assert_eq!(set.len(), 3);
        assert!(set.insert_until("d", at(9), at(2)).is_err());
        assert_eq!(set.remove("c"), Some(at(9)));
        assert_eq!(set.insert_until("d", at(9), at(2)), Ok(None));
        assert_eq!(set.len(), 1);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn round_trip() {
        let members = [((2, "a"), Timestamp::MAX), ((1, "b"), at(0)), ((1, "a"), at(0))];
        let set = ExpiringSet::from(members).with_max_len(2);
        let text = serde_json::to_string(&set).unwrap();
        let expected =
            r#"{"members":[[[1,"a"],0],[[1,"b"],0],[[2,"a"],18446744073709551615]],"max_len":2}"#;
        assert_eq!(text, expected);
        let mut back: ExpiringSet<(u32, &str)> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, set);
        back.check_invariants();
        // The set is one above its cap, as before; the two expired members make room.
        assert_eq!(back.insert_until((3, "c"), at(9), at(0)), Ok(None));
        assert!(back.insert_until((4, "d"), at(9), at(0)).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_repeated_member_is_an_error() {
        let text = r#"{"members":[["a",1],["b",2],["a",3]],"max_len":null}"#;
        let error =
            serde_json::from_str::<ExpiringSet<std::string::String>>(text).unwrap_err().to_string();
        assert!(error.contains("element 2 repeats"), "{error}");
    }
}
