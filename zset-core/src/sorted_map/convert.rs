//! Conversion from and to other collections, and empty iterators.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use super::{IntoIter, Iter, SortedMap, ValuesMut};
use crate::skiplist::{self, MembersMut};

/// Inserts all elements. If a key repeats, its last value and score win. **O(n log n)**.
impl<K: Ord + Hash, V, S: Ord + Copy> From<Vec<(K, V, S)>> for SortedMap<K, V, S> {
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedMap;
    ///
    /// let map = SortedMap::from(vec![("b", 'y', 2), ("a", 'x', 1)]);
    /// assert_eq!(Vec::from(map), [("a", 'x', 1), ("b", 'y', 2)]);
    /// ```
    fn from(elements: Vec<(K, V, S)>) -> Self {
        elements.into_iter().collect()
    }
}

/// Inserts all keys. **O(n log n)**.
impl<K: Ord + Hash, V, S: Ord + Copy> From<BTreeMap<K, (V, S)>> for SortedMap<K, V, S> {
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use zset_core::SortedMap;
    ///
    /// let map = SortedMap::from(BTreeMap::from([("a", ('x', 2)), ("b", ('y', 1))]));
    /// assert_eq!(map.first(), Some((&"b", &'y', 1)));
    /// assert_eq!(BTreeMap::from(map)["a"], ('x', 2));
    /// ```
    fn from(elements: BTreeMap<K, (V, S)>) -> Self {
        elements.into_iter().map(|(key, (value, score))| (key, value, score)).collect()
    }
}

/// Returns the elements in order, lowest score first. **O(n)**.
impl<K, V, S: Copy, H> From<SortedMap<K, V, S, H>> for Vec<(K, V, S)> {
    fn from(map: SortedMap<K, V, S, H>) -> Self {
        map.into_iter().collect()
    }
}

/// Returns the value and the score of each key. **O(n log n)**.
impl<K: Ord, V, S: Copy, H> From<SortedMap<K, V, S, H>> for BTreeMap<K, (V, S)> {
    fn from(map: SortedMap<K, V, S, H>) -> Self {
        map.into_iter().map(|(key, value, score)| (key, (value, score))).collect()
    }
}

/// Inserts copies. **O(log n)** per element.
impl<'a, K, V, S, H> Extend<(&'a K, &'a V, &'a S)> for SortedMap<K, V, S, H>
where
    K: Ord + Hash + Copy,
    V: Copy,
    S: Ord + Copy,
    H: BuildHasher,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a K, &'a V, &'a S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(key, value, score)| (*key, *value, *score)));
    }
}

/// Inserts copies, such as the elements of another map. **O(log n)** per element.
impl<'a, K, V, S, H> Extend<(&'a K, &'a V, S)> for SortedMap<K, V, S, H>
where
    K: Ord + Hash + Copy,
    V: Copy,
    S: Ord + Copy,
    H: BuildHasher,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a K, &'a V, S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(key, value, score)| (*key, *value, score)));
    }
}

/// Creates an empty iterator. **O(1)**.
impl<'a, K: 'a, V: 'a, S: Copy + 'a> Default for Iter<'a, K, V, S> {
    fn default() -> Self {
        Iter::new(skiplist::Iter::default())
    }
}

/// Creates an empty iterator. **O(1)**.
impl<K, V, S: Copy> Default for IntoIter<K, V, S> {
    fn default() -> Self {
        IntoIter::new(skiplist::IntoIter::default())
    }
}

/// Creates an empty iterator. **O(1)**.
impl<K, V, S: Copy> Default for ValuesMut<'_, K, V, S> {
    fn default() -> Self {
        ValuesMut::new(MembersMut::default())
    }
}
