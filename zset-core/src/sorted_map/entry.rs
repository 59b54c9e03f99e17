//! The entry of a key, which needs only one lookup to read and modify it.

mod occupied;

use core::fmt;
use core::hash::{BuildHasher, Hash};

use super::{ByKey, Pair, SortedMap};
use crate::handle::Handle;
use crate::reserve::infallible;

/// The entry of a key, returned by [`SortedMap::entry`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedMap;
/// use zset_core::sorted_map::Entry;
///
/// let mut map = SortedMap::from([("a", 'x', 1)]);
/// match map.entry("a") {
///     Entry::Occupied(mut entry) => *entry.get_mut() = 'y',
///     Entry::Vacant(entry) => _ = entry.insert('z', 2),
/// }
/// assert_eq!(map.get("a"), Some(&'y'));
/// ```
pub enum Entry<'a, K, V, S, H> {
    /// The key is in the map.
    Occupied(OccupiedEntry<'a, K, V, S, H>),
    /// The key is not in the map.
    Vacant(VacantEntry<'a, K, V, S, H>),
}

/// The entry of a key that is in the map, returned by [`SortedMap::entry`],
/// [`SortedMap::first_entry`] or [`SortedMap::last_entry`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedMap;
/// use zset_core::sorted_map::Entry;
///
/// let mut map = SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
/// if let Entry::Occupied(mut entry) = map.entry("a") {
///     entry.set_score(3);
///     assert_eq!(entry.rank(), 1);
/// }
/// ```
pub struct OccupiedEntry<'a, K, V, S, H> {
    map: &'a mut SortedMap<K, V, S, H>,
    hash: usize,
    handle: Handle,
}

/// The entry of a key that is not in the map.
///
/// # Examples
///
/// ```
/// use zset_core::SortedMap;
/// use zset_core::sorted_map::Entry;
///
/// let mut map = SortedMap::<&str, char, u32>::new();
/// if let Entry::Vacant(entry) = map.entry("a") {
///     entry.insert('x', 1);
/// }
/// assert_eq!(map.get("a"), Some(&'x'));
/// ```
pub struct VacantEntry<'a, K, V, S, H> {
    map: &'a mut SortedMap<K, V, S, H>,
    hash: usize,
    key: K,
}

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Returns the entry of a key, to read, insert, modify or remove it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// // The score counts visits; the value is the time of the last visit.
    /// let mut visits = zset_core::SortedMap::new();
    /// for (time, page) in [(10, "home"), (20, "help"), (30, "home")] {
    ///     let update = |last: &mut u32, count| {
    ///         *last = time;
    ///         count + 1
    ///     };
    ///     visits.entry(page).and_modify(update).or_insert(time, 1);
    /// }
    /// assert_eq!(visits.last(), Some((&"home", &30, 2)));
    /// ```
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V, S, H> {
        let hash = self.set.hash(&ByKey(&key));
        match self.set.find(hash, &ByKey(&key)).map(|found| found.handle) {
            Some(handle) => Entry::Occupied(OccupiedEntry { map: self, hash, handle }),
            None => Entry::Vacant(VacantEntry { map: self, hash, key }),
        }
    }

    /// Returns the entry of the element with the lowest score, to read, modify or remove it.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = zset_core::SortedMap::from([("mail", 0, 10), ("backup", 0, 30)]);
    /// let mut entry = jobs.first_entry().unwrap();
    /// *entry.get_mut() += 1; // one attempt
    /// entry.set_score(40); // retry later
    /// assert_eq!(jobs.first(), Some((&"backup", &0, 30)));
    /// assert_eq!(jobs.last(), Some((&"mail", &1, 40)));
    /// ```
    pub fn first_entry(&mut self) -> Option<OccupiedEntry<'_, K, V, S, H>> {
        let (pair, _) = self.set.first()?;
        let hash = self.set.hash(pair);
        let handle = self.set.list.handle_at(self.set.list.start());
        Some(OccupiedEntry { map: self, hash, handle })
    }

    /// Returns the entry of the element with the highest score, to read, modify or remove it.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// assert_eq!(map.last_entry().unwrap().remove_entry(), ("b", 'y', 2));
    /// ```
    pub fn last_entry(&mut self) -> Option<OccupiedEntry<'_, K, V, S, H>> {
        let (pair, _) = self.set.last()?;
        let hash = self.set.hash(pair);
        let handle = self.set.list.handle_at(self.set.list.last_position());
        Some(OccupiedEntry { map: self, hash, handle })
    }
}

impl<'a, K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> Entry<'a, K, V, S, H> {
    /// Returns the key of the entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::<&str, (), u32>::new();
    /// assert_eq!(map.entry("a").key(), &"a");
    /// ```
    pub fn key(&self) -> &K {
        match self {
            Entry::Occupied(entry) => entry.key(),
            Entry::Vacant(entry) => entry.key(),
        }
    }

    /// Calls `change` with the value and the score if the key is present, and stores the score that it
    /// returns. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// map.entry("a").and_modify(|_, score| score + 1);
    /// map.entry("b").and_modify(|_, score| score + 1);
    /// assert!(map.iter().eq([(&"a", &'x', 2)]));
    /// ```
    #[track_caller]
    pub fn and_modify(mut self, change: impl FnOnce(&mut V, S) -> S) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            let old = entry.score();
            let new = change(entry.get_mut(), old);
            entry.set_score(new);
        }
        self
    }

    /// Inserts this value and this score if the key is absent. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.entry("a").or_insert('y', 7).score(), 1);
    /// assert_eq!(map.entry("b").or_insert('y', 7).score(), 7);
    /// ```
    #[track_caller]
    pub fn or_insert(self, value: V, score: S) -> OccupiedEntry<'a, K, V, S, H> {
        self.or_insert_with(|| (value, score))
    }

    /// Inserts the value and the score that `make` returns if the key is absent. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("a").or_insert_with(|| (vec![0; 100], 7)).get().len(), 100);
    /// ```
    #[track_caller]
    pub fn or_insert_with(self, make: impl FnOnce() -> (V, S)) -> OccupiedEntry<'a, K, V, S, H> {
        match self {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => {
                let (value, score) = make();
                entry.insert(value, score)
            }
        }
    }
}

impl<'a, K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> VacantEntry<'a, K, V, S, H> {
    /// Returns the key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedMap;
    /// use zset_core::sorted_map::Entry;
    ///
    /// let mut map = SortedMap::<&str, (), u32>::new();
    /// let Entry::Vacant(entry) = map.entry("a") else { unreachable!() };
    /// assert_eq!(entry.key(), &"a");
    /// ```
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Converts the entry into its key. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedMap;
    /// use zset_core::sorted_map::Entry;
    ///
    /// let mut map = SortedMap::<String, (), u32>::new();
    /// let Entry::Vacant(entry) = map.entry("a".to_string()) else { unreachable!() };
    /// assert_eq!(entry.into_key(), "a");
    /// ```
    pub fn into_key(self) -> K {
        self.key
    }

    /// Inserts the key with a value and a score. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedMap;
    /// use zset_core::sorted_map::Entry;
    ///
    /// let mut map = SortedMap::new();
    /// let Entry::Vacant(entry) = map.entry("a") else { unreachable!() };
    /// assert_eq!(entry.insert('x', 1).rank(), 0);
    /// ```
    #[track_caller]
    pub fn insert(self, value: V, score: S) -> OccupiedEntry<'a, K, V, S, H> {
        let VacantEntry { map, hash, key } = self;
        let handle = infallible(map.set.insert_new(hash, Pair { key, value }, score));
        OccupiedEntry { map, hash, handle }
    }
}

impl<K, V, S, H> fmt::Debug for Entry<'_, K, V, S, H>
where
    K: fmt::Debug,
    V: fmt::Debug,
    S: fmt::Debug + Copy,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Occupied(entry) => entry.fmt(f),
            Entry::Vacant(entry) => entry.fmt(f),
        }
    }
}

impl<K, V, S, H> fmt::Debug for OccupiedEntry<'_, K, V, S, H>
where
    K: fmt::Debug,
    V: fmt::Debug,
    S: fmt::Debug + Copy,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pair, score) = self.map.set.list.element_at(self.handle);
        f.debug_struct("OccupiedEntry")
            .field("key", &pair.key)
            .field("value", &pair.value)
            .field("score", &score)
            .finish()
    }
}

impl<K: fmt::Debug, V, S, H> fmt::Debug for VacantEntry<'_, K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(&self.key).finish()
    }
}
