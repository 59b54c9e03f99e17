//! Cutting: moving the elements of a range to separate nodes.
//!
//! ```text
//! range           |-----------------------|
//! before   [a b c d] [e f g h] [i j k l] [m n o p]
//! after    [a b c]                         [n o p]      and     [d e f g h i j k l m]
//! ```
//!
//! Leaves and blocks that are entirely in the range are freed one by one. Afterwards, the blocks
//! above the ends of the range, at most two on each level, may have too few children and are
//! repaired. A cut is therefore O(log n + m) for m elements moved.
//!
//! Some elements of the first and of the last leaf may stay. If the slot of such an element is not
//! below the new length of the leaf, the element is a *filler*: it first swaps slots with an
//! element to cut in a lower slot. There are no more fillers than elements to cut. All other
//! elements that stay keep their slots.
//!
//! Before the first change, the tokens (hashes) of all elements that move are computed, and all
//! memory is allocated. Nothing more is hashed or allocated until the structure is valid again.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::mem;
use core::ops::Range;

use super::arena::NONE;
use super::find::{Position, RankedRange};
use super::index::MIN_CHILDREN;
use super::iter::Drain;
use super::leaf::{Handle, LEAF_CAPACITY};
use super::transfer::{Plan, Removal};
use super::{Clear, Core, Lookup, Nodes};
use crate::TryReserveError;
use crate::reserve::{or_panic, push_reserved};

impl<K, V, S, D: Clear> Core<K, V, S, D> {
    /// Moves all elements, with their memory, to separate nodes.
    fn take_all(&mut self) -> Nodes<K, V, S> {
        self.dict.clear();
        let empty = self.nodes.empty();
        mem::replace(&mut self.nodes, empty)
    }

    /// Drops all elements, and keeps the memory. If dropping one panics, the core is already empty.
    pub(crate) fn clear(&mut self) {
        let mut nodes = self.take_all();
        nodes.clear();
        self.nodes = nodes;
    }

    /// Removes all elements, and returns an iterator over them, whose drop returns their memory to
    /// the core.
    pub(crate) fn drain_all(&mut self) -> Drain<'_, K, V, S> {
        let nodes = self.take_all();
        Drain::new(nodes, Some(&mut self.nodes))
    }
}

impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Moves the elements of a range to separate nodes.
    ///
    /// On an error, the core is unchanged.
    pub(crate) fn try_cut(
        &mut self,
        range: RankedRange,
    ) -> Result<Nodes<K, V, S>, TryReserveError> {
        let mut cut = self.nodes.empty();
        if range.len == self.nodes.len {
            cut = self.take_all();
        } else if range.len > 0 {
            self.try_cut_to(&mut cut, range, |_| Ok(()))?;
        }
        Ok(cut)
    }

    /// Removes the elements of a range, and returns an iterator over them.
    #[track_caller]
    pub(crate) fn drain_range(&mut self, range: RankedRange) -> Drain<'_, K, V, S> {
        match range.len {
            0 => Drain::new(self.nodes.empty(), None),
            len if len == self.nodes.len => self.drain_all(),
            1 => self.drain_one(range.start),
            _ => {
                let mut cut = Drain::new(self.nodes.empty(), None);
                or_panic(self.try_cut_to(cut.nodes_mut(), range, |_| Ok(())));
                cut
            }
        }
    }

    /// Drains the element at or after a position, which must not be the end.
    fn drain_one(&mut self, position: Position) -> Drain<'_, K, V, S> {
        let first = self.nodes.at_element(position).expect("there is an element");
        Drain::of_one(self.take(first))
    }

    /// Moves the elements of a range, which contains some but not all elements, to empty nodes, in
    /// full leaves in order. Before anything changes, `prepare` receives the tokens of these
    /// elements.
    ///
    /// On an error, the core and `to` are unchanged. If hashing a key panics, both are valid, and
    /// either none or all of the elements have moved.
    pub(crate) fn try_cut_to(
        &mut self,
        to: &mut Nodes<K, V, S>,
        cut: RankedRange,
        prepare: impl FnOnce(&[D::Token]) -> Result<(), TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let next = self.nodes.at_element(cut.end);
        let next_first = next.map(|next| self.nodes.leaf(next.leaf).at(next.index).1.clone());
        let firsts = self.nodes.try_firsts(cut)?;
        // Dropping a score may panic, so old scores are kept here until the structure is valid.
        let mut old_firsts = Vec::new();
        if mem::needs_drop::<S>() {
            let leaves = self.nodes.leaf_ids(cut.start.leaf, cut.end.leaf).count();
            old_firsts.try_reserve_exact(leaves)?;
        }
        self.relocate_cut(&cut, |elements| {
            prepare(elements)?;
            to.try_reserve_full_leaves(cut.len)
        })?;
        self.nodes.move_to(to, &cut, firsts);
        let before = self.nodes.close_gap(&cut, next_first, &mut old_firsts);
        self.rebalance_around(before);
        self.shrink_if_sparse(self.nodes.start());
        Ok(())
    }

    /// Reports to the dict that the elements of a cut are about to be removed, and moves the
    /// fillers to their slots. Before that, `prepare` receives the tokens of the elements to cut.
    fn relocate_cut(
        &mut self,
        cut: &RankedRange,
        prepare: impl FnOnce(&[D::Token]) -> Result<(), TryReserveError>,
    ) -> Result<(), TryReserveError> {
        // At most half of each of the two leaves are fillers.
        let most = cut.len + cut.len.min(LEAF_CAPACITY);
        let (mut few, mut many) = (ArrayVec::<_, LEAF_CAPACITY>::new(), Vec::new());
        let tokens = if most <= LEAF_CAPACITY {
            self.for_each_token(cut, |token| few.push(token));
            &few[..]
        } else {
            many.try_reserve_exact(most)?;
            self.for_each_token(cut, |token| push_reserved(&mut many, token));
            &many[..]
        };
        let (elements, fillers) = tokens.split_at(cut.len);
        prepare(elements)?;

        for (&token, handle) in elements.iter().zip(self.nodes.handles_from(cut.start)) {
            self.dict.forget(token, handle);
        }
        self.move_fillers(cut, fillers);
        Ok(())
    }

    /// Calls `receive` with the tokens of the elements of a cut, and then with those of the
    /// fillers.
    fn for_each_token(&self, cut: &RankedRange, mut receive: impl FnMut(D::Token)) {
        for handle in self.nodes.handles_from(cut.start).take(cut.len) {
            receive(self.dict.token(handle, &self.nodes.element_at(handle).0.0));
        }
        for (id, elements) in self.nodes.ends_of(cut) {
            let leaf = self.nodes.leaf(id);
            for slot in Plan::new(leaf.order(), &elements).fillers() {
                receive(self.dict.token(Handle::new(id, slot), &leaf.pairs[slot as usize].0));
            }
        }
    }

    /// Moves the fillers, which have these tokens, to the slots of elements to cut.
    fn move_fillers(&mut self, cut: &RankedRange, tokens: &[D::Token]) {
        let mut tokens = tokens.iter();
        for (leaf, elements) in self.nodes.ends_of(cut) {
            let plan = Plan::new(self.nodes.leaf(leaf).order(), &elements);
            for (slot, &token) in plan.fillers().zip(&mut tokens) {
                let to = plan.new_slot(slot);
                let [from, new] = [slot, to].map(|slot| Handle::new(leaf, slot));
                self.dict.relocate(token, from, new);
                self.nodes.leaves.swap_slots(leaf, slot, to);
            }
        }
    }

    /// Merges the leaves around a gap with their neighbours if they are small. `before` is the leaf
    /// before the gap, or `NONE`.
    fn rebalance_around(&mut self, before: u32) {
        let mut next = if before == NONE {
            self.nodes.start()
        } else {
            Position { leaf: before, index: self.nodes.leaf(before).len() }
        };
        // The first round rebalances the leaf before the gap, and the second the leaf after it.
        for _ in 0..2 {
            let left = self.nodes.leaf(next.leaf).len() as u8;
            let (position, _first) = self.rebalance(Removal { position: next, left });
            next = self.nodes.at_element(position).unwrap_or(position);
        }
    }
}

impl<K, V, S> Nodes<K, V, S> {
    /// Returns the first and the last leaf of a cut, each with the indexes of its elements to cut.
    /// If both are the same leaf, the second range is empty.
    fn ends_of(&self, cut: &RankedRange) -> [(u32, Range<usize>); 2] {
        let RankedRange { start, end, .. } = cut;
        let (first_end, last_end) = if start.leaf == end.leaf {
            (end.index, 0)
        } else {
            (self.leaf(start.leaf).len(), end.index)
        };
        [(start.leaf, start.index..first_end), (end.leaf, 0..last_end)]
    }

    /// Moves the elements of a cut to empty nodes with room for them, without updating the index.
    /// The fillers must have moved, so that these elements are in the last slots of their leaves.
    /// `firsts` are the first scores of all new leaves but the first one.
    fn move_to(&mut self, to: &mut Self, cut: &RankedRange, firsts: Vec<S>) {
        let (mut position, mut firsts) = (cut.start, firsts.into_iter());
        while to.len() < cut.len {
            let first = if to.len() > 0 { firsts.next() } else { None };
            let next = (0..LEAF_CAPACITY.min(cut.len - to.len())).map(|_| {
                position = self.at_element(position).expect("the range has this many elements");
                self.leaves.remove(position.leaf, position.index).0
            });
            to.try_push_leaf(first, next).expect("room was reserved");
        }
    }

    /// Updates the index after the elements of a cut have moved, given the score of the next
    /// element; returns the leaf before the gap, or `NONE`.
    fn close_gap(
        &mut self,
        cut: &RankedRange,
        next_first: Option<S>,
        old_firsts: &mut Vec<S>,
    ) -> u32 {
        self.len -= cut.len;
        // The leaves before and after the gap. If the gap is within a leaf, both are that leaf.
        let (start, end) = (cut.start, cut.end.leaf);
        let before = if start.index > 0 { start.leaf } else { self.leaf(start.leaf).backward };
        let before_in_end = if start.leaf == end { start.index } else { 0 };
        let last = self.leaf(end);
        let after = if last.len() > before_in_end { end } else { last.forward };
        self.update_leaf_span(before);
        self.update_leaf_span(after);
        self.remove_leaves_between(before, after, old_firsts);
        if before != after && after != NONE {
            let _old_first = self.update_spans(after, self.leaf(after).parent, 0, next_first);
        }
        before
    }

    /// Updates the spans above a leaf after its length has changed. A no-op for `NONE`.
    fn update_leaf_span(&mut self, leaf: u32) {
        if leaf == NONE || self.leaf(leaf).parent == NONE {
            return;
        }
        let (len, parent) = (self.leaf(leaf).len() as u8, self.leaf(leaf).parent);
        let block = self.blocks.get(parent);
        let span = block.spans[block.index_of(leaf)] as u8;
        self.update_spans(leaf, parent, i32::from(len) - i32::from(span), None);
    }

    /// Frees the empty leaves between two others, and repairs the index. If `before` or `after` is
    /// `NONE`, frees all leaves up to that end. If both are the same leaf, there is nothing to
    /// free.
    fn remove_leaves_between(&mut self, before: u32, after: u32, old_firsts: &mut Vec<S>) {
        let first = if before == NONE { self.head } else { self.leaf(before).forward };
        let last = if after == NONE { self.tail } else { self.leaf(after).backward };
        if before == after || first == after {
            return;
        }
        self.cut_index(first, last, old_firsts);
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

    /// Removes the leaves from `first` to `last` from the index, and frees blocks that are left
    /// without children.
    ///
    /// The remaining blocks may have any number of children, but at least 1.
    fn cut_index(&mut self, first: u32, last: u32, old_firsts: &mut Vec<S>) {
        // On each level in turn, the first and the last node that lose leaves, and whether each of
        // the two is left empty.
        let (mut left, mut left_is_empty) = (first, true);
        let (mut right, mut right_is_empty) = (last, true);
        for level in 1..=u32::from(self.levels) {
            let (left_above, right_above) =
                (self.parent(level - 1, left), self.parent(level - 1, right));
            let start = self.blocks.get(left_above).index_of(left) + usize::from(!left_is_empty);
            let end = self.blocks.get(right_above).index_of(right) + usize::from(right_is_empty);
            if left_above == right_above {
                self.remove_children(level, left_above, start..end, old_firsts);
            } else {
                let all = self.blocks.get(left_above).len();
                self.remove_children(level, left_above, start..all, old_firsts);
                self.remove_children(level, right_above, 0..end, old_firsts);
            }
            for (node, is_empty) in [(left, left_is_empty), (right, right_is_empty)] {
                if !is_empty {
                    self.update_span(node);
                }
            }
            (left, left_is_empty) = (left_above, self.blocks.get(left_above).len() == 0);
            (right, right_is_empty) = (right_above, self.blocks.get(right_above).len() == 0);
        }
    }

    /// Removes children of a block on this level, and frees those that are blocks. An inverted
    /// range is a no-op.
    fn remove_children(
        &mut self,
        level: u32,
        id: u32,
        range: Range<usize>,
        old_firsts: &mut Vec<S>,
    ) {
        if range.is_empty() {
            return;
        }
        if level > 1 {
            for index in range.clone() {
                let child = self.blocks.get(id).children[index];
                let all = 0..self.blocks.get(child).len();
                self.remove_children(level - 1, child, all, old_firsts);
                self.blocks.remove(child);
            }
        }
        self.blocks.get_mut(id).remove_range(range, old_firsts);
    }

    /// Updates the span of a block in the block above it.
    fn update_span(&mut self, id: u32) {
        let block = self.blocks.get(id);
        let (span, above) = (block.span(), block.parent);
        let block = self.blocks.get_mut(above);
        let index = block.index_of(id);
        block.spans[index] = span;
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

    /// Restores the minimum number of children of a block on this level: `MIN_CHILDREN`, or 2 for
    /// the top one. The blocks above it may have too few as well. Returns the parent of the
    /// repaired block, or `NONE`.
    ///
    /// A repaired block can lose several children before it has too few again, so each level is
    /// repaired only a few times.
    fn mend(&mut self, level: u32, id: u32) -> u32 {
        let block = self.blocks.get(id);
        if block.len() < MIN_CHILDREN && block.parent != NONE {
            // Repair the parent first. Afterwards, the block has a sibling, or it is the top block.
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
        // If the sibling has too few children as well, it is above the other end of the gap. The
        // call for that end then repairs the merged block again.
        let left = self.blocks.get(above).index_of(id).max(1) - 1;
        self.merge_or_share(level, above, left);
        above
    }
}
