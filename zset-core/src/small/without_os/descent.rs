//! Descending on small machines, by halving: half the code, and fewer comparisons, each of which
//! waits for the one before.
//!
//! For a score that is not lower, `<=` replaces `==`: without floating-point hardware, `==` on a
//! `Score` is a library call, and `<=` compares integers.

use crate::bounds::partition_point;
use crate::core::Nodes;
use crate::core::index::Block;
use crate::core::leaf::LeafRef;
use crate::core::search::{Path, Position};

/// Returns the position that `search` returns, and the path to it.
pub(crate) fn path<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    score: S,
    mut precedes: impl FnMut(&K) -> bool,
) -> (Position, Path) {
    let mut path = Path::FIRST;
    let child_precedes = |level, child| precedes(first_below(nodes, level, child));
    let leaf = descend(nodes, score, child_precedes, |_, index| path.push(index));
    (Position { leaf, index: index_in(nodes.leaf(leaf), score, precedes) }, path)
}

/// Returns the position before or after all elements with a score, and reads no keys.
pub(crate) fn position_by_score<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    score: S,
    is_after: bool,
    passed: impl FnMut(&Block<S>, usize),
) -> Position {
    let leaf = descend(nodes, score, |_, _| is_after, passed);
    Position { leaf, index: index_in(nodes.leaf(leaf), score, |_| is_after) }
}

/// Descends to a leaf, and calls `passed` with each block on the path and the index of the child
/// taken.
///
/// `precedes` takes a level and a child of a block on it, and returns whether the first key below
/// the child precedes the position.
fn descend<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    score: S,
    mut precedes: impl FnMut(u8, u32) -> bool,
    mut passed: impl FnMut(&Block<S>, usize),
) -> u32 {
    let mut id = if nodes.levels == 0 { nodes.head } else { nodes.top };
    for level in (1..=nodes.levels).rev() {
        let block = nodes.blocks.get(id);
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

/// Returns the first key below a child of a block on this level.
fn first_below<K, V, S: Copy>(nodes: &Nodes<K, V, S>, level: u8, mut child: u32) -> &K {
    for _ in 1..level {
        child = nodes.blocks.get(child).children[0];
    }
    &nodes.leaf(child).first_pair().0
}

/// Returns the index in a leaf of the position that `search` returns.
pub(crate) fn index_in<K, V, S: Ord + Copy>(
    leaf: LeafRef<'_, (K, V), S>,
    score: S,
    mut precedes: impl FnMut(&K) -> bool,
) -> usize {
    partition_point(leaf.len(), |index| {
        let (pair, other) = leaf.at(index);
        other < score || other <= score && precedes(&pair.0)
    })
}

#[allow(unused_imports, reason = "the same name as with an operating system")]
pub(crate) use index_in as index_near;
