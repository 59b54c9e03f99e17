//! Changing values and scores.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{ByKey, SortedMap};
use crate::TryReserveError;
use crate::reserve::infallible;
use crate::skiplist::Element;

impl<K, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Returns a mutable reference to the value of a key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", vec![1], 7)]);
    /// map.get_mut("a").unwrap().push(2);
    /// assert_eq!(map.get("a"), Some(&vec![1, 2]));
    /// ```
    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let handle = self.set.element(&ByKey(key))?.handle;
        Some(&mut self.set.list.member_mut(handle).value)
    }
}

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Replaces the score of a key; returns the old one. **O(log n)**; O(1) if the key stays between its
    /// neighbours.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_set_score`](Self::try_set_score).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.set_score("a", 2), Some(1));
    /// assert_eq!(map.set_score("b", 2), None);
    /// ```
    #[track_caller]
    pub fn set_score<Q>(&mut self, key: &Q, score: S) -> Option<S>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.update(key, |_, _| score)
    }

    /// Like [`set_score`](Self::set_score), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The score is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.try_set_score("a", 2)?, Some(1));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_set_score<Q>(&mut self, key: &Q, score: S) -> Result<Option<S>, TryReserveError>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.try_update(key, |_, _| score)
    }

    /// Calls `change` with the value and the score of a key, and stores the score that it returns; returns
    /// the old score. **O(log n)**; O(1) if the key stays between its neighbours.
    ///
    /// If `change` panics, the score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_update`](Self::try_update).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 0, 1)]);
    /// let old = map.update("a", |reads, score| {
    ///     *reads += 1;
    ///     score * 10
    /// });
    /// assert_eq!(old, Some(1));
    /// assert_eq!(map.first(), Some((&"a", &1, 10)));
    /// ```
    #[track_caller]
    pub fn update<Q>(&mut self, key: &Q, change: impl FnOnce(&mut V, S) -> S) -> Option<S>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        infallible(self.try_update(key, change))
    }

    /// Like [`update`](Self::update), but returns an error if allocation fails. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The score is unchanged, but changes
    /// that `change` made to the value remain.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 0, 1)]);
    /// assert_eq!(map.try_update("a", |_, score| score * 10)?, Some(1));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_update<Q>(
        &mut self,
        key: &Q,
        change: impl FnOnce(&mut V, S) -> S,
    ) -> Result<Option<S>, TryReserveError>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let changed = self.try_change(key, |value, old| Ok(change(value, old)));
        changed.map(|scores| scores.map(|(old, _)| old))
    }

    /// Calls `change` with the value and the score of a key, and stores the score that it returns; returns
    /// the old score and the new one.
    pub(super) fn try_change<Q, E: From<TryReserveError>>(
        &mut self,
        key: &Q,
        change: impl FnOnce(&mut V, S) -> Result<S, E>,
    ) -> Result<Option<(S, S)>, E>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let hash = self.set.hash(&ByKey(key));
        let Some(Element { mut handle, score: old, .. }) = self.set.find(hash, &ByKey(key)) else {
            return Ok(None);
        };
        let new = change(&mut self.set.list.member_mut(handle).value, old)?;
        self.set.set_score(hash, &mut handle, new)?;
        Ok(Some((old, new)))
    }
}
