//! Inserting, unless the existing score is better.

use core::hash::{BuildHasher, Hash};
use core::mem;

use super::{Pair, SortedMap};
use crate::reserve::infallible;
use crate::skiplist::Element;
use crate::{Insertion, TryReserveError};

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Inserts a key with a value and a score. An existing key keeps its value and score, unless
    /// the given score is higher. **O(log n)**; O(1) if the score stays.
    ///
    /// The value is replaced only together with the score, so that it is always the value inserted
    /// with that score. Otherwise, the given value is returned in [`Insertion::Unchanged`].
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert_max`](Self::try_insert_max).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedMap};
    ///
    /// let mut best = SortedMap::new();
    /// assert_eq!(best.insert_max("ann", "first try", 120), Insertion::Inserted);
    /// assert_eq!(best.insert_max("ann", "tired", 95), Insertion::Unchanged(("tired", 120)));
    /// assert_eq!(best.insert_max("ann", "rested", 130), Insertion::Updated(("first try", 120)));
    /// assert_eq!(best.get("ann"), Some(&"rested"));
    /// ```
    #[track_caller]
    pub fn insert_max(&mut self, key: K, value: V, score: S) -> Insertion<(V, S)> {
        infallible(self.try_insert_max(key, value, score))
    }

    /// Inserts a key with a value and a score. An existing key keeps its value and score, unless
    /// the given score is lower. **O(log n)**; O(1) if the score stays.
    ///
    /// See [`insert_max`](Self::insert_max).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert_min`](Self::try_insert_min).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedMap};
    ///
    /// let mut shortest = SortedMap::from([("paris", "by road", 340)]);
    /// assert_eq!(shortest.insert_min("paris", "by rail", 315), Insertion::Updated(("by road", 340)));
    /// assert_eq!(shortest.get("paris"), Some(&"by rail"));
    /// ```
    #[track_caller]
    pub fn insert_min(&mut self, key: K, value: V, score: S) -> Insertion<(V, S)> {
        infallible(self.try_insert_min(key, value, score))
    }

    /// Like [`insert_max`](Self::insert_max), but returns an error if allocation fails.
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The map is unchanged; the key and the
    /// value are dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedMap};
    ///
    /// let mut best = SortedMap::from([("ann", 'x', 120)]);
    /// assert_eq!(best.try_insert_max("ann", 'y', 130)?, Insertion::Updated(('x', 120)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_max(
        &mut self,
        key: K,
        value: V,
        score: S,
    ) -> Result<Insertion<(V, S)>, TryReserveError> {
        self.try_insert_if(key, value, score, |old| score > old)
    }

    /// Like [`insert_min`](Self::insert_min), but returns an error if allocation fails.
    /// **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The map is unchanged; the key and the
    /// value are dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedMap};
    ///
    /// let mut shortest = SortedMap::from([("paris", 'x', 340)]);
    /// assert_eq!(shortest.try_insert_min("paris", 'y', 350)?, Insertion::Unchanged(('y', 340)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_min(
        &mut self,
        key: K,
        value: V,
        score: S,
    ) -> Result<Insertion<(V, S)>, TryReserveError> {
        self.try_insert_if(key, value, score, |old| score < old)
    }

    /// Inserts a key. An existing key's value and score are replaced if the new score `is_better`.
    fn try_insert_if(
        &mut self,
        key: K,
        value: V,
        score: S,
        is_better: impl FnOnce(S) -> bool,
    ) -> Result<Insertion<(V, S)>, TryReserveError> {
        let pair = Pair { key, value };
        let hash = self.set.hash(&pair);
        let Some(Element { mut handle, score: old, .. }) = self.set.find(hash, &pair) else {
            self.set.insert_new(hash, pair, score)?;
            return Ok(Insertion::Inserted);
        };
        if !is_better(old) {
            // Dropped here so that the value is dropped too if this panics.
            drop(pair.key);
            return Ok(Insertion::Unchanged((pair.value, old)));
        }
        self.set.set_score(hash, &mut handle, score)?;
        let replaced = mem::replace(&mut self.set.list.member_mut(handle).value, pair.value);
        // Dropped here for the same reason.
        drop(pair.key);
        Ok(Insertion::Updated((replaced, old)))
    }
}
