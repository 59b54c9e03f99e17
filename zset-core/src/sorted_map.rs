//! [`SortedMap`]: a sorted set whose members carry values.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};
use core::ops::RangeBounds;
use equivalent::Equivalent;
use rand_core::Rng;

use crate::increment::sum_or_panic;
use crate::inner::bulk::Filling;
use crate::inner::index::Heights;
use crate::inner::iter as elements;
use crate::inner::leaf::{End, Handle};
use crate::inner::{Core, Hashed, Nodes, RankedRange, Scores};
use crate::reserve::or_panic;
use crate::sorted_set::FromSortedError;
use crate::{
    DefaultHashBuilder, Increment, IncrementError, InsertError, Insertion, Score, ScoreBound,
    ScoreOrder, TieOrder, TryReserveError,
};

mod entry;
mod iter;
#[cfg(feature = "serde")]
pub mod serde_map;
mod traits;

pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use iter::{
    Drain, ExtractIf, IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut,
};

/// A map from unique keys to values and scores, ordered by `(score, key)`.
///
/// It is to [`SortedSet`](crate::SortedSet) what `BTreeMap` is to `BTreeSet`: use it if members
/// carry data that does not affect their order, such as the payload of a job or the contents of a
/// cache entry. Looking up the value and the score of a key is **O(1)**; ranks, elements by rank
/// and ranges are **O(log n)**.
///
/// Any `Ord + Clone` type can be a score. `f64` is not `Ord`; use [`Score`].
///
/// As with `HashMap` and `BTreeMap`, it is a logic error to modify a key so that its order or hash
/// changes while it is in the map, or to implement `Ord`, `Eq` or `Hash` inconsistently.
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
    pub(crate) core: Core<K, V, S, Hashed<H>>,
}

/// Converts a borrowed element of the core to a key, its value and its score.
#[inline]
fn element<'a, K, V, S>(((key, value), score): (&'a (K, V), &'a S)) -> (&'a K, &'a V, &'a S) {
    (key, value, score)
}

/// Converts an element taken from the core to a key, its value and its score.
#[inline]
fn taken<K, V, S>(((key, value), score): ((K, V), S)) -> (K, V, S) {
    (key, value, score)
}

/// Constructors.
impl<K, V, S> SortedMap<K, V, S> {
    /// Creates an empty map without allocating. **O(1)**.
    pub fn new() -> Self {
        Self::with_hasher(DefaultHashBuilder::default())
    }

    /// Creates an empty map whose random heights are seeded by `rng`. **O(1)**. See
    /// [`SortedSet::from_rng`](crate::SortedSet::from_rng).
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        let mut map = Self::new();
        map.core.nodes = Nodes::with_heights(Heights::from_rng(rng));
        map
    }
}

impl<K: Hash, V, S: Clone> SortedMap<K, V, S> {
    /// Creates an empty map with memory for about `capacity` keys. **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, DefaultHashBuilder::default())
    }
}

impl<K, V, S, H> SortedMap<K, V, S, H> {
    /// Creates an empty map that hashes with `hasher`. **O(1)**. See
    /// [`SortedSet::with_hasher`](crate::SortedSet::with_hasher).
    pub const fn with_hasher(hasher: H) -> Self {
        SortedMap { core: Core::new(Hashed::new(hasher)) }
    }

    /// Returns the hasher. **O(1)**.
    pub fn hasher(&self) -> &H {
        &self.core.dict.hasher
    }
}

impl<K: Hash, V, S: Clone, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Creates an empty map with memory for about `capacity` keys, which hashes with `hasher`.
    /// **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn with_capacity_and_hasher(capacity: usize, hasher: H) -> Self {
        let mut map = Self::with_hasher(hasher);
        map.reserve(capacity);
        map
    }
}

impl<K: TieOrder + Hash, V, S: ScoreOrder + Clone, H: BuildHasher + Default> SortedMap<K, V, S, H> {
    /// Creates a map from elements in ascending order of `(score, key)`. **O(n)**. See
    /// [`SortedSet::from_sorted_iter`](crate::SortedSet::from_sorted_iter).
    ///
    /// # Errors
    ///
    /// [`FromSortedError`] with the rank of the first element that is out of order or repeats a
    /// key.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn from_sorted_iter<I>(elements: I) -> Result<Self, FromSortedError>
    where
        I: IntoIterator<Item = (K, V, S)>,
    {
        let elements = elements.into_iter();
        let mut map = Self::default();
        let mut filling = or_panic(Filling::new(&mut map.core, elements.size_hint().0));
        for (key, value, score) in elements {
            or_panic(filling.try_push((key, value), score))?;
        }
        or_panic(filling.finish())?;
        Ok(map)
    }
}

/// Look-ups by key.
impl<K, V, S, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Returns the value of a key. **O(1)**.
    #[inline]
    pub fn get<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<&V> {
        self.core.map_element(key, |found| &found.pair.1)
    }

    /// Returns the stored key that is equal to `key`, and its value. **O(1)**.
    pub fn get_key_value<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<(&K, &V)> {
        let (key, value) = self.core.element(key)?.pair;
        Some((key, value))
    }

    /// Returns a mutable reference to the value of a key. **O(1)**.
    pub fn get_mut<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<&mut V> {
        let handle = self.core.element(key)?.handle;
        Some(&mut self.core.nodes.element_mut(handle).0.1)
    }

    /// Returns the stored key that is equal to `key`, its value and its score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = zset_core::SortedMap::from([("mail", 0, 10)]);
    /// assert_eq!(jobs.get_full("mail"), Some((&"mail", &0, &10)));
    /// if let Some((_, attempts, _)) = jobs.get_full_mut("mail") {
    ///     *attempts += 1;
    /// }
    /// assert_eq!(jobs["mail"], 1);
    /// ```
    pub fn get_full<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<(&K, &V, &S)> {
        let found = self.core.element(key)?;
        Some(element((found.pair, found.score)))
    }

    /// Like [`get_full`](Self::get_full), with a mutable reference to the value. **O(1)**.
    pub fn get_full_mut<Q: Hash + Equivalent<K> + ?Sized>(
        &mut self,
        key: &Q,
    ) -> Option<(&K, &mut V, &S)> {
        let handle = self.core.element(key)?.handle;
        let ((key, value), score) = self.core.nodes.element_mut(handle);
        Some((key, value, score))
    }

    /// Returns mutable references to the values of several keys at once. **O(N log N)**.
    ///
    /// # Panics
    ///
    /// Panics if a key that is in the map is repeated, as `HashMap` and `IndexMap` do.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut accounts = zset_core::SortedMap::from([("ann", 70, 1), ("bob", 20, 2)]);
    /// if let [Some(from), Some(to)] = accounts.get_disjoint_mut(["ann", "bob"]) {
    ///     *from -= 10;
    ///     *to += 10;
    /// }
    /// assert!(accounts.values().eq(&[60, 30]));
    /// assert_eq!(accounts.get_disjoint_mut(["cid", "bob"]), [None, Some(&mut 30)]);
    /// ```
    #[track_caller]
    pub fn get_disjoint_mut<Q, const N: usize>(&mut self, keys: [&Q; N]) -> [Option<&mut V>; N]
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let handles = keys.map(|key| Some(self.core.element(key)?.handle));
        let Some(pairs) = self.core.nodes.disjoint_pairs_mut(handles) else {
            panic!("duplicate keys found")
        };
        pairs.map(|pair| pair.map(|(_, value)| value))
    }

    /// Returns the score of a key. **O(1)**.
    #[inline]
    pub fn score<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<&S> {
        self.core.map_element(key, |found| found.score)
    }

    /// Returns the score of each of these keys, or `None` for those that are not in the map. Lazy;
    /// **O(1)** per key. See [`SortedSet::scores`](crate::SortedSet::scores).
    pub fn scores<'q, Q, I>(&self, keys: I) -> Scores<&Self, I::IntoIter>
    where
        I: IntoIterator<Item = &'q Q>,
        Q: Hash + Equivalent<K> + ?Sized + 'q,
    {
        Scores::new(self, keys)
    }

    /// Returns whether a key is in the map. **O(1)**.
    pub fn contains_key<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> bool {
        self.core.map_element(key, |_| ()).is_some()
    }

    /// Returns the 0-based rank of a key, lowest score first. **O(log n)**.
    pub fn rank<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<usize> {
        self.core.rank(key)
    }

    /// Returns the 0-based rank of a key, highest score first: the exact reverse of
    /// [`rank`](Self::rank). **O(log n)**.
    pub fn rev_rank<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<usize> {
        let rank = self.rank(key)?;
        Some(self.len() - 1 - rank)
    }
}

impl<K, V, S, H> SortedMap<K, V, S, H> {
    /// Returns the number of keys. **O(1)**.
    pub fn len(&self) -> usize {
        self.core.nodes.len()
    }

    /// Returns whether the map is empty. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of keys that fit in the allocated memory if every leaf is full. **O(n)**,
    /// one step per 1,800 to 3,600 keys. See [`SortedSet::capacity`](crate::SortedSet::capacity).
    pub fn capacity(&self) -> usize {
        self.core.nodes.capacity().min(self.core.dict.tables.capacity())
    }

    /// Returns the number of bytes that the map has allocated, excluding allocations owned by keys
    /// and values. **O(n)**, one step per 1,800 to 3,600 keys.
    pub fn allocation_size(&self) -> usize {
        self.core.nodes.allocation_size() + self.core.dict.tables.allocation_size()
    }

    /// Returns the element with the lowest score. **O(1)**.
    pub fn first(&self) -> Option<(&K, &V, &S)> {
        self.core.nodes.first().map(element)
    }

    /// Returns the element with the highest score. **O(1)**.
    pub fn last(&self) -> Option<(&K, &V, &S)> {
        self.core.nodes.last().map(element)
    }

    /// Returns the element at a 0-based rank, lowest score first. **O(log n)**.
    pub fn get_by_rank(&self, rank: usize) -> Option<(&K, &V, &S)> {
        self.core.nodes.get_by_rank(rank).map(element)
    }

    /// Returns all elements in order, lowest score first. Lazy; **O(1)** to start and per step.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::from([("b", 'y', 2), ("a", 'x', 1)]);
    /// assert!(map.iter().eq([(&"a", &'x', &1), (&"b", &'y', &2)]));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, V, S> {
        Iter(self.core.nodes.iter())
    }

    /// Returns the keys in order, lowest score first. Lazy; **O(1)** to start and per step.
    pub fn keys(&self) -> Keys<'_, K, V, S> {
        Keys(self.core.nodes.iter())
    }

    /// Returns the values in order, lowest score first. Lazy; **O(1)** to start and per step.
    pub fn values(&self) -> Values<'_, K, V, S> {
        Values(self.core.nodes.iter())
    }

    /// Converts the map into its keys in order, lowest score first. **O(1)** per step.
    pub fn into_keys(self) -> IntoKeys<K, V, S> {
        IntoKeys(elements::IntoIter::new(self.core.nodes))
    }

    /// Converts the map into its values in order, lowest score first. **O(1)** per step.
    pub fn into_values(self) -> IntoValues<K, V, S> {
        IntoValues(elements::IntoIter::new(self.core.nodes))
    }

    /// Returns all elements in order, with mutable references to the values. See [`IterMut`] for
    /// the cost.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 10, 1), ("b", 20, 2)]);
    /// for (_, value, score) in map.iter_mut() {
    ///     *value += score;
    /// }
    /// assert!(map.values().eq(&[11, 22]));
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V, S> {
        IterMut(self.core.nodes.iter_mut())
    }

    /// Returns mutable references to the values in order, lowest score first. See [`IterMut`] for
    /// the cost.
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V, S> {
        ValuesMut(self.core.nodes.iter_mut())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_rank`](crate::SortedSet::range_by_rank).
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, K, V, S> {
        Iter(self.core.nodes.range_by_rank(range))
    }

    /// Like [`range_by_rank`](Self::range_by_rank), with mutable references to the values. See
    /// [`IterMut`] for the cost.
    pub fn range_by_rank_mut(&mut self, range: impl RangeBounds<usize>) -> IterMut<'_, K, V, S> {
        let range = self.core.nodes.resolve_ranks(&range);
        IterMut(self.core.nodes.range_mut(range))
    }
}

/// Ranges of scores and of keys.
///
/// A bound may have any type that a score borrows as, as in
/// [`SortedSet::range_by_score`](crate::SortedSet::range_by_score).
impl<K, V, S, H> SortedMap<K, V, S, H> {
    /// Returns how many elements have scores in the range. **O(log n)**. See
    /// [`SortedSet::count_by_score`](crate::SortedSet::count_by_score).
    pub fn count_by_score<T>(&self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.core.nodes.resolve_scores(&range).len
    }

    /// Returns the elements whose scores lie in the range. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_score`](crate::SortedSet::range_by_score).
    #[inline]
    pub fn range_by_score<T>(&self, range: impl RangeBounds<T>) -> Iter<'_, K, V, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        Iter(self.core.nodes.range_by_score(&range))
    }

    /// Like [`range_by_score`](Self::range_by_score), with mutable references to the values. See
    /// [`IterMut`] for the cost.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut attempts = zset_core::SortedMap::from([("mail", 0, 10), ("backup", 0, 30)]);
    /// for (_, attempts, _) in attempts.range_by_score_mut(..=20) {
    ///     *attempts += 1;
    /// }
    /// assert!(attempts.values().eq(&[1, 0]));
    /// ```
    pub fn range_by_score_mut<T>(&mut self, range: impl RangeBounds<T>) -> IterMut<'_, K, V, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        let range = self.core.nodes.resolve_scores(&range);
        IterMut(self.core.nodes.range_mut(range))
    }

    /// Returns the elements between two bounds, each a score and a key. Lazy; **O(log n)** to
    /// start. See [`SortedSet::range`](crate::SortedSet::range).
    pub fn range<'q, T, Q>(&self, range: impl RangeBounds<(&'q T, &'q Q)>) -> Iter<'_, K, V, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        let nodes = &self.core.nodes;
        Iter(elements::Iter::new(nodes, || nodes.positions_across(&range)))
    }

    /// Like [`range`](Self::range), with mutable references to the values. See [`IterMut`] for the
    /// cost.
    pub fn range_mut<'q, T, Q>(
        &mut self,
        range: impl RangeBounds<(&'q T, &'q Q)>,
    ) -> IterMut<'_, K, V, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        let range = self.core.nodes.resolve_across(&range);
        IterMut(self.core.nodes.range_mut(range))
    }

    /// Returns the elements with exactly this score whose keys lie in the range. Lazy; **O(log n)**
    /// to start. See [`SortedSet::range_by_member`](crate::SortedSet::range_by_member).
    pub fn range_by_key<'q, T, Q>(
        &self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Iter<'_, K, V, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        let nodes = &self.core.nodes;
        Iter(elements::Iter::new(nodes, || nodes.positions_by_key(score, &range)))
    }
}

/// Methods that insert elements and change scores.
impl<K: TieOrder + Hash, V, S: ScoreOrder + Clone, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Inserts a key with a value and a score, or replaces the value and the score of a key that is
    /// already present; returns the old ones. **O(log n)**; O(1) if the key stays between its
    /// neighbours. See [`SortedSet::insert`](crate::SortedSet::insert).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.insert("a", 'x', 1), None);
    /// assert_eq!(map.insert("a", 'y', 2), Some(('x', 1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, key: K, value: V, score: S) -> Option<(V, S)> {
        or_panic(self.try_insert(key, value, score))
    }

    /// Like [`insert`](Self::insert), with an error instead of a panic. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the element if memory or 32-bit handles run out. The map is unchanged.
    ///
    /// A call may clone a score. If that allocates, as for `String`, and memory runs out, the clone
    /// aborts the process.
    pub fn try_insert(
        &mut self,
        key: K,
        value: V,
        score: S,
    ) -> Result<Option<(V, S)>, InsertError<(K, V, S)>> {
        self.core.try_insert(key, value, score).map_err(|error| error.map(taken))
    }

    /// Inserts a key with a value and a score, replacing an equal key, its value and its score;
    /// returns the old ones. **O(log n)**; O(1) if the key stays between its neighbours. See
    /// [`SortedSet::replace`](crate::SortedSet::replace).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn replace(&mut self, key: K, value: V, score: S) -> Option<(K, V, S)> {
        or_panic(self.core.try_replace(key, value, score)).map(taken)
    }

    /// Inserts a key with a value and a score. An existing key keeps its value and score, unless
    /// the given score is higher. **O(log n)**; O(1) if the score is unchanged.
    ///
    /// The value is replaced only together with the score. If neither is replaced, the given ones
    /// are returned in [`Insertion::Unchanged`].
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedMap};
    ///
    /// let mut best = SortedMap::new();
    /// assert_eq!(best.insert_max("ann", "first try", 120), Insertion::Inserted);
    /// assert_eq!(best.insert_max("ann", "tired", 95), Insertion::Unchanged(("tired", 95)));
    /// assert_eq!(best.insert_max("ann", "rested", 130), Insertion::Updated(("first try", 120)));
    /// assert_eq!(best.get("ann"), Some(&"rested"));
    /// ```
    #[track_caller]
    pub fn insert_max(&mut self, key: K, value: V, score: S) -> Insertion<(V, S)> {
        or_panic(self.core.try_insert_if(key, value, score, |new, old| new > old))
    }

    /// Inserts a key with a value and a score. An existing key keeps its value and score, unless
    /// the given score is lower. **O(log n)**; O(1) if the score is unchanged.
    ///
    /// See [`insert_max`](Self::insert_max).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert_min(&mut self, key: K, value: V, score: S) -> Insertion<(V, S)> {
        or_panic(self.core.try_insert_if(key, value, score, |new, old| new < old))
    }

    /// Replaces the score of a key; returns the old one. **O(log n)**; O(1) if the key stays
    /// between its neighbours.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn set_score<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q, score: S) -> Option<S> {
        self.update(key, |_, _| score)
    }

    /// Calls `change` with the value and the score of a key, and stores the score that it returns;
    /// returns the old score. **O(log n)**; O(1) if the key stays between its neighbours.
    ///
    /// If `change` panics, the score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_update`](Self::try_update).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 0, 1)]);
    /// let old = map.update("a", |reads, score| {
    ///     *reads += 1;
    ///     score * 10
    /// });
    /// assert_eq!(old, Some(1));
    /// assert_eq!(map.first(), Some((&"a", &1, &10)));
    /// ```
    #[track_caller]
    pub fn update<Q>(&mut self, key: &Q, change: impl FnOnce(&mut V, &S) -> S) -> Option<S>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        or_panic(self.try_update(key, change))
    }

    /// Like [`update`](Self::update), with an error instead of a panic. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The score is unchanged, but changes
    /// that `change` made to the value remain.
    pub fn try_update<Q: Hash + Equivalent<K> + ?Sized>(
        &mut self,
        key: &Q,
        change: impl FnOnce(&mut V, &S) -> S,
    ) -> Result<Option<S>, TryReserveError> {
        self.core.try_change(key, |value, old| Ok(change(value, old)))
    }
}

impl<K: TieOrder + Hash, V, S: Ord + Increment, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Adds `by` to the score of a key; returns the new score. A key that is not in the map is
    /// inserted with the score zero and the value that `value` returns. **O(log n)**; O(1) if the
    /// key stays between its neighbours.
    ///
    /// A key that is in the map keeps its value. If `value` panics, the map is unchanged.
    ///
    /// # Errors
    ///
    /// The score's own error if the sum is not a valid score: [`NanScore`](crate::NanScore) for
    /// [`Score`], [`ScoreOverflow`](crate::ScoreOverflow) for integers. The map is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_increment`](Self::try_increment).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ScoreOverflow, SortedMap};
    ///
    /// let mut logs = SortedMap::<&str, Vec<&str>, u8>::new();
    /// assert_eq!(logs.increment("a", 5, Vec::new), Ok(5));
    /// logs.get_mut("a").unwrap().push("read");
    /// assert_eq!(logs.increment("a", 1, Vec::new), Ok(6));
    /// assert_eq!(logs.increment("a", 255, Vec::new), Err(ScoreOverflow));
    /// assert_eq!(logs.first(), Some((&"a", &vec!["read"], &6)));
    /// ```
    #[track_caller]
    pub fn increment(
        &mut self,
        key: K,
        by: S::By,
        value: impl FnOnce() -> V,
    ) -> Result<S, S::Error> {
        sum_or_panic(self.try_increment(key, by, value))
    }

    /// Like [`increment`](Self::increment), with an error instead of a panic. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] with the score's own error if the sum is not a valid score, and
    /// [`IncrementError::Full`] if memory or 32-bit handles run out. The map is unchanged.
    pub fn try_increment(
        &mut self,
        key: K,
        by: S::By,
        value: impl FnOnce() -> V,
    ) -> Result<S, IncrementError<S::Error>> {
        self.core.try_increment(key, value, by)
    }
}

impl<K: Hash, V, S: Clone, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Removes a key; returns its value and its score. **O(log n)**.
    pub fn remove<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<(V, S)> {
        let (_, value, score) = self.remove_entry(key)?;
        Some((value, score))
    }

    /// Removes a key; returns it, its value and its score. **O(log n)**.
    pub fn remove_entry<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<(K, V, S)> {
        self.core.remove(key).map(taken)
    }

    /// Removes and returns the element with the lowest score. **O(log n)**. See
    /// [`SortedSet::pop_first`](crate::SortedSet::pop_first).
    pub fn pop_first(&mut self) -> Option<(K, V, S)> {
        self.core.pop(End::First).map(taken)
    }

    /// Removes and returns the element with the highest score. **O(log n)**. See
    /// [`SortedSet::pop_last`](crate::SortedSet::pop_last).
    pub fn pop_last(&mut self) -> Option<(K, V, S)> {
        self.core.pop(End::Last).map(taken)
    }

    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// `predicate` may modify the value. **O(log n)**. See
    /// [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_first_if(
        &mut self,
        predicate: impl FnOnce(&K, &mut V, &S) -> bool,
    ) -> Option<(K, V, S)> {
        let nodes = &self.core.nodes;
        let handle = (!self.is_empty()).then(|| nodes.handle_at(nodes.start()))?;
        if self.accepts(handle, predicate) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// `predicate` may modify the value. **O(log n)**. See
    /// [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_last_if(
        &mut self,
        predicate: impl FnOnce(&K, &mut V, &S) -> bool,
    ) -> Option<(K, V, S)> {
        let nodes = &self.core.nodes;
        let handle = (!self.is_empty()).then(|| nodes.handle_at(nodes.last_position()))?;
        if self.accepts(handle, predicate) { self.pop_last() } else { None }
    }

    /// Calls `predicate` with the element at a handle.
    fn accepts(&mut self, handle: Handle, predicate: impl FnOnce(&K, &mut V, &S) -> bool) -> bool {
        let ((key, value), score) = self.core.nodes.element_mut(handle);
        predicate(key, value, score)
    }

    /// Removes and returns the element at this 0-based rank, lowest score first. **O(log n)**.
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(K, V, S)> {
        self.core.remove_by_rank(rank).map(taken)
    }

    /// Removes the elements for which `keep` returns false, lowest score first. `keep` may modify
    /// the values. **O(n + m log n)** for m removed elements.
    ///
    /// If `keep` panics, the elements it has rejected are already removed. The others stay, with
    /// the values that `keep` has set.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V, &S) -> bool) {
        self.extract_if(|key, value, score| !keep(key, value, score)).for_each(drop);
    }

    /// Returns an iterator that removes and returns the elements for which `extracted` returns
    /// true, lowest score first. Lazy; **O(log n)** per element removed.
    ///
    /// If the iterator is dropped early, the elements it has not visited stay. If `extracted`
    /// panics, the element that it was called with stays too, with the value that `extracted` has
    /// set; the iterator continues after it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// let late: Vec<_> = map.extract_if(|_, _, &score| score > 1).collect();
    /// assert_eq!(late, [("b", 'y', 2)]);
    /// assert_eq!(map.len(), 1);
    /// ```
    pub fn extract_if<F>(&mut self, extracted: F) -> ExtractIf<'_, K, V, S, H, F>
    where
        F: FnMut(&K, &mut V, &S) -> bool,
    {
        let next = self.core.nodes.start();
        ExtractIf { map: self, extracted, next }
    }

    /// Reserves memory for about `additional` more keys. **O(n + additional)**. See
    /// [`SortedSet::reserve`](crate::SortedSet::reserve).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_panic(self.try_reserve(additional));
    }

    /// Like [`reserve`](Self::reserve), with an error instead of a panic. **O(n + additional)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The elements are unchanged.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.core.try_reserve(additional)
    }

    /// Frees unused memory. **O(capacity)**. See
    /// [`SortedSet::shrink_to_fit`](crate::SortedSet::shrink_to_fit).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        or_panic(self.core.try_shrink_to_fit());
    }
}

/// Removing ranges. Methods that return the removed elements are named `drain_*`.
impl<K: Hash, V, S: Clone, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Removes the elements at these 0-based ranks; returns the number removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_rank`](crate::SortedSet::remove_range_by_rank).
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.core.take_range(self.core.nodes.resolve_ranks(&range))
    }

    /// Removes the elements whose scores lie in the range; returns the number removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_score`](crate::SortedSet::remove_range_by_score).
    pub fn remove_range_by_score<T>(&mut self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.core.take_range(self.core.nodes.resolve_scores(&range))
    }

    /// Removes the elements between two bounds, each a score and a key; returns the number removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range`](crate::SortedSet::remove_range).
    pub fn remove_range<'q, T, Q>(&mut self, range: impl RangeBounds<(&'q T, &'q Q)>) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.core.take_range(self.core.nodes.resolve_across(&range))
    }

    /// Removes the elements with exactly this score whose keys lie in the range; returns the number
    /// removed. **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_member`](crate::SortedSet::remove_range_by_member).
    pub fn remove_range_by_key<'q, T, Q>(
        &mut self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.core.take_range(self.core.nodes.resolve_keys(score, &range))
    }

    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, K, V, S> {
        Drain(self.core.drain_range(self.core.nodes.resolve_ranks(&range)))
    }

    /// Removes the elements whose scores lie in the range and returns them in order, lowest score
    /// first. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    #[track_caller]
    pub fn drain_by_score<T>(&mut self, range: impl RangeBounds<T>) -> Drain<'_, K, V, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_scores(&range)))
    }

    /// Removes the elements between two bounds, each a score and a key, and returns them in order.
    /// **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    #[track_caller]
    pub fn drain_range<'q, T, Q>(
        &mut self,
        range: impl RangeBounds<(&'q T, &'q Q)>,
    ) -> Drain<'_, K, V, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_across(&range)))
    }

    /// Removes the elements with exactly this score whose keys lie in the range and returns them in
    /// order. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    #[track_caller]
    pub fn drain_by_key<'q, T, Q>(
        &mut self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Drain<'_, K, V, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        K: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_keys(score, &range)))
    }
}

/// Operations on whole maps.
impl<K: TieOrder + Hash, V, S: ScoreOrder + Clone, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Moves all elements of `other` into this map, leaving `other` empty. **O(m log n)** for m
    /// moved elements. See [`SortedSet::append`](crate::SortedSet::append).
    ///
    /// Of two equal keys, that of this map is kept.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out. Elements not yet moved are then lost. The same
    /// holds if `Ord`, `Eq` or `Hash` panics.
    #[track_caller]
    pub fn append<H2>(&mut self, other: &mut SortedMap<K, V, S, H2>) {
        if !matches!(self.core.try_merge(&mut other.core), Ok(true)) {
            or_panic(self.core.try_extend(&mut other.core));
        }
    }

    /// Panics with a description if an invariant is violated.
    ///
    /// For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.core.check();
    }
}

impl<K: Hash, V, S: Clone, H: BuildHasher + Clone> SortedMap<K, V, S, H> {
    /// Splits the map at a 0-based rank: returns the elements from this rank on, and keeps the
    /// others. **O(log n + m)** for m returned elements. See
    /// [`SortedSet::split_off_by_rank`](crate::SortedSet::split_off_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    /// If dropping a score panics, the elements to return are lost.
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        or_panic(self.try_split_off(self.core.nodes.resolve_ranks(&(rank..))))
    }

    /// Splits the map at a score: returns the elements with this score or a higher one, and keeps
    /// the others. **O(log n + m)** for m returned elements.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    /// If dropping a score panics, the elements to return are lost.
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score<T>(&mut self, score: &T) -> Self
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        or_panic(self.try_split_off(self.core.nodes.resolve_from_score(score)))
    }

    /// Moves a range to a new map with the same hasher. On error, the map is unchanged.
    fn try_split_off(&mut self, range: RankedRange) -> Result<Self, TryReserveError> {
        let mut upper = Self::with_hasher(self.hasher().clone());
        self.core.try_split_off(range, &mut upper.core)?;
        Ok(upper)
    }
}

impl<K, V, S, H> SortedMap<K, V, S, H> {
    /// Removes all elements and returns them in order, lowest score first. **O(capacity)**. See
    /// [`SortedSet::drain`](crate::SortedSet::drain).
    pub fn drain(&mut self) -> Drain<'_, K, V, S> {
        Drain(self.core.drain_all())
    }

    /// Removes all keys. Keeps the memory for new ones. **O(capacity)**.
    pub fn clear(&mut self) {
        self.core.clear();
    }
}
