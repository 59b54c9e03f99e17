//! Searching: descending from the top block to a position in a leaf.
//!
//! A search takes a score and a predicate that accepts the members of exactly that score that come
//! before the position. Insertions and updates share one instance of a search. `by_counting` is for machines with caches,
//! `by_halving` for targets without an operating system.

use core::cmp::Ordering;

use super::index::{BLOCK_CAPACITY, Block, MAX_LEVELS};
use super::position::Position;
use super::{NONE, SkipList};

#[cfg(not(target_os = "none"))]
mod by_counting;
#[cfg(any(target_os = "none", test))]
mod by_halving;
#[cfg(test)]
mod tests;

#[cfg(not(target_os = "none"))]
use by_counting as descent;
#[cfg(target_os = "none")]
use by_halving as descent;
pub(super) use descent::index_in;

/// The child index that a search takes in each block, from the top down, six bits each. Ways compare
/// like the leaves to which they lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way(u64);

impl Way {
    pub(crate) const FIRST: Way = Way(u64::MIN);
    pub(crate) const LAST: Way = Way(u64::MAX);
    /// That of a target whose way is not known. No way has all bits.
    pub(super) const UNKNOWN: Way = Way(u64::MAX);

    /// Appends a child index.
    #[inline]
    pub(crate) fn push(&mut self, index: usize) {
        const { assert!(MAX_LEVELS as u32 * BLOCK_CAPACITY.ilog2() < u64::BITS) }
        self.0 = self.0 << BLOCK_CAPACITY.ilog2() | index as u64;
    }

    /// Returns the child index in the block on this level, which is at least 1.
    #[inline]
    pub(super) fn index_on(self, level: u32) -> usize {
        (self.0 >> ((level - 1) * BLOCK_CAPACITY.ilog2())) as usize % BLOCK_CAPACITY
    }
}

/// Where an element with a score is to be inserted.
pub(crate) struct Target<S> {
    pub(super) position: Position,
    pub(super) score: S,
    /// The way to the position, if known: it saves `put` the search for the children in the blocks above.
    pub(super) way: Way,
}

impl<S> Target<S> {
    /// Returns the leaf of the position.
    pub(crate) fn leaf(&self) -> u32 {
        self.position.leaf
    }
}

impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the position after all elements with a lower score and after those of equal score that
    /// `precedes` accepts. It must accept a prefix of them.
    #[inline]
    pub(crate) fn search(&self, score: S, precedes: impl FnMut(&M) -> bool) -> Target<S> {
        let (position, way) = self.search_way(score, precedes);
        Target { position, score, way }
    }

    /// Like `search`, with a shortcut if the position is the end and the last insertion was there too.
    #[inline]
    pub(crate) fn search_to_insert(
        &self,
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
    ) -> Target<S> {
        let follows =
            |(last, last_score)| last_score < score || last_score == score && precedes(last);
        if self.is_appended_to && self.last().is_some_and(follows) {
            return self.target_at_end(score);
        }
        self.search(score, precedes)
    }

    /// Returns the target after all elements.
    #[inline]
    pub(crate) fn target_at_end(&self, score: S) -> Target<S> {
        Target { position: self.end(), score, way: Way::UNKNOWN }
    }

    /// Returns the position that `search` returns, and the way to it.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(
        not(target_os = "none"),
        expect(
            clippy::inline_always,
            reason = "the compiler inlines only parts of it: 2 % more instructions"
        ),
        inline(always)
    )]
    pub(crate) fn search_way(&self, score: S, precedes: impl FnMut(&M) -> bool) -> (Position, Way) {
        descent::way(self, score, precedes)
    }

    /// Returns the position before or after all elements with a score, and calls `passed` with each block
    /// on the path and the index of the child taken. Reads no members.
    #[inline]
    pub(crate) fn search_score(
        &self,
        score: S,
        is_after: bool,
        passed: impl FnMut(&Block<S>, usize),
    ) -> Position {
        descent::position_by_score(self, score, is_after, passed)
    }

    /// Like `search_way`, but first looks in the leaf of `start` and a few leaves after it. A way found
    /// there can be compared only with that of `start`.
    ///
    /// If the position is before `start`, the result is an arbitrary position before `start`.
    pub(crate) fn search_way_from(
        &self,
        start: (Position, Way),
        score: S,
        mut precedes: impl FnMut(&M) -> bool,
    ) -> (Position, Way) {
        let (Position { leaf: mut id, .. }, mut way) = start;
        for _ in 0..NEAR_LEAVES {
            let leaf = self.leaf(id);
            let is_behind = leaf.forward != NONE && {
                let (first, first_score) = self.leaf(leaf.forward).at(0);
                first_score < score || first_score == score && precedes(first)
            };
            if !is_behind {
                let index = descent::index_near(leaf, score, precedes);
                return (Position { leaf: id, index }, way);
            }
            (id, way) = (leaf.forward, Way::LAST);
        }
        self.search_way(score, precedes)
    }

    /// Returns the position of the first element equal to `(score, member)`, if there is one.
    pub(crate) fn search_element(
        &self,
        score: S,
        mut compare: impl FnMut(&M) -> Ordering,
    ) -> Option<Position> {
        let (position, _) = self.search_way(score, |member| compare(member).is_lt());
        let position = self.at_element(position)?;
        let (member, found) = self.leaf(position.leaf).at(position.index);
        (found == score && compare(member).is_eq()).then_some(position)
    }
}

/// Returns the predicate that accepts the members before another: one type for all searches, which are so
/// compiled once.
pub(crate) fn before<M: Ord>(member: &M) -> impl Fn(&M) -> bool {
    move |other| other < member
}

/// The number of leaves to check for the end of a range before searching from the top.
const NEAR_LEAVES: usize = 4;
