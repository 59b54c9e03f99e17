//! The index: blocks with the first score, the id and the span of each child, and random heights.
//!
//! ```text
//! level 2                  [ -inf:0 span 120 | 40:7 span 95 ]          ids of level-1 blocks
//! level 1   [ -inf:0 span 50 | 12:3 span 31 | 27:1 span 39 ]  [ 40:2 span 64 | 61:4 span 31 ]
//! leaves      0 (50 elements)  3 (31)         1 (39)            2 (64)         4 (31)
//! ```
//!
//! Invariants: `firsts` holds exactly the score of each child's first element. `children` and
//! `spans` have as many entries, followed by `NONE` and 0 up to the capacity, so that loops over
//! them need no length. Each span is the number of elements below that child.

use arrayvec::ArrayVec;
use core::convert::Infallible;
use core::ops::Range;
use rand_core::{Rng, TryRng};

use super::Nodes;
use super::arena::{ArenaNode, NONE};
use super::leaf::End;
use crate::small::{IS_SMALL, copy_within, fill};

/// The maximum number of children of a block.
pub(crate) const BLOCK_CAPACITY: usize = 64;

/// The minimum number of children of every block except the top one, whatever the heights and
/// removals.
pub(crate) const MIN_CHILDREN: usize = BLOCK_CAPACITY / 8;

/// The maximum number of levels: 2^26 leaves under blocks of at least `MIN_CHILDREN`, with at least
/// 2 in the top block.
pub(crate) const MAX_LEVELS: usize = 10;

#[derive(Clone)]
pub(crate) struct Block<S> {
    /// The parent block, or `NONE`; in a vacant block, the next vacant one.
    pub(crate) parent: u32,
    pub(crate) children: [u32; BLOCK_CAPACITY],
    pub(crate) spans: [u32; BLOCK_CAPACITY],
    pub(crate) firsts: ArrayVec<S, BLOCK_CAPACITY>,
}

/// A block's entry for one child.
#[derive(Clone, Copy)]
pub(crate) struct Child<S> {
    pub(crate) id: u32,
    pub(crate) first: S,
    pub(crate) span: u32,
}

impl<S: Copy> Block<S> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.firsts.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.firsts.is_full()
    }

    /// Returns the index of the child with this id, which must be in the block.
    #[inline]
    pub(crate) fn index_of(&self, id: u32) -> usize {
        if IS_SMALL {
            return self.children.iter().position(|child| *child == id).unwrap_or_default();
        }
        // The common cases: popping from the first end and appending at the last.
        if self.children[0] == id {
            return 0;
        }
        let last = self.len().wrapping_sub(1);
        if self.children.get(last) == Some(&id) {
            return last;
        }
        // Visits the whole array without an early exit, with an id-sized counter, to compile to
        // packed compares.
        let (mut index, mut i) = (0, 0u32);
        for &child in &self.children {
            index |= if child == id { i } else { 0 };
            i += 1;
        }
        index as usize
    }

    /// Returns the sum of the spans of the children before `index`.
    #[inline]
    pub(crate) fn span_before(&self, index: usize) -> usize {
        if IS_SMALL {
            return self.spans[..index].iter().sum::<u32>() as usize;
        }
        let (mut sum, mut i) = (0, 0u32);
        for &span in &self.spans {
            sum += if i < index as u32 { span } else { 0 };
            i += 1;
        }
        sum as usize
    }

    /// Returns the number of elements below the block.
    pub(crate) fn span(&self) -> u32 {
        self.spans.iter().sum()
    }

    pub(crate) fn insert(&mut self, index: usize, child: Child<S>) {
        let len = self.len();
        // Not `ArrayVec::insert`, so that all columns are shifted by the same code.
        self.firsts.push(child.first);
        copy_within(&mut self.children, index..len, index + 1);
        copy_within(&mut self.spans, index..len, index + 1);
        copy_within(&mut self.firsts, index..len, index + 1);
        (self.children[index], self.spans[index]) = (child.id, child.span);
        self.firsts[index] = child.first;
    }

    pub(crate) fn remove(&mut self, index: usize) {
        self.remove_range(index..index + 1);
    }

    /// Removes the children at these indexes.
    ///
    /// On microcontrollers, it is not inlined, so that its stack space is free while children move.
    #[inline(never)]
    pub(crate) fn remove_range(&mut self, range: Range<usize>) {
        let (len, rest) = (self.len(), self.len() - range.len());
        copy_within(&mut self.children, range.end..len, range.start);
        copy_within(&mut self.spans, range.end..len, range.start);
        copy_within(&mut self.firsts, range.end..len, range.start);
        fill(&mut self.children[rest..len], NONE);
        fill(&mut self.spans[rest..len], 0);
        self.firsts.truncate(rest);
    }

    /// Moves the children at these indexes to another block, from the index `at` on.
    pub(crate) fn move_children(&mut self, range: Range<usize>, to: &mut Self, at: usize) {
        for (at, index) in (at..).zip(range.clone()) {
            let (id, span, first) = (self.children[index], self.spans[index], self.firsts[index]);
            to.insert(at, Child { id, first, span });
        }
        self.remove_range(range);
    }
}

impl<S> ArenaNode for Block<S> {
    const MAX_IDS: usize = NONE as usize - 1;

    #[inline]
    fn empty() -> Self {
        // A constant is built in place, not on the stack.
        const {
            Block {
                parent: 0,
                children: [0; BLOCK_CAPACITY],
                spans: [0; BLOCK_CAPACITY],
                firsts: ArrayVec::new_const(),
            }
        }
    }

    fn blank(&mut self) {
        self.parent = NONE;
        fill(&mut self.children, NONE);
    }

    fn set_next_vacant(&mut self, next: u32) {
        self.parent = next;
    }

    fn next_vacant(&self) -> u32 {
        self.parent
    }
}

impl<K, V, S: Copy> Nodes<K, V, S> {
    /// Adds to the spans above a leaf, and updates first scores if the leaf has a new one.
    pub(crate) fn update_spans(&mut self, leaf: u32, by: i32, first: Option<S>) {
        self.update_spans_above(leaf, self.leaf(leaf).parent, by, first);
    }

    /// Like `update_spans`, given the parent of the leaf.
    pub(crate) fn update_spans_above(
        &mut self,
        mut id: u32,
        mut parent: u32,
        by: i32,
        mut first: Option<S>,
    ) {
        while parent != NONE {
            let block = self.blocks.get_mut(parent);
            let index = block.index_of(id);
            block.spans[index] = block.spans[index].wrapping_add_signed(by);
            if let Some(score) = first {
                block.firsts[index] = score;
                first = if index == 0 { first } else { None };
            }
            (id, parent) = (parent, block.parent);
        }
    }

    /// Subtracts one from the spans above the leaf at this end, which has the parent `id`, and
    /// updates first scores if the leaf has a new one.
    #[inline]
    pub(crate) fn shorten(&mut self, end: End, mut id: u32, first: Option<S>) {
        while id != NONE {
            let block = self.blocks.get_mut(id);
            let index = match end {
                End::First => 0,
                End::Last => block.len().saturating_sub(1),
            };
            block.spans[index] -= 1;
            if let Some(first) = first {
                block.firsts[index] = first;
            }
            id = block.parent;
        }
    }

    /// Links a new leaf after another from which it took its elements (as many as `child.span`).
    pub(crate) fn link_after(&mut self, leaf: u32, child: Child<S>, height: u32) {
        let forward = self.leaf(leaf).forward;
        self.leaves.set_forward(child.id, forward);
        self.leaves.set_backward(child.id, leaf);
        self.leaves.set_forward(leaf, child.id);
        self.leaves.set_backward(forward, child.id);
        if self.tail == leaf {
            self.tail = child.id;
        }
        let parent = self.parent_of_leaf(leaf);
        let block = self.blocks.get_mut(parent);
        let index = block.index_of(leaf);
        block.spans[index] -= child.span;
        self.add_child(parent, index + 1, child, height);
    }

    /// Links an empty leaf before the first.
    pub(crate) fn link_before_head(&mut self, child: Child<S>, height: u32) {
        let head = self.head;
        self.leaves.set_forward(child.id, head);
        self.leaves.set_backward(child.id, NONE);
        self.leaves.set_backward(head, child.id);
        self.head = child.id;
        let parent = self.parent_of_leaf(head);
        self.add_child(parent, 0, child, height);
    }

    /// Returns the block above a leaf, creating it if there is no index.
    fn parent_of_leaf(&mut self, leaf: u32) -> u32 {
        if self.levels == 0 {
            let first = self.leaf(leaf).at(0).1;
            self.add_top(Child { id: leaf, first, span: self.len as u32 });
        }
        self.leaf(leaf).parent
    }

    /// Adds a top block with one child.
    fn add_top(&mut self, child: Child<S>) {
        self.top = self.blocks.insert();
        let block = self.blocks.get_mut(self.top);
        block.parent = NONE;
        block.insert(0, child);
        self.levels += 1;
        self.set_parent(u32::from(self.levels), child.id, self.top);
    }

    /// Sets the parent of a child of a block on this level.
    pub(crate) fn set_parent(&mut self, level: u32, id: u32, parent: u32) {
        if level == 1 {
            self.leaves.set_parent(id, parent);
        } else {
            self.blocks.get_mut(id).parent = parent;
        }
    }

    /// Inserts a new leaf into its level-1 block, and splits blocks: on every level below the
    /// leaf's height, so that the leaf starts a block, and wherever a block is full.
    ///
    /// ```text
    /// a leaf x of height 2:    [ ... a b c d ... ]   ->   [ ... a b ]  [ x c d ... ]
    /// ```
    ///
    /// Blocks keep at least `MIN_CHILDREN` children: a split too close to an end is skipped or, in
    /// a full block, shifted.
    fn add_child(&mut self, mut parent: u32, mut index: usize, mut child: Child<S>, height: u32) {
        self.note_growth();
        let mut level = 1;
        loop {
            let block = self.blocks.get_mut(parent);
            let (low, high) = (MIN_CHILDREN, block.len().saturating_sub(MIN_CHILDREN));
            let cut = if block.is_full() {
                index.clamp(low, high)
            } else if height > level && (low..=high).contains(&index) {
                index
            } else {
                block.insert(index, child);
                self.set_parent(level, child.id, parent);
                return;
            };

            let (left, new) = (parent, self.blocks.insert());
            let (block, right) = self.blocks.get_two_mut(left, new);
            block.move_children(cut..block.len(), right, 0);
            if index >= cut {
                right.insert(index - cut, child);
            } else {
                block.insert(index, child);
            }
            let (inserted, span) = (child.id, block.span());
            child = Child { id: new, first: right.firsts[0], span: right.span() };
            self.set_parent(level, inserted, left);
            self.adopt(level, new);

            let block = self.blocks.get(left);
            if block.parent == NONE {
                self.add_top(Child { id: left, first: block.firsts[0], span });
            }
            parent = self.blocks.get(left).parent;
            let block = self.blocks.get_mut(parent);
            index = block.index_of(left);
            block.spans[index] = span;
            index += 1;
            level += 1;
        }
    }

    /// Sets the parent of all children of a block on this level.
    pub(crate) fn adopt(&mut self, level: u32, parent: u32) {
        for index in 0..self.blocks.get(parent).len() {
            self.set_parent(level, self.blocks.get(parent).children[index], parent);
        }
    }

    /// Removes an entry of a block, and repairs blocks that have become too small.
    pub(crate) fn remove_child(&mut self, mut parent: u32, mut index: usize) {
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
    pub(crate) fn drop_top(&mut self, level: u32) {
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

    /// Merges the blocks at `index` and `index + 1` of a block and returns true; the caller must
    /// then remove the entry `index + 1`. If they are too large to merge, redistributes their
    /// children evenly and returns false.
    pub(crate) fn merge_or_share(&mut self, level: u32, above: u32, index: usize) -> bool {
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

/// The generator of heights: Marsaglia's xorshift with 32 bits of state ("Xorshift RNGs", Journal
/// of Statistical Software 8(14), 2003).
///
/// Only an even distribution matters: blocks are halved when they overflow and never split to fewer
/// than `MIN_CHILDREN` children, so no sequence of heights makes an operation visit more than O(log
/// n) blocks.
#[derive(Clone)]
pub(crate) struct Heights {
    state: u32,
    /// Returned instead of random bits, in tests.
    #[cfg(test)]
    constant: Option<u32>,
}

/// One leaf in 2^5 = 32 is higher than level 1, one in 32 of those is higher than level 2, and so
/// on.
const BITS_PER_LEVEL: u32 = 5;

impl Heights {
    /// Any nonzero state will do; this one is from Marsaglia's paper.
    pub(crate) const DEFAULT: Heights = Heights::from_state(2_463_534_242);

    const fn from_state(state: u32) -> Heights {
        Heights {
            // Xorshift never leaves the state 0.
            state: if state == 0 { 1 } else { state },
            #[cfg(test)]
            constant: None,
        }
    }

    pub(crate) fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Heights {
        Heights::from_state(rng.next_u32())
    }

    #[cfg(test)]
    pub(crate) fn constant(bits: u32) -> Heights {
        Heights { constant: Some(bits), ..Heights::DEFAULT }
    }

    /// Returns the height of a new leaf, at least 1.
    pub(crate) fn draw(&mut self) -> u32 {
        let (mut bits, mut height) = (self.next_u32(), 1);
        // If all bits are 0, the loop ends when they are used up.
        while bits.trailing_zeros() >= BITS_PER_LEVEL && height <= u32::BITS / BITS_PER_LEVEL {
            (bits, height) = (bits >> BITS_PER_LEVEL, height + 1);
        }
        height
    }
}

impl TryRng for Heights {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        #[cfg(test)]
        if let Some(bits) = self.constant {
            return Ok(bits);
        }
        let mut x = self.state;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.state = x;
        Ok(x)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        rand_core::utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        rand_core::utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_fall_off_by_32() {
        let mut heights = Heights::DEFAULT;
        let draws = 32 * 32 * if cfg!(miri) { 4 } else { 64 };
        let (mut above_1, mut above_2) = (0, 0);
        for _ in 0..draws {
            let height = heights.draw();
            assert!((1..=1 + u32::BITS / BITS_PER_LEVEL).contains(&height));
            above_1 += u32::from(height > 1);
            above_2 += u32::from(height > 2);
        }
        assert!((draws / 64..draws / 16).contains(&above_1), "{above_1} of {draws}");
        assert!(above_2 < draws / 256, "{above_2} of {draws}");
    }

    #[test]
    fn the_bits_match_the_paper() {
        let mut heights = Heights::DEFAULT;
        assert_eq!(
            [(); 3].map(|()| heights.next_u32()),
            [723_471_715, 2_497_366_906, 2_064_144_800]
        );
    }

    #[test]
    fn each_five_trailing_zeros_add_a_level() {
        let heights = [1, 0b1_0000, 0b10_0000, 1 << 9, 1 << 10, 1 << 31, 0];
        let heights = heights.map(|bits| Heights::constant(bits).draw());
        assert_eq!(heights, [1, 1, 2, 2, 3, 7, 7]);
    }

    #[test]
    fn a_seed_of_zero_still_moves() {
        let mut heights = Heights::from_state(0);
        let first = heights.next_u32();
        assert_ne!(first, heights.next_u32());
    }
}
