//! Memory: reserving it ahead, giving it back, and counting it.

use super::SkipList;
use super::index::BLOCK_CAPACITY;
use crate::TryReserveError;
use crate::handle::LEAF_CAPACITY;

impl<M, S: Copy> SkipList<M, S> {
    /// Reserves what `additional` elements take if they fill leaves by 3/4, as a random load does.
    pub(crate) fn try_reserve_elements(
        &mut self,
        additional: usize,
    ) -> Result<(), TryReserveError> {
        let in_head = if self.levels == 0 { LEAF_CAPACITY - self.len } else { 0 };
        match additional.checked_sub(in_head) {
            None | Some(0) => self.leaves.try_reserve_small(additional),
            Some(beyond) => self.try_reserve_leaves(beyond.div_ceil(LEAF_CAPACITY * 3 / 4)),
        }
    }

    /// Reserves what an empty list needs to take `len` elements in ascending order.
    pub(crate) fn try_reserve_full_leaves(&mut self, len: usize) -> Result<(), TryReserveError> {
        match len.div_ceil(LEAF_CAPACITY) {
            0 | 1 => self.leaves.try_reserve_small(len),
            leaves => {
                self.try_reserve_leaves(leaves - 1)?;
                // Before each leaf, room is made for a block at every level and one more on top: so
                // much must be left at the last one, and a block has 8 children at the least.
                let levels = leaves.ilog2() as usize / 3 + 1;
                self.blocks.try_reserve(leaves.div_ceil(BLOCK_CAPACITY / 2) + levels + 1)
            }
        }
    }

    /// Reserves memory for more leaves and the index above them.
    fn try_reserve_leaves(&mut self, leaves: usize) -> Result<(), TryReserveError> {
        self.leaves.try_blocks(leaves)?;
        self.blocks.try_reserve(leaves.div_ceil(BLOCK_CAPACITY / 2) + self.levels as usize + 1)
    }

    /// Returns the bytes that the list takes from the allocator.
    pub(crate) fn heap_size(&self) -> usize {
        self.leaves.allocation_size() + self.blocks.allocation_size()
    }
}
