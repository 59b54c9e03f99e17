//! Searching: from the top block down to a place in a leaf.
//!
//! A search is for a score and a question to members: which elements of exactly that score come
//! before the place. Scores are compared first and all at once, by counting, which needs no order
//! and no branch; members are looked at only where scores are equal, by binary search.

use arrayvec::ArrayVec;
use core::cmp::Ordering;

use super::SkipList;
use super::index::{BLOCK_CAPACITY, Block, MAX_LEVELS};
use super::leaf::LeafRef;

/// A place in order: before the element at `position` of the leaf, or behind its last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) leaf: u32,
    pub(crate) position: usize,
}

/// The indexes of the children that a search takes, from the top block down, six bits each. Ways compare
/// as the leaves do that they lead to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way(u64);

impl Way {
    pub(crate) const FIRST: Way = Way(u64::MIN);
    pub(crate) const LAST: Way = Way(u64::MAX);

    /// Goes on to the child at `index`.
    #[inline]
    pub(crate) fn push(&mut self, index: usize) {
        const { assert!(MAX_LEVELS as u32 * BLOCK_CAPACITY.ilog2() < u64::BITS) }
        self.0 = self.0 << BLOCK_CAPACITY.ilog2() | index as u64;
    }
}

/// The way of a search from the top block down: each block with the index of the child taken.
///
/// It spares `put` the way back up. Whatever changes the index on the way makes it empty, and `put`
/// then goes by the parents.
pub(crate) type Path = ArrayVec<(u32, u8), MAX_LEVELS>;

impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the place behind all elements of lower score, and behind those of equal score that
    /// `precedes` accepts; it accepts a prefix of them.
    ///
    /// The way there is written into `path`, which is empty before.
    #[inline]
    pub(crate) fn search(
        &self,
        score: S,
        precedes: impl FnMut(&M) -> bool,
        path: &mut Path,
    ) -> Place {
        self.search_along(score, precedes, |id, index| path.push((id, index as u8)))
    }

    /// Returns the place as `search` does, at once if it is the end and the one before was.
    #[inline]
    pub(crate) fn search_to_insert(
        &self,
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
        path: &mut Path,
    ) -> Place {
        let follows =
            |(last, last_score)| last_score < score || last_score == score && precedes(last);
        if self.is_appended_to && self.last().is_some_and(follows) {
            return self.end();
        }
        self.search(score, precedes, path)
    }

    /// Returns the place as `search` does, and the way to it.
    #[inline]
    pub(crate) fn search_way(&self, score: S, precedes: impl FnMut(&M) -> bool) -> (Place, Way) {
        let mut way = Way::FIRST;
        (self.search_along(score, precedes, |_, index| way.push(index)), way)
    }

    /// Returns the place as `search` does, and shows each block on the way with the index of the child
    /// taken.
    #[inline]
    fn search_along(
        &self,
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
        mut passed: impl FnMut(u32, usize),
    ) -> Place {
        let leaf = self.descend(|id, block, level| {
            let index = self.child_for(block, level, score, &mut precedes);
            passed(id, index);
            index
        });
        Place { leaf, position: position_in(self.leaf(leaf), score, precedes) }
    }

    /// Returns the place before all elements of a score, or after them, and shows each block on the way
    /// with the index of the child taken.
    ///
    /// It compares no members, and counts the scores of a block only once.
    #[inline]
    pub(crate) fn search_score(
        &self,
        score: S,
        is_after: bool,
        mut passed: impl FnMut(&Block<S>, usize),
    ) -> Place {
        let precede = |scores: &[S]| {
            if is_after { count(scores, |s| *s <= score) } else { count(scores, |s| *s < score) }
        };
        let leaf = self.descend(|_, block, _| {
            let index = precede(&block.firsts).saturating_sub(1);
            passed(block, index);
            index
        });
        Place { leaf, position: precede(self.leaf(leaf).scores) }
    }

    /// Walks down to a leaf, by the child whose index `child` returns for each block and its level.
    #[inline]
    fn descend(&self, mut child: impl FnMut(u32, &Block<S>, u32) -> usize) -> u32 {
        let mut id = if self.levels == 0 { self.head } else { self.top };
        for level in (1..=self.levels).rev() {
            let block = self.blocks.get(id);
            id = block.children[child(id, block, level)];
        }
        id
    }

    /// Returns the index of the last child whose first element comes before the place, or 0.
    #[inline]
    fn child_for(
        &self,
        block: &Block<S>,
        level: u32,
        score: S,
        precedes: &mut impl FnMut(&M) -> bool,
    ) -> usize {
        let firsts = &block.firsts[..];
        let not_above = count(firsts, |first| *first <= score);
        if not_above == 0 || firsts[not_above - 1] != score {
            return not_above.saturating_sub(1);
        }
        let below = count(firsts, |first| *first < score);
        let equal = block.children.get(below..not_above).unwrap_or_default();
        let before = equal.partition_point(|&child| precedes(self.first_member(child, level - 1)));
        (below + before).saturating_sub(1)
    }

    /// Returns the first member below a node: a block, or at level 0 a leaf.
    fn first_member(&self, mut id: u32, level: u32) -> &M {
        for _ in 0..level {
            id = self.blocks.get(id).children[0];
        }
        self.leaf(id).at(0).0
    }

    /// Returns the place of the first element equal to `(score, member)`, if there is one.
    pub(crate) fn find(&self, score: S, mut compare: impl FnMut(&M) -> Ordering) -> Option<Place> {
        let (place, _) = self.search_way(score, |member| compare(member).is_lt());
        let place = self.at_element(place)?;
        let (member, found) = self.leaf(place.leaf).at(place.position);
        (found == score && compare(member).is_eq()).then_some(place)
    }
}

/// Returns the position in a leaf, as `search` does.
#[inline]
pub(super) fn position_in<M, S: Ord + Copy>(
    leaf: LeafRef<'_, M, S>,
    score: S,
    mut precedes: impl FnMut(&M) -> bool,
) -> usize {
    let scores = &leaf.scores[..leaf.len()];
    let below = count(scores, |s| *s < score);
    match leaf.order().get(below) {
        Some(&slot) if scores[slot as usize] == score => {
            let not_above = count(scores, |s| *s <= score);
            let equal = leaf.order().get(below..not_above).unwrap_or_default();
            below + equal.partition_point(|&slot| precedes(&leaf.members[slot as usize]))
        }
        _ => below,
    }
}

/// Counts without an early exit, so that the loop compiles to packed compares.
#[inline]
fn count<S>(scores: &[S], is_counted: impl Fn(&S) -> bool) -> usize {
    scores.iter().map(|score| usize::from(is_counted(score))).sum()
}
