//! Iterators over a map, and iterators that remove elements.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::iter::FusedIterator;

use super::read::shown;
use super::{Pair, SortedMap};
use crate::skiplist::{self, Position};
use crate::sorted_set;

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**; `nth` and `nth_back`, and
/// therefore `skip` and `step_by`, are **O(log n)**. `len`, `size_hint`, `count` and `last` are at
/// most **O(log n)**.
///
/// # Examples
///
/// ```
/// let map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2), ("c", 'z', 3)]);
/// let mut elements = map.iter();
/// assert_eq!(elements.next_back(), Some((&"c", &'z', 3)));
/// assert_eq!(elements.len(), 2);
/// assert_eq!(elements.nth(1), Some((&"b", &'y', 2)));
/// ```
pub struct Iter<'a, K, V, S> {
    elements: skiplist::Iter<'a, Pair<K, V>, S>,
}

impl<'a, K, V, S: Copy> Iter<'a, K, V, S> {
    #[inline]
    pub(super) fn new(elements: skiplist::Iter<'a, Pair<K, V>, S>) -> Self {
        Iter { elements }
    }
}

impl<'a, K, V, S: Copy> Iterator for Iter<'a, K, V, S> {
    type Item = (&'a K, &'a V, S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.elements.next().map(shown)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }

    fn count(self) -> usize {
        self.elements.count()
    }

    fn last(self) -> Option<Self::Item> {
        self.elements.last().map(shown)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.elements.nth(n).map(shown)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, combine: F) -> B {
        self.elements.map(shown).fold(init, combine)
    }
}

impl<K, V, S: Copy> DoubleEndedIterator for Iter<'_, K, V, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.elements.next_back().map(shown)
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        self.elements.nth_back(n).map(shown)
    }
}

impl<K, V, S: Copy> ExactSizeIterator for Iter<'_, K, V, S> {}

impl<K, V, S: Copy> FusedIterator for Iter<'_, K, V, S> {}

impl<K, V, S> Clone for Iter<'_, K, V, S> {
    fn clone(&self) -> Self {
        Iter { elements: self.elements.clone() }
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for Iter<'_, K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Converts an element removed from the set.
#[inline]
fn taken<K, V, S>((pair, score): (Pair<K, V>, S)) -> (K, V, S) {
    (pair.key, pair.value, score)
}

/// An owning iterator over elements, lowest score first. Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// let map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
/// assert!(map.into_iter().eq([("a", 'x', 1), ("b", 'y', 2)]));
/// ```
pub struct IntoIter<K, V, S> {
    elements: skiplist::IntoIter<Pair<K, V>, S>,
}

impl<K, V, S: Copy> IntoIter<K, V, S> {
    pub(super) fn new(elements: skiplist::IntoIter<Pair<K, V>, S>) -> Self {
        IntoIter { elements }
    }
}

impl<K, V, S: Copy> Iterator for IntoIter<K, V, S> {
    type Item = (K, V, S);

    fn next(&mut self) -> Option<(K, V, S)> {
        self.elements.next().map(taken)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl<K, V, S: Copy> DoubleEndedIterator for IntoIter<K, V, S> {
    fn next_back(&mut self) -> Option<(K, V, S)> {
        self.elements.next_back().map(taken)
    }
}

impl<K, V, S: Copy> ExactSizeIterator for IntoIter<K, V, S> {}

impl<K, V, S: Copy> FusedIterator for IntoIter<K, V, S> {}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for IntoIter<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}

/// An iterator over removed elements, lowest score first. Each step is **O(1)**.
///
/// Returned by [`SortedMap::drain`] and the `drain_by_*` methods. The elements are removed from the
/// map when the iterator is created; those not returned are dropped with it, or leaked with it.
///
/// # Examples
///
/// ```
/// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
/// assert_eq!(map.drain().next_back(), Some(("b", 'y', 2)));
/// assert!(map.is_empty());
/// ```
pub struct Drain<'a, K, V, S> {
    elements: sorted_set::Drain<'a, Pair<K, V>, S>,
}

impl<'a, K, V, S: Copy> Drain<'a, K, V, S> {
    pub(super) fn new(elements: sorted_set::Drain<'a, Pair<K, V>, S>) -> Self {
        Drain { elements }
    }
}

impl<K, V, S: Copy> Iterator for Drain<'_, K, V, S> {
    type Item = (K, V, S);

    fn next(&mut self) -> Option<(K, V, S)> {
        self.elements.next().map(taken)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl<K, V, S: Copy> DoubleEndedIterator for Drain<'_, K, V, S> {
    fn next_back(&mut self) -> Option<(K, V, S)> {
        self.elements.next_back().map(taken)
    }
}

impl<K, V, S: Copy> ExactSizeIterator for Drain<'_, K, V, S> {}

impl<K, V, S: Copy> FusedIterator for Drain<'_, K, V, S> {}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for Drain<'_, K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}

/// The iterator returned by [`SortedMap::extract_if`].
///
/// # Examples
///
/// ```
/// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2), ("c", 'z', 3)]);
/// assert_eq!(map.extract_if(|_, _, score| score != 2).next(), Some(("a", 'x', 1)));
/// assert_eq!(map.len(), 2); // "c" was not visited
/// ```
pub struct ExtractIf<'a, K, V, S, H, F> {
    map: &'a mut SortedMap<K, V, S, H>,
    extracted: F,
    /// The position of the next element to pass to `extracted`.
    next: Position,
}

impl<'a, K, V, S: Copy, H, F> ExtractIf<'a, K, V, S, H, F> {
    pub(super) fn new(map: &'a mut SortedMap<K, V, S, H>, extracted: F) -> Self {
        let next = map.set.list.start();
        ExtractIf { map, extracted, next }
    }
}

impl<K: Hash, V, S: Copy, H: BuildHasher, F: FnMut(&K, &mut V, S) -> bool> Iterator
    for ExtractIf<'_, K, V, S, H, F>
{
    type Item = (K, V, S);

    fn next(&mut self) -> Option<(K, V, S)> {
        let ExtractIf { map, extracted, next } = self;
        map.set
            .take_next_if(next, |pair, score| extracted(&pair.key, &mut pair.value, score))
            .map(taken)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.map.len()))
    }
}

impl<K: Hash, V, S: Copy, H: BuildHasher, F: FnMut(&K, &mut V, S) -> bool> FusedIterator
    for ExtractIf<'_, K, V, S, H, F>
{
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug + Copy, H, F> fmt::Debug
    for ExtractIf<'_, K, V, S, H, F>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("map", &self.map).finish_non_exhaustive()
    }
}

/// The iterator returned by [`SortedMap::values_mut`]. Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// let mut map = zset_core::SortedMap::from([("a", 10, 1), ("b", 20, 2)]);
/// let values = map.values_mut();
/// assert_eq!(values.len(), 2);
/// values.for_each(|value| *value *= 2);
/// assert_eq!(map.get("a"), Some(&20));
/// ```
pub struct ValuesMut<'a, K, V, S> {
    pairs: skiplist::MembersMut<'a, Pair<K, V>, S>,
}

impl<'a, K, V, S: Copy> ValuesMut<'a, K, V, S> {
    pub(super) fn new(pairs: skiplist::MembersMut<'a, Pair<K, V>, S>) -> Self {
        ValuesMut { pairs }
    }
}

impl<'a, K, V, S: Copy> Iterator for ValuesMut<'a, K, V, S> {
    type Item = &'a mut V;

    #[inline]
    fn next(&mut self) -> Option<&'a mut V> {
        self.pairs.next().map(|pair| &mut pair.value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

impl<K, V, S: Copy> ExactSizeIterator for ValuesMut<'_, K, V, S> {}

impl<K, V, S: Copy> FusedIterator for ValuesMut<'_, K, V, S> {}

impl<K, V, S: Copy> fmt::Debug for ValuesMut<'_, K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValuesMut").field("len", &self.pairs.len()).finish_non_exhaustive()
    }
}
