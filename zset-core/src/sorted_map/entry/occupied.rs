//! The entry of a key that is in the map: reading, changing and removing it.

use core::hash::{BuildHasher, Hash};
use core::mem;

use super::{OccupiedEntry, Pair};
use crate::reserve::infallible;

impl<'a, K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> OccupiedEntry<'a, K, V, S, H> {
    fn pair(&self) -> &Pair<K, V> {
        self.map.set.list.element_at(self.handle).0
    }

    /// Returns the key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert('x', 1).key(), &"a");
    /// ```
    pub fn key(&self) -> &K {
        &self.pair().key
    }

    /// Returns the value. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert('x', 1).get(), &'x');
    /// ```
    pub fn get(&self) -> &V {
        &self.pair().value
    }

    /// Returns a mutable reference to the value. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// *map.entry("a").or_insert(10, 1).get_mut() += 1;
    /// assert_eq!(map.get("a"), Some(&11));
    /// ```
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.map.set.list.member_mut(self.handle).value
    }

    /// Converts the entry into a mutable reference to the value, with the lifetime of the map. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// let value: &mut u32 = map.entry("a").or_insert(10, 1).into_mut();
    /// *value += 1;
    /// assert_eq!(map.get("a"), Some(&11));
    /// ```
    pub fn into_mut(self) -> &'a mut V {
        &mut self.map.set.list.member_mut(self.handle).value
    }

    /// Returns the score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert('x', 1).score(), 1);
    /// ```
    pub fn score(&self) -> S {
        self.map.set.list.score(self.handle)
    }

    /// Returns the 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.entry("b").or_insert('y', 7).rank(), 1);
    /// ```
    pub fn rank(&self) -> usize {
        let list = &self.map.set.list;
        list.rank_of(list.position_of(self.handle))
    }

    /// Replaces the value; returns the old one. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert('x', 1).insert('y'), 'x');
    /// ```
    pub fn insert(&mut self, value: V) -> V {
        mem::replace(self.get_mut(), value)
    }

    /// Replaces the score; returns the old one. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// let mut entry = map.entry("a").or_insert('x', 1);
    /// assert_eq!(entry.set_score(2), 1);
    /// assert_eq!(entry.score(), 2);
    /// ```
    #[track_caller]
    pub fn set_score(&mut self, score: S) -> S {
        let old = self.score();
        infallible(self.map.set.set_score(self.hash, &mut self.handle, score));
        old
    }

    /// Removes the key; returns its value and its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert('x', 1).remove(), ('x', 1));
    /// assert!(map.is_empty());
    /// ```
    pub fn remove(self) -> (V, S) {
        let (_, value, score) = self.remove_entry();
        (value, score)
    }

    /// Removes the key; returns it, its value and its score. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert('x', 1).remove_entry(), ("a", 'x', 1));
    /// ```
    pub fn remove_entry(self) -> (K, V, S) {
        let position = self.map.set.list.position_of(self.handle);
        let ((pair, score), _) = self.map.set.take_at(position, self.hash);
        (pair.key, pair.value, score)
    }
}
