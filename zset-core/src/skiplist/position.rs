//! [`Position`]: a position in order. It converts to and from a rank along the index, and to and from a
//! handle within its leaf.

use super::{Handle, NONE, SkipList};

/// A position in order: before an element of a leaf, or after the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) leaf: u32,
    /// The number of elements of the leaf that come before.
    pub(crate) index: usize,
}

impl<M, S: Copy> SkipList<M, S> {
    /// Returns the number of elements before a position.
    ///
    /// It follows the parent pointers, so it needs no comparisons.
    #[inline]
    pub(crate) fn rank_of(&self, position: Position) -> usize {
        let mut rank = position.index;
        let (mut id, mut parent) = (position.leaf, self.leaf(position.leaf).parent);
        while parent != NONE {
            let block = self.blocks.get(parent);
            rank += block.span_before(block.index_of(id));
            (id, parent) = (parent, block.parent);
        }
        rank
    }

    /// Returns the position of the element at a handle.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn position_of(&self, handle: Handle) -> Position {
        let index = self.leaf(handle.leaf()).index_of(handle.slot());
        Position { leaf: handle.leaf(), index }
    }

    /// Returns the handle of the element at a position.
    pub(crate) fn handle_at(&self, position: Position) -> Handle {
        Handle::new(position.leaf, self.leaf(position.leaf).order()[position.index])
    }

    /// Returns the same position as an index in the leaf of the next element; `None` at the end.
    #[inline]
    pub(crate) fn at_element(&self, position: Position) -> Option<Position> {
        let leaf = self.leaf(position.leaf);
        if position.index < leaf.len() {
            return Some(position);
        }
        (leaf.forward != NONE).then_some(Position { leaf: leaf.forward, index: 0 })
    }

    /// Returns the same position as an index in the leaf of the previous element. It must not be the
    /// start.
    pub(super) fn after_element(&self, position: Position) -> Position {
        if position.index > 0 {
            return position;
        }
        let leaf = self.leaf(position.leaf).backward;
        Position { leaf, index: self.leaf(leaf).len() }
    }

    /// Returns the position of the element at this rank, or the end.
    pub(crate) fn position_at(&self, rank: usize) -> Position {
        if rank >= self.len {
            return self.end();
        }
        let mut left = rank as u32;
        let mut id = if self.levels == 0 { self.head } else { self.top };
        for _ in 0..self.levels {
            let block = self.blocks.get(id);
            let mut index = 0;
            while left >= block.spans[index] {
                left -= block.spans[index];
                index += 1;
            }
            id = block.children[index];
        }
        Position { leaf: id, index: left as usize }
    }

    /// Returns the position before the first element.
    pub(crate) fn start(&self) -> Position {
        Position { leaf: self.head, index: 0 }
    }

    /// Returns the position after the last element.
    pub(crate) fn end(&self) -> Position {
        Position { leaf: self.tail, index: self.leaf(self.tail).len() }
    }

    /// Returns the position of the last element of a nonempty list.
    pub(crate) fn last_position(&self) -> Position {
        Position { leaf: self.tail, index: self.leaf(self.tail).len().wrapping_sub(1) }
    }
}
