//! Updating the scores of members.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{Follow, SortedSet};
use crate::TryReserveError;
use crate::handle::Handle;
use crate::reserve::infallible;
use crate::skiplist::{Element, Position, Target, before};

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Updates the score of a member with `new_score`, called on the old score, and returns the old
    /// score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// If `new_score` panics, the score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_update`](Self::try_update).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// assert_eq!(set.update("a", |score| score * 10), Some(1));
    /// assert_eq!(set.update("b", |score| score * 10), None);
    /// assert_eq!(set.score("a"), Some(10));
    /// ```
    #[track_caller]
    pub fn update<Q>(&mut self, member: &Q, new_score: impl FnOnce(S) -> S) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        infallible(self.try_update(member, new_score))
    }

    /// Like [`update`](Self::update), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The score is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// assert_eq!(set.try_update("a", |score| score * 10)?, Some(1));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_update<Q>(
        &mut self,
        member: &Q,
        new_score: impl FnOnce(S) -> S,
    ) -> Result<Option<S>, TryReserveError>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let hash = self.hash(member);
        let Some(Element { mut handle, score: old, .. }) = self.find(hash, member) else {
            return Ok(None);
        };
        self.set_score(hash, &mut handle, new_score(old))?;
        Ok(Some(old))
    }

    /// Sets the score of the element at a handle, and updates the handle if the element moves.
    ///
    /// On error, the set is unchanged.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn set_score(
        &mut self,
        hash: usize,
        handle: &mut Handle,
        score: S,
    ) -> Result<(), TryReserveError> {
        let Some((position, target)) = self.set_score_in_leaf(*handle, score) else {
            return Ok(());
        };
        // The element moves to another leaf. Everything that may fail comes first: hashing the element
        // that will fill the slot, and making room in the target leaf. Neither leaf affects the other
        // until the source leaf is merged with a neighbour, which may be the target.
        let Self { list, dict, hasher, .. } = self;
        let mut follow = Follow::new(dict, hasher);
        let departure = list.prepare_take(position, &follow);
        let vacancy = list.make_room_beside(&departure, target, &mut follow)?;
        follow.dict.replace(hash, *handle, Handle::NONE);
        let ((member, _), removal) = list.take(departure, &mut follow);
        *handle = list.put(vacancy, member);
        follow.dict.replace(hash, Handle::NONE, *handle);
        // Merging may move the element again. If hashing panics meanwhile, the handle is correct.
        follow.watched = Some(handle);
        list.rebalance(removal, &mut follow);
        Ok(())
    }

    /// Sets the score of the element at a handle if it stays in its leaf; otherwise returns its position and
    /// where it has to go.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn set_score_in_leaf(&mut self, handle: Handle, score: S) -> Option<(Position, Target<S>)> {
        if self.list.score(handle) == score {
            return None;
        }
        let position = self.list.position_of(handle);
        if self.list.reorder_in_leaf(position, score) {
            return None;
        }
        let (member, _) = self.list.element_at(handle);
        let target = self.list.search(score, before(member));
        if target.leaf() == position.leaf {
            self.list.reorder_to(position, &target);
            return None;
        }
        Some((position, target))
    }
}
