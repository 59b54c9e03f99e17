//! An index block: the first score, the id and the span of each child.
//!
//! ```text
//! level 2                  [ -inf:0 span 120 | 40:7 span 95 ]          ids of level-1 blocks
//! level 1   [ -inf:0 span 50 | 12:3 span 31 | 27:1 span 39 ]  [ 40:2 span 64 | 61:4 span 31 ]
//! leaves      0 (50 elements)  3 (31)         1 (39)            2 (64)         4 (31)
//! ```
//!
//! Invariants: `firsts` holds exactly the score of each child's first element. `children` and `spans`
//! have as many entries, followed by `NONE` and 0 up to the capacity, so that loops over them need no
//! length. Each span is the number of elements below that child.

use arrayvec::ArrayVec;
use core::ops::Range;

use crate::arena::{NONE, Node};
use crate::small::{copy_within, fill};

/// The maximum number of children of a block.
pub(crate) const BLOCK_CAPACITY: usize = 64;

/// The minimum number of children of every block except the top one, whatever the heights and removals.
pub(crate) const MIN_CHILDREN: usize = BLOCK_CAPACITY / 8;

/// The maximum number of levels: 2^26 leaves under blocks of at least `MIN_CHILDREN`, with at least 2
/// in the top block.
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
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn index_of(&self, id: u32) -> usize {
        if cfg!(target_os = "none") {
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
        // Visits the whole array without an early exit, with an id-sized counter, to compile to packed
        // compares.
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
        if cfg!(target_os = "none") {
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
    #[cfg_attr(target_os = "none", inline(never))]
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

impl<S> Node for Block<S> {
    const MAX_IDS: usize = NONE as usize - 1;

    #[inline]
    fn empty() -> Self {
        // A constant is made in its place, not on the stack.
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
