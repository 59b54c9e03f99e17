//! Replacing members.

use core::hash::{BuildHasher, Hash};
use core::mem;

use super::SortedSet;
use crate::TryReserveError;
use crate::reserve::infallible;
use crate::skiplist::Element;

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Inserts a member with a score, replacing an equal member and its score; returns the old ones.
    /// **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// [`insert`](Self::insert) keeps the member that is in the set. The difference matters for members
    /// that are equal but not identical.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_replace`](Self::try_replace).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::rc::Rc;
    /// use zset_core::SortedSet;
    ///
    /// let (old, new) = (Rc::new("ann"), Rc::new("ann"));
    /// let mut set = SortedSet::from([(old.clone(), 1)]);
    /// let (replaced, score) = set.replace(new.clone(), 2).unwrap();
    /// assert!(Rc::ptr_eq(&replaced, &old) && score == 1);
    /// assert!(Rc::ptr_eq(set.first().unwrap().0, &new));
    /// ```
    #[track_caller]
    pub fn replace(&mut self, member: M, score: S) -> Option<(M, S)> {
        infallible(self.try_replace(member, score))
    }

    /// Like [`replace`](Self::replace), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set is unchanged, and the given
    /// member is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// assert_eq!(set.try_replace("a", 2)?, Some(("a", 1)));
    /// assert_eq!(set.try_replace("b", 2)?, None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_replace(&mut self, member: M, score: S) -> Result<Option<(M, S)>, TryReserveError> {
        let hash = self.hash(&member);
        let Some(Element { mut handle, score: old, .. }) = self.find(hash, &member) else {
            self.insert_new(hash, member, score)?;
            return Ok(None);
        };
        self.set_score(hash, &mut handle, score)?;
        let replaced = mem::replace(self.list.member_mut(handle), member);
        Ok(Some((replaced, old)))
    }
}
