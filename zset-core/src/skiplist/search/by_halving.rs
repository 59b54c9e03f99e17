//! Searching on small machines: in half the code and with fewer comparisons, each of which waits for the one before.
//!
//! Scores are compared by `<=` where `==` would do: for an `f64` without hardware, that is a function.

#[cfg(target_os = "none")]
use super::Way;
use crate::halving::partition_point;
use crate::skiplist::SkipList;
use crate::skiplist::index::Block;
use crate::skiplist::leaf::LeafRef;
use crate::skiplist::position::Position;

#[cfg(target_os = "none")]
impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the position that `search` returns, and the way to it.
    #[inline(never)]
    pub(crate) fn search_way(&self, score: S, precedes: impl FnMut(&M) -> bool) -> (Position, Way) {
        let mut way = Way::FIRST;
        let position = descend(self, score, precedes, |_, index| way.push(index));
        (position, way)
    }

    /// Returns the position before or after all elements with a score, and calls `passed` with each block
    /// on the path and the index of the child taken.
    pub(crate) fn search_score(
        &self,
        score: S,
        is_after: bool,
        passed: impl FnMut(&Block<S>, usize),
    ) -> Position {
        descend(self, score, |_| is_after, passed)
    }
}

/// Returns the position that `search` returns, and calls `passed` with each block on the path and the index of the child
/// taken.
pub(super) fn descend<M, S: Ord + Copy>(
    list: &SkipList<M, S>,
    score: S,
    mut precedes: impl FnMut(&M) -> bool,
    mut passed: impl FnMut(&Block<S>, usize),
) -> Position {
    let mut id = if list.levels == 0 { list.head } else { list.top };
    for level in (1..=list.levels).rev() {
        let block = list.blocks.get(id);
        let before = partition_point(block.len(), |index| {
            let first = block.firsts[index];
            first < score
                || first <= score && precedes(first_below(list, level, block.children[index]))
        });
        let index = before.saturating_sub(1);
        passed(block, index);
        id = block.children[index];
    }
    Position { leaf: id, index: index_in(list.leaf(id), score, precedes) }
}

/// Returns the first member below a child of a block on this level.
fn first_below<M, S: Copy>(list: &SkipList<M, S>, level: u8, mut child: u32) -> &M {
    for _ in 1..level {
        child = list.blocks.get(child).children[0];
    }
    list.leaf(child).first_member()
}

/// Returns the index in a leaf of the position that `search` returns.
pub(in crate::skiplist) fn index_in<M, S: Ord + Copy>(
    leaf: LeafRef<'_, M, S>,
    score: S,
    mut precedes: impl FnMut(&M) -> bool,
) -> usize {
    partition_point(leaf.len(), |index| {
        let (member, other) = leaf.at(index);
        other < score || other <= score && precedes(member)
    })
}

#[cfg(target_os = "none")]
pub(super) use index_in as index_near;
