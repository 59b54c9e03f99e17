//! Searching: descending from the top block to a place in a leaf.
//!
//! A search takes a score and a predicate that accepts the members of exactly that score that come
//! before the place. Scores are compared first, and all at once, by counting, which needs no order and
//! no branches. Members are read only where scores are equal, several at a time, so that their cache
//! misses overlap. Below a child within a run of equal scores, no scores are read.

use arrayvec::ArrayVec;
use core::cmp::Ordering;
use core::ops::Range;

use super::index::{BLOCK_CAPACITY, Block, MAX_LEVELS};
use super::leaf::LeafRef;
use super::leaves::Leaves;
use super::{NONE, SkipList};

/// A place in order: before the element at `position` of the leaf, or after its last element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) leaf: u32,
    pub(crate) position: usize,
}

/// The child index that a search takes in each block, from the top down, six bits each. Ways compare
/// like the leaves to which they lead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way(u64);

impl Way {
    pub(crate) const FIRST: Way = Way(u64::MIN);
    pub(crate) const LAST: Way = Way(u64::MAX);

    /// Appends a child index.
    #[inline]
    pub(crate) fn push(&mut self, index: usize) {
        const { assert!(MAX_LEVELS as u32 * BLOCK_CAPACITY.ilog2() < u64::BITS) }
        self.0 = self.0 << BLOCK_CAPACITY.ilog2() | index as u64;
    }
}

/// The path of a search: each block from the top down, with the index of the child taken.
///
/// It saves `put` the walk up. Any change to the index on the path clears it, and `put` then follows
/// the parent pointers.
pub(crate) type Path = ArrayVec<(u32, u8), MAX_LEVELS>;

impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the place after all elements with a lower score and after those of equal score that
    /// `precedes` accepts. It must accept a prefix of them.
    ///
    /// The path is written to `path`, which must be empty.
    #[inline]
    pub(crate) fn search(
        &self,
        score: S,
        precedes: impl FnMut(&M) -> bool,
        path: &mut Path,
    ) -> Place {
        self.search_along(score, precedes, |id, index| path.push((id, index as u8)))
    }

    /// Like `search`, with a shortcut if the place is the end and the last insertion was there too.
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

    /// Like `search`, and also returns the way to the place.
    #[inline]
    pub(crate) fn search_way(&self, score: S, precedes: impl FnMut(&M) -> bool) -> (Place, Way) {
        let mut way = Way::FIRST;
        (self.search_along(score, precedes, |_, index| way.push(index)), way)
    }

    /// Like `search_way`, but first looks in the leaf of `start` and a few leaves after it. A way found
    /// there can be compared only with that of `start`.
    ///
    /// If the place is before `start`, the result is an arbitrary place before `start`.
    pub(crate) fn search_way_from(
        &self,
        start: (Place, Way),
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
    ) -> (Place, Way) {
        let (Place { leaf: mut id, .. }, mut way) = start;
        for _ in 0..NEAR_LEAVES {
            let leaf = self.leaf(id);
            let is_behind = leaf.forward != NONE && {
                let (first, first_score) = self.leaf(leaf.forward).at(0);
                first_score < score || first_score == score && precedes(first)
            };
            if !is_behind {
                let position = Equals::of(leaf, score).position_in(leaf, score, precedes);
                return (Place { leaf: id, position }, way);
            }
            (id, way) = (leaf.forward, Way::LAST);
        }
        self.search_way(score, precedes)
    }

    /// Like `search`, and calls `passed` with each block on the path and the index of the child taken.
    #[inline]
    fn search_along(
        &self,
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
        passed: impl FnMut(u32, usize),
    ) -> Place {
        let (leaf, equals) = self.descend(score, &mut precedes, passed);
        Place { leaf, position: equals.position_in(self.leaf(leaf), score, precedes) }
    }

    /// Returns the place before or after all elements with a score, and calls `passed` with each block
    /// on the path and the index of the child taken.
    ///
    /// Compares no members, and counts the scores of each block only once.
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
        let mut id = if self.levels == 0 { self.head } else { self.top };
        for _ in 0..self.levels {
            let block = self.blocks.get(id);
            let index = precede(&block.firsts).saturating_sub(1);
            passed(block, index);
            id = block.children[index];
        }
        Place { leaf: id, position: precede(self.leaf(id).scores) }
    }

    /// Descends to a leaf, and calls `passed` with each block on the path and the index of the child
    /// taken.
    #[inline]
    fn descend(
        &self,
        score: S,
        precedes: &mut impl FnMut(&M) -> bool,
        mut passed: impl FnMut(u32, usize),
    ) -> (u32, Equals) {
        let mut id = if self.levels == 0 { self.head } else { self.top };
        for level in (1..=self.levels).rev() {
            let block = self.blocks.get(id);
            let not_above = count(&block.firsts, |first| *first <= score);
            if not_above > 0 && block.firsts[not_above - 1] == score {
                return self.descend_among_equals(id, level, score, precedes, passed);
            }
            let index = not_above.saturating_sub(1);
            passed(id, index);
            id = block.children[index];
        }
        (id, Equals::default())
    }

    /// Descends from a block in which some child's first element has the score.
    #[inline(never)]
    fn descend_among_equals(
        &self,
        mut id: u32,
        level: u32,
        score: S,
        precedes: &mut impl FnMut(&M) -> bool,
        mut passed: impl FnMut(u32, usize),
    ) -> (u32, Equals) {
        let Leaves::Blocks(leaves) = &self.leaves else {
            unreachable!("a small list has no blocks")
        };
        let mut equals = Equals::default();
        for level in (1..=level).rev() {
            let block = self.blocks.get(id);
            let run = equals.children(&block.firsts, score);
            let equal = block.children.get(run.clone()).unwrap_or_default();
            let before = partition_point(equal, |&(mut id)| {
                for _ in 1..level {
                    id = self.blocks.get(id).children[0];
                }
                precedes(leaves.get(id).as_ref().first_member())
            });
            let index = (run.start + before).saturating_sub(1);
            equals.from_start = index >= run.start;
            equals.to_end |= index + 1 < run.end;
            passed(id, index);
            id = block.children[index];
        }
        (id, equals)
    }

    /// Returns the place of the first element equal to `(score, member)`, if there is one.
    pub(crate) fn find(&self, score: S, mut compare: impl FnMut(&M) -> Ordering) -> Option<Place> {
        let (place, _) = self.search_way(score, |member| compare(member).is_lt());
        let place = self.at_element(place)?;
        let (member, found) = self.leaf(place.leaf).at(place.position);
        (found == score && compare(member).is_eq()).then_some(place)
    }
}

/// What is known about the scores below a node before reading them.
#[derive(Clone, Copy, Default)]
struct Equals {
    /// None is lower than the target score.
    from_start: bool,
    /// None is higher.
    to_end: bool,
}

impl Equals {
    /// Compares the first and the last score of a leaf.
    fn of<M, S: Ord + Copy>(leaf: LeafRef<'_, M, S>, score: S) -> Equals {
        let is_equal = |slot: &u8| leaf.scores[*slot as usize] == score;
        Equals {
            from_start: leaf.order().first().is_some_and(is_equal),
            to_end: leaf.order().last().is_some_and(is_equal),
        }
    }

    /// Returns the position of the place in a leaf, as defined by `search`.
    #[inline]
    fn position_in<M, S: Ord + Copy>(
        self,
        leaf: LeafRef<'_, M, S>,
        score: S,
        precedes: impl FnMut(&M) -> bool,
    ) -> usize {
        if self.from_start && self.to_end {
            position_among(leaf, leaf.order(), precedes)
        } else {
            position_in(leaf, score, precedes)
        }
    }

    /// Returns the run of children whose first scores equal `score`.
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

/// Returns the position of the place in a leaf, as defined by `search`.
#[inline]
pub(super) fn position_in<M, S: Ord + Copy>(
    leaf: LeafRef<'_, M, S>,
    score: S,
    precedes: impl FnMut(&M) -> bool,
) -> usize {
    let scores = &leaf.scores[..leaf.len()];
    let below = count(scores, |s| *s < score);
    match leaf.order().get(below) {
        Some(&slot) if scores[slot as usize] == score => {
            let not_above = count(scores, |s| *s <= score);
            let equal = leaf.order().get(below..not_above).unwrap_or_default();
            below + position_among(leaf, equal, precedes)
        }
        _ => below,
    }
}

/// Returns the number of members in these slots, all of one score, that precede a place.
#[inline]
fn position_among<M, S>(
    leaf: LeafRef<'_, M, S>,
    slots: &[u8],
    mut precedes: impl FnMut(&M) -> bool,
) -> usize {
    partition_point(slots, |&slot| precedes(&leaf.members[slot as usize]))
}

/// The number of leaves to check for the end of a range before searching from the top.
const NEAR_LEAVES: usize = 4;

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

    /// Creates a list with `run` members for each score but the first and the last, inserted in
    /// scattered order.
    fn with_runs(len: u32, run: u32) -> (SkipList<u32, u32>, Vec<(u32, u32)>) {
        // A step coprime to the lengths.
        let members = (0..len).map(|i| (u64::from(i) * 7_919 % u64::from(len)) as u32);
        let score = |member: u32| (member + run / 2) / run;
        let mut list = SkipList::new();
        members.for_each(|member| list.insert(2 * member, score(member)));
        list.check();
        (list, (0..len).map(|member| (score(member), 2 * member)).collect())
    }

    /// Searches for the places before and after elements, with runs of equal scores that start and end
    /// anywhere in leaves and blocks.
    #[test]
    fn places_among_equal_scores() {
        let lens: &[u32] = if cfg!(miri) { &[200] } else { &[1, 60, 200, 5_000, 40_000] };
        for &len in lens {
            for run in [1, 2, 50, 64, 700, 10_000, 100_000] {
                let (list, elements) = with_runs(len, run);
                for (rank, &(score, member)) in elements.iter().enumerate().step_by(37) {
                    let rank_of = |(place, _)| list.rank_of(place);
                    let before = list.search_way(score, |&other| other < member);
                    assert_eq!(rank_of(before), rank, "{len} by {run}");
                    let after = list.search_way(score, |&other| other <= member);
                    assert_eq!(rank_of(after), rank + 1, "{len} by {run}");
                    assert!((before.1, before.0.position) < (after.1, after.0.position));
                    let (place, mut path) = (after.0, Path::new());
                    assert_eq!(list.search(score, |&other| other <= member, &mut path), place);
                    assert_eq!(path.len(), list.levels as usize);
                    // Before and after all elements of this score.
                    let first = elements.partition_point(|&(other, _)| other < score);
                    let end = elements.partition_point(|&(other, _)| other <= score);
                    assert_eq!(rank_of(list.search_way(score, |_| false)), first);
                    assert_eq!(rank_of(list.search_way(score, |_| true)), end);
                }
            }
        }
    }

    #[test]
    fn the_end_of_a_range_near_and_far_from_its_start() {
        let len = if cfg!(miri) { 300 } else { 3_000 };
        for run in [1, 40, 64, 700, len] {
            let (list, elements) = with_runs(len, run);
            for (rank, &(score, member)) in elements.iter().enumerate().step_by(97) {
                let start = list.search_way(score, |&other| other < member);
                for ahead in [0, 1, 2, 30, 64, 65, 130, 200, 260, 400, 2_000] {
                    let Some(&(end_score, end)) = elements.get(rank + ahead) else { break };
                    let found = list.search_way_from(start, end_score, |&other| other <= end);
                    let found_rank = list.rank_of(found.0);
                    assert_eq!(found_rank, rank + ahead + 1, "{ahead} after {rank}, runs of {run}");
                    assert!((start.1, start.0.position) < (found.1, found.0.position));
                }
                // In an inverted range, the end is no later than the start.
                let (score, before) = elements[rank / 2];
                let found = list.search_way_from(start, score, |&other| other < before);
                assert!(list.rank_of(found.0) <= rank);
                assert!((found.1, found.0.position) <= (start.1, start.0.position));
            }
        }
    }
}
