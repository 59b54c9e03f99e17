//! Searching: from the top block down to a place in a leaf.
//!
//! A search is for a score and a question to members: which elements of exactly that score come
//! before the place. Scores are compared first and all at once, by counting, which needs no order
//! and no branch; members are looked at only where scores are equal, by binary search.

use arrayvec::ArrayVec;
use core::cmp::Ordering;
use core::ops::Range;

use super::SkipList;
use super::index::{Block, MAX_LEVELS};
use super::leaf::LeafRef;

/// A place in order: before the element at `position` of the leaf, or behind its last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) leaf: u32,
    pub(crate) position: usize,
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
        mut precedes: impl FnMut(&M) -> bool,
        path: &mut Path,
    ) -> Place {
        let (leaf, equals) =
            self.descend(score, &mut precedes, |id, _, index| path.push((id, index as u8)));
        Place { leaf, position: equals.position_in(self.leaf(leaf), score, precedes) }
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

    /// Returns the place as `search` does, and its rank: the number of elements before it.
    #[inline]
    pub(crate) fn search_rank(
        &self,
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
    ) -> (Place, usize) {
        let mut rank = 0;
        let (leaf, equals) = self.descend(score, &mut precedes, |_, block, index| {
            rank += block.span_before(index);
        });
        let position = equals.position_in(self.leaf(leaf), score, precedes);
        (Place { leaf, position }, rank + position)
    }

    /// Walks down to a leaf and shows each block on the way with the index of the child taken.
    #[inline]
    fn descend(
        &self,
        score: S,
        precedes: &mut impl FnMut(&M) -> bool,
        mut passed: impl FnMut(u32, &Block<S>, usize),
    ) -> (u32, Equals) {
        let mut id = if self.levels == 0 { self.head } else { self.top };
        for level in (1..=self.levels).rev() {
            let block = self.blocks.get(id);
            let not_above = count(&block.firsts, |first| *first <= score);
            if not_above > 0 && block.firsts[not_above - 1] == score {
                return self.descend_among_equals(id, level, score, precedes, passed);
            }
            let index = not_above.saturating_sub(1);
            passed(id, block, index);
            id = block.children[index];
        }
        (id, Equals::default())
    }

    /// Walks down from a block of this level where the score is that of some child's first element.
    #[inline(never)]
    fn descend_among_equals(
        &self,
        mut id: u32,
        level: u32,
        score: S,
        precedes: &mut impl FnMut(&M) -> bool,
        mut passed: impl FnMut(u32, &Block<S>, usize),
    ) -> (u32, Equals) {
        let mut equals = Equals::default();
        for level in (1..=level).rev() {
            let block = self.blocks.get(id);
            let run = equals.children(&block.firsts, score);
            let equal = block.children.get(run.clone()).unwrap_or_default();
            let before = partition_point(equal.len(), |index| {
                precedes(self.first_member(equal[index], level - 1))
            });
            let index = (run.start + before).saturating_sub(1);
            equals.from_start = index >= run.start;
            equals.to_end |= index + 1 < run.end;
            passed(id, block, index);
            id = block.children[index];
        }
        (id, equals)
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
        let (place, _) = self.search_rank(score, |member| compare(member).is_lt());
        let place = self.at_element(place)?;
        let (member, found) = self.leaf(place.leaf).at(place.position);
        (found == score && compare(member).is_eq()).then_some(place)
    }
}

/// What is known of the scores below a node before they are looked at.
#[derive(Clone, Copy, Default)]
struct Equals {
    /// None is lower than the score searched for.
    from_start: bool,
    /// None is higher.
    to_end: bool,
}

impl Equals {
    /// Returns the position in a leaf, as `search` does.
    #[inline]
    fn position_in<M, S: Ord + Copy>(
        self,
        leaf: LeafRef<'_, M, S>,
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
    ) -> usize {
        let scores = &leaf.scores[..leaf.len()];
        let below = if self.from_start { 0 } else { count(scores, |s| *s < score) };
        match leaf.order().get(below) {
            Some(&slot) if scores[slot as usize] == score => {
                let not_above =
                    if self.to_end { leaf.len() } else { count(scores, |s| *s <= score) };
                let equal = leaf.order().get(below..not_above).unwrap_or_default();
                below + partition_point(equal.len(), |i| precedes(&leaf.members[equal[i] as usize]))
            }
            _ => below,
        }
    }

    /// Returns the run of the children of a block whose first scores are equal to `score`.
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

/// Returns the position in a leaf, as `search` does.
#[inline]
pub(super) fn position_in<M, S: Ord + Copy>(
    leaf: LeafRef<'_, M, S>,
    score: S,
    precedes: impl FnMut(&M) -> bool,
) -> usize {
    Equals::default().position_in(leaf, score, precedes)
}

const WAYS: usize = 8;

#[inline]
fn partition_point(mut len: usize, mut precedes: impl FnMut(usize) -> bool) -> usize {
    let mut start = 0;
    while len >= WAYS {
        let step = len / WAYS;
        let before: usize =
            (1..WAYS).map(|way| usize::from(precedes(start + way * step - 1))).sum();
        start += before * step;
        len = if before < WAYS - 1 { step - 1 } else { len - (WAYS - 1) * step };
    }
    start + (0..len).map(|i| usize::from(precedes(start + i))).sum::<usize>()
}

/// Counts without an early exit, so that the loop compiles to packed compares.
#[inline]
fn count<S>(scores: &[S], is_counted: impl Fn(&S) -> bool) -> usize {
    scores.iter().map(|score| usize::from(is_counted(score))).sum()
}
