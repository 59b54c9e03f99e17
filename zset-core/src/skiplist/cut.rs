//! Cutting: moving the elements of a range to a list of their own.
//!
//! ```text
//! range           |-----------------------|
//! before   [a b c d] [e f g h] [i j k l] [m n o p]
//! after    [a b c]                         [n o p]      and     [d e f g h i j k l m]
//! ```
//!
//! Leaves and blocks that are entirely in the range are freed one by one. Blocks above the ends of the
//! range may then have too few children; there are at most two on each level, and they are repaired. A
//! cut is therefore O(log n + m) for m elements moved.
//!
//! Memory is allocated and tokens are computed first; neither happens again before the structure is valid.

use arrayvec::ArrayVec;

use super::index::MIN_CHILDREN;
use super::position::Position;
use super::range::RankedRange;
use super::remove::Removal;
use super::{Handle, NONE, NoDict, Relocate, SkipList};
use crate::TryReserveError;
use crate::handle::LEAF_CAPACITY;

#[cfg(test)]
mod tests;

/// The tokens of the elements of a leaf, by slot.
type Tokens<T> = ArrayVec<T, LEAF_CAPACITY>;

impl<M, S: Copy> SkipList<M, S> {
    /// Moves the elements of a range to a list of their own, without a dict to update.
    ///
    /// If it returns an error, the list is unchanged.
    pub(super) fn try_cut(&mut self, range: RankedRange) -> Result<Self, TryReserveError> {
        let empty = self.empty();
        if range.len == 0 {
            return Ok(empty);
        }
        if range.len == self.len {
            return Ok(core::mem::replace(self, empty));
        }
        self.try_cut_with(range, core::iter::empty(), &mut NoDict)
    }

    /// Moves the elements of a range to a list of their own, in full leaves in order. `forgotten` are
    /// their tokens in order. The range must be neither empty nor the whole list.
    ///
    /// On error, the list is unchanged. If `relocate.token` panics, the list is unchanged, or it is valid
    /// and the elements are dropped.
    pub(crate) fn try_cut_with<R: Relocate<M>>(
        &mut self,
        range: RankedRange,
        forgotten: impl Iterator<Item = R::Token>,
        relocate: &mut R,
    ) -> Result<Self, TryReserveError> {
        let mut list = self.empty();
        list.try_reserve_full_leaves(range.len)?;
        // In the leaves of the first and the last element.
        let start = self.at_element(range.start).unwrap_or(range.start);
        let end = self.after_element(range.end);
        // Tokens are needed only where elements remain.
        let (mut start_tokens, mut end_tokens) = (Tokens::new(), Tokens::new());
        let ends_inside = end.index < self.leaf(end.leaf).len();
        if start.index > 0 || start.leaf == end.leaf && ends_inside {
            self.compute_tokens(start.leaf, &mut start_tokens, relocate);
        }
        if start.leaf != end.leaf && ends_inside {
            self.compute_tokens(end.leaf, &mut end_tokens, relocate);
        }
        for (handle, token) in self.handles(range).zip(forgotten) {
            relocate.forget(token, handle);
        }

        // The leaves on both sides of the gap; the same leaf if the gap is within it.
        let before = if start.index > 0 { start.leaf } else { self.leaf(start.leaf).backward };
        let end_leaf = self.leaf(end.leaf);
        let after = if end.index < end_leaf.len() { end.leaf } else { end_leaf.forward };

        let mut position = start;
        while list.len() < range.len {
            let elements = (0..LEAF_CAPACITY.min(range.len - list.len())).map(|_| {
                position = self.at_element(position).expect("the range has this many elements");
                let tokens = match position.leaf {
                    leaf if leaf == start.leaf => Some(&mut start_tokens),
                    leaf if leaf == end.leaf => Some(&mut end_tokens),
                    _ => None,
                };
                self.take_slot(position, tokens, relocate)
            });
            list.try_push_leaf(elements).expect("room was reserved");
        }
        self.len -= range.len;
        self.update_leaf(before);
        self.update_leaf(after);
        self.remove_leaves_between(before, after);
        self.rebalance_around(before, relocate);
        Ok(list)
    }

    /// Computes the tokens of the elements of a leaf from which some are cut.
    fn compute_tokens<R: Relocate<M>>(
        &self,
        leaf: u32,
        tokens: &mut Tokens<R::Token>,
        relocate: &R,
    ) {
        tokens.extend(self.leaf(leaf).members.iter().map(|member| relocate.token(member)));
    }

    /// Removes the element at a position without updating the index. `tokens` are those of the leaf, or
    /// empty if no element remains in it.
    fn take_slot<R: Relocate<M>>(
        &mut self,
        position: Position,
        tokens: Option<&mut Tokens<R::Token>>,
        relocate: &mut R,
    ) -> (M, S) {
        if let Some(tokens) = tokens.filter(|tokens| !tokens.is_empty()) {
            // As in the leaf, the element of the last slot fills the slot.
            let slot = self.leaf(position.leaf).order()[position.index];
            let last = Handle::new(position.leaf, tokens.len() as u8 - 1);
            tokens.swap_remove(slot.into());
            if let Some(&token) = tokens.get(usize::from(slot)) {
                // If that element is in the cut too, the dict no longer has its handle.
                relocate.relocate(token, last, Handle::new(position.leaf, slot));
            }
        }
        self.leaves.remove(position.leaf, position.index)
    }

    /// Updates the index after the elements of a nonempty leaf have changed. A no-op for `NONE`.
    fn update_leaf(&mut self, leaf: u32) {
        if leaf == NONE || self.leaf(leaf).parent == NONE {
            return;
        }
        let (leaf_ref, block) = (self.leaf(leaf), self.blocks.get(self.leaf(leaf).parent));
        let [len, span] = [leaf_ref.len() as u8, block.spans[block.index_of(leaf)] as u8];
        self.update_spans(leaf, i32::from(len) - i32::from(span), Some(leaf_ref.at(0).1));
    }

    /// Frees the empty leaves between two others, and repairs the index. `NONE` for `before` or `after`
    /// means up to that end; if both are the same leaf, there are none in between.
    fn remove_leaves_between(&mut self, before: u32, after: u32) {
        let first = if before == NONE { self.head } else { self.leaf(before).forward };
        let last = if after == NONE { self.tail } else { self.leaf(after).backward };
        if before == after || first == after {
            return;
        }
        self.cut_index(first, last);
        let mut id = first;
        while id != after {
            let forward = self.leaf(id).forward;
            self.leaves.blocks().remove(id);
            id = forward;
        }
        self.leaves.set_forward(before, after);
        self.leaves.set_backward(after, before);
        if before == NONE {
            self.head = after;
        }
        if after == NONE {
            self.tail = before;
        }
        self.mend_above(before);
        self.mend_above(after);
    }

    /// Removes the leaves from `first` to `last` from the index, and frees blocks that are left without
    /// children.
    ///
    /// The remaining blocks may have any number of children, but at least 1.
    fn cut_index(&mut self, first: u32, last: u32) {
        // The outermost nodes on a level with removals below them, and whether each is left empty.
        let (mut left, mut left_is_empty) = (first, true);
        let (mut right, mut right_is_empty) = (last, true);
        for level in 1..=u32::from(self.levels) {
            let (left_above, right_above) =
                (self.parent(level - 1, left), self.parent(level - 1, right));
            let start = self.blocks.get(left_above).index_of(left) + usize::from(!left_is_empty);
            let end = self.blocks.get(right_above).index_of(right) + usize::from(right_is_empty);
            if left_above == right_above {
                self.remove_children(level, left_above, start, end);
            } else {
                self.remove_children(level, left_above, start, self.blocks.get(left_above).len());
                self.remove_children(level, right_above, 0, end);
            }
            for (node, is_empty) in [(left, left_is_empty), (right, right_is_empty)] {
                if !is_empty {
                    self.update_entry(node);
                }
            }
            (left, left_is_empty) = (left_above, self.blocks.get(left_above).len() == 0);
            (right, right_is_empty) = (right_above, self.blocks.get(right_above).len() == 0);
        }
    }

    /// Removes the children from `start` to `end` of a block on this level, and frees those that are
    /// blocks. An inverted range is a no-op.
    fn remove_children(&mut self, level: u32, id: u32, start: usize, end: usize) {
        if start >= end {
            return;
        }
        if level > 1 {
            for index in start..end {
                let child = self.blocks.get(id).children[index];
                self.remove_children(level - 1, child, 0, self.blocks.get(child).len());
                self.blocks.remove(child);
            }
        }
        self.blocks.get_mut(id).remove_range(start..end);
    }

    /// Updates the first score and the span of a block in the block above it.
    fn update_entry(&mut self, id: u32) {
        let block = self.blocks.get(id);
        let (first, span, above) = (block.firsts[0], block.span(), block.parent);
        let block = self.blocks.get_mut(above);
        let index = block.index_of(id);
        (block.firsts[index], block.spans[index]) = (first, span);
    }

    /// Returns the block above a node on this level.
    fn parent(&self, level: u32, id: u32) -> u32 {
        if level == 0 { self.leaf(id).parent } else { self.blocks.get(id).parent }
    }

    /// Repairs the blocks above a leaf, from level 1 up. A no-op for `NONE`.
    fn mend_above(&mut self, leaf: u32) {
        let (mut id, mut level) = (if leaf == NONE { NONE } else { self.leaf(leaf).parent }, 1);
        while id != NONE {
            id = self.mend(level, id);
            level += 1;
        }
    }

    /// Restores the minimum number of children of a block on this level: `MIN_CHILDREN`, or 2 for the
    /// top one. The blocks above it may have too few as well. Returns its parent afterwards, or `NONE`.
    ///
    /// A repaired block can lose several children before it has too few again, so each level is
    /// repaired only a few times.
    fn mend(&mut self, level: u32, id: u32) -> u32 {
        let block = self.blocks.get(id);
        if block.len() < MIN_CHILDREN && block.parent != NONE {
            // Ensures that the block has a sibling or becomes the top one.
            self.mend(level + 1, block.parent);
        }
        let block = self.blocks.get(id);
        let (above, len) = (block.parent, block.len());
        if above == NONE {
            if len == 1 {
                self.drop_top(level);
            }
            return NONE;
        }
        if len >= MIN_CHILDREN {
            return above;
        }
        let left = self.blocks.get(above).index_of(id).max(1) - 1;
        if self.merge_or_share(level, above, left) {
            // If the sibling had too few children as well, it is above the other end of the gap, and
            // the merged block is repaired again from there.
            self.blocks.get_mut(above).remove(left + 1);
        }
        above
    }

    /// Merges the leaves around a gap with their neighbours if they are small. `before` is the leaf
    /// before the gap, or `NONE`.
    fn rebalance_around<R: Relocate<M>>(&mut self, before: u32, relocate: &mut R) {
        let next = if before == NONE {
            self.start()
        } else {
            let position = Position { leaf: before, index: self.leaf(before).len() };
            self.rebalance(Removal { position }, relocate)
        };
        if let Some(position) = self.at_element(next) {
            self.rebalance(Removal { position }, relocate);
        }
    }

    /// Returns the handles of all elements, in order.
    pub(crate) fn all_handles(&self) -> impl Iterator<Item = Handle> {
        self.handles(self.resolve_ranks(&(..)))
    }

    /// Returns the handles of the elements of a range, in order.
    pub(crate) fn handles(&self, range: RankedRange) -> impl Iterator<Item = Handle> {
        let mut next = range.start;
        (0..range.len).map_while(move |_| {
            let position = self.at_element(next)?;
            next = Position { index: position.index + 1, ..position };
            Some(self.handle_at(position))
        })
    }
}
