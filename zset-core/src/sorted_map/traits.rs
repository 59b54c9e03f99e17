//! Implementations of standard traits: conversions, comparisons and hashing.

use alloc::collections::BTreeMap;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::ops::Index;
use equivalent::Equivalent;

use super::{IntoIter, Iter, IterMut, SortedMap};
use crate::inner::front::front_traits;
use crate::reserve::or_panic;
use crate::{ScoreOrder, TieOrder};

front_traits!(SortedMap<key: K, value: V; S, H, H2>, [TieOrder + Hash]);

impl<K: Clone, V: Clone, S: Clone, H: Clone> Clone for SortedMap<K, V, S, H> {
    fn clone(&self) -> Self {
        SortedMap { core: self.core.clone() }
    }
}

impl<K, V, S, H: Default> Default for SortedMap<K, V, S, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

/// Returns the value of a key. **O(1)**.
///
/// # Panics
///
/// Panics if there is no such key; see [`get`](SortedMap::get).
///
/// # Examples
///
/// ```
/// let map = zset_core::SortedMap::from([("a", 'x', 1)]);
/// assert_eq!(map["a"], 'x');
/// ```
impl<K, V, S, H: BuildHasher, Q: Hash + Equivalent<K> + ?Sized> Index<&Q>
    for SortedMap<K, V, S, H>
{
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has no such key")
    }
}

/// Inserts all elements. If a key repeats, its last value and score win, but the first key is kept.
/// **O(log n)** per element.
impl<K: TieOrder + Hash, V, S: ScoreOrder + Clone, H: BuildHasher> Extend<(K, V, S)>
    for SortedMap<K, V, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (K, V, S)>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        // As in hashbrown, assume that a nonempty map already has half of the keys.
        let expected = elements.size_hint().0;
        let additional = if self.is_empty() { expected } else { expected.div_ceil(2) };
        or_panic(self.core.try_reserve_dict(additional));
        elements.for_each(|(key, value, score)| {
            self.insert(key, value, score);
        });
    }
}

/// Collects elements in bulk, which is much faster than inserting one by one. If a key repeats, its
/// last value and score win. **O(n log n)**.
///
/// Needs memory for a copy of all distinct elements while sorting.
///
/// # Panics
///
/// Panics if memory or 32-bit handles run out.
impl<K: TieOrder + Hash, V, S: ScoreOrder + Clone, H: BuildHasher + Default> FromIterator<(K, V, S)>
    for SortedMap<K, V, S, H>
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (K, V, S)>>(elements: I) -> Self {
        let pairs = elements.into_iter().map(|(key, value, score)| ((key, value), score));
        let mut map = Self::default();
        or_panic(map.core.try_fill_unsorted(pairs, |(pair, score), (new, last)| {
            (pair.1, *score) = (new.1, last);
        }));
        map
    }
}

impl<'a, K, V, S, H> IntoIterator for &'a mut SortedMap<K, V, S, H> {
    type Item = (&'a K, &'a mut V, &'a S);
    type IntoIter = IterMut<'a, K, V, S>;

    fn into_iter(self) -> IterMut<'a, K, V, S> {
        self.iter_mut()
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug, H> fmt::Debug for SortedMap<K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value, score)| (key, (value, score)))).finish()
    }
}

/// Inserts all keys. **O(n log n)**.
impl<K: Ord + Hash, V, S: ScoreOrder + Clone> From<BTreeMap<K, (V, S)>> for SortedMap<K, V, S> {
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use zset_core::SortedMap;
    ///
    /// let map = SortedMap::from(BTreeMap::from([("a", ('x', 2)), ("b", ('y', 1))]));
    /// assert_eq!(map.first(), Some((&"b", &'y', &1)));
    /// assert_eq!(BTreeMap::from(map)["a"], ('x', 2));
    /// ```
    fn from(elements: BTreeMap<K, (V, S)>) -> Self {
        elements.into_iter().map(|(key, (value, score))| (key, value, score)).collect()
    }
}

/// Returns the value and the score of each key. **O(n log n)**.
impl<K: Ord, V, S, H> From<SortedMap<K, V, S, H>> for BTreeMap<K, (V, S)> {
    fn from(map: SortedMap<K, V, S, H>) -> Self {
        map.into_iter().map(|(key, value, score)| (key, (value, score))).collect()
    }
}

#[cfg(feature = "serde")]
crate::serde::serialize_elements! {
    /// Deserializes a sequence of `(key, value, score)` in any order. A repeated key is an
    /// error. For a map, see [`serde_map`](crate::sorted_map::serde_map).
    ///
    /// A map that is too large for memory or for 32-bit handles is an error, not a panic.
    [K, V, S, H] SortedMap<K, V, S, H>,
    [K: serde::Serialize, V: serde::Serialize, S: serde::Serialize],
    [
        K: serde::Deserialize<'de> + TieOrder + Hash,
        V: serde::Deserialize<'de>,
        S: serde::Deserialize<'de> + Ord + Clone,
        H: BuildHasher + Default
    ],
    "a sequence of keys, values and scores",
    |map: &mut Self, (key, value, score)| Ok(map.try_insert(key, value, score)?.is_none())
}
