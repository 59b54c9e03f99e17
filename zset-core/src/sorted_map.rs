//! [`SortedMap`]: a sorted set whose members carry values.
//!
//! It is a [`SortedSet`] of key-value pairs that are ordered, compared and hashed by key only.

use core::fmt;
use core::hash::{BuildHasher, Hash, Hasher};
use equivalent::Equivalent;
use rand_core::Rng;

use crate::{DefaultHashBuilder, Score, SortedSet};

mod bulk;
mod compare;
mod convert;
mod drain;
mod entry;
mod increment;
mod insert;
mod insert_max;
mod iter;
mod pop_if;
mod range;
mod read;
mod remove;
mod reserve;
mod sample;
mod scores;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "serde")]
pub mod serde_map;
mod split_off;
mod traits;
mod update;

pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use iter::{Drain, ExtractIf, IntoIter, Iter, ValuesMut};

/// A map from unique keys to values and scores, ordered by `(score, key)`.
///
/// It is to [`SortedSet`] what `BTreeMap` is to `BTreeSet`: use it if members carry data that does
/// not affect their order, such as the payload of a job or the contents of a cache entry. Looking
/// up the value and the score of a key is **O(1)**; ranks, elements by rank and ranges are
/// **O(log n)**.
///
/// Any `Ord + Copy` type can be a score. `f64` is not `Ord`; use [`Score`].
///
/// As with `HashMap` and `BTreeMap`, it is a logic error to modify a key so that its order or hash changes
/// while it is in the map, or to implement `Ord`, `Eq` or `Hash` inconsistently.
///
/// With the feature `serde`, a map serializes as a sequence of `(key, value, score)` in order.
/// Elements are deserialized in any order; a repeated key is an error. To serialize as a map from
/// keys to `(value, score)`, use `sorted_map::serde_map`.
///
/// # Examples
///
/// In a cache scored by time of access, the first element is the least recently used:
///
/// ```
/// use zset_core::SortedMap;
///
/// let mut cache = SortedMap::new();
/// cache.insert("/index", "<html>", 1);
/// cache.insert("/style", "body {", 2);
/// cache.set_score("/index", 3); // read at time 3
/// assert_eq!(cache.get("/index"), Some(&"<html>"));
/// assert_eq!(cache.pop_first(), Some(("/style", "body {", 2)));
/// ```
pub struct SortedMap<K, V, S = Score, H = DefaultHashBuilder> {
    set: SortedSet<Pair<K, V>, S, H>,
}

/// A key-value pair, compared and hashed by key.
#[derive(Clone)]
struct Pair<K, V> {
    key: K,
    value: V,
}

impl<K: PartialEq, V> PartialEq for Pair<K, V> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<K: Eq, V> Eq for Pair<K, V> {}

impl<K: PartialOrd, V> PartialOrd for Pair<K, V> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        self.key.partial_cmp(&other.key)
    }
}

impl<K: Ord, V> Ord for Pair<K, V> {
    #[inline]
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl<K: Hash, V> Hash for Pair<K, V> {
    #[inline]
    fn hash<T: Hasher>(&self, state: &mut T) {
        self.key.hash(state);
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Pair<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (&self.key, &self.value).fmt(f)
    }
}

/// A key used for lookup.
struct ByKey<'a, Q: ?Sized>(&'a Q);

impl<Q: Hash + ?Sized> Hash for ByKey<'_, Q> {
    #[inline]
    fn hash<T: Hasher>(&self, state: &mut T) {
        self.0.hash(state);
    }
}

impl<K, V, Q: Equivalent<K> + ?Sized> Equivalent<Pair<K, V>> for ByKey<'_, Q> {
    #[inline]
    fn equivalent(&self, pair: &Pair<K, V>) -> bool {
        self.0.equivalent(&pair.key)
    }
}

/// Constructors.
impl<K, V, S: Copy> SortedMap<K, V, S> {
    /// Creates an empty map without allocating. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, SortedMap};
    ///
    /// let mut map: SortedMap<&str, Vec<u8>> = SortedMap::new();
    /// map.insert("a", vec![1], Score::ZERO);
    /// ```
    pub fn new() -> Self {
        SortedMap { set: SortedSet::new() }
    }

    /// Creates an empty map whose random heights are seeded by `rng`. **O(1)**.
    ///
    /// The generator affects neither the contents of the map nor the bounds of its costs.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::SortedMap;
    ///
    /// let map: SortedMap<&str, (), u32> = SortedMap::from_rng(&mut SmallRng::seed_from_u64(7));
    /// assert!(map.is_empty());
    /// ```
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        SortedMap { set: SortedSet::from_rng(rng) }
    }
}

impl<K: Hash, V, S: Copy> SortedMap<K, V, S> {
    /// Creates an empty map with memory for about `capacity` keys. **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::<&str, (), u32>::with_capacity(1000);
    /// assert!(map.is_empty());
    /// ```
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        SortedMap { set: SortedSet::with_capacity(capacity) }
    }
}

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Creates an empty map that hashes with `hasher`. **O(1)**.
    ///
    /// This is usable for a `static` if the hasher can be created in a constant.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::RandomState;
    /// use zset_core::SortedMap;
    ///
    /// let map: SortedMap<&str, (), u32, _> = SortedMap::with_hasher(RandomState::new());
    /// assert!(map.is_empty());
    /// ```
    pub const fn with_hasher(hasher: H) -> Self {
        SortedMap { set: SortedSet::with_hasher(hasher) }
    }

    /// Returns the hasher. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::<&str, (), u32>::new();
    /// let _: &zset_core::DefaultHashBuilder = map.hasher();
    /// ```
    pub fn hasher(&self) -> &H {
        self.set.hasher()
    }

    /// Removes all keys and frees their memory. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// map.clear();
    /// assert!(map.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.set.clear();
    }
}

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Panics with a description if an invariant does not hold.
    ///
    /// For tests; **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.set.check();
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug + Copy, H> fmt::Debug for SortedMap<K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value, score)| (key, (value, score)))).finish()
    }
}
