//! Searching on small machines, by halving: half the code, and fewer comparisons, each of which waits for the one before.
//!
//! For a score that is not lower, `<=` replaces `==`: without floating-point hardware, `==` on a `Score` is a library call,
//! and `<=` compares integers.

use super::Way;
use crate::bounds::partition_point;
use crate::skiplist::SkipList;
use crate::skiplist::index::Block;
use crate::skiplist::leaf::LeafRef;
use crate::skiplist::position::Position;

/// Returns the position that `search` returns, and the way to it.
pub(super) fn way<M, S: Ord + Copy>(
    list: &SkipList<M, S>,
    score: S,
    mut precedes: impl FnMut(&M) -> bool,
) -> (Position, Way) {
    let mut way = Way::FIRST;
    let child_precedes = |level, child| precedes(first_below(list, level, child));
    let leaf = descend(list, score, child_precedes, |_, index| way.push(index));
    (Position { leaf, index: index_in(list.leaf(leaf), score, precedes) }, way)
}

/// Returns the position before or after all elements with a score, and reads no members.
pub(super) fn position_by_score<M, S: Ord + Copy>(
    list: &SkipList<M, S>,
    score: S,
    is_after: bool,
    passed: impl FnMut(&Block<S>, usize),
) -> Position {
    let leaf = descend(list, score, |_, _| is_after, passed);
    Position { leaf, index: index_in(list.leaf(leaf), score, |_| is_after) }
}

/// Descends to a leaf, and calls `passed` with each block on the path and the index of the child taken.
///
/// `precedes` takes a level and a child of a block on it, and returns whether the first member below the child precedes
/// the position.
fn descend<M, S: Ord + Copy>(
    list: &SkipList<M, S>,
    score: S,
    mut precedes: impl FnMut(u8, u32) -> bool,
    mut passed: impl FnMut(&Block<S>, usize),
) -> u32 {
    let mut id = if list.levels == 0 { list.head } else { list.top };
    for level in (1..=list.levels).rev() {
        let block = list.blocks.get(id);
        let before = partition_point(block.len(), |index| {
            let first = block.firsts[index];
            first < score || first <= score && precedes(level, block.children[index])
        });
        let index = before.saturating_sub(1);
        passed(block, index);
        id = block.children[index];
    }
    id
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
