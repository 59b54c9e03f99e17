//! Sharing: a full leaf moves elements to a neighbour with room, instead of splitting.

use super::leaf::End;
use super::position::Position;
use super::{NONE, Relocate, SkipList};
use crate::handle::LEAF_CAPACITY;

/// A full leaf shares with a neighbour in its block that holds at most this many elements.
///
/// Afterwards both have room for at least a dozen more and are at least half full, so the next
/// insertion does not share again and the next removal does not merge them.
const SHARE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

impl<M, S: Copy> SkipList<M, S> {
    /// Moves elements from the full leaf of a position to the emptier of its neighbours in its block, so
    /// that both have the same length, and returns the updated position. A no-op if no neighbour other
    /// than the leaf `spared` has enough room.
    ///
    /// If `relocate.token` panics, the list has the same elements in the same order.
    pub(super) fn share<R: Relocate<M>>(
        &mut self,
        spared: u32,
        position: Position,
        relocate: &mut R,
    ) -> Option<Position> {
        let (from, parent) = (position.leaf, self.leaf(position.leaf).parent);
        if parent == NONE {
            return None;
        }
        let block = self.blocks.get(parent);
        let index = block.index_of(from);
        let has_room = |&i: &usize| {
            i < block.len() && block.spans[i] <= SHARE_LEN && block.children[i] != spared
        };
        let left = index.checked_sub(1).filter(has_room);
        let right = Some(index + 1).filter(has_room);
        let neighbour = left.into_iter().chain(right).min_by_key(|&i| block.spans[i])?;

        let (to, to_len) = (block.children[neighbour], block.spans[neighbour] as usize);
        let to_left = neighbour < index;
        let count = (LEAF_CAPACITY - to_len) / 2;
        let rest = LEAF_CAPACITY - count;
        let end = if to_left { End::Last } else { End::First };
        self.hand_over(from, count, to, end, relocate);

        let at = position.index;
        Some(match to_left {
            true if at <= count => Position { leaf: to, index: to_len + at },
            true => Position { leaf: from, index: at - count },
            false if at <= rest => position,
            false => Position { leaf: to, index: at - rest },
        })
    }
}
