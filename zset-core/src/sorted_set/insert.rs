//! Inserting.

use core::hash::{BuildHasher, Hash};

use super::{Follow, SortedSet, hash_of};
use crate::TryReserveError;
use crate::handle::Handle;
use crate::reserve::infallible;
use crate::skiplist::{Element, Target, before};

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Inserts a member with a score, or updates its score if it is in the set already; returns the old
    /// score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// If the set has an equal member, the given one is dropped, like a key in `HashMap::insert`.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::new();
    /// assert_eq!(set.insert("a", 1), None);
    /// assert_eq!(set.insert("a", 2), Some(1));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, member: M, score: S) -> Option<S> {
        infallible(self.try_insert(member, score))
    }

    /// Like [`insert`](Self::insert), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set is unchanged, and the member is
    /// dropped; to keep it, call [`try_reserve(1)`](Self::try_reserve) first.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::new();
    /// assert_eq!(set.try_insert("a", 1), Ok(None));
    /// assert_eq!(set.try_insert("a", 2), Ok(Some(1)));
    /// ```
    pub fn try_insert(&mut self, member: M, score: S) -> Result<Option<S>, TryReserveError> {
        let hash = self.hash(&member);
        if let Some(Element { mut handle, score: old, .. }) = self.find(hash, &member) {
            self.set_score(hash, &mut handle, score)?;
            return Ok(Some(old));
        }
        self.insert_new(hash, member, score)?;
        Ok(None)
    }

    /// Inserts a member that is not in the set.
    ///
    /// On microcontrollers, it is not inlined, so that its stack space is free while a score is changed.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn insert_new(
        &mut self,
        hash: usize,
        member: M,
        score: S,
    ) -> Result<Handle, TryReserveError> {
        self.insert_new_inlined(hash, member, score)
    }

    /// Like `insert_new`, for callers that are not inlined themselves.
    #[expect(clippy::inline_always, reason = "a call takes 64 bytes of stack on microcontrollers")]
    #[inline(always)]
    pub(crate) fn insert_new_inlined(
        &mut self,
        hash: usize,
        member: M,
        score: S,
    ) -> Result<Handle, TryReserveError> {
        let target = self.list.search_to_insert(score, before(&member));
        self.insert_at(target, hash, member)
    }

    /// Inserts a member that comes after all others.
    pub(crate) fn push_last(&mut self, member: M, score: S) -> Result<Handle, TryReserveError> {
        let hash = self.hash(&member);
        self.make_room_in_dict(hash)?;
        let handle = self.list.try_push_last(member, score)?;
        self.dict.insert(hash, handle);
        Ok(handle)
    }

    #[expect(clippy::inline_always, reason = "a call takes 160 bytes of stack on microcontrollers")]
    #[inline(always)]
    fn insert_at(
        &mut self,
        target: Target<S>,
        hash: usize,
        member: M,
    ) -> Result<Handle, TryReserveError> {
        self.make_room_in_dict(hash)?;
        let Self { list, dict, hasher, .. } = self;
        let vacancy = list.make_room(target, &mut Follow::new(dict, hasher))?;
        let handle = list.put(vacancy, member);
        dict.insert(hash, handle);
        Ok(handle)
    }

    /// Makes room for one more handle with this hash in the dict.
    #[inline]
    pub(crate) fn make_room_in_dict(&mut self, hash: usize) -> Result<(), TryReserveError> {
        let Self { list, dict, hasher, .. } = self;
        match dict.try_reserve_one(hash, hash_of(list, hasher)) {
            Err(TryReserveError::AllocError) => self.refile(hash),
            result => result,
        }
    }
}
