//! Reading one element: by key, by rank, at the ends.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{ByKey, Pair, SortedMap};

/// Converts an element of the set to one of the map.
#[inline]
pub(super) fn shown<K, V, S>((pair, score): (&Pair<K, V>, S)) -> (&K, &V, S) {
    (&pair.key, &pair.value, score)
}

impl<K, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Returns the value of a key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.get("a"), Some(&'x'));
    /// assert_eq!(map.get("b"), None);
    /// ```
    #[inline]
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        Some(&self.set.element(&ByKey(key))?.member.value)
    }

    /// Returns the stored key that is equal to `key`, and its value. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a".to_string(), 'x', 1)]);
    /// assert_eq!(map.get_key_value("a"), Some((&"a".to_string(), &'x')));
    /// ```
    pub fn get_key_value<Q>(&self, key: &Q) -> Option<(&K, &V)>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let pair = self.set.element(&ByKey(key))?.member;
        Some((&pair.key, &pair.value))
    }

    /// Returns the score of a key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.score("a"), Some(1));
    /// ```
    #[inline]
    pub fn score<Q>(&self, key: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.set.score(&ByKey(key))
    }

    /// Returns whether a key is in the map. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert!(map.contains_key("a"));
    /// ```
    pub fn contains_key<Q>(&self, key: &Q) -> bool
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.set.contains(&ByKey(key))
    }

    /// Returns the 0-based rank of a key, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 30), ("b", 'y', 10)]);
    /// assert_eq!(map.rank("b"), Some(0));
    /// assert_eq!(map.rank("c"), None);
    /// ```
    pub fn rank<Q>(&self, key: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.set.rank(&ByKey(key))
    }

    /// Returns the 0-based rank of a key, highest score first: the exact reverse of
    /// [`rank`](Self::rank). **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("a", 'x', 30), ("b", 'y', 10)]);
    /// assert_eq!(map.rev_rank("a"), Some(0));
    /// ```
    pub fn rev_rank<Q>(&self, key: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.set.rev_rank(&ByKey(key))
    }
}

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Returns the number of keys. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SortedMap::from([("a", 'x', 1)]).len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Returns whether the map is empty. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::SortedMap::<&str, (), u32>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the element with the lowest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert_eq!(map.first(), Some((&"a", &'x', 1)));
    /// ```
    pub fn first(&self) -> Option<(&K, &V, S)> {
        self.set.first().map(shown)
    }

    /// Returns the element with the highest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert_eq!(map.last(), Some((&"b", &'y', 2)));
    /// ```
    pub fn last(&self) -> Option<(&K, &V, S)> {
        self.set.last().map(shown)
    }

    /// Returns the element at a 0-based rank, lowest score first. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert_eq!(map.get_by_rank(1), Some((&"b", &'y', 2)));
    /// assert_eq!(map.get_by_rank(2), None);
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(&K, &V, S)> {
        self.set.get_by_rank(rank).map(shown)
    }

    /// Returns the number of bytes that the map has allocated, excluding allocations owned by keys
    /// and values. **O(n)**, but it visits only chunks of up to 32 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SortedMap::<&str, (), u32>::new().allocation_size(), 0);
    /// ```
    pub fn allocation_size(&self) -> usize {
        self.set.allocation_size()
    }
}
