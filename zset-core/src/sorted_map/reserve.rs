//! Reserving memory, and capacity.

use core::hash::{BuildHasher, Hash};

use super::SortedMap;
use crate::reserve::infallible;
use crate::{SortedSet, TryReserveError};

impl<K: Hash, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Creates an empty map with memory for about `capacity` keys, which hashes with `hasher`.
    /// **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::RandomState;
    /// use zset_core::SortedMap;
    ///
    /// let hasher = RandomState::new();
    /// let map = SortedMap::<&str, (), u32, _>::with_capacity_and_hasher(1000, hasher);
    /// assert!(map.is_empty());
    /// ```
    #[track_caller]
    pub fn with_capacity_and_hasher(capacity: usize, hasher: H) -> Self {
        SortedMap { set: SortedSet::with_capacity_and_hasher(capacity, hasher) }
    }

    /// Reserves memory for about `additional` more keys. **O(n + additional)**.
    ///
    /// After `reserve(1)`, the next insertion does not allocate. For more keys, this is an estimate
    /// that assumes leaves are 3/4 full.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::from([("a", 'x', 1)]);
    /// map.reserve(100);
    /// assert!(map.capacity() >= 101);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        infallible(self.try_reserve(additional));
    }

    /// Reserves memory for about `additional` more keys. **O(n + additional)**.
    ///
    /// After `try_reserve(1)`, the next insertion does not allocate. For more keys, this is an
    /// estimate that assumes leaves are 3/4 full.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The elements are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::<&str, (), u32>::new();
    /// map.try_reserve(100)?;
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.set.try_reserve(additional)
    }
}

impl<K, V, S: Copy, H> SortedMap<K, V, S, H> {
    /// Returns the number of keys that fit into the allocated memory if they fill it completely.
    /// **O(n)**, but it visits only chunks of up to 32 KiB.
    ///
    /// It is at least `len()`, and after `reserve(n)` at least `len() + n`. A map may allocate
    /// before it reaches its capacity; see [`SortedSet::capacity`].
    ///
    /// # Examples
    ///
    /// ```
    /// let map = zset_core::SortedMap::<&str, char, u32>::with_capacity(1000);
    /// assert!(map.capacity() >= 1000);
    /// ```
    pub fn capacity(&self) -> usize {
        self.set.capacity()
    }
}
