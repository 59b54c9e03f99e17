//! `check`: verifies every invariant of the list.

use super::index::{BLOCK_CAPACITY, MIN_CHILDREN};
use super::leaves::Leaves;
use super::{NONE, SkipList};
use crate::handle::LEAF_CAPACITY;

impl<M: Ord, S: Ord + Copy> SkipList<M, S> {
    /// Panics with a description if an invariant of the list is violated.
    ///
    /// For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.check_leaves();
        self.check_index();
        self.blocks.check("index blocks", |block| block.len() == 0);
        if let Leaves::Blocks(arena) = &self.leaves {
            arena.check("leaves", |leaf| {
                let leaf = leaf.as_ref();
                leaf.is_blank() && leaf.members.is_empty() && leaf.scores.is_empty()
            });
        }
    }

    /// Checks the chain of leaves.
    fn check_leaves(&self) {
        let (mut id, mut backward) = (self.head, NONE);
        let (mut leaves, mut len) = (0, 0);
        let mut previous: Option<(S, &M)> = None;
        while id != NONE {
            let leaf = self.leaf(id);
            assert_eq!(leaf.backward, backward, "backward pointer of leaf {id}");
            assert!(leaf.len() <= LEAF_CAPACITY, "leaf {id} is over-full");
            assert!(leaf.len() > 0 || self.len == 0, "leaf {id} is empty");
            assert_eq!(leaf.scores.len(), leaf.len(), "scores of leaf {id}");
            assert_eq!(leaf.members.len(), leaf.len(), "members of leaf {id}");
            let mut seen = [false; LEAF_CAPACITY];
            for (index, &slot) in leaf.order().iter().enumerate() {
                let seen = &mut seen[slot as usize];
                assert!(!*seen, "order of leaf {id} has slot {slot} twice");
                *seen = true;
                assert!((slot as usize) < leaf.len(), "order of leaf {id} has no slot {slot}");
                assert_eq!(leaf.index_of(slot), index, "index of slot {slot}, leaf {id}");
                let (member, score) = leaf.at(index);
                if let Some(previous) = previous {
                    assert!(
                        previous <= (score, member),
                        "leaf {id} index {index} comes before the previous element"
                    );
                }
                previous = Some((score, member));
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
        assert!(block.children[len..].iter().all(|&child| child == NONE), "tail of block {id}");
        assert!(block.spans[len..].iter().all(|&span| span == 0), "spans behind block {id}");
        let (mut elements, mut blocks) = (0, 1);
        for (index, &child) in block.children[..len].iter().enumerate() {
            assert_eq!(block.index_of(child), index, "index of child {child} in block {id}");
            let (span, first) = if level == 1 {
                assert_eq!(child, *expected_leaf, "leaves of the index and of the chain differ");
                let leaf = self.leaf(child);
                *expected_leaf = leaf.forward;
                assert_eq!(leaf.parent, id, "parent of leaf {child}");
                (leaf.len(), leaf.at(0).1)
            } else {
                let (span, below) = self.check_block(child, id, level - 1, expected_leaf);
                blocks += below;
                (span, self.blocks.get(child).firsts[0])
            };
            assert_eq!(block.spans[index] as usize, span, "span {index} of block {id}");
            assert!(block.firsts[index] == first, "first score {index} of block {id}");
            elements += span;
        }
        (elements, blocks)
    }
}
