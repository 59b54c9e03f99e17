//! Searching: from a score and a predicate on keys, a rank or a handle to a position in a leaf.
//!
//! The predicate accepts the keys of exactly that score that come before the position. Insertions
//! and updates share one instance of a search.

use core::cmp::Ordering;

use super::Nodes;
use super::arena::NONE;
use super::index::{BLOCK_CAPACITY, Block, MAX_LEVELS};
use super::leaf::Handle;
use crate::TieOrder;
use crate::small::descent;

/// A position in order: before an element of a leaf, or after the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) leaf: u32,
    /// The number of elements of the leaf that come before.
    pub(crate) index: usize,
}

impl<K, V, S: Copy> Nodes<K, V, S> {
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
    #[inline]
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

    /// Returns the same position as an index in the leaf of the previous element. It must not be
    /// the start.
    pub(crate) fn after_element(&self, position: Position) -> Position {
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

    /// Returns the position of the last element of a nonempty core.
    pub(crate) fn last_position(&self) -> Position {
        Position { leaf: self.tail, index: self.leaf(self.tail).len().wrapping_sub(1) }
    }
}

/// The child index that a search takes in each block, from the top down, six bits each. Paths
/// compare like the leaves to which they lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(u64);

impl Path {
    pub(crate) const FIRST: Path = Path(u64::MIN);
    pub(crate) const LAST: Path = Path(u64::MAX);
    /// The path of a target whose path is not known. No other path has all bits set.
    pub(crate) const UNKNOWN: Path = Path(u64::MAX);

    /// Appends a child index.
    #[inline]
    pub(crate) fn push(&mut self, index: usize) {
        const { assert!(MAX_LEVELS as u32 * BLOCK_CAPACITY.ilog2() < u64::BITS) }
        self.0 = self.0 << BLOCK_CAPACITY.ilog2() | index as u64;
    }

    /// Returns the child index in the block on this level, which is at least 1.
    #[inline]
    pub(crate) fn index_on(self, level: u32) -> usize {
        (self.0 >> ((level - 1) * BLOCK_CAPACITY.ilog2())) as usize % BLOCK_CAPACITY
    }
}

/// The place at which to insert an element with a score.
pub(crate) struct Target<S> {
    pub(crate) position: Position,
    pub(crate) score: S,
    /// The path to the position, if known: it saves `put` the search for the children in the blocks
    /// above.
    pub(crate) path: Path,
}

impl<S> Target<S> {
    /// Returns the leaf of the position.
    pub(crate) fn leaf(&self) -> u32 {
        self.position.leaf
    }
}

impl<K, V, S: Ord + Copy> Nodes<K, V, S> {
    /// Returns the position after all elements with a lower score and after those of equal score
    /// that `precedes` accepts. It must accept a prefix of them.
    #[inline]
    pub(crate) fn search(&self, score: S, precedes: impl FnMut(&K) -> bool) -> Target<S> {
        let (position, path) = self.search_path(score, precedes);
        Target { position, score, path }
    }

    /// Like `search`, with a shortcut if the position is the end and the last insertion was there
    /// too.
    #[inline]
    pub(crate) fn search_to_insert(
        &self,
        score: S,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> Target<S> {
        let follows = |(last, last_score): (&(K, V), S)| {
            last_score < score || last_score == score && precedes(&last.0)
        };
        if self.is_appended_to && self.last().is_some_and(follows) {
            return self.target_at_end(score);
        }
        self.search(score, precedes)
    }

    /// Returns the target after all elements.
    #[inline]
    pub(crate) fn target_at_end(&self, score: S) -> Target<S> {
        Target { position: self.end(), score, path: Path::UNKNOWN }
    }

    /// Returns the position that `search` returns, and the path to it.
    #[expect(clippy::inline_always, reason = "`small` chooses what is inlined: see there")]
    #[inline(always)]
    pub(crate) fn search_path(
        &self,
        score: S,
        precedes: impl FnMut(&K) -> bool,
    ) -> (Position, Path) {
        descent::path(self, score, precedes)
    }

    /// Returns the position before or after all elements with a score, and calls `passed` with each
    /// block on the path and the index of the child taken. Reads no keys.
    #[inline]
    pub(crate) fn search_score(
        &self,
        score: S,
        is_after: bool,
        passed: impl FnMut(&Block<S>, usize),
    ) -> Position {
        descent::position_by_score(self, score, is_after, passed)
    }

    /// Like `search_path`, but first looks in the leaf of `start` and a few leaves after it. A path
    /// found there can be compared only with that of `start`.
    ///
    /// If the position is before `start`, the result is an arbitrary position before `start`.
    pub(crate) fn search_path_from(
        &self,
        start: (Position, Path),
        score: S,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> (Position, Path) {
        let (Position { leaf: mut id, .. }, mut path) = start;
        for _ in 0..NEAR_LEAVES {
            let leaf = self.leaf(id);
            let is_behind = leaf.forward != NONE && {
                let (first, first_score) = self.leaf(leaf.forward).at(0);
                first_score < score || first_score == score && precedes(&first.0)
            };
            if !is_behind {
                let index = descent::index_near(leaf, score, precedes);
                return (Position { leaf: id, index }, path);
            }
            (id, path) = (leaf.forward, Path::LAST);
        }
        self.search_path(score, precedes)
    }

    /// Returns the position of the first element with this score whose key `compare` calls equal,
    /// if there is one.
    pub(crate) fn search_element(
        &self,
        score: S,
        mut compare: impl FnMut(&K) -> Ordering,
    ) -> Option<Position> {
        let (position, _) = self.search_path(score, |key| compare(key).is_lt());
        let position = self.at_element(position)?;
        let (pair, found) = self.leaf(position.leaf).at(position.index);
        (found == score && compare(&pair.0).is_eq()).then_some(position)
    }
}

/// Returns the predicate that accepts the keys before another: one type, so that all searches share
/// their code.
pub(crate) fn before<K: TieOrder>(key: &K) -> impl Fn(&K) -> bool {
    move |other| other.precedes(key)
}

/// The number of leaves to check for the end of a range before searching from the top.
const NEAR_LEAVES: usize = 4;
