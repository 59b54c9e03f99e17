//! [`Core`]: the structure underlying [`SkipList`](crate::SkipList),
//! [`SortedSet`](crate::SortedSet) and [`SortedMap`](crate::SortedMap). Each of these is a *front*:
//! a thin wrapper around the core.
//!
//! The core is a skip list (William Pugh, "Skip Lists: A Probabilistic Alternative to Balanced
//! Trees", Communications of the ACM 33(6), 1990) with many elements per node, spans for ranks as
//! in Redis's `t_zset.c`, and backward pointers. Leaves contain up to `LEAF_CAPACITY` elements
//! each. Above them are levels of index blocks with up to `BLOCK_CAPACITY` children each. Each new
//! leaf draws a random height. On the levels below that height, it splits the blocks that are large
//! enough, just as a tall element of a skip list starts a new run on each of its levels. The dict
//! maps the hash of a key to the handle of the key's element. A handle consists of a leaf and a
//! slot.
//!
//! ```text
//! Core   nodes   index     [ block ]                      first scores, spans
//!                         /    |    \
//!                leaves  [ ] - [ ] - [ ]                  elements
//!                               ^
//!        dict    hash of a key -+ handle (leaf, slot)     none in a `SkipList`
//! ```
//!
//! An *element* is a pair and its score; a *pair* is a key and its value. In a set or a list, the
//! value is `()`, which needs neither memory nor instructions.
//!
//! Invariants (`check` verifies them):
//! - Along the forward pointers, elements ascend by `(score, key)`. With a dict, keys are unique.
//! - Backward pointers mirror forward pointers. `head` is the first leaf, and `tail` the last.
//! - No leaf is empty, except the only leaf of an empty core.
//! - With one leaf there is no index. Otherwise every leaf and every block except the top one is a
//!   child of exactly one block, all leaves are at the same depth, and parent pointers are correct.
//! - In every block, `firsts` and `spans` match the elements below its children.
//! - Blocks have at least `MIN_CHILDREN` children; the top block has at least 2.
//! - The dict contains exactly one handle for each element, under the hash of its key.
//!
//! User code (`Hash`, `Eq`, `Ord`, `Drop`, closures) never runs while the structure is
//! inconsistent: comparisons and hashes come first, then the change, which cannot panic. If user
//! code panics, the core is in the state before or after the change. An operation that changes
//! elements one at a time may then have changed only some of them. (In `bulk`, user code runs after
//! the nodes have changed but before the dict has. At that point, no caller has access to the
//! core.)
//!
//! # Where to read
//!
//! Each operation on one element has its own file, which reads from top to bottom: `insert`,
//! `change` (of a score), `remove`, `find`. Calls go down this list, with three exceptions: calls
//! that hash or compare, and calls from `iter` to `range` and to `clear` in `memory`:
//!
//! 1. `bulk`, `cut`: operations on many elements at once
//! 2. `insert`
//! 3. `change`
//! 4. `remove`
//! 5. `memory`: reserving memory, and moving all elements into smaller allocations
//! 6. `transfer`: making room in full leaves, and merging small ones
//! 7. `range`
//! 8. `iter`
//! 9. `find`
//! 10. `dict`
//! 11. `index`: the blocks
//! 12. `leaf`
//! 13. `arena`

pub(crate) mod arena;
pub(crate) mod bulk;
mod change;
mod cut;
pub(crate) mod dict;
pub(crate) mod find;
pub(crate) mod front;
pub(crate) mod index;
mod insert;
pub(crate) mod iter;
pub(crate) mod leaf;
mod memory;
mod range;
mod remove;
mod scores;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use dict::Hashed;
pub(crate) use find::RankedRange;
pub use insert::Insertion;
pub(crate) use scores::LookUp;
pub use scores::Scores;

use core::hash::{BuildHasher, Hash};

use self::arena::{Arena, NONE};
use self::index::{BLOCK_CAPACITY, Block, Heights, MIN_CHILDREN};
use self::leaf::{End, Handle, LEAF_CAPACITY, Leaves};
use crate::{TieOrder, TryReserveError};

/// The leaves and the index.
#[derive(Clone)]
pub(crate) struct Nodes<K, V, S> {
    pub(crate) leaves: Leaves<(K, V), S>,
    /// The index blocks of all levels.
    pub(crate) blocks: Arena<Block<S>>,
    /// The top block, or `NONE` if there is only one leaf.
    pub(crate) top: u32,
    /// The number of index levels. Leaves are level 0.
    pub(crate) levels: u8,
    /// The first leaf in order.
    pub(crate) head: u32,
    /// The last leaf in order.
    tail: u32,
    len: usize,
    /// True if the last insertion was at the end, so the next one is likely to be there too.
    is_appended_to: bool,
    /// A removal frees unreserved memory if fewer than `2^shrink_bits` elements are left. If this
    /// is 0, removals free none.
    shrink_bits: u8,
    /// Callers have reserved memory for up to `2^reserved_bits` elements.
    reserved_bits: u8,
    heights: Heights,
}

/// An element outside of a core: a pair and its score.
pub(crate) type Owned<K, V, S> = ((K, V), S);

/// Elements in order and, if `D` is [`Hashed`], a dict of their keys.
#[derive(Clone)]
pub(crate) struct Core<K, V, S, D> {
    pub(crate) nodes: Nodes<K, V, S>,
    pub(crate) dict: D,
}

/// How elements are found by key: through a dict, or not at all.
///
/// The core reports every move of an element to the dict.
pub(crate) trait Lookup<K>: Clear + Sized {
    /// The value by which the handle of a key is found: the key's hash.
    type Token: Copy;

    /// Returns whether there is room for the handle of a key with this token.
    fn has_room(&self, token: Self::Token) -> bool;

    /// Makes room for the handle of a key with this token, if there is none. `nodes` has the keys
    /// of all handles.
    fn try_grow<V, S>(
        &mut self,
        token: Self::Token,
        nodes: &Nodes<K, V, S>,
    ) -> Result<(), TryReserveError>;

    /// Reserves memory for this many more handles. `nodes` has the keys of all handles.
    fn try_reserve<V, S>(
        &mut self,
        additional: usize,
        nodes: &Nodes<K, V, S>,
    ) -> Result<(), TryReserveError>;

    /// Replaces all handles by those of full leaves whose ids ascend from 0. `tokens` are the
    /// tokens of their keys, in order. On an error, nothing changes.
    fn try_refill(&mut self, tokens: &[Self::Token]) -> Result<(), TryReserveError>;

    /// Computes the token of the key at a handle. Called before anything moves, because it may run
    /// user code, which may panic.
    fn token(&self, handle: Handle, key: &K) -> Self::Token;

    /// Reports a new element. There must be room for its handle.
    fn insert(&mut self, token: Self::Token, handle: Handle);

    /// Reports that the element with this token moves from `from` to `to`, before or after it
    /// moves. No other element has either handle.
    fn relocate(&mut self, token: Self::Token, from: Handle, to: Handle);

    /// Reports that the element with this token, at `handle`, is about to be removed.
    fn forget(&mut self, token: Self::Token, handle: Handle);

    /// Reports that the element at this end, one of `len`, is about to be popped. `pairs` are all
    /// pairs of its leaf, which may be popped next.
    fn prepare_pop<V>(&mut self, len: usize, end: End, leaf: u32, pairs: &[(K, V)]);
}

/// A dict that can be cleared, for keys of any type. Clearing it keeps its memory.
pub(crate) trait Clear {
    fn clear(&mut self);
}

/// The placeholder for a dict in a core that has none.
#[derive(Clone)]
pub(crate) struct Unhashed;

impl Clear for Unhashed {
    fn clear(&mut self) {}
}

impl<K> Lookup<K> for Unhashed {
    type Token = ();

    #[inline]
    fn has_room(&self, (): ()) -> bool {
        true
    }

    fn try_grow<V, S>(&mut self, (): (), _: &Nodes<K, V, S>) -> Result<(), TryReserveError> {
        Ok(())
    }

    fn try_reserve<V, S>(&mut self, _: usize, _: &Nodes<K, V, S>) -> Result<(), TryReserveError> {
        Ok(())
    }

    fn try_refill(&mut self, _: &[()]) -> Result<(), TryReserveError> {
        Ok(())
    }

    #[inline]
    fn token(&self, _: Handle, _: &K) {}

    #[inline]
    fn insert(&mut self, (): (), _: Handle) {}

    #[inline]
    fn relocate(&mut self, (): (), _: Handle, _: Handle) {}

    #[inline]
    fn forget(&mut self, (): (), _: Handle) {}

    #[inline]
    fn prepare_pop<V>(&mut self, _: usize, _: End, _: u32, _: &[(K, V)]) {}
}

impl<K, V, S, D> Core<K, V, S, D> {
    pub(crate) const fn new(dict: D) -> Self {
        Core { nodes: Nodes::new(), dict }
    }
}

impl<K, V, S> Nodes<K, V, S> {
    pub(crate) const fn new() -> Self {
        Self::with_heights(Heights::DEFAULT)
    }

    pub(crate) const fn with_heights(heights: Heights) -> Self {
        Nodes {
            leaves: Leaves::new(),
            blocks: Arena::new(),
            top: NONE,
            levels: 0,
            head: 0,
            tail: 0,
            len: 0,
            is_appended_to: false,
            shrink_bits: 0,
            reserved_bits: 0,
            heights,
        }
    }

    /// Returns empty nodes that continue this sequence of heights.
    pub(crate) fn empty(&self) -> Self {
        Self::with_heights(self.heights.clone())
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl<K: TieOrder + Hash, V, S: Ord, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Panics with a description if an invariant is violated.
    pub(crate) fn check(&self) {
        self.nodes.check();
        let dict = &self.dict.tables;
        assert_eq!(dict.len(), self.nodes.len, "dict and leaves differ in length");
        let is_small = matches!(self.nodes.leaves, Leaves::Small(_));
        assert!(is_small || dict.has_table(), "blocks and a dict without a table");
        dict.check(|handle| self.nodes.key(handle).map_or(0, |key| self.hash(key)));
        for (pair, _) in self.nodes.iter() {
            let found = self.element(&pair.0).expect("a key of a leaf is not in the dict");
            assert!(core::ptr::eq(found.pair, pair), "a key is repeated");
        }
    }
}

impl<K: TieOrder, V, S: Ord> Nodes<K, V, S> {
    /// Panics with a description if an invariant is violated.
    pub(crate) fn check(&self) {
        self.check_leaves();
        self.check_index();
        self.blocks.check("index blocks", Block::is_blank);
        if let Leaves::Blocks(arena) = &self.leaves {
            arena.check("leaves", |leaf| {
                let leaf = leaf.as_ref();
                leaf.is_blank() && leaf.pairs.is_empty() && leaf.scores.is_empty()
            });
        }
    }

    fn check_leaves(&self) {
        let (mut id, mut backward) = (self.head, NONE);
        let (mut leaves, mut len) = (0, 0);
        let mut previous: Option<(&S, &K)> = None;
        while id != NONE {
            let leaf = self.leaf(id);
            assert_eq!(leaf.backward, backward, "backward pointer of leaf {id}");
            assert!(leaf.len() <= LEAF_CAPACITY, "leaf {id} is over-full");
            assert!(leaf.len() > 0 || self.len == 0, "leaf {id} is empty");
            assert_eq!(leaf.scores.len(), leaf.len(), "scores of leaf {id}");
            assert_eq!(leaf.pairs.len(), leaf.len(), "pairs of leaf {id}");
            let mut seen = [false; LEAF_CAPACITY];
            for (index, &slot) in leaf.order().iter().enumerate() {
                let seen = &mut seen[slot as usize];
                assert!(!*seen, "order of leaf {id} has slot {slot} twice");
                *seen = true;
                assert!((slot as usize) < leaf.len(), "order of leaf {id} has no slot {slot}");
                assert_eq!(leaf.index_of(slot), index, "index of slot {slot}, leaf {id}");
                let ((key, _), score) = leaf.at(index);
                if let Some((previous_score, previous)) = previous {
                    let is_before = key.precedes(previous) && !previous.precedes(key);
                    assert!(
                        previous_score < score || previous_score == score && !is_before,
                        "leaf {id} index {index} comes before the previous element"
                    );
                }
                previous = Some((score, key));
            }
            (leaves, len) = (leaves + 1, len + leaf.len());
            (backward, id) = (id, leaf.forward);
        }
        assert_eq!(backward, self.tail, "the last leaf is not the tail");
        assert_eq!(len, self.len, "the leaves hold another number of elements");
        assert_eq!(leaves, self.leaves.count(), "a leaf in use is not in the chain");
    }

    fn check_index(&self) {
        let mut expected_leaf = self.head;
        if self.levels == 0 {
            assert_eq!(self.top, NONE, "an index without levels has a top");
            assert_eq!(self.head, self.tail, "several leaves and no index");
            assert_eq!(self.leaf(self.head).parent, NONE, "parent of the only leaf");
            assert_eq!(self.blocks.len(), 0, "an index without levels has blocks");
        } else {
            let (span, blocks) =
                self.check_block(self.top, NONE, u32::from(self.levels), &mut expected_leaf);
            assert_eq!(span, self.len, "span of the whole index");
            assert_eq!(blocks, self.blocks.len(), "an index block in use is not in the index");
            assert_eq!(expected_leaf, NONE, "the index ends before the chain of leaves");
        }
    }

    /// Checks a block and everything below it; returns the number of elements and of blocks.
    fn check_block(
        &self,
        id: u32,
        parent: u32,
        level: u32,
        expected_leaf: &mut u32,
    ) -> (usize, usize) {
        let block = self.blocks.get(id);
        let len = block.len();
        assert_eq!(block.parent, parent, "parent of block {id}");
        let least = if parent == NONE { 2 } else { MIN_CHILDREN };
        assert!(len >= least, "block {id} of level {level} has {len} children");
        assert!(len <= BLOCK_CAPACITY, "block {id} is over-full");
        assert_eq!(block.firsts.len(), len - 1, "first scores of block {id}");
        assert!(block.children[len..].iter().all(|&child| child == NONE), "tail of block {id}");
        assert!(block.spans[len..].iter().all(|&span| span == 0), "spans behind block {id}");
        let (mut elements, mut blocks) = (0, 1);
        for (index, &child) in block.children[..len].iter().enumerate() {
            assert_eq!(block.index_of(child), index, "index of child {child} in block {id}");
            if index > 0 {
                let first = self.leaf(*expected_leaf).at(0).1;
                assert!(block.firsts[index - 1] == *first, "first score {index} of block {id}");
            }
            let span = if level == 1 {
                assert_eq!(child, *expected_leaf, "leaves of the index and of the chain differ");
                let leaf = self.leaf(child);
                *expected_leaf = leaf.forward;
                assert_eq!(leaf.parent, id, "parent of leaf {child}");
                leaf.len()
            } else {
                let (span, below) = self.check_block(child, id, level - 1, expected_leaf);
                blocks += below;
                span
            };
            assert_eq!(block.spans[index] as usize, span, "span {index} of block {id}");
            elements += span;
        }
        (elements, blocks)
    }
}
