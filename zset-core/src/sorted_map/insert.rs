//! Inserting keys.

use core::hash::{BuildHasher, Hash};
use core::mem;

use super::{Pair, SortedMap};
use crate::TryReserveError;
use crate::reserve::infallible;
use crate::skiplist::Element;

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Inserts a key with a value and a score, or replaces the value and the score of a key that is already
    /// present; returns the old ones. **O(log n)**; O(1) if the key stays between its neighbours.
    ///
    /// As in `BTreeMap`, the stored key is not replaced.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.insert("a", 'x', 1), None);
    /// assert_eq!(map.insert("a", 'y', 2), Some(('x', 1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, key: K, value: V, score: S) -> Option<(V, S)> {
        infallible(self.try_insert(key, value, score))
    }

    /// Like [`insert`](Self::insert), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The map is unchanged, and the key and the
    /// value are dropped; to keep them, call [`try_reserve(1)`](Self::try_reserve) first.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.try_insert("a", 'x', 1), Ok(None));
    /// assert_eq!(map.try_insert("a", 'y', 2), Ok(Some(('x', 1))));
    /// ```
    pub fn try_insert(
        &mut self,
        key: K,
        value: V,
        score: S,
    ) -> Result<Option<(V, S)>, TryReserveError> {
        let pair = Pair { key, value };
        let hash = self.set.hash(&pair);
        if let Some(Element { mut handle, score: old, .. }) = self.set.find(hash, &pair) {
            self.set.set_score(hash, &mut handle, score)?;
            let value = mem::replace(&mut self.set.list.member_mut(handle).value, pair.value);
            // Dropped here so that the value is dropped too if this panics.
            drop(pair.key);
            return Ok(Some((value, old)));
        }
        self.set.insert_new(hash, pair, score)?;
        Ok(None)
    }
}
