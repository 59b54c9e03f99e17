//! Shifting: if there is no memory for a new leaf, the leaves from a full one to the nearest with room
//! pass on one element each.
//!
//! ```text
//! full, full, room    [64] [64] [50]   ->   [63] [64] [51]
//! ```

use super::leaf::End;
use super::position::Position;
use super::{NONE, Relocate, SkipList};
use crate::handle::LEAF_CAPACITY;

impl<M, S: Copy> SkipList<M, S> {
    /// Makes room for an element at a position in a full leaf without allocating, and returns the
    /// updated position. Returns `None` if no leaf has room, or only leaves beyond `spared`, whose
    /// elements do not move.
    ///
    /// If `relocate.token` panics, the list has the same elements in the same order. **O(n)**.
    pub(super) fn shift<R: Relocate<M>>(
        &mut self,
        spared: u32,
        position: Position,
        relocate: &mut R,
    ) -> Option<Position> {
        let after = self.nearest_room(position.leaf, |id| {
            Some(self.leaf(id).forward).filter(|&next| next != spared)
        });
        let before = self.nearest_room(position.leaf, |id| {
            Some(self.leaf(id).backward).filter(|&next| next != spared)
        });
        match (before, after) {
            (Some((_, further)), Some((leaf, steps))) if steps <= further => {
                Some(self.shift_forward(position, leaf, relocate))
            }
            (Some((leaf, _)), _) => Some(self.shift_backward(position, leaf, relocate)),
            (None, Some((leaf, _))) => Some(self.shift_forward(position, leaf, relocate)),
            (None, None) => None,
        }
    }

    /// Returns the nearest leaf with room in a direction, and the number of steps to it.
    fn nearest_room(
        &self,
        mut leaf: u32,
        next: impl Fn(u32) -> Option<u32>,
    ) -> Option<(u32, usize)> {
        for steps in 1.. {
            leaf = next(leaf).filter(|&id| id != NONE)?;
            if self.leaf(leaf).len() < LEAF_CAPACITY {
                return Some((leaf, steps));
            }
        }
        None
    }

    /// Moves the last element of each leaf from that of the position on to the next, up to `to`.
    fn shift_forward<R: Relocate<M>>(
        &mut self,
        position: Position,
        mut to: u32,
        relocate: &mut R,
    ) -> Position {
        let last = LEAF_CAPACITY - 1;
        loop {
            let from = self.leaves.block(to).backward;
            let is_last = from == position.leaf;
            if is_last && position.index > last {
                // The new element comes after all elements of its leaf.
                return Position { leaf: to, index: 0 };
            }
            self.hand_over(from, 1, to, End::First, relocate);
            if is_last {
                return position;
            }
            to = from;
        }
    }

    /// Moves the first element of each leaf from that of the position back to the previous, up to `to`.
    fn shift_backward<R: Relocate<M>>(
        &mut self,
        position: Position,
        mut to: u32,
        relocate: &mut R,
    ) -> Position {
        loop {
            let from = self.leaves.block(to).forward;
            let is_last = from == position.leaf;
            let end = Position { leaf: to, index: self.leaves.block(to).len() };
            if is_last && position.index == 0 {
                // The new element comes before all elements of its leaf.
                return end;
            }
            self.hand_over(from, 1, to, End::Last, relocate);
            if is_last {
                return Position { leaf: from, index: position.index - 1 };
            }
            to = from;
        }
    }
}
