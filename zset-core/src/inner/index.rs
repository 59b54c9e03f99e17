//! The index: blocks with the id, the span and the first score of each child, and random heights.
//!
//! ```text
//! level 2             [ 0: span 120 | 40 | 7: span 95 ]                 ids of level-1 blocks
//! level 1   [ 0: span 50 | 12 | 3: span 31 | 27 | 1: span 39 ]  [ 2: span 64 | 61 | 4: span 31 ]
//! leaves      0 (50 elements)   3 (31)           1 (39)           2 (64)           4 (31)
//! ```
//!
//! Like a key of a B-tree, the first score of a leaf is stored once: in the block in which it
//! separates two children. Splitting a block moves a score up one level, and merging two blocks
//! moves a score down. Neither copies a score.
//!
//! Invariants: `firsts` contains the score of the first element below each child except the first
//! child. `children` and `spans` have `len` entries, followed by `NONE` and 0 up to the capacity,
//! so that loops over them need no length. The span of a child is the number of elements below it.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::convert::Infallible;
use core::mem;
use core::ops::Range;
use rand_core::{Rng, TryRng};

use super::Nodes;
use super::arena::{ArenaNode, NONE};
use super::leaf::{End, LEAF_CAPACITY, MAX_LEAVES};
use crate::TryReserveError;

/// The maximum number of children of a block.
pub(crate) const BLOCK_CAPACITY: usize = 64;

/// The minimum number of children of every block except the top one. Neither splits nor removals
/// leave a block with fewer.
pub(crate) const MIN_CHILDREN: usize = BLOCK_CAPACITY / 8;

/// An upper bound on the number of levels. With one more, there would be more than `MAX_LEAVES`
/// leaves even if each block had only `MIN_CHILDREN` children, and the top block 2.
pub(crate) const MAX_LEVELS: usize = 10;

const _: () = assert!(2 * MIN_CHILDREN.pow(MAX_LEVELS as u32) > MAX_LEAVES);

/// Memory is freed when the length falls below `1 / SHRINK_SHARE` of its maximum, rounded up to a
/// power of two. Freeing it earlier would slow down queues that fill and drain repeatedly.
const SHRINK_SHARE: usize = 48;

/// The maximum number of elements that a removal may move in order to free memory.
const MOST_LEFT: usize = 1 << 14;

/// A node of the index. With its fields in this order, the compiler creates a block directly in its
/// box, not on the stack.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Block<S> {
    /// The parent block, or `NONE`; in a vacant block, the next vacant one.
    pub(crate) parent: u32,
    /// The number of children.
    len: u32,
    pub(crate) children: [u32; BLOCK_CAPACITY],
    pub(crate) spans: [u32; BLOCK_CAPACITY],
    /// The score of the first element below each child but the first one.
    pub(crate) firsts: ArrayVec<S, { BLOCK_CAPACITY - 1 }>,
}

/// A child to be added to a block.
pub(crate) struct Child<S> {
    pub(crate) id: u32,
    pub(crate) span: u32,
    /// The first score below the child or, if it is inserted at the start of a block, below the
    /// next child.
    pub(crate) first: S,
}

impl<S> Block<S> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == BLOCK_CAPACITY
    }

    /// Returns the index of the child with this id, which must be in the block.
    #[inline]
    pub(crate) fn index_of(&self, id: u32) -> usize {
        // Fast paths for pops from the front and for appends.
        if self.children[0] == id {
            return 0;
        }
        let last = self.len().wrapping_sub(1);
        if self.children.get(last) == Some(&id) {
            return last;
        }
        // The loop has no early exit, and its counter has the size of an id, so it compiles to SIMD
        // comparisons.
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

    fn insert(&mut self, index: usize, child: Child<S>) {
        let len = self.len();
        self.firsts.insert(index.max(1) - 1, child.first);
        self.children.copy_within(index..len, index + 1);
        self.spans.copy_within(index..len, index + 1);
        (self.children[index], self.spans[index]) = (child.id, child.span);
        self.len += 1;
    }

    /// Removes a child, and returns its first score. For the first child, returns that of the
    /// second, which becomes the first.
    fn remove(&mut self, index: usize) -> Option<S> {
        self.close_gap(index..index + 1);
        self.firsts.pop_at(index.max(1) - 1)
    }

    /// Removes the children at these indexes and their first scores. The first child of a block has
    /// none; if it is removed, that of the first remaining child is removed too. Scores move to
    /// `old_firsts` if dropping them may run user code.
    pub(crate) fn remove_range(&mut self, range: Range<usize>, old_firsts: &mut Vec<S>) {
        let start = range.start.max(1) - 1;
        let end = (start + range.len()).min(self.firsts.len());
        let removed = self.firsts.drain(start..end);
        if mem::needs_drop::<S>() {
            old_firsts.extend(removed);
        } else {
            drop(removed);
        }
        self.close_gap(range);
    }

    fn close_gap(&mut self, range: Range<usize>) {
        let (len, rest) = (self.len(), self.len() - range.len());
        self.children.copy_within(range.end..len, range.start);
        self.spans.copy_within(range.end..len, range.start);
        self.children[rest..len].fill(NONE);
        self.spans[rest..len].fill(0);
        self.len = rest as u32;
    }

    /// Moves the children from index `at` on to the empty block `to`, and returns the first score
    /// below `to`.
    fn split(&mut self, at: usize, to: &mut Self) -> S {
        to.firsts.extend(self.firsts.drain(at..));
        let first = self.firsts.pop().expect("a child before `at`");
        let moved = at..self.len();
        to.append_children(self, moved);
        first
    }

    /// Moves the first `count` children of the next block to the end of this one. `first` is the
    /// first score below the next block; returns the new one, if any children are left there.
    fn take_from_next(&mut self, next: &mut Self, count: usize, first: S) -> Option<S> {
        self.firsts.push(first);
        self.firsts.extend(next.firsts.drain(..count - 1));
        self.append_children(next, 0..count);
        next.firsts.pop_at(0)
    }

    /// Moves the last `count` children of this block to the start of the next one. `first` is the
    /// first score below the next block; returns the new one.
    fn give_to_next(&mut self, next: &mut Self, count: usize, first: S) -> S {
        let (at, len) = (self.len() - count, next.len());
        let mut firsts: ArrayVec<S, { BLOCK_CAPACITY - 1 }> = self.firsts.drain(at..).collect();
        firsts.push(first);
        firsts.extend(next.firsts.drain(..));
        next.firsts = firsts;
        next.children.copy_within(..len, count);
        next.spans.copy_within(..len, count);
        next.children[..count].copy_from_slice(&self.children[at..][..count]);
        next.spans[..count].copy_from_slice(&self.spans[at..][..count]);
        next.len += count as u32;
        self.close_gap(at..at + count);
        self.firsts.pop().expect("a child before those that move")
    }

    /// Moves the ids and spans of some children of another block to the end of this one.
    fn append_children(&mut self, from: &mut Self, range: Range<usize>) {
        let end = self.len()..self.len() + range.len();
        self.children[end.clone()].copy_from_slice(&from.children[range.clone()]);
        self.spans[end].copy_from_slice(&from.spans[range.clone()]);
        self.len += range.len() as u32;
        from.close_gap(range);
    }
}

impl<S> Block<S> {
    /// Returns whether the block is like a new one: it has no children, and all entries are reset.
    pub(crate) fn is_blank(&self) -> bool {
        let is_unused = |(&id, &span): (&u32, &u32)| id == NONE && span == 0;
        let all_unused = self.children.iter().zip(&self.spans).all(is_unused);
        self.len == 0 && self.firsts.is_empty() && all_unused
    }
}

impl<S> ArenaNode for Block<S> {
    const MAX_IDS: usize = NONE as usize - 1;
    /// If blocks are adjacent in memory, an update in a set of a million elements is a tenth
    /// faster.
    const MOST_AHEAD: usize = 16;

    fn empty() -> Self {
        Block {
            parent: NONE,
            len: 0,
            children: [NONE; BLOCK_CAPACITY],
            spans: [0; BLOCK_CAPACITY],
            firsts: ArrayVec::new(),
        }
    }

    fn clear(&mut self) {
        self.firsts.clear();
        (self.parent, self.len) = (NONE, 0);
        self.children.fill(NONE);
        self.spans.fill(0);
    }

    fn set_next_vacant(&mut self, next: u32) {
        self.parent = next;
    }

    fn next_vacant(&self) -> u32 {
        self.parent
    }
}

impl<K, V, S> Nodes<K, V, S> {
    /// Adds `by` to the spans above a node, and replaces its first score in the index with `first`,
    /// if given. Returns the old score, or `first` if the index has none because no node comes
    /// before this one.
    pub(crate) fn update_spans(
        &mut self,
        mut id: u32,
        mut parent: u32,
        by: i32,
        mut first: Option<S>,
    ) -> Option<S> {
        let mut replaced = None;
        while parent != NONE {
            let block = self.blocks.get_mut(parent);
            let index = block.index_of(id);
            block.spans[index] = block.spans[index].wrapping_add_signed(by);
            if index > 0 {
                if let Some(first) = first.take() {
                    replaced = Some(mem::replace(&mut block.firsts[index - 1], first));
                }
            }
            (id, parent) = (parent, block.parent);
        }
        replaced.or(first)
    }

    /// Subtracts one from the spans above the leaf at this end, whose parent is `id`.
    #[inline]
    pub(crate) fn shorten(&mut self, end: End, mut id: u32) {
        while id != NONE {
            let block = self.blocks.get_mut(id);
            let index = match end {
                End::First => 0,
                End::Last => block.len().saturating_sub(1),
            };
            block.spans[index] -= 1;
            id = block.parent;
        }
    }

    /// Draws the height of a new leaf next to `neighbour`. Reserves memory for the leaf and for the
    /// blocks that it may split.
    pub(crate) fn try_reserve_leaf(&mut self, neighbour: u32) -> Result<u32, TryReserveError> {
        let height = self.heights.draw();
        let (mut level, mut splits) = (0, 0);
        let mut parent = self.leaf(neighbour).parent;
        while parent != NONE {
            let block = self.blocks.get(parent);
            level += 1;
            let may_be_cut = height > level && block.len() >= 2 * MIN_CHILDREN;
            if !block.is_full() && !may_be_cut {
                break;
            }
            (parent, splits) = (block.parent, splits + 1);
        }
        // A new top block is needed if there is no index yet, or if the top block may split.
        let new_top = usize::from(parent == NONE);
        self.blocks.try_reserve(splits + new_top)?;
        self.leaves.try_blocks(1)?;
        Ok(height)
    }

    /// Links a new leaf after `leaf`, from which it has taken its `child.span` elements.
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

    /// Links an empty leaf before the head, whose first score is `child.first`.
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
            self.add_top(leaf, self.len as u32);
        }
        self.leaf(leaf).parent
    }

    /// Adds a top block with one child.
    fn add_top(&mut self, child: u32, span: u32) {
        self.top = self.blocks.insert();
        let block = self.blocks.get_mut(self.top);
        block.parent = NONE;
        (block.len, block.children[0], block.spans[0]) = (1, child, span);
        self.levels += 1;
        self.set_parent(u32::from(self.levels), child, self.top);
    }

    /// Sets the parent of a node, where `level` is the level of the parent.
    fn set_parent(&mut self, level: u32, id: u32, parent: u32) {
        if level == 1 {
            self.leaves.set_parent(id, parent);
        } else {
            self.blocks.get_mut(id).parent = parent;
        }
    }

    /// Raises the length below which `shrink_if_sparse` frees memory. Called for each new leaf.
    fn note_growth(&mut self) {
        let left = self.len / SHRINK_SHARE;
        // Removals free memory only while there is an index. A core of at most `LEAF_CAPACITY`
        // elements may have none, so the limit must be higher.
        if left > LEAF_CAPACITY {
            let bits = left.next_power_of_two().min(MOST_LEFT).ilog2();
            self.shrink_bits = self.shrink_bits.max(bits as u8);
        }
    }

    /// Inserts a new leaf into its level-1 block, and splits blocks. On every level below the
    /// leaf's height, the block splits so that the leaf starts a block. A full block always splits.
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
            let at = if block.is_full() {
                index.clamp(low, high)
            } else if height > level && (low..=high).contains(&index) {
                index
            } else {
                self.set_parent(level, child.id, parent);
                return self.blocks.get_mut(parent).insert(index, child);
            };

            self.set_parent(level, child.id, parent);
            let (left, new) = (parent, self.blocks.insert());
            let (block, right) = self.blocks.get_two_mut(left, new);
            let mut first = block.split(at, right);
            if index < at {
                block.insert(index, child);
            } else {
                if index == at {
                    mem::swap(&mut first, &mut child.first);
                }
                right.insert(index - at, child);
            }
            let span = block.span();
            child = Child { id: new, span: right.span(), first };
            self.adopt(level, new);

            if self.blocks.get(left).parent == NONE {
                self.add_top(left, span);
            }
            parent = self.blocks.get(left).parent;
            let block = self.blocks.get_mut(parent);
            index = block.index_of(left);
            block.spans[index] = span;
            index += 1;
            level += 1;
        }
    }

    /// Makes `parent`, a block on this level, the parent of all its children.
    fn adopt(&mut self, level: u32, parent: u32) {
        for index in 0..self.blocks.get(parent).len() {
            self.set_parent(level, self.blocks.get(parent).children[index], parent);
        }
    }

    /// Removes a leaf from its level-1 block, and repairs blocks that have become too small.
    /// Returns its first score or, if no leaf comes before it, that of its successor.
    pub(crate) fn remove_child(&mut self, mut parent: u32, index: usize) -> Option<S> {
        let block = self.blocks.get_mut(parent);
        let (mut removed, above) = (block.remove(index), block.parent);
        if index == 0 {
            removed = self.update_spans(parent, above, 0, removed);
        }
        let mut level = 1;
        loop {
            let block = self.blocks.get(parent);
            let (above, len) = (block.parent, block.len());
            if above == NONE {
                if len == 1 {
                    self.drop_top(level);
                }
                return removed;
            }
            // Every block except the top one has a sibling.
            let left = self.blocks.get(above).index_of(parent).max(1) - 1;
            if len >= MIN_CHILDREN || !self.merge_or_share(level, above, left) {
                return removed;
            }
            (parent, level) = (above, level + 1);
        }
    }

    /// Removes the top block, whose only child becomes the top.
    pub(crate) fn drop_top(&mut self, level: u32) {
        let block = self.blocks.get_mut(self.top);
        let child = block.children[0];
        block.close_gap(0..1);
        self.set_parent(level, child, NONE);
        self.blocks.remove(self.top);
        self.levels -= 1;
        self.top = if level == 1 { NONE } else { child };
    }

    /// Merges the blocks at `index` and `index + 1` in the block `above`, and returns true. If they
    /// are too large to merge, distributes their children evenly, and returns false.
    pub(crate) fn merge_or_share(&mut self, level: u32, above: u32, index: usize) -> bool {
        let block = self.blocks.get_mut(above);
        let (left_id, right_id) = (block.children[index], block.children[index + 1]);
        let first = block.remove(index + 1).expect("a child before `index + 1`");
        let (left, right) = self.blocks.get_two_mut(left_id, right_id);
        let (left_len, right_len) = (left.len(), right.len());
        let total = left_len + right_len;

        let is_merged = total <= BLOCK_CAPACITY * 3 / 4;
        let right_first = if is_merged {
            left.take_from_next(right, right_len, first)
        } else if left_len < total / 2 {
            left.take_from_next(right, total / 2 - left_len, first)
        } else {
            Some(left.give_to_next(right, left_len - total / 2, first))
        };
        let (left_span, right_span) = (left.span(), right.span());
        self.adopt(level, left_id);
        self.blocks.get_mut(above).spans[index] = left_span;
        if let Some(first) = right_first {
            self.adopt(level, right_id);
            let child = Child { id: right_id, span: right_span, first };
            self.blocks.get_mut(above).insert(index + 1, child);
        } else {
            self.blocks.remove(right_id);
        }
        is_merged
    }
}

/// The generator of heights: Marsaglia's xorshift with 32 bits of state ("Xorshift RNGs", Journal
/// of Statistical Software 8(14), 2003).
///
/// The heights need not be unpredictable. Full blocks split regardless of them, and no split leaves
/// fewer than `MIN_CHILDREN` children, so an operation visits O(log n) blocks for any sequence of
/// heights.
#[derive(Clone)]
pub(crate) struct Heights {
    state: u32,
    /// The bits that tests use instead of random ones.
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
            // Avoid the state 0, which xorshift never leaves.
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
        // If all bits are 0, the limit on the height ends the loop.
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
        let bits = [(); 3].map(|()| heights.next_u32());
        assert_eq!(bits, [723_471_715, 2_497_366_906, 2_064_144_800]);
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
