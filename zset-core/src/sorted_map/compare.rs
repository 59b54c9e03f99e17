//! Ordering and hashing of whole maps.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

use super::SortedMap;

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Returns the elements as tuples in comparison order.
    fn triples(&self) -> impl Iterator<Item = (S, &K, &V)> {
        self.iter().map(|(key, value, score)| (score, key, value))
    }
}

/// Compares lexicographically, element by element, each by `(score, key, value)`. **O(n)**.
impl<K, V, S, H, H2> PartialOrd<SortedMap<K, V, S, H2>> for SortedMap<K, V, S, H>
where
    K: PartialOrd,
    V: PartialOrd,
    S: PartialOrd + Copy,
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
