//! Rebalancing: merging leaves and blocks that have become too small after a removal.

use super::index::{BLOCK_CAPACITY, MIN_CHILDREN};
use super::leaf::End;
use super::position::Position;
use super::remove::Removal;
use super::{NONE, Relocate, SkipList};
use crate::handle::LEAF_CAPACITY;

/// A leaf that is at most a quarter full merges with a neighbour in its block ...
const LEAST_LEN: u32 = LEAF_CAPACITY as u32 / 4;

/// ... if both together hold no more than this. This is well below the capacity of a leaf, so that an
/// insertion after a merge does not split immediately, and popping from an end, where a shrinking leaf
/// is next to a full one, moves no elements at all.
const MERGE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

impl<M, S: Copy> SkipList<M, S> {
    /// Removes the leaf of a removal if it is empty, or merges it with a neighbour if both are small;
    /// returns the updated position of the next element.
    ///
    /// If `relocate.token` panics, the list has the same elements in the same order.
    #[expect(clippy::needless_pass_by_value, reason = "a removal is rebalanced once")]
    #[inline]
    pub(crate) fn rebalance<R: Relocate<M>>(
        &mut self,
        removal: Removal,
        relocate: &mut R,
    ) -> Position {
        let Removal { position } = removal;
        let leaf = self.leaf(position.leaf);
        let (parent, span) = (leaf.parent, leaf.len() as u32);
        if parent == NONE || span > LEAST_LEN {
            return position;
        }
        let block = self.blocks.get(parent);
        let index = block.index_of(position.leaf);
        if span == 0 {
            return self.drop_leaf(position.leaf, parent, index);
        }
        if index > 0 && block.spans[index - 1] + span <= MERGE_LEN {
            return self.merge_leaves(parent, index - 1, position, relocate);
        }
        // Past the last child, the span is 0 and the id is `NONE`.
        if index + 1 < block.len() && block.spans[index + 1] + span <= MERGE_LEN {
            return self.merge_leaves(parent, index, position, relocate);
        }
        position
    }

    /// Removes an empty leaf and returns the position after it.
    fn drop_leaf(&mut self, leaf: u32, parent: u32, index: usize) -> Position {
        let forward = self.unlink(leaf);
        self.remove_child(parent, index);
        if forward == NONE { self.end() } else { Position { leaf: forward, index: 0 } }
    }

    /// Unlinks a leaf from the chain and frees it; returns its successor.
    fn unlink(&mut self, leaf: u32) -> u32 {
        let (forward, backward) = (self.leaf(leaf).forward, self.leaf(leaf).backward);
        self.leaves.set_forward(backward, forward);
        self.leaves.set_backward(forward, backward);
        if self.head == leaf {
            self.head = forward;
        }
        if self.tail == leaf {
            self.tail = backward;
        }
        debug_assert!(self.leaf(leaf).is_blank(), "a leaf is freed with its elements");
        self.leaves.blocks().remove(leaf);
        forward
    }

    /// Merges the children at `index` and `index + 1` of a level-1 block: the elements of the smaller
    /// leaf move into the larger one.
    fn merge_leaves<R: Relocate<M>>(
        &mut self,
        parent: u32,
        index: usize,
        position: Position,
        relocate: &mut R,
    ) -> Position {
        let block = self.blocks.get(parent);
        let (left, right) = (block.children[index], block.children[index + 1]);
        let (left_len, right_len) = (block.spans[index], block.spans[index + 1]);
        let left_is_absorbed = left_len < right_len;
        let (absorbed, kept) = if left_is_absorbed { (left, right) } else { (right, left) };
        let all = left_len.min(right_len) as usize;
        let end = if left_is_absorbed { End::First } else { End::Last };
        self.hand_over(absorbed, all, kept, end, relocate);
        self.unlink(absorbed);

        let block = self.blocks.get_mut(parent);
        // The left entry's first score is also the first of the merged leaf.
        block.children[index] = kept;
        block.spans[index] = left_len + right_len;
        self.remove_child(parent, index + 1);

        let before = if position.leaf == right { left_len as usize } else { 0 };
        Position { leaf: kept, index: position.index + before }
    }

    /// Removes an entry of a block, and repairs blocks that have become too small.
    fn remove_child(&mut self, mut parent: u32, mut index: usize) {
        let mut level = 1;
        loop {
            let block = self.blocks.get_mut(parent);
            block.remove(index);
            let (above, len) = (block.parent, block.len());
            if above == NONE {
                if len == 1 {
                    self.drop_top(level);
                }
                return;
            }
            if index == 0 {
                self.update_firsts(parent);
            }
            if len >= MIN_CHILDREN {
                return;
            }

            // Every block except the top one has a sibling.
            let block = self.blocks.get(above);
            let left = block.index_of(parent).max(1) - 1;
            if !self.merge_or_share(level, above, left) {
                return;
            }
            (parent, index) = (above, left + 1);
            level += 1;
        }
    }

    /// Removes the top block, whose only child becomes the top.
    pub(super) fn drop_top(&mut self, level: u32) {
        let child = self.blocks.get(self.top).children[0];
        self.set_parent(level, child, NONE);
        self.blocks.get_mut(self.top).remove(0);
        self.blocks.remove(self.top);
        self.levels -= 1;
        self.top = if level == 1 { NONE } else { child };
    }

    /// Updates the first score of a block in the blocks above it.
    fn update_firsts(&mut self, block: u32) {
        let block_ref = self.blocks.get(block);
        let first = block_ref.firsts[0];
        let (mut id, mut parent) = (block, block_ref.parent);
        while parent != NONE {
            let block = self.blocks.get_mut(parent);
            let index = block.index_of(id);
            block.firsts[index] = first;
            if index != 0 {
                return;
            }
            (id, parent) = (parent, block.parent);
        }
    }

    /// Merges the blocks at `index` and `index + 1` of a block and returns true; the caller must then
    /// remove the entry `index + 1`. If they are too large to merge, redistributes their children
    /// evenly and returns false.
    pub(super) fn merge_or_share(&mut self, level: u32, above: u32, index: usize) -> bool {
        let block = self.blocks.get(above);
        let (left_id, right_id) = (block.children[index], block.children[index + 1]);
        let left_len = self.blocks.get(left_id).len();
        let (left, right) = self.blocks.get_two_mut(left_id, right_id);
        let right_len = right.len();
        let total = left_len + right_len;

        if total <= BLOCK_CAPACITY * 3 / 4 {
            right.move_children(0..right_len, left, left_len);
            let span = left.span();
            self.blocks.remove(right_id);
            self.adopt(level, left_id);
            self.blocks.get_mut(above).spans[index] = span;
            return true;
        }

        if left_len < total / 2 {
            right.move_children(0..total / 2 - left_len, left, left_len);
        } else {
            left.move_children(total / 2..left_len, right, 0);
        }
        let (left_span, right_span, right_first) = (left.span(), right.span(), right.firsts[0]);
        self.adopt(level, left_id);
        self.adopt(level, right_id);
        let block = self.blocks.get_mut(above);
        (block.spans[index], block.spans[index + 1]) = (left_span, right_span);
        block.firsts[index + 1] = right_first;
        false
    }
}
