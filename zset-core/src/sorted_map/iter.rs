//! The iterators of a [`SortedMap`], and the look-ups of [`Scores`](crate::sorted_set::Scores).

use core::fmt;
use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{SortedMap, element, taken};
use crate::inner::LookUp;
use crate::inner::find::Position;
use crate::inner::front::{front_extract_if, front_into_iter, front_iter, front_owning};
use crate::inner::iter;

/// An iterator over elements in order: all of them or a range. Like
/// [`sorted_set::Iter`](crate::sorted_set::Iter).
pub struct Iter<'a, K, V, S>(pub(super) iter::Iter<'a, K, V, S>);

front_iter!(Iter<K, V, S>, (&'a K, &'a V, &'a S), element);

/// An owning iterator over elements, lowest score first. Each step is **O(1)**.
pub struct IntoIter<K, V, S>(pub(super) iter::IntoIter<K, V, S>);

front_into_iter!(IntoIter<K, V, S>, <K, V, S>, (K, V, S), taken, element);
front_owning!(IntoIter<K, V, S>);

/// An iterator over removed elements, lowest score first. Each step is **O(1)**.
///
/// Returned by [`SortedMap::drain`] and the `drain_by_*` methods. The elements leave the map as
/// soon as the iterator is created: those not yet returned are dropped or leaked with it.
pub struct Drain<'a, K, V, S>(pub(super) iter::Drain<'a, K, V, S>);

front_into_iter!(Drain<'_, K, V, S>, <K, V, S>, (K, V, S), taken, element, elements);

/// The iterator returned by [`SortedMap::extract_if`].
pub struct ExtractIf<'a, K, V, S, H, F> {
    pub(super) map: &'a mut SortedMap<K, V, S, H>,
    pub(super) extracted: F,
    /// The position of the next element to pass to `extracted`.
    pub(super) next: Position,
}

front_extract_if!(
    <K, V, S, H, F>, [K: Hash, H: BuildHasher, S: Clone, F: FnMut(&K, &mut V, &S) -> bool], (K, V, S), taken,
    map, extracted(key, value, score) => extracted(key, value, score)
);

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug, H, F> fmt::Debug
    for ExtractIf<'_, K, V, S, H, F>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("map", &self.map).finish_non_exhaustive()
    }
}

/// Converts an element of the core to its key.
#[inline]
fn key<'a, K, V, S>((pair, _): (&'a (K, V), &S)) -> &'a K {
    &pair.0
}

/// Converts an element of the core to its value.
#[inline]
fn value<'a, K, V, S>((pair, _): (&'a (K, V), &S)) -> &'a V {
    &pair.1
}

/// Converts an element taken from the core to its key.
#[inline]
fn taken_key<K, V, S>(((key, _), _): ((K, V), S)) -> K {
    key
}

/// Converts an element taken from the core to its value.
#[inline]
fn taken_value<K, V, S>(((_, value), _): ((K, V), S)) -> V {
    value
}

/// Converts an element of the core, with a mutable reference to its value.
#[inline]
fn changing<'a, K, V, S>(
    ((key, value), score): (&'a mut (K, V), &'a S),
) -> (&'a K, &'a mut V, &'a S) {
    (key, value, score)
}

/// Converts an element of the core to a mutable reference to its value.
#[inline]
fn changing_value<'a, K, V, S>(((_, value), _): (&'a mut (K, V), &S)) -> &'a mut V {
    value
}

/// The iterator returned by [`SortedMap::keys`]. Its costs are those of [`Iter`].
pub struct Keys<'a, K, V, S>(pub(super) iter::Iter<'a, K, V, S>);

front_iter!(Keys<K, V, S>, &'a K, key);

/// The iterator returned by [`SortedMap::values`]. Its costs are those of [`Iter`].
pub struct Values<'a, K, V, S>(pub(super) iter::Iter<'a, K, V, S>);

front_iter!(Values<K, V, S>, &'a V, value);

/// The iterator returned by [`SortedMap::into_keys`]. Each step is **O(1)**.
pub struct IntoKeys<K, V, S>(pub(super) iter::IntoIter<K, V, S>);

front_into_iter!(IntoKeys<K, V, S>, <K, V, S>, K, taken_key, key);
front_owning!(IntoKeys<K, V, S>);

/// The iterator returned by [`SortedMap::into_values`]. Each step is **O(1)**.
pub struct IntoValues<K, V, S>(pub(super) iter::IntoIter<K, V, S>);

front_into_iter!(IntoValues<K, V, S>, <K, V, S>, V, taken_value, value);
front_owning!(IntoValues<K, V, S>);

/// An iterator over elements in order, lowest score first, with mutable references to the values:
/// all of them or a range.
///
/// It is double-ended and exact-size. Each step is **O(1)**. To skip elements, pass their ranks to
/// [`SortedMap::range_by_rank_mut`] rather than calling `nth`, which visits them.
///
/// If the map has ever had more than 64 elements, the iterator starts by collecting references to
/// all leaves of its range, of up to 64 elements each: **O(m log m)** for m leaves. Failing to
/// allocate memory for these aborts the program.
pub struct IterMut<'a, K, V, S>(pub(super) iter::IterMut<'a, K, V, S>);

front_into_iter!(IterMut<'a, K, V, S>, <'a, K, V, S>, (&'a K, &'a mut V, &'a S), changing, element);

/// Returns an empty iterator.
impl<K, V, S> Default for IterMut<'_, K, V, S> {
    fn default() -> Self {
        IterMut(iter::IterMut::default())
    }
}

/// The iterator returned by [`SortedMap::values_mut`]. Its costs are those of [`IterMut`].
pub struct ValuesMut<'a, K, V, S>(pub(super) iter::IterMut<'a, K, V, S>);

front_into_iter!(ValuesMut<'a, K, V, S>, <'a, K, V, S>, &'a mut V, changing_value, value);

/// Returns an empty iterator.
impl<K, V, S> Default for ValuesMut<'_, K, V, S> {
    fn default() -> Self {
        ValuesMut(iter::IterMut::default())
    }
}

impl<'a, 'q, K, V, S, H, Q> LookUp<&'q Q> for &'a SortedMap<K, V, S, H>
where
    H: BuildHasher,
    Q: Hash + Equivalent<K> + ?Sized,
{
    type Found = Option<&'a S>;

    #[inline]
    fn hash(&self, key: &&'q Q) -> usize {
        self.core.hash(*key)
    }

    #[inline]
    fn find(&self, hash: usize, key: &'q Q) -> Option<&'a S> {
        self.core.find_map(hash, key, |found| found.score)
    }
}
