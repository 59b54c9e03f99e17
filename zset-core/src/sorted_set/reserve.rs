//! Memory: reserving it ahead, and how much there is.

use core::hash::{BuildHasher, Hash};

use super::{SortedSet, hash_of};
use crate::TryReserveError;
use crate::reserve::infallible;

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Makes an empty set with memory for about `capacity` members, that hashes with `hasher`.
    /// **O(capacity)**.
    ///
    /// # Panics
    ///
    /// If memory or 32-bit handles run out.
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
    /// After `reserve(1)` the next insertion allocates nothing. For more it is an estimate: how many
    /// members a leaf takes depends on their order, and 3/4 of its capacity is assumed.
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
    /// After `try_reserve(1)` the next insertion allocates nothing. For more it is an estimate:
    /// how many members a leaf takes depends on their order, and 3/4 of its capacity is assumed.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set's members are as they were.
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

    /// Reserves memory in the dict for `additional` more members.
    ///
    /// Building a set reserves this only: the list grows without copying, so to know how much it
    /// will need saves nothing.
    pub(crate) fn reserve_dict(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let Self { list, dict, hasher, .. } = self;
        dict.try_reserve(additional, hash_of(list, hasher))
    }
}

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Returns how many members fit into the memory that is allocated, if they fill it completely.
    /// **O(n / 30)**: it adds up the blocks of memory.
    ///
    /// It is at least `len()`, and after `reserve(n)` at least `len() + n`. It is no promise, as
    /// `HashMap::capacity` is: only members that are inserted in ascending order fill their leaves,
    /// so a set may allocate below its capacity. At its capacity the next new member always does.
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
