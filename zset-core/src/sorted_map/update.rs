//! Changing values and scores.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{ByKey, SortedMap};
use crate::Increment;
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
    /// If memory or 32-bit handles run out.
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

    /// Calls `change` with the value and the score of a key, and stores the score that it returns; returns
    /// the old score. **O(log n)**; O(1) if the key stays between its neighbours.
    ///
    /// If `change` panics, the score is unchanged.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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
        let hash = self.set.hasher.hash_one(ByKey(key));
        let Element { mut handle, score: old, .. } = self.set.find(hash, &ByKey(key))?;
        let new = change(&mut self.set.list.member_mut(handle).value, old);
        infallible(self.set.set_score(hash, &mut handle, new));
        Some(old)
    }

    /// Adds `by` to the score of a key; returns the new score, or `None` if there is no such key.
    /// **O(log n)**; O(1) if the key stays between its neighbours.
    ///
    /// # Errors
    ///
    /// The score's own error if the sum is not a score ([`NanScore`](crate::NanScore) for
    /// [`Score`](crate::Score), [`ScoreOverflow`](crate::ScoreOverflow) for integers). The score is unchanged.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ScoreOverflow, SortedMap};
    ///
    /// let mut map = SortedMap::from([("a", 'x', 1_u8)]);
    /// assert_eq!(map.increment("a", 5), Ok(Some(6)));
    /// assert_eq!(map.increment("a", 255), Err(ScoreOverflow));
    /// assert_eq!(map.increment("b", 5), Ok(None));
    /// ```
    #[track_caller]
    pub fn increment<Q>(&mut self, key: &Q, by: S::By) -> Result<Option<S>, S::Error>
    where
        Q: Hash + Equivalent<K> + ?Sized,
        S: Increment,
    {
        let hash = self.set.hasher.hash_one(ByKey(key));
        let Some(Element { mut handle, score, .. }) = self.set.find(hash, &ByKey(key)) else {
            return Ok(None);
        };
        let new = score.checked_increment(by)?;
        infallible(self.set.set_score(hash, &mut handle, new));
        Ok(Some(new))
    }
}
