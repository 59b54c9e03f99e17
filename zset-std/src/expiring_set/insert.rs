//! Inserting, giving another deadline, removing.

use std::error::Error;
use std::fmt;
use std::hash::Hash;

use zset_core::Equivalent;

use super::{ExpiringSet, is_live};
use crate::Timestamp;
use crate::due::pop_first_if;

/// The error of a new member for which a full set has no room, which it gives back.
///
/// [`next_deadline`](ExpiringSet::next_deadline) says when there may be some.
///
/// # Examples
///
/// See [`ExpiringSet::with_max_len`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetFull<M> {
    /// The member that was refused.
    pub member: M,
}

impl<M> fmt::Debug for SetFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetFull").finish_non_exhaustive()
    }
}

impl<M> fmt::Display for SetFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("set has no room for another member")
    }
}

impl<M> Error for SetFull<M> {}

impl<M: Ord + Hash> ExpiringSet<M> {
    /// Inserts a member with a deadline, or gives a member that is there this deadline; returns the
    /// old one, if it is live. **O(log n)**.
    ///
    /// Any deadline is accepted; one that is not after `now` makes a member that has expired. If
    /// the set is full, members that have expired make room for a new one, the earliest first, and
    /// only as many as it takes; they are dropped. Who needs to see each calls
    /// [`expire_due`](Self::expire_due) before.
    ///
    /// # Errors
    ///
    /// [`SetFull`] with the member, if it is new and all of a full set are live.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut set = ExpiringSet::new();
    /// assert_eq!(set.insert("a", at(10), at(0))?, None);
    /// assert_eq!(set.insert("a", at(20), at(5))?, Some(at(10)));
    /// assert_eq!(set.insert("a", at(30), at(20))?, None); // it had expired
    /// # Ok::<(), zset_std::SetFull<&str>>(())
    /// ```
    #[track_caller]
    pub fn insert(
        &mut self,
        member: M,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, SetFull<M>> {
        if self.is_full() && !self.members.contains(&member) {
            while self.is_full() {
                if pop_first_if(&mut self.members, |due| !is_live(due, now)).is_none() {
                    return Err(SetFull { member });
                }
            }
        }
        let old = self.members.insert(member, deadline);
        Ok(old.filter(|&old| is_live(old, now)))
    }

    /// Inserts members with their deadlines in turn, until one is refused. **O(log n)** for each.
    ///
    /// # Errors
    ///
    /// [`SetFull`] with the first member for which there is no room; those before it are inserted.
    /// An iterator that was lent with `by_ref` has those behind it.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{ExpiringSet, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let mut set = ExpiringSet::new().with_max_len(2);
    /// let mut members = [("a", at(1)), ("b", at(2)), ("c", at(3)), ("d", at(4))].into_iter();
    /// assert_eq!(set.extend(members.by_ref(), at(0)).unwrap_err().member, "c");
    /// assert_eq!(set.len(), 2);
    /// assert_eq!(members.next(), Some(("d", at(4))));
    /// ```
    #[track_caller]
    pub fn extend(
        &mut self,
        members: impl IntoIterator<Item = (M, Timestamp)>,
        now: Timestamp,
    ) -> Result<(), SetFull<M>> {
        for (member, deadline) in members {
            self.insert(member, deadline, now)?;
        }
        Ok(())
    }

    /// Gives a member that is live another deadline, later or earlier; returns the old one.
    /// **O(log n)**; O(1) expected if the member stays between its neighbours.
    ///
    /// A member that has expired, or is not there, stays so.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// See [`ExpiringSet`].
    #[track_caller]
    pub fn touch<Q>(&mut self, member: &Q, deadline: Timestamp, now: Timestamp) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let touched = |old| if is_live(old, now) { deadline } else { old };
        self.members.update(member, touched).filter(|&old| is_live(old, now))
    }

    /// Removes a member, live or expired; returns its deadline. **O(log n)**.
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

    /// Removes all members; the cap stays. **O(n)**.
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

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.members.check();
    }
}
