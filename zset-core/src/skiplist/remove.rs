//! Removing: taking out an element, then merging nodes that have become too small.
//!
//! An element is removed at its place, and spans are updated along the parent pointers: a removal needs
//! no comparisons.

use arrayvec::ArrayVec;
use core::mem;

use super::index::{BLOCK_CAPACITY, Block, MIN_CHILDREN};
use super::search::Place;
use super::{Handle, NONE, NoDict, Relocate, SkipList};
use crate::handle::LEAF_CAPACITY;

/// A leaf that is at most a quarter full merges with a neighbour in its block ...
const LEAST_LEN: u32 = LEAF_CAPACITY as u32 / 4;

/// ... if both together hold no more than this. This is well below the capacity of a leaf, so that an
/// insertion after a merge does not split immediately, and popping from an end, where a shrinking leaf
/// is next to a full one, moves no elements at all.
const MERGE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

/// An element about to be removed, and the one that will fill its slot.
#[derive(Clone, Copy)]
pub(crate) struct Departure<T> {
    pub(crate) place: Place,
    /// The handle of the element to remove.
    pub(crate) handle: Handle,
    /// The last slot of the leaf with its element's token, unless that slot is the one to remove.
    filler: Option<(Handle, T)>,
}

impl<M, S: Copy> SkipList<M, S> {
    /// Removes and returns the element at this 0-based rank. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2)]);
    /// assert_eq!(list.remove_by_rank(1), Some(("b", 2)));
    /// assert_eq!(list.remove_by_rank(1), None);
    /// ```
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        (rank < self.len).then(|| self.take_at(self.place_at(rank)).0)
    }

    /// Prepares `take`. It leaves the list unchanged, but may run user code, which may panic.
    #[inline]
    pub(crate) fn prepare_take<R: Relocate<M>>(
        &self,
        place: Place,
        relocate: &R,
    ) -> Departure<R::Token> {
        let leaf = self.leaf(place.leaf);
        let slot = leaf.order()[place.position];
        let last = leaf.len() - 1;
        let filler = (usize::from(slot) != last)
            .then(|| (Handle::new(place.leaf, last as u8), relocate.token(&leaf.members[last])));
        Departure { place, handle: Handle::new(place.leaf, slot), filler }
    }

    /// Removes an element. The dict must already have dropped its handle.
    ///
    /// The leaf may be empty afterwards, so `rebalance` must follow.
    #[inline]
    pub(crate) fn take<R: Relocate<M>>(
        &mut self,
        departure: Departure<R::Token>,
        relocate: &mut R,
    ) -> (M, S) {
        let Departure { place, handle, filler } = departure;
        let leaf = self.leaf(place.leaf);
        let new_first = (place.position == 0 && leaf.len() > 1).then(|| leaf.at(1).1);
        let element = self.leaves.remove(place.leaf, place.position);
        if let Some((from, token)) = filler {
            relocate.relocate(token, from, handle);
        }
        self.len -= 1;
        self.update_spans(place.leaf, -1, new_first);
        element
    }

    /// Removes the element at a place, without reporting moves to a dict; returns it and the place of
    /// the next element.
    pub(super) fn take_at(&mut self, place: Place) -> ((M, S), Place) {
        let element = self.take(self.prepare_take(place, &NoDict), &mut NoDict);
        (element, self.rebalance(place, &mut NoDict))
    }

    /// Removes the leaf of a place if it is empty, or merges it with a neighbour if both are small;
    /// returns the updated place.
    ///
    /// If `relocate.token` panics, nothing is merged.
    #[inline]
    pub(crate) fn rebalance<R: Relocate<M>>(&mut self, place: Place, relocate: &mut R) -> Place {
        let leaf = self.leaf(place.leaf);
        let (parent, span) = (leaf.parent, leaf.len() as u32);
        if parent == NONE || span > LEAST_LEN {
            return place;
        }
        let block = self.blocks.get(parent);
        let index = block.index_of(place.leaf);
        if span == 0 {
            return self.drop_leaf(place.leaf, parent, index);
        }
        if index > 0 && block.spans[index - 1] + span <= MERGE_LEN {
            return self.merge_leaves(parent, index - 1, place, relocate);
        }
        // Past the last child, the span is 0 and the id is `NONE`.
        if index + 1 < block.len() && block.spans[index + 1] + span <= MERGE_LEN {
            return self.merge_leaves(parent, index, place, relocate);
        }
        place
    }

    /// Removes an empty leaf and returns the place after it.
    fn drop_leaf(&mut self, leaf: u32, parent: u32, index: usize) -> Place {
        let forward = self.unlink(leaf);
        self.remove_child(parent, index);
        if forward == NONE { self.end() } else { Place { leaf: forward, position: 0 } }
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
        self.leaves.blocks().remove(leaf);
        forward
    }

    /// Merges the children at `index` and `index + 1` of a level-1 block: the elements of the smaller
    /// leaf move into the larger one.
    fn merge_leaves<R: Relocate<M>>(
        &mut self,
        parent: u32,
        index: usize,
        place: Place,
        relocate: &mut R,
    ) -> Place {
        let block = self.blocks.get(parent);
        let (left, right) = (block.children[index], block.children[index + 1]);
        let (left_len, right_len) = (block.spans[index], block.spans[index + 1]);
        let left_is_absorbed = left_len < right_len;
        let (absorbed, kept) = if left_is_absorbed { (left, right) } else { (right, left) };
        let kept_len = left_len.max(right_len) as u8;

        let tokens: ArrayVec<R::Token, LEAF_CAPACITY> =
            self.leaf(absorbed).members.iter().map(|member| relocate.token(member)).collect();

        let leaves = self.leaves.blocks();
        let elements = leaves.get_mut(absorbed).take_elements();
        leaves.get_mut(kept).absorb(elements, left_is_absorbed);
        self.unlink(absorbed);
        for (slot, token) in (0..).zip(tokens) {
            let to = Handle::new(kept, kept_len + slot);
            relocate.relocate(token, Handle::new(absorbed, slot), to);
        }

        let block = self.blocks.get_mut(parent);
        // The left entry's first score is also the first of the merged leaf.
        block.children[index] = kept;
        block.spans[index] = left_len + right_len;
        self.remove_child(parent, index + 1);

        let before = if place.leaf == right { left_len as usize } else { 0 };
        Place { leaf: kept, position: place.position + before }
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
        let total = left_len + self.blocks.get(right_id).len();

        if total <= BLOCK_CAPACITY * 3 / 4 {
            let right = mem::replace(self.blocks.get_mut(right_id), Block::new(NONE));
            self.blocks.remove(right_id);
            let left = self.blocks.get_mut(left_id);
            left.append(&right);
            let span = left.span();
            self.adopt(level, left_id);
            self.blocks.get_mut(above).spans[index] = span;
            return true;
        }

        let mut right = mem::replace(self.blocks.get_mut(right_id), Block::new(above));
        let left = self.blocks.get_mut(left_id);
        if left_len < total / 2 {
            let rest = right.split_off(total / 2 - left_len);
            left.append(&mem::replace(&mut right, rest));
        } else {
            let mut moved = left.split_off(total / 2);
            moved.append(&right);
            right = moved;
        }
        let (left_span, right_span, right_first) = (left.span(), right.span(), right.firsts[0]);
        *self.blocks.get_mut(right_id) = right;
        self.adopt(level, left_id);
        self.adopt(level, right_id);
        let block = self.blocks.get_mut(above);
        (block.spans[index], block.spans[index + 1]) = (left_span, right_span);
        block.firsts[index + 1] = right_first;
        false
    }
}
