//! Descending from the top block to a leaf, on machines with caches and with instructions that
//! compare several numbers at once. `without_os::descent` is for others.
//!
//! Scores are compared first, and all at once, by counting, which needs no order and no branches.
//! Keys are read only where scores are equal, several at a time, so that their cache misses
//! overlap. Below a child whose scores are all equal, no scores are read.

#![expect(
    clippy::inline_always,
    reason = "the compiler inlines only parts of what several callers share: 2 % more instructions"
)]

use core::ops::Range;

use crate::core::Nodes;
use crate::core::index::Block;
use crate::core::leaf::{LeafRef, Leaves};
use crate::core::search::{Path, Position};

/// Returns the position that `search` returns, and the path to it.
#[inline(always)]
pub(crate) fn path<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    score: S,
    mut precedes: impl FnMut(&K) -> bool,
) -> (Position, Path) {
    let mut path = Path::FIRST;
    let (leaf, equals) = descend(nodes, score, &mut precedes, &mut path);
    (Position { leaf, index: equals.index_in(nodes.leaf(leaf), score, precedes) }, path)
}

/// Returns the position before or after all elements with a score, and counts the scores of each
/// block only once.
#[inline]
pub(crate) fn position_by_score<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    score: S,
    is_after: bool,
    mut passed: impl FnMut(&Block<S>, usize),
) -> Position {
    let precede = |scores: &[S]| {
        if is_after { count(scores, |s| *s <= score) } else { count(scores, |s| *s < score) }
    };
    let mut id = if nodes.levels == 0 { nodes.head } else { nodes.top };
    for _ in 0..nodes.levels {
        let block = nodes.blocks.get(id);
        let index = precede(&block.firsts).saturating_sub(1);
        passed(block, index);
        id = block.children[index];
    }
    Position { leaf: id, index: precede(nodes.leaf(id).scores) }
}

/// Descends to a leaf, and appends the index of the child taken in each block to `path`.
#[inline(always)]
fn descend<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    score: S,
    precedes: &mut impl FnMut(&K) -> bool,
    path: &mut Path,
) -> (u32, Equals) {
    let mut id = if nodes.levels == 0 { nodes.head } else { nodes.top };
    for level in (1..=nodes.levels).rev() {
        let block = nodes.blocks.get(id);
        let not_above = count(&block.firsts, |first| *first <= score);
        if not_above > 0 && block.firsts[not_above - 1] == score {
            return descend_among_equals(nodes, id, level.into(), score, precedes, path);
        }
        let index = not_above.saturating_sub(1);
        path.push(index);
        id = block.children[index];
    }
    (id, Equals::default())
}

/// Descends from a block in which some child's first element has the score.
#[inline(never)]
fn descend_among_equals<K, V, S: Ord + Copy>(
    nodes: &Nodes<K, V, S>,
    mut id: u32,
    level: u32,
    score: S,
    precedes: &mut impl FnMut(&K) -> bool,
    path: &mut Path,
) -> (u32, Equals) {
    let Leaves::Blocks(leaves) = &nodes.leaves else { unreachable!("a small nodes has no blocks") };
    let mut equals = Equals::default();
    for level in (1..=level).rev() {
        let block = nodes.blocks.get(id);
        let range = equals.children(&block.firsts, score);
        let equal = block.children.get(range.clone()).unwrap_or_default();
        let before = partition_point(equal, |&(mut id)| {
            for _ in 1..level {
                id = nodes.blocks.get(id).children[0];
            }
            precedes(&leaves.get(id).as_ref().first_pair().0)
        });
        let index = (range.start + before).saturating_sub(1);
        equals.from_start = index >= range.start;
        equals.to_end |= index + 1 < range.end;
        path.push(index);
        id = block.children[index];
    }
    (id, equals)
}

/// What is known about the scores below a node before they are read.
#[derive(Clone, Copy, Default)]
struct Equals {
    /// None is lower than the target score.
    from_start: bool,
    /// None is higher.
    to_end: bool,
}

impl Equals {
    /// Compares the first and the last score of a leaf.
    fn of<K, V, S: Ord + Copy>(leaf: LeafRef<'_, (K, V), S>, score: S) -> Equals {
        let is_equal = |slot: &u8| leaf.scores[*slot as usize] == score;
        Equals {
            from_start: leaf.order().first().is_some_and(is_equal),
            to_end: leaf.order().last().is_some_and(is_equal),
        }
    }

    /// Returns the index in a leaf of the position that `search` returns.
    #[inline(always)]
    fn index_in<K, V, S: Ord + Copy>(
        self,
        leaf: LeafRef<'_, (K, V), S>,
        score: S,
        precedes: impl FnMut(&K) -> bool,
    ) -> usize {
        if self.from_start && self.to_end {
            index_among(leaf, leaf.order(), precedes)
        } else {
            index_in(leaf, score, precedes)
        }
    }

    /// Returns the range of children whose first scores equal `score`.
    #[inline]
    fn children<S: Ord + Copy>(self, firsts: &[S], score: S) -> Range<usize> {
        let start = if self.from_start || firsts.first() == Some(&score) {
            0
        } else {
            count(firsts, |first| *first < score)
        };
        let end = if self.to_end || firsts.last() == Some(&score) {
            firsts.len()
        } else {
            count(firsts, |first| *first <= score)
        };
        start..end
    }
}

/// Like `index_in`, but first tests whether all scores of the leaf are equal.
#[inline(always)]
pub(crate) fn index_near<K, V, S: Ord + Copy>(
    leaf: LeafRef<'_, (K, V), S>,
    score: S,
    precedes: impl FnMut(&K) -> bool,
) -> usize {
    Equals::of(leaf, score).index_in(leaf, score, precedes)
}

/// Returns the index in a leaf of the position that `search` returns.
#[inline(always)]
pub(crate) fn index_in<K, V, S: Ord + Copy>(
    leaf: LeafRef<'_, (K, V), S>,
    score: S,
    precedes: impl FnMut(&K) -> bool,
) -> usize {
    let scores = &leaf.scores[..leaf.len()];
    let below = count(scores, |s| *s < score);
    match leaf.order().get(below) {
        Some(&slot) if scores[slot as usize] == score => {
            let not_above = count(scores, |s| *s <= score);
            let equal = leaf.order().get(below..not_above).unwrap_or_default();
            below + index_among(leaf, equal, precedes)
        }
        _ => below,
    }
}

/// Returns the number of keys in these slots, all of one score, that `precedes` accepts.
#[inline]
fn index_among<K, V, S>(
    leaf: LeafRef<'_, (K, V), S>,
    slots: &[u8],
    mut precedes: impl FnMut(&K) -> bool,
) -> usize {
    partition_point(slots, |&slot| precedes(&leaf.pairs[slot as usize].0))
}

/// The number of parts into which `partition_point` divides the remaining values.
const PARTS: usize = 8;

/// Returns the number of values that `precedes` accepts. It must accept a prefix of them.
///
/// Each round tests the last value of every part but one. That is more tests than a binary search
/// needs, but they are independent, so their cache misses overlap.
#[inline]
fn partition_point<T>(values: &[T], mut precedes: impl FnMut(&T) -> bool) -> usize {
    let (mut accepted, mut rest) = (0, values);
    while rest.len() >= PARTS {
        let end_of = |parts: usize| parts * rest.len() / PARTS;
        let before: usize =
            (1..PARTS).map(|parts| usize::from(precedes(&rest[end_of(parts) - 1]))).sum();
        let start = end_of(before);
        accepted += start;
        rest = if before < PARTS - 1 {
            // `precedes` rejected the last value of this part.
            &rest[start..end_of(before + 1) - 1]
        } else {
            &rest[start..]
        };
    }
    accepted + rest.iter().map(|value| usize::from(precedes(value))).sum::<usize>()
}

/// Counts without an early exit, so that the loop compiles to packed compares.
#[inline]
fn count<S>(scores: &[S], is_counted: impl Fn(&S) -> bool) -> usize {
    scores.iter().map(|score| usize::from(is_counted(score))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn partition_points_of_all_lengths() {
        let values: Vec<usize> = (0..200).collect();
        for len in 0..if cfg!(miri) { 20 } else { values.len() } {
            for accepted in 0..=len {
                let mut asked = 0;
                let found = partition_point(&values[..len], |&value| {
                    asked += 1;
                    value < accepted
                });
                assert_eq!(found, accepted, "of {len}");
                assert!(len > 64 || asked <= 2 * PARTS, "{asked} questions of {len}");
            }
        }
    }
}
