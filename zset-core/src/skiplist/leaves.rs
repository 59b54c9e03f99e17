//! The leaves of a list: a single growable leaf while the list is small, then an arena of blocks.

use super::leaf::{BlockLeaf, End, LeafRef, SmallLeaf};
use crate::TryReserveError;
use crate::arena::{Arena, NONE};
use crate::handle::{Handle, LEAF_CAPACITY};

#[derive(Clone)]
pub(crate) enum Leaves<M, S> {
    /// The only leaf, with id 0, in growable vectors.
    Small(SmallLeaf<M, S>),
    Blocks(Arena<BlockLeaf<M, S>>),
}

/// Evaluates an expression on a leaf of either kind.
macro_rules! with_leaf {
    ($leaves:expr, $id:expr, $leaf:ident => $body:expr) => {
        match $leaves {
            Leaves::Small($leaf) => $body,
            Leaves::Blocks(arena) => {
                let $leaf = arena.get_mut($id);
                $body
            }
        }
    };
}

impl<M, S: Copy> Leaves<M, S> {
    pub(crate) const fn new() -> Self {
        Leaves::Small(SmallLeaf::empty())
    }

    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn get(&self, id: u32) -> LeafRef<'_, M, S> {
        match self {
            Leaves::Small(leaf) => leaf.as_ref(),
            Leaves::Blocks(arena) => arena.get(id).as_ref(),
        }
    }

    /// Returns a leaf of a list with more than one.
    #[inline]
    pub(crate) fn block(&self, id: u32) -> LeafRef<'_, M, S> {
        match self {
            Leaves::Blocks(arena) => arena.get(id).as_ref(),
            Leaves::Small(_) => unreachable!("a small list has one leaf"),
        }
    }

    /// Returns the leaf with this id, if it exists.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn try_get(&self, id: u32) -> Option<LeafRef<'_, M, S>> {
        match self {
            Leaves::Small(leaf) => Some(leaf.as_ref()),
            Leaves::Blocks(arena) => arena.try_get(id).map(BlockLeaf::as_ref),
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, id: u32, index: usize, member: M, score: S) -> u8 {
        with_leaf!(self, id, leaf => leaf.insert(index, member, score))
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: u32, index: usize) -> (M, S) {
        with_leaf!(self, id, leaf => leaf.remove(index))
    }

    pub(crate) fn swap_slots(&mut self, id: u32, a: u8, b: u8) {
        with_leaf!(self, id, leaf => leaf.swap_slots(a, b));
    }

    #[inline]
    pub(crate) fn reorder(&mut self, id: u32, from: usize, to: usize, score: S) {
        with_leaf!(self, id, leaf => leaf.reorder(from, to, score));
    }

    #[inline]
    pub(crate) fn set_score(&mut self, id: u32, slot: usize, score: S) {
        with_leaf!(self, id, leaf => leaf.scores[slot] = score);
    }

    pub(crate) fn arrange(&mut self, id: u32, end: End) {
        with_leaf!(self, id, leaf => leaf.arrange(end));
    }

    #[inline]
    pub(crate) fn pop_arranged(&mut self, id: u32, end: End) -> (M, S) {
        with_leaf!(self, id, leaf => leaf.pop_arranged(end))
    }

    pub(crate) fn set_parent(&mut self, id: u32, parent: u32) {
        self.blocks().get_mut(id).links.parent = parent;
    }

    /// Sets the forward pointer of a leaf. A no-op if `id` is `NONE`.
    pub(crate) fn set_forward(&mut self, id: u32, forward: u32) {
        if id != NONE {
            self.blocks().get_mut(id).links.forward = forward;
        }
    }

    /// Sets the backward pointer of a leaf. A no-op if `id` is `NONE`.
    pub(crate) fn set_backward(&mut self, id: u32, backward: u32) {
        if id != NONE {
            self.blocks().get_mut(id).links.backward = backward;
        }
    }

    /// Returns a mutable reference to the member at a handle.
    #[inline]
    pub(crate) fn member_mut(&mut self, handle: Handle) -> &mut M {
        with_leaf!(self, handle.leaf(), leaf => &mut leaf.members[handle.slot() as usize])
    }

    /// Reserves memory for `additional` more elements in the leaf of a small list.
    pub(crate) fn try_reserve_small(&mut self, additional: usize) -> Result<(), TryReserveError> {
        match self {
            Leaves::Small(leaf) => leaf.try_reserve(additional),
            Leaves::Blocks(_) => Ok(()),
        }
    }

    /// Returns the arena with room for `additional` more blocks. Converts a small list first.
    pub(crate) fn try_blocks(
        &mut self,
        additional: usize,
    ) -> Result<&mut Arena<BlockLeaf<M, S>>, TryReserveError> {
        if let Leaves::Small(leaf) = self {
            let mut arena: Arena<BlockLeaf<M, S>> = Arena::new();
            arena.try_reserve(1 + additional)?;
            let id = arena.insert();
            arena.get_mut(id).take_small(leaf);
            *self = Leaves::Blocks(arena);
        }
        let Leaves::Blocks(arena) = self else { unreachable!("made above") };
        arena.try_reserve(additional)?;
        Ok(arena)
    }

    /// Returns the ids of the first leaves of an empty list, if memory for them is reserved at once.
    pub(crate) fn first_ids(leaves: usize) -> impl Iterator<Item = u32> {
        // The only leaf of a small list has id 0, too.
        Arena::<BlockLeaf<M, S>>::first_ids(leaves)
    }

    /// Returns the arena of a list with more than one leaf.
    pub(crate) fn blocks(&mut self) -> &mut Arena<BlockLeaf<M, S>> {
        match self {
            Leaves::Blocks(arena) => arena,
            Leaves::Small(_) => unreachable!("a small list has one leaf"),
        }
    }

    /// Returns the number of leaves.
    pub(crate) fn count(&self) -> usize {
        match self {
            Leaves::Small(_) => 1,
            Leaves::Blocks(arena) => arena.len(),
        }
    }

    /// Returns the number of elements for which the leaves have memory.
    pub(crate) fn capacity(&self) -> usize {
        match self {
            Leaves::Small(leaf) => leaf.capacity(),
            Leaves::Blocks(arena) => arena.capacity() * LEAF_CAPACITY,
        }
    }

    pub(crate) fn allocation_size(&self) -> usize {
        match self {
            Leaves::Small(leaf) => leaf.allocation_size(),
            Leaves::Blocks(arena) => arena.allocation_size(),
        }
    }
}
