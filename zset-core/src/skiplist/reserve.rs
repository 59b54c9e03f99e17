//! Reserving and measuring memory.

use super::SkipList;
use super::index::BLOCK_CAPACITY;
use super::leaves::Leaves;
use crate::TryReserveError;
use crate::handle::LEAF_CAPACITY;
use crate::reserve::infallible;

impl<M, S: Copy> SkipList<M, S> {
    /// Creates an empty list with memory for about `capacity` elements. **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::<&str, u32>::with_capacity(1000);
    /// assert!(list.is_empty());
    /// ```
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut list = Self::new();
        list.reserve(capacity);
        list
    }

    /// Reserves memory for about `additional` more elements. **O(additional)**.
    ///
    /// After `reserve(1)` the next insertion does not allocate. A larger reservation is an estimate:
    /// how many elements fit in a leaf depends on the order of insertion, and leaves are assumed to be
    /// 3/4 full.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1)]);
    /// list.reserve(100);
    /// assert!(list.capacity() >= 101);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        infallible(self.try_reserve(additional));
    }

    /// Reserves memory for about `additional` more elements. **O(additional)**.
    ///
    /// Like [`reserve`](Self::reserve), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The elements are unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::<&str, u32>::new();
    /// list.try_reserve(100)?;
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let in_head = if self.levels == 0 { LEAF_CAPACITY - self.len } else { 0 };
        match additional.checked_sub(in_head) {
            None | Some(0) => self.leaves.try_reserve_small(additional),
            Some(beyond) => self.try_reserve_leaves(beyond.div_ceil(LEAF_CAPACITY * 3 / 4)),
        }
    }

    /// Returns the number of elements that fit in the allocated memory if every leaf is full.
    /// **O(n)**, but it visits only chunks of up to 32 KiB.
    ///
    /// It is at least `len()`, and after `reserve(n)` at least `len() + n`. Unlike `Vec::capacity`, it
    /// is not a guarantee: leaves become full only if elements are inserted in ascending order, so a
    /// list may allocate below its capacity. At its capacity, the next insertion always allocates.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::<&str, u32>::new().capacity(), 0);
    /// assert!(zset_core::SkipList::from_iter([("a", 1)]).capacity() >= 1);
    /// ```
    pub fn capacity(&self) -> usize {
        self.leaves.capacity()
    }

    /// Reserves memory for an empty list to receive `len` elements in ascending order.
    pub(crate) fn try_reserve_full_leaves(&mut self, len: usize) -> Result<(), TryReserveError> {
        match len.div_ceil(LEAF_CAPACITY) {
            0 | 1 => self.leaves.try_reserve_small(len),
            leaves => {
                self.try_reserve_leaves(leaves - 1)?;
                // Each new leaf reserves a block for every level and a new top. The last one must find
                // that many left. A block has at least 8 children.
                let levels = leaves.ilog2() as usize / 3 + 1;
                self.blocks.try_reserve(leaves.div_ceil(BLOCK_CAPACITY / 2) + levels + 1)
            }
        }
    }

    /// Returns the ids of the leaves of a list for which `try_reserve_full_leaves(len)` has reserved
    /// memory, in order.
    pub(crate) fn full_leaf_ids(len: usize) -> impl Iterator<Item = u32> {
        Leaves::<M, S>::first_ids(len.div_ceil(LEAF_CAPACITY))
    }

    /// Reserves memory for more leaves and the index above them.
    fn try_reserve_leaves(&mut self, leaves: usize) -> Result<(), TryReserveError> {
        self.leaves.try_blocks(leaves)?;
        self.blocks.try_reserve(leaves.div_ceil(BLOCK_CAPACITY / 2) + self.levels as usize + 1)
    }
}
