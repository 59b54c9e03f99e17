//! The standard traits: conversions, comparisons and hashing.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{BuildHasher, Hash, Hasher};
use core::ops::Index;
use equivalent::Equivalent;

use super::{IntoIter, Iter, IterMut, SortedMap};
use crate::TieOrder;
use crate::core::iter;
use crate::reserve::or_panic;

impl<K: Clone, V: Clone, S: Copy, H: Clone> Clone for SortedMap<K, V, S, H> {
    fn clone(&self) -> Self {
        SortedMap { core: self.core.clone() }
    }
}

impl<K, V, S: Copy, H: Default> Default for SortedMap<K, V, S, H> {
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
impl<K, V, S: Copy, H: BuildHasher, Q: Hash + Equivalent<K> + ?Sized> Index<&Q>
    for SortedMap<K, V, S, H>
{
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has no such key")
    }
}

/// Two maps are equal if they have the same keys with the same values and scores, in the same
/// order. **O(n)**.
impl<K: PartialEq, V: PartialEq, S: PartialEq + Copy, H, H2> PartialEq<SortedMap<K, V, S, H2>>
    for SortedMap<K, V, S, H>
{
    fn eq(&self, other: &SortedMap<K, V, S, H2>) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq, S: Eq + Copy, H> Eq for SortedMap<K, V, S, H> {}

/// Inserts all elements. If a key repeats, its last value and score win; the key itself is the
/// first. **O(log n)** per element.
impl<K: TieOrder + Hash, V, S: Ord + Copy, H: BuildHasher> Extend<(K, V, S)>
    for SortedMap<K, V, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (K, V, S)>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        // As in hashbrown: a nonempty map may already contain half of the keys.
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
impl<K: TieOrder + Hash, V, S: Ord + Copy, H: BuildHasher + Default> FromIterator<(K, V, S)>
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

/// Inserts all elements. If a key repeats, its last value and score win. **O(n log n)**.
impl<K: TieOrder + Hash, V, S: Ord + Copy, const N: usize> From<[(K, V, S); N]>
    for SortedMap<K, V, S>
{
    fn from(elements: [(K, V, S); N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<K, V, S: Copy, H> IntoIterator for SortedMap<K, V, S, H> {
    type Item = (K, V, S);
    type IntoIter = IntoIter<K, V, S>;

    fn into_iter(self) -> IntoIter<K, V, S> {
        IntoIter(iter::IntoIter::new(self.core.nodes))
    }
}

impl<'a, K, V, S: Copy, H> IntoIterator for &'a SortedMap<K, V, S, H> {
    type Item = (&'a K, &'a V, S);
    type IntoIter = Iter<'a, K, V, S>;

    fn into_iter(self) -> Iter<'a, K, V, S> {
        self.iter()
    }
}

impl<'a, K, V, S: Copy, H> IntoIterator for &'a mut SortedMap<K, V, S, H> {
    type Item = (&'a K, &'a mut V, S);
    type IntoIter = IterMut<'a, K, V, S>;

    fn into_iter(self) -> IterMut<'a, K, V, S> {
        self.iter_mut()
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug + Copy, H> fmt::Debug for SortedMap<K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value, score)| (key, (value, score)))).finish()
    }
}

/// Inserts all elements. If a key repeats, its last value and score win. **O(n log n)**.
impl<K: TieOrder + Hash, V, S: Ord + Copy> From<Vec<(K, V, S)>> for SortedMap<K, V, S> {
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
impl<'a, K: TieOrder + Hash + Copy, V: Copy, S: Ord + Copy, H: BuildHasher>
    Extend<(&'a K, &'a V, &'a S)> for SortedMap<K, V, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a K, &'a V, &'a S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(key, value, score)| (*key, *value, *score)));
    }
}

/// Inserts copies, such as the elements of another map. **O(log n)** per element.
impl<'a, K: TieOrder + Hash + Copy, V: Copy, S: Ord + Copy, H: BuildHasher>
    Extend<(&'a K, &'a V, S)> for SortedMap<K, V, S, H>
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (&'a K, &'a V, S)>>(&mut self, elements: I) {
        self.extend(elements.into_iter().map(|(key, value, score)| (*key, *value, score)));
    }
}

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Returns the elements as tuples in comparison order.
    fn triples(&self) -> impl Iterator<Item = (S, &K, &V)> {
        self.iter().map(|(key, value, score)| (score, key, value))
    }
}

/// Compares lexicographically, element by element, each by `(score, key, value)`. **O(n)**.
impl<K: PartialOrd, V: PartialOrd, S: PartialOrd + Copy, H, H2> PartialOrd<SortedMap<K, V, S, H2>>
    for SortedMap<K, V, S, H>
{
    fn partial_cmp(&self, other: &SortedMap<K, V, S, H2>) -> Option<Ordering> {
        self.triples().partial_cmp(other.triples())
    }
}

/// Compares lexicographically, element by element, each by `(score, key, value)`. **O(n)**.
///
/// # Examples
///
/// ```
/// use zset_core::SortedMap;
///
/// let map = SortedMap::from([("a", 'x', 1)]);
/// assert!(map < SortedMap::from([("a", 'x', 2)]));
/// assert!(map < SortedMap::from([("a", 'y', 1)]));
/// ```
impl<K: Ord, V: Ord, S: Ord + Copy, H> Ord for SortedMap<K, V, S, H> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.triples().cmp(other.triples())
    }
}

/// Hashes the elements in order. Equal maps have equal hashes, regardless of their hashers.
/// **O(n)**.
impl<K: Hash, V: Hash, S: Hash + Copy, H> Hash for SortedMap<K, V, S, H> {
    fn hash<T: Hasher>(&self, state: &mut T) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}
