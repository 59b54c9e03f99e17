//! Inserting, touching and removing members.

use core::error::Error;
use core::fmt;
use core::hash::Hash;
use core::time::Duration;

use zset_core::Equivalent;

use super::{ExpiringSet, is_live};
use crate::Timestamp;

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
    /// let mut full = sessions.with_max_len(1);
    /// let error = full.insert("bob", Duration::from_nanos(10), at(5)).unwrap_err();
    /// assert_eq!(error.into_member(), "bob");
    /// ```
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
///
/// # Examples
///
/// ```
/// use zset_std::expiring_set::DeadlinePassed;
/// use zset_std::{ExpiringSet, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut sessions = ExpiringSet::from([("ann", at(10))]);
/// assert_eq!(sessions.touch_until("ann", at(4), at(5)), Err(DeadlinePassed));
/// ```
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
    /// If the set is full, a new member evicts expired ones, the earliest first, and only as many as
    /// needed; they are dropped, even if live members above the cap then leave no room. To keep them,
    /// call [`expire_due`](Self::expire_due) first.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the member if it is new and the set is full of live members, or if `ttl` is
    /// zero or `now` is [`Timestamp::MAX`]. If the member is present, its deadline is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let ttl = Duration::from_nanos(10);
    /// let mut set = ExpiringSet::new();
    /// assert_eq!(set.insert("a", ttl, at(0))?, None);
    /// assert_eq!(set.insert("a", ttl, at(5))?, Some(at(10)));
    /// assert_eq!(set.insert("a", ttl, at(15))?, None); // it had expired
    /// # Ok::<(), zset_std::expiring_set::InsertError<&str>>(())
    /// ```
    #[track_caller]
    pub fn insert(
        &mut self,
        member: M,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, InsertError<M>> {
        self.insert_until(member, now.saturating_add(ttl), now)
    }

    /// Inserts a member that lives until `deadline`, or sets this deadline if the member is present.
    /// Returns the old deadline if it was live. **O(log n)**.
    ///
    /// If the set is full, this evicts expired members as [`insert`](Self::insert) does.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the member if it is new and the set is full of live members, or if the
    /// deadline is not after `now`. If the member is present, its deadline is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::expiring_set::InsertError;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let (noon, one) = (Timestamp::from_nanos(12), Timestamp::from_nanos(13));
    /// let mut set = ExpiringSet::new();
    /// assert_eq!(set.insert_until("ann", one, noon)?, None);
    /// assert_eq!(set.insert_until("bob", noon, one), Err(InsertError::DeadlinePassed("bob")));
    /// # Ok::<(), InsertError<&str>>(())
    /// ```
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
                if self.members.pop_first_if(|_, due| !is_live(due, now)).is_none() {
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
    /// [`InsertError`] with the first member that [`insert_until`](Self::insert_until) rejects; members
    /// before it are inserted. Members after it remain in the iterator, if that was passed with
    /// `by_ref`.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut set = ExpiringSet::new().with_max_len(2);
    /// let mut members = [("a", at(1)), ("b", at(2)), ("c", at(3)), ("d", at(4))].into_iter();
    /// assert_eq!(set.extend(members.by_ref(), at(0)).unwrap_err().into_member(), "c");
    /// assert_eq!(set.len(), 2);
    /// assert_eq!(members.next(), Some(("d", at(4))));
    /// ```
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

    /// Sets the deadline of a live member to `ttl` from `now` and returns the old one. **O(log n)**;
    /// O(1) expected if the member stays between its neighbours.
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
    /// assert_eq!(sessions.touch("ann", Duration::from_nanos(10), at(5)), Ok(Some(at(10))));
    /// assert_eq!(sessions.deadline("ann"), Some(at(15)));
    /// assert_eq!(sessions.touch("bob", Duration::from_nanos(10), at(5)), Ok(None));
    /// assert!(sessions.touch("ann", Duration::ZERO, at(5)).is_err());
    /// ```
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

    /// Sets the deadline of a live member, later or earlier, and returns the old one. **O(log n)**;
    /// O(1) expected if the member stays between its neighbours.
    ///
    /// A no-op if the member has expired or is absent.
    ///
    /// # Errors
    ///
    /// [`DeadlinePassed`] if the deadline is not after `now`. The set is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails or the 32-bit handles are exhausted.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::expiring_set::DeadlinePassed;
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut set = ExpiringSet::from([("a", at(10))]);
    /// assert_eq!(set.touch_until("a", at(20), at(5)), Ok(Some(at(10))));
    /// assert_eq!(set.touch_until("b", at(20), at(5)), Ok(None));
    /// assert_eq!(set.touch_until("a", at(5), at(6)), Err(DeadlinePassed));
    /// ```
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
        let touched = |old| if is_live(old, now) { deadline } else { old };
        Ok(self.members.update(member, touched).filter(|&old| is_live(old, now)))
    }

    /// Removes a member, live or expired, and returns its deadline. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let mut set = ExpiringSet::from([("a", Timestamp::MAX)]);
    /// assert_eq!(set.remove("a"), Some(Timestamp::MAX));
    /// assert_eq!(set.remove("a"), None);
    /// ```
    pub fn remove<Q>(&mut self, member: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.members.remove(member)
    }

    /// Removes all members, keeping the cap. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let mut set = ExpiringSet::from([("a", Timestamp::MAX)]);
    /// set.clear();
    /// assert!(set.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Panics with a description of the first broken invariant. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.members.check();
    }
}
