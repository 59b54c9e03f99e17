//! Reserving memory ahead of insertions, and freeing it after removals.
//!
//! Leaves, blocks and tables that removals have emptied are kept for later insertions. When only a
//! small share of the elements remains, a single removal moves all remaining elements into smaller
//! allocations. This costs O(1) amortized over the removals. Its worst case is bounded: it moves
//! fewer elements than an insertion rehashes when the dict's first table splits.

use alloc::vec::Vec;
use core::mem;

use super::arena::NONE;
use super::find::{Position, RankedRange};
use super::index::{BLOCK_CAPACITY, Child};
use super::iter::Iter;
use super::leaf::{Handle, LEAF_CAPACITY};
use super::{Core, Lookup, Nodes, Owned};
use crate::TryReserveError;
use crate::reserve::{push_reserved, try_collect};

impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Reserves memory for about `additional` more elements. Removals do not free this memory.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        if additional == 0 {
            return Ok(());
        }
        // Reserve in the dict first: it must have a table before an arena replaces the only leaf.
        self.dict.try_reserve(additional, &self.nodes)?;
        self.nodes.try_reserve(additional)?;
        let reserved_bits = (self.nodes.len + additional).next_power_of_two().ilog2() as u8;
        self.nodes.reserved_bits = self.nodes.reserved_bits.max(reserved_bits);
        Ok(())
    }

    /// Reserves memory in the dict only, for `additional` more keys.
    ///
    /// That is sufficient when a core is built: the leaves grow without copying, so reserving their
    /// memory in advance saves nothing.
    pub(crate) fn try_reserve_dict(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.dict.try_reserve(additional, &self.nodes)
    }

    /// Frees as much memory as possible: moves all elements to full leaves. On an error or panic,
    /// nothing changes.
    pub(crate) fn try_shrink_to_fit(&mut self) -> Result<(), TryReserveError> {
        let (mut new, len) = (self.nodes.empty(), self.nodes.len);
        new.try_reserve_full_leaves(len)?;
        let firsts = self.nodes.try_firsts(self.nodes.whole())?;
        let mut tokens = Vec::new();
        tokens.try_reserve_exact(len)?;
        for id in self.nodes.leaf_ids(self.nodes.head, self.nodes.tail) {
            let leaf = self.nodes.leaf(id);
            for &slot in leaf.order() {
                let (key, _) = &leaf.pairs[slot as usize];
                push_reserved(&mut tokens, self.dict.token(Handle::new(id, slot), key));
            }
        }
        self.dict.try_refill(&tokens)?;
        // Nothing can fail from here on.
        new.fill_full_leaves(&mut self.nodes, firsts);
        // Drop the old nodes last: their index still contains scores, and dropping one may panic.
        drop(mem::replace(&mut self.nodes, new));
        Ok(())
    }

    /// Frees memory if few elements are left, which makes all handles stale. Returns the updated
    /// position.
    #[inline]
    pub(super) fn shrink_if_sparse(&mut self, position: Position) -> Position {
        let bits = self.nodes.shrink_bits;
        if bits == 0 || self.nodes.len >> bits > 0 {
            return position;
        }
        self.shrink(position)
    }

    /// Frees memory that is neither in use nor reserved. If hashing a key panics, or an allocation
    /// fails, no element moves.
    #[cold]
    #[inline(never)]
    fn shrink(&mut self, position: Position) -> Position {
        let Nodes { len, shrink_bits, reserved_bits, .. } = self.nodes;
        // If the shrink fails, try again when the length has halved.
        self.nodes.shrink_bits = shrink_bits - 1;
        // Free nothing if callers have reserved memory for about a quarter of the maximum length or
        // more.
        let is_kept = reserved_bits >= shrink_bits + 3;
        let rank = self.nodes.rank_of(position);
        if is_kept || self.try_shrink_to_fit().is_err() {
            return position;
        }
        self.nodes.reserved_bits = reserved_bits;
        // If this reservation fails, later insertions allocate memory themselves.
        let _ = self.try_reserve((1_usize << reserved_bits).saturating_sub(len));
        self.nodes.position_at(rank)
    }
}

impl<K, V, S> Nodes<K, V, S> {
    /// Drops all elements, and keeps the memory. If this panics, the nodes can only be dropped.
    pub(super) fn clear(&mut self) {
        self.leaves.clear();
        self.blocks.clear();
        (self.top, self.levels, self.head, self.tail, self.len) = (NONE, 0, 0, 0, 0);
        self.is_appended_to = false;
    }

    pub(crate) fn allocation_size(&self) -> usize {
        self.leaves.allocation_size() + self.blocks.allocation_size()
    }

    /// Reserves memory for about `additional` more elements, assuming that leaves will be 3/4 full.
    /// **O(additional)**.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let in_head = if self.levels == 0 { LEAF_CAPACITY - self.len } else { 0 };
        match additional.checked_sub(in_head) {
            None | Some(0) => self.leaves.try_reserve_small(additional),
            Some(beyond) => {
                let leaves = beyond.div_ceil(LEAF_CAPACITY * 3 / 4);
                self.leaves.try_blocks(leaves)?;
                // The first leaf may add a block on each level, and a new top block.
                self.blocks.try_reserve(leaves.div_ceil(BLOCK_CAPACITY / 2) + self.levels as usize)
            }
        }
    }

    /// Returns the number of elements that fit in the allocated memory if every leaf is full.
    pub(crate) fn capacity(&self) -> usize {
        self.leaves.capacity()
    }

    /// Reserves memory for an empty core to receive `len` elements in ascending order. Its leaves
    /// then get the ids from 0 on, in order.
    pub(crate) fn try_reserve_full_leaves(&mut self, len: usize) -> Result<(), TryReserveError> {
        match len.div_ceil(LEAF_CAPACITY) {
            0 | 1 => self.leaves.try_reserve_small(len),
            leaves => {
                self.leaves.try_blocks(leaves - 1)?;
                // Adding a leaf reserves a block per level, and a new top block. Blocks are more
                // than half full, so with two more, the memory for these is still there for the
                // last leaf.
                self.blocks.try_reserve(leaves.div_ceil(BLOCK_CAPACITY / 2) + 2)
            }
        }
    }

    /// Returns copies of the first scores of the full leaves to which the elements of a range will
    /// move, except for the first leaf.
    pub(super) fn try_firsts(&self, range: RankedRange) -> Result<Vec<S>, TryReserveError>
    where
        S: Clone,
    {
        let firsts = Iter::ranked(self, || range).skip(LEAF_CAPACITY).step_by(LEAF_CAPACITY);
        try_collect(firsts.map(|(_, score)| score.clone()))
    }

    /// Moves all elements of other nodes to these, for which memory must be reserved. `firsts` are
    /// the first scores of all new leaves but the first one.
    fn fill_full_leaves(&mut self, from: &mut Self, firsts: Vec<S>) {
        let (len, mut firsts) = (from.len, firsts.into_iter());
        let mut elements = from.emptied();
        while self.len < len {
            let in_leaf = LEAF_CAPACITY.min(len - self.len);
            let first = if self.len > 0 { firsts.next() } else { None };
            let next = (0..in_leaf).map(|_| elements.next().expect("there are `len` elements"));
            self.try_push_leaf(first, next).expect("room was reserved");
        }
    }

    /// Appends a leaf of elements that are in order and come after all others, which is not
    /// checked. Returns the id of the leaf. The slot of each element is its index.
    ///
    /// `first` is a copy of the score of the first element, or `None` if the core is empty.
    #[inline]
    pub(crate) fn try_push_leaf(
        &mut self,
        first: Option<S>,
        elements: impl ExactSizeIterator<Item = Owned<K, V, S>>,
    ) -> Result<u32, TryReserveError> {
        let len = elements.len();
        let id = if let Some(first) = first {
            let height = self.try_reserve_leaf(self.tail)?;
            let id = self.leaves.blocks().insert();
            self.link_after(self.tail, Child { id, span: 0, first }, height);
            id
        } else {
            self.leaves.try_reserve_small(len)?;
            self.tail
        };
        self.leaves.extend_sorted(id, elements);
        self.update_spans(id, self.leaf(id).parent, i32::from(len as u8), None);
        self.len += len;
        Ok(id)
    }
}
