//! Giving members other scores.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{Follow, SortedSet};
use crate::handle::Handle;
use crate::reserve::infallible;
use crate::skiplist::{Element, Path};
use crate::{Increment, TryReserveError};

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Gives a member the score that `new_score` makes of its old one; returns the old score.
    /// **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// If `new_score` panics, the score stays.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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
        let hash = self.hasher.hash_one(member);
        let Element { mut handle, score: old, .. } = self.find(hash, member)?;
        infallible(self.set_score(hash, &mut handle, new_score(old)));
        Some(old)
    }

    /// Adds `by` to the score of a member, which counts as zero if it is not there yet; returns the
    /// new score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// # Errors
    ///
    /// The score's own error if the sum is not a score ([`NanScore`](crate::NanScore) for
    /// [`Score`](crate::Score), [`ScoreOverflow`](crate::ScoreOverflow) for integers). The old score stays,
    /// and a member that is not there is not inserted.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ScoreOverflow, SortedSet};
    ///
    /// let mut set = SortedSet::<&str, i64>::new();
    /// assert_eq!(set.increment("a", 5), Ok(5));
    /// assert_eq!(set.increment("a", -7), Ok(-2));
    /// assert_eq!(set.increment("a", i64::MIN), Err(ScoreOverflow));
    /// assert_eq!(set.score("a"), Some(-2));
    /// ```
    #[track_caller]
    pub fn increment(&mut self, member: M, by: S::By) -> Result<S, S::Error>
    where
        S: Increment,
    {
        let hash = self.hasher.hash_one(&member);
        let (handle, old) = match self.find(hash, &member) {
            Some(found) => (Some(found.handle), found.score),
            None => (None, S::ZERO),
        };
        let new = old.checked_increment(by)?;
        match handle {
            Some(mut handle) => infallible(self.set_score(hash, &mut handle, new)),
            None => _ = infallible(self.insert_new(hash, member, new)),
        }
        Ok(new)
    }

    /// Gives the element of this handle another score; the handle names the element afterwards too.
    ///
    /// On an error the set is as it was.
    #[inline]
    pub(crate) fn set_score(
        &mut self,
        hash: u64,
        handle: &mut Handle,
        score: S,
    ) -> Result<(), TryReserveError> {
        if self.list.score(*handle) == score {
            return Ok(());
        }
        let place = self.list.place_of(*handle);
        if self.list.reorder_in_leaf(place, score) {
            return Ok(());
        }
        let (member, _) = self.list.element(*handle);
        let mut path = Path::new();
        let target = self.list.search(score, |other| other < member, &mut path);
        if target.leaf == place.leaf {
            self.list.reorder_to(place, target.position, score);
            return Ok(());
        }

        // From one leaf to another. Everything that may fail comes first: the hash of the element
        // that will fill the slot, and room in the other leaf. Neither leaf's part depends on the
        // other's, until the one left behind is merged with a neighbour, which may be the other.
        let Self { list, dict, hasher, .. } = self;
        let mut follow = Follow::new(dict, hasher);
        let departure = list.prepare_take(place, &follow);
        let target = list.make_room_sparing(place.leaf, target, &mut path, score, &mut follow)?;
        follow.dict.replace(hash, *handle, Handle::NONE);
        let (member, _) = list.take(departure, &mut follow);
        // If the hash panics in what follows, nothing is merged, and this is the handle.
        *handle = list.put(target, &path, member, score);
        follow.dict.replace(hash, Handle::NONE, *handle);
        follow.watched = *handle;
        list.rebalance(place, &mut follow);
        *handle = follow.watched;
        Ok(())
    }
}
