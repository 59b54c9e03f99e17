//! Reserving and measuring memory.

use core::hash::{BuildHasher, Hash};

use super::{SortedSet, hash_of};
use crate::TryReserveError;
use crate::reserve::infallible;

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Creates an empty set with memory for about `capacity` members and the given hasher.
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
    /// use zset_core::SortedSet;
    ///
    /// let hasher = RandomState::new();
    /// let set = SortedSet::<&str, u32, _>::with_capacity_and_hasher(1000, hasher);
    /// assert!(set.is_empty());
    /// ```
    #[track_caller]
    pub fn with_capacity_and_hasher(capacity: usize, hasher: H) -> Self {
        let mut set = Self::with_hasher(hasher);
        infallible(set.try_reserve(capacity));
        set
    }

    /// Reserves memory for about `additional` more members. **O(n + additional)**.
    ///
    /// After `reserve(1)` the next insertion does not allocate. A larger reservation is an estimate:
    /// how many members fit in a leaf depends on the order of insertion, and leaves are assumed to be
    /// 3/4 full.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// set.reserve(100);
    /// assert!(set.capacity() >= 101);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        infallible(self.try_reserve(additional));
    }

    /// Reserves memory for about `additional` more members. **O(n + additional)**.
    ///
    /// After `try_reserve(1)` the next insertion does not allocate. A larger reservation is an
    /// estimate: how many members fit in a leaf depends on the order of insertion, and leaves are
    /// assumed to be 3/4 full.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set's members are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::<&str, u32>::new();
    /// set.try_reserve(100)?;
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        if additional == 0 {
            return Ok(());
        }
        self.list.try_reserve(additional)?;
        self.reserve_dict(additional)
    }

    /// Reserves memory in the dict only, for `additional` more members.
    ///
    /// That is sufficient when building a set: the list grows without copying, so reserving its memory
    /// in advance saves nothing.
    pub(crate) fn reserve_dict(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let Self { list, dict, hasher, .. } = self;
        dict.try_reserve(additional, hash_of(list, hasher))
    }
}

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Returns the number of members that fit in the allocated memory if every leaf is full.
    /// **O(n)**, but it visits only chunks of up to 32 KiB.
    ///
    /// It is at least `len()`, and after `reserve(n)` at least `len() + n`. Unlike `HashMap::capacity`,
    /// it is not a guarantee: leaves become full only if members are inserted in ascending order, so a
    /// set may allocate below its capacity. At its capacity, the next new member always allocates.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::<&str, u32>::with_capacity(1000);
    /// assert!(set.capacity() >= 1000);
    /// set.shrink_to_fit();
    /// assert_eq!(set.capacity(), 0);
    /// ```
    pub fn capacity(&self) -> usize {
        self.list.capacity().min(self.dict.capacity())
    }
}
