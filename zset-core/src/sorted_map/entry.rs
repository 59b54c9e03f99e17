//! The entry of a key: a single look-up for reading and writing the key's element.

use core::fmt;
use core::hash::{BuildHasher, Hash};

use equivalent::Equivalent;

use super::{SortedMap, taken};
use crate::inner::leaf::Handle;
use crate::reserve::or_panic;
use crate::{ScoreOrder, TieOrder};

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
/// [`SortedMap::entry_ref`], [`SortedMap::first_entry`] or [`SortedMap::last_entry`].
pub struct OccupiedEntry<'a, K, V, S, H> {
    map: &'a mut SortedMap<K, V, S, H>,
    hash: usize,
    handle: Handle,
}

/// The entry of a key that is not in the map.
pub struct VacantEntry<'a, K, V, S, H> {
    map: &'a mut SortedMap<K, V, S, H>,
    hash: usize,
    key: K,
}

impl<K: TieOrder + Hash, V, S: ScoreOrder + Clone, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Returns the entry of a key, to read, insert, modify or remove it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// // The score counts visits; the value is the time of the last visit.
    /// let mut visits = zset_core::SortedMap::new();
    /// for (time, page) in [(10, "home"), (20, "help"), (30, "home")] {
    ///     let update = |last: &mut u32, count: &u32| {
    ///         *last = time;
    ///         count + 1
    ///     };
    ///     visits.entry(page).and_modify(update).or_insert(time, 1);
    /// }
    /// assert_eq!(visits.last(), Some((&"home", &30, &2)));
    /// ```
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V, S, H> {
        let hash = self.core.hash(&key);
        match self.core.find_map(hash, &key, |found| found.handle) {
            Some(handle) => Entry::Occupied(OccupiedEntry { map: self, hash, handle }),
            None => Entry::Vacant(VacantEntry { map: self, hash, key }),
        }
    }

    /// Returns the entry of a key given by reference, which is converted only if it is not in the
    /// map. **O(1)**. See [`SortedSet::entry_ref`](crate::SortedSet::entry_ref).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut logs = zset_core::SortedMap::<String, Vec<u32>, u32>::new();
    /// for (page, visitor) in [("home", 7), ("help", 8), ("home", 9)] {
    ///     logs.entry_ref(page).or_default(0).push(visitor);
    /// }
    /// assert_eq!(logs["home"], [7, 9]);
    /// ```
    pub fn entry_ref<'q, Q>(&mut self, key: &'q Q) -> Entry<'_, K, V, S, H>
    where
        Q: Hash + Equivalent<K> + ?Sized,
        &'q Q: Into<K>,
    {
        let hash = self.core.hash(key);
        match self.core.find_map(hash, key, |found| found.handle) {
            Some(handle) => Entry::Occupied(OccupiedEntry { map: self, hash, handle }),
            None => Entry::Vacant(VacantEntry { map: self, hash, key: key.into() }),
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
    /// assert_eq!(jobs.first(), Some((&"backup", &0, &30)));
    /// assert_eq!(jobs.last(), Some((&"mail", &1, &40)));
    /// ```
    pub fn first_entry(&mut self) -> Option<OccupiedEntry<'_, K, V, S, H>> {
        let nodes = &self.core.nodes;
        let ((key, _), _) = nodes.first()?;
        let (hash, handle) = (self.core.hash(key), nodes.handle_at(nodes.start()));
        Some(OccupiedEntry { map: self, hash, handle })
    }

    /// Returns the entry of the element with the highest score, to read, modify or remove it.
    /// **O(1)**.
    pub fn last_entry(&mut self) -> Option<OccupiedEntry<'_, K, V, S, H>> {
        let nodes = &self.core.nodes;
        let ((key, _), _) = nodes.last()?;
        let (hash, handle) = (self.core.hash(key), nodes.handle_at(nodes.last_position()));
        Some(OccupiedEntry { map: self, hash, handle })
    }
}

impl<'a, K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Entry<'a, K, V, S, H> {
    /// Returns the key of the entry. **O(1)**.
    pub fn key(&self) -> &K {
        match self {
            Entry::Occupied(entry) => entry.key(),
            Entry::Vacant(entry) => entry.key(),
        }
    }

    /// Calls `change` with the value and the score if the key is present, and stores the score that
    /// it returns. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn and_modify(mut self, change: impl FnOnce(&mut V, &S) -> S) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            entry.update(change);
        }
        self
    }

    /// Inserts this value and this score if the key is absent; returns the value. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// assert_eq!(map.entry("a").or_insert('y', 7), &'x');
    /// assert_eq!(map.entry("b").or_insert('y', 7), &'y');
    /// ```
    #[track_caller]
    pub fn or_insert(self, value: V, score: S) -> &'a mut V {
        self.or_insert_with_key(|_| (value, score))
    }

    /// Inserts the default value with this score if the key is absent; returns the value.
    /// **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut logs = zset_core::SortedMap::<&str, Vec<u32>, u32>::new();
    /// logs.entry("a").or_default(7).push(1);
    /// assert_eq!((logs["a"].len(), logs.score("a")), (1, Some(&7)));
    /// ```
    #[track_caller]
    pub fn or_default(self, score: S) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with_key(|_| (V::default(), score))
    }

    /// Inserts the value and the score that `make` returns if the key is absent; returns the value.
    /// **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn or_insert_with(self, make: impl FnOnce() -> (V, S)) -> &'a mut V {
        self.or_insert_with_key(|_| make())
    }

    /// Inserts the value and the score that `make` returns for the key if it is absent; returns the
    /// value. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// assert_eq!(map.entry("abc").or_insert_with_key(|key| (key.len(), 7)), &3);
    /// ```
    #[track_caller]
    pub fn or_insert_with_key(self, make: impl FnOnce(&K) -> (V, S)) -> &'a mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (value, score) = make(entry.key());
                entry.insert(value, score)
            }
        }
    }

    /// Inserts the key with this value and this score, or replaces both; returns the entry.
    /// **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert_entry(self, value: V, score: S) -> OccupiedEntry<'a, K, V, S, H> {
        match self {
            Entry::Occupied(mut entry) => {
                entry.insert(value, score);
                entry
            }
            Entry::Vacant(entry) => entry.insert_entry(value, score),
        }
    }
}

impl<'a, K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> OccupiedEntry<'a, K, V, S, H> {
    fn pair(&self) -> &(K, V) {
        self.map.core.nodes.element_at(self.handle).0
    }

    /// Returns the key. **O(1)**.
    pub fn key(&self) -> &K {
        &self.pair().0
    }

    /// Returns the value. **O(1)**.
    pub fn get(&self) -> &V {
        &self.pair().1
    }

    /// Returns a mutable reference to the value. **O(1)**.
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.map.core.nodes.element_mut(self.handle).0.1
    }

    /// Converts the entry into a mutable reference to the value, with the lifetime of the map.
    /// **O(1)**.
    pub fn into_mut(self) -> &'a mut V {
        &mut self.map.core.nodes.element_mut(self.handle).0.1
    }

    /// Returns the score. **O(1)**.
    pub fn score(&self) -> &S {
        self.map.core.nodes.score(self.handle)
    }

    /// Returns the 0-based rank, lowest score first. **O(log n)**.
    pub fn rank(&self) -> usize {
        let nodes = &self.map.core.nodes;
        nodes.rank_of(nodes.position_of(self.handle))
    }

    /// Replaces the value and the score; returns the old ones. **O(log n)**.
    ///
    /// To replace only the value, assign to [`get_mut`](Self::get_mut).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; the value and the score are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::new();
    /// let mut entry = map.entry("a").insert_entry('x', 1);
    /// assert_eq!(entry.insert('y', 2), ('x', 1));
    /// assert_eq!(map.first(), Some((&"a", &'y', &2)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, mut value: V, score: S) -> (V, S) {
        let core = &mut self.map.core;
        let set = core.set_value_and_score(self.hash, &mut self.handle, &mut value, score);
        let old = or_panic(set);
        (value, old)
    }

    /// Replaces the score; returns the old one. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn set_score(&mut self, score: S) -> S {
        or_panic(self.map.core.set_score(self.hash, &mut self.handle, score))
    }

    /// Calls `change` with the value and the score, and stores the score that it returns; returns
    /// the old score. **O(log n)**. See [`SortedMap::update`].
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = zset_core::SortedMap::from([("mail", 0, 10), ("backup", 0, 30)]);
    /// let mut entry = jobs.first_entry().unwrap();
    /// entry.update(|attempts, time| {
    ///     *attempts += 1;
    ///     time + 40
    /// });
    /// assert_eq!(jobs.last(), Some((&"mail", &1, &50)));
    /// ```
    #[track_caller]
    pub fn update(&mut self, change: impl FnOnce(&mut V, &S) -> S) -> S {
        let ((_, value), old) = self.map.core.nodes.element_mut(self.handle);
        let new = change(value, old);
        self.set_score(new)
    }

    /// Removes the key; returns its value and its score. **O(log n)**.
    pub fn remove(self) -> (V, S) {
        let (_, value, score) = self.remove_entry();
        (value, score)
    }

    /// Removes the key; returns it, its value and its score. **O(log n)**.
    pub fn remove_entry(self) -> (K, V, S) {
        let mut position = self.map.core.nodes.position_of(self.handle);
        taken(self.map.core.take_at(&mut position, self.hash))
    }
}

impl<'a, K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> VacantEntry<'a, K, V, S, H> {
    /// Returns the key. **O(1)**.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Converts the entry into its key. **O(1)**.
    pub fn into_key(self) -> K {
        self.key
    }

    /// Inserts the key with a value and a score; returns the value. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert(self, value: V, score: S) -> &'a mut V {
        self.insert_entry(value, score).into_mut()
    }

    /// Inserts the key with a value and a score; returns its entry. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert_entry(self, value: V, score: S) -> OccupiedEntry<'a, K, V, S, H> {
        let VacantEntry { map, hash, key } = self;
        let handle = or_panic(map.core.insert_new(hash, ((key, value), score)));
        OccupiedEntry { map, hash, handle }
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug, H> fmt::Debug for Entry<'_, K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Occupied(entry) => entry.fmt(f),
            Entry::Vacant(entry) => entry.fmt(f),
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug, S: fmt::Debug, H> fmt::Debug for OccupiedEntry<'_, K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((key, value), score) = self.map.core.nodes.element_at(self.handle);
        f.debug_struct("OccupiedEntry")
            .field("key", key)
            .field("value", value)
            .field("score", score)
            .finish()
    }
}

impl<K: fmt::Debug, V, S, H> fmt::Debug for VacantEntry<'_, K, V, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(&self.key).finish()
    }
}
