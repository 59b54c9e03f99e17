//! Implementations of standard traits.

use core::hash::{BuildHasher, Hash};

use super::{IntoIter, Iter, Pair, SortedMap};
use crate::SortedSet;
use crate::reserve::infallible;

impl<K: Clone, V: Clone, S: Copy, H: Clone> Clone for SortedMap<K, V, S, H> {
    fn clone(&self) -> Self {
        SortedMap { set: self.set.clone() }
    }
}

impl<K, V, S: Copy, H: Default> Default for SortedMap<K, V, S, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

/// Two maps are equal if they have the same keys with the same values and scores. **O(n)**.
impl<K: PartialEq, V: PartialEq, S: PartialEq + Copy, H, H2> PartialEq<SortedMap<K, V, S, H2>>
    for SortedMap<K, V, S, H>
{
    fn eq(&self, other: &SortedMap<K, V, S, H2>) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq, S: Eq + Copy, H> Eq for SortedMap<K, V, S, H> {}

/// Inserts all elements. If a key repeats, its last value and score win; the key itself is the first.
/// **O(log n)** per element.
impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> Extend<(K, V, S)> for SortedMap<K, V, S, H> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (K, V, S)>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        // As in hashbrown: a nonempty map may already contain half of the keys.
        let expected = elements.size_hint().0;
        let additional = if self.is_empty() { expected } else { expected.div_ceil(2) };
        infallible(self.set.reserve_dict(additional));
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
impl<K, V, S, H> FromIterator<(K, V, S)> for SortedMap<K, V, S, H>
where
    K: Ord + Hash,
    S: Ord + Copy,
    H: BuildHasher + Default,
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (K, V, S)>>(elements: I) -> Self {
        let pairs = elements.into_iter().map(|(key, value, score)| (Pair { key, value }, score));
        let mut set = SortedSet::default();
        infallible(set.try_fill_repeating(pairs, |(pair, score), (new, last)| {
            (pair.value, *score) = (new.value, last);
        }));
        SortedMap { set }
    }
}

/// Inserts all elements. If a key repeats, its last value and score win. **O(n log n)**.
impl<K: Ord + Hash, V, S: Ord + Copy, const N: usize> From<[(K, V, S); N]> for SortedMap<K, V, S> {
    fn from(elements: [(K, V, S); N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<K, V, S: Copy, H> IntoIterator for SortedMap<K, V, S, H> {
    type Item = (K, V, S);
    type IntoIter = IntoIter<K, V, S>;

    fn into_iter(self) -> IntoIter<K, V, S> {
        IntoIter::new(self.set.into_iter())
    }
}

impl<'a, K, V, S: Copy, H> IntoIterator for &'a SortedMap<K, V, S, H> {
    type Item = (&'a K, &'a V, S);
    type IntoIter = Iter<'a, K, V, S>;

    fn into_iter(self) -> Iter<'a, K, V, S> {
        self.iter()
    }
}
