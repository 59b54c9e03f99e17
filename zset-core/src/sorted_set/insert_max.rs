//! Inserting a member unless its current score is better.

use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use crate::reserve::infallible;
use crate::skiplist::Element;
use crate::{Insertion, TryReserveError};

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Inserts a member with a score. A member already in the set keeps the higher of the two scores,
    /// like Redis's `ZADD` with `GT`. **O(log n)**; O(1) if its score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert_max`](Self::try_insert_max).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedSet};
    ///
    /// let mut best = SortedSet::new();
    /// assert_eq!(best.insert_max("ann", 120), Insertion::Inserted);
    /// assert_eq!(best.insert_max("ann", 95), Insertion::Unchanged(120));
    /// assert_eq!(best.insert_max("ann", 130), Insertion::Updated(120));
    /// assert_eq!(best.score("ann"), Some(130));
    /// ```
    #[track_caller]
    pub fn insert_max(&mut self, member: M, score: S) -> Insertion<S> {
        infallible(self.try_insert_max(member, score))
    }

    /// Inserts a member with a score. A member already in the set keeps the lower of the two scores,
    /// like Redis's `ZADD` with `LT`. **O(log n)**; O(1) if its score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert_min`](Self::try_insert_min).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedSet};
    ///
    /// let mut shortest = SortedSet::from([("paris", 340)]);
    /// assert_eq!(shortest.insert_min("paris", 315), Insertion::Updated(340));
    /// assert_eq!(shortest.insert_min("paris", 315), Insertion::Unchanged(315));
    /// ```
    #[track_caller]
    pub fn insert_min(&mut self, member: M, score: S) -> Insertion<S> {
        infallible(self.try_insert_min(member, score))
    }

    /// Like [`insert_max`](Self::insert_max), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set is unchanged, and the member is
    /// dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedSet};
    ///
    /// let mut best = SortedSet::from([("ann", 120)]);
    /// assert_eq!(best.try_insert_max("ann", 130)?, Insertion::Updated(120));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_max(&mut self, member: M, score: S) -> Result<Insertion<S>, TryReserveError> {
        self.try_insert_if(member, score, |old| score > old)
    }

    /// Like [`insert_min`](Self::insert_min), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set is unchanged, and the member is
    /// dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedSet};
    ///
    /// let mut shortest = SortedSet::from([("paris", 340)]);
    /// assert_eq!(shortest.try_insert_min("paris", 350)?, Insertion::Unchanged(340));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_min(&mut self, member: M, score: S) -> Result<Insertion<S>, TryReserveError> {
        self.try_insert_if(member, score, |old| score < old)
    }

    /// Inserts a member. If it is in the set already, updates its score only if `is_better` returns
    /// true for the old one.
    fn try_insert_if(
        &mut self,
        member: M,
        score: S,
        is_better: impl FnOnce(S) -> bool,
    ) -> Result<Insertion<S>, TryReserveError> {
        let hash = self.hash(&member);
        let Some(Element { mut handle, score: old, .. }) = self.find(hash, &member) else {
            self.insert_new(hash, member, score)?;
            return Ok(Insertion::Inserted);
        };
        if !is_better(old) {
            return Ok(Insertion::Unchanged(old));
        }
        self.set_score(hash, &mut handle, score)?;
        Ok(Insertion::Updated(old))
    }
}
