//! Look-ups of an element by its key, and of a position by rank, by handle, or by score and a
//! predicate on keys.
//!
//! A look-up by key gets the handles for the key's hash from the dict, and compares the key at each
//! handle.
//!
//! A search by score takes a predicate on keys. Among the keys with exactly that score, the
//! predicate accepts those before the position. Scores are compared first: a search counts the
//! scores of a node that are lower or equal, which needs neither order nor branches. Keys are read
//! only where scores are equal, several at a time, so that their cache misses overlap. If all
//! scores below a child are known to be equal, none of them are read.

use core::borrow::Borrow;
use core::cmp::Ordering;
use core::hash::{BuildHasher, Hash};
use core::ops::Range;
use equivalent::Equivalent;

use super::arena::NONE;
use super::dict::{Hashed, hash_one};
use super::index::{BLOCK_CAPACITY, Block, MAX_LEVELS};
use super::leaf::{Handle, LeafRef};
use super::{Core, Nodes};
use crate::TieOrder;

/// An element found by a look-up.
pub(crate) struct Element<'a, K, V, S> {
    pub(crate) handle: Handle,
    pub(crate) pair: &'a (K, V),
    pub(crate) score: &'a S,
}

/// A position in the order: before an element of a leaf, or after its last element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) leaf: u32,
    /// The number of elements of the leaf before this position.
    pub(crate) index: usize,
}

/// A range of elements whose ranks are known.
#[derive(Clone, Copy)]
pub(crate) struct RankedRange {
    pub(crate) start: Position,
    pub(crate) end: Position,
    /// The number of elements before `start`.
    pub(crate) start_rank: usize,
    pub(crate) len: usize,
}

impl RankedRange {
    /// Creates a range from two positions and their ranks. If these are inverted, the range is
    /// empty.
    pub(super) fn new(
        (start, start_rank): (Position, usize),
        (end, end_rank): (Position, usize),
    ) -> Self {
        RankedRange { start, end, start_rank, len: end_rank.saturating_sub(start_rank) }
    }
}

/// The path of a search: the index of the child that it follows in each block, from the top down,
/// in log2(`BLOCK_CAPACITY`) bits each. Paths compare in the order of their leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(u64);

impl Path {
    pub(crate) const FIRST: Path = Path(u64::MIN);
    /// Greater than the path to any leaf. It leads to no leaf.
    pub(crate) const LAST: Path = Path(u64::MAX);

    /// Appends the index of the child in the next block.
    #[inline]
    pub(crate) fn push(&mut self, index: usize) {
        const { assert!(BLOCK_CAPACITY.is_power_of_two()) }
        const { assert!(MAX_LEVELS as u32 * BLOCK_CAPACITY.ilog2() < u64::BITS) }
        self.0 = self.0 << BLOCK_CAPACITY.ilog2() | index as u64;
    }

    /// Returns the child index in the block on this level. Levels of blocks start at 1.
    #[inline]
    pub(crate) fn index_on(self, level: u32) -> usize {
        (self.0 >> ((level - 1) * BLOCK_CAPACITY.ilog2())) as usize % BLOCK_CAPACITY
    }
}

/// The position at which to insert an element, with the path to it.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) position: Position,
    /// The path, if known. With it, `put` finds the child in each block above without a search.
    pub(crate) path: Option<Path>,
}

/// Look-ups by key.
impl<K, V, S, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    #[inline]
    pub(crate) fn hash<Q: Hash + ?Sized>(&self, key: &Q) -> usize {
        hash_one(&self.dict.hasher, key)
    }

    /// Returns the element of a key.
    #[inline]
    pub(crate) fn element<Q>(&self, key: &Q) -> Option<Element<'_, K, V, S>>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.map_element(key, |found| found)
    }

    /// Returns what `read` returns for the element of a key.
    #[inline]
    pub(crate) fn map_element<'a, Q, T>(
        &'a self,
        key: &Q,
        read: impl Fn(Element<'a, K, V, S>) -> T,
    ) -> Option<T>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        // Without elements, there is no need to hash the key.
        if self.nodes.len == 0 { None } else { self.find_map(self.hash(key), key, read) }
    }

    /// Returns the element of a key with this hash.
    #[inline]
    pub(crate) fn find<Q>(&self, hash: usize, key: &Q) -> Option<Element<'_, K, V, S>>
    where
        Q: Equivalent<K> + ?Sized,
    {
        self.find_map(hash, key, |found| found)
    }

    /// Returns what `read` returns for the element of a key with this hash.
    ///
    /// A closure reads the element, because a loop that returned all its parts would be too large
    /// to be inlined.
    #[inline]
    pub(crate) fn find_map<'a, Q, T>(
        &'a self,
        hash: usize,
        key: &Q,
        read: impl Fn(Element<'a, K, V, S>) -> T,
    ) -> Option<T>
    where
        Q: Equivalent<K> + ?Sized,
    {
        // The closure reads the element, because getting the leaf again would cost a tenth of a
        // look-up. It captures by value, because references would force variables from registers
        // into memory.
        self.dict.tables.find(hash, move |handle| {
            let (pairs, scores) = self.nodes.leaves.columns(handle.leaf());
            let pair = pairs.get(handle.slot() as usize)?;
            if !key.equivalent(&pair.0) {
                return None;
            }
            let score = scores.get(handle.slot() as usize)?;
            Some(read(Element { handle, pair, score }))
        })
    }

    /// Returns the position of the element of a key.
    #[inline]
    pub(crate) fn position<Q>(&self, key: &Q) -> Option<Position>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let handle = self.map_element(key, |found| found.handle)?;
        Some(self.nodes.position_of(handle))
    }

    #[inline]
    pub(crate) fn rank<Q>(&self, key: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        Some(self.nodes.rank_of(self.position(key)?))
    }
}

/// Look-ups by rank, by handle and by position.
impl<K, V, S> Nodes<K, V, S> {
    pub(crate) fn first(&self) -> Option<(&(K, V), &S)> {
        (self.len > 0).then(|| self.leaf(self.head).at(0))
    }

    pub(crate) fn last(&self) -> Option<(&(K, V), &S)> {
        (self.len > 0).then(|| {
            let Position { leaf, index } = self.last_position();
            self.leaf(leaf).at(index)
        })
    }

    pub(crate) fn get_by_rank(&self, rank: usize) -> Option<(&(K, V), &S)> {
        (rank < self.len).then(|| {
            let Position { leaf, index } = self.position_at(rank);
            self.leaf(leaf).at(index)
        })
    }

    /// Returns the number of elements before a position.
    ///
    /// Follows the parent pointers, so neither scores nor keys are compared.
    #[inline]
    pub(crate) fn rank_of(&self, position: Position) -> usize {
        let mut rank = position.index;
        let (mut id, mut parent) = (position.leaf, self.leaf(position.leaf).parent);
        while parent != NONE {
            let block = self.blocks.get(parent);
            rank += block.span_before(block.index_of(id));
            (id, parent) = (parent, block.parent);
        }
        rank
    }

    #[inline]
    pub(crate) fn position_of(&self, handle: Handle) -> Position {
        let index = self.leaf(handle.leaf()).index_of(handle.slot());
        Position { leaf: handle.leaf(), index }
    }

    pub(crate) fn handle_at(&self, position: Position) -> Handle {
        Handle::new(position.leaf, self.leaf(position.leaf).order()[position.index])
    }

    /// Returns the same position, expressed in the leaf that contains the next element, or `None`
    /// at the end.
    #[inline]
    pub(crate) fn at_element(&self, position: Position) -> Option<Position> {
        let leaf = self.leaf(position.leaf);
        if position.index < leaf.len() {
            return Some(position);
        }
        (leaf.forward != NONE).then_some(Position { leaf: leaf.forward, index: 0 })
    }

    /// Returns the position of the element at this rank, or the end if there is no such element.
    pub(crate) fn position_at(&self, rank: usize) -> Position {
        if rank >= self.len {
            return self.end();
        }
        let mut left = rank as u32;
        let mut id = self.root();
        for _ in 0..self.levels {
            let block = self.blocks.get(id);
            let mut index = 0;
            while left >= block.spans[index] {
                left -= block.spans[index];
                index += 1;
            }
            id = block.children[index];
        }
        Position { leaf: id, index: left as usize }
    }

    /// Returns the top block, or the only leaf if there are no levels.
    #[inline]
    pub(crate) fn root(&self) -> u32 {
        if self.levels == 0 { self.head } else { self.top }
    }

    /// Returns the position before the first element.
    pub(crate) fn start(&self) -> Position {
        Position { leaf: self.head, index: 0 }
    }

    /// Returns the position after the last element.
    pub(crate) fn end(&self) -> Position {
        Position { leaf: self.tail, index: self.leaf(self.tail).len() }
    }

    /// Returns the range of all elements.
    pub(crate) fn whole(&self) -> RankedRange {
        RankedRange { start: self.start(), end: self.end(), start_rank: 0, len: self.len }
    }

    /// Returns the position of the last element of a nonempty core.
    pub(crate) fn last_position(&self) -> Position {
        Position { leaf: self.tail, index: self.leaf(self.tail).len().wrapping_sub(1) }
    }

    /// Returns the handles of all elements, in order.
    pub(crate) fn all_handles(&self) -> impl Iterator<Item = Handle> {
        self.handles_from(self.start())
    }

    /// Returns the handles of the elements from a position on, in order.
    pub(crate) fn handles_from(&self, mut next: Position) -> impl Iterator<Item = Handle> {
        core::iter::from_fn(move || {
            let position = self.at_element(next)?;
            next = Position { index: position.index + 1, ..position };
            Some(self.handle_at(position))
        })
    }
}

/// Look-ups by score and key.
impl<K, V, S> Nodes<K, V, S> {
    /// Returns the position after all elements with a lower score and after those of equal score
    /// that `precedes` accepts, and the path to it. `precedes` must accept a prefix of the elements
    /// of equal score.
    #[expect(
        clippy::inline_always,
        reason = "the compiler inlines only parts of what several callers share: 2 % more instructions"
    )]
    #[inline(always)]
    pub(crate) fn search<T>(
        &self,
        score: &T,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> (Position, Path)
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let (mut id, mut path) = (self.root(), Path::FIRST);
        for level in (1..=self.levels).rev() {
            let block = self.blocks.get(id);
            let index = count(&block.firsts, |first: &T| first <= score);
            if index > 0 && block.firsts[index - 1].borrow() == score {
                return self.search_among_equals(id, level.into(), score, precedes, path);
            }
            path.push(index);
            id = block.children[index];
        }
        (Position { leaf: id, index: index_in(self.leaf(id), score, &mut precedes) }, path)
    }

    /// Continues a search from a block in which the first element of some child has this score.
    #[inline(never)]
    fn search_among_equals<T>(
        &self,
        mut id: u32,
        level: u32,
        score: &T,
        mut precedes: impl FnMut(&K) -> bool,
        mut path: Path,
    ) -> (Position, Path)
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let mut equals = Equals::default();
        for level in (1..=level).rev() {
            let block = self.blocks.get(id);
            let Range { start, end } = equals.range(&block.firsts, score);
            let equal = block.children.get(start + 1..=end).unwrap_or_default();
            let before = partition_point(equal, |&(mut id)| {
                for _ in 1..level {
                    id = self.blocks.get(id).children[0];
                }
                precedes(&self.leaf(id).first_pair().0)
            });
            let index = start + before;
            equals.from_start |= before > 0;
            equals.to_end |= index < end;
            path.push(index);
            id = block.children[index];
        }
        (Position { leaf: id, index: equals.index_in(self.leaf(id), score, precedes) }, path)
    }

    /// Like `search`, with a shortcut for repeated insertions at the end.
    #[inline]
    pub(crate) fn search_to_insert(&self, score: &S, mut precedes: impl FnMut(&K) -> bool) -> Target
    where
        S: Ord,
    {
        let follows = |(last, last_score): (&(K, V), &S)| {
            last_score < score || last_score == score && precedes(&last.0)
        };
        if self.is_appended_to && self.last().is_some_and(follows) {
            return Target { position: self.end(), path: None };
        }
        let (position, path) = self.search(score, precedes);
        Target { position, path: Some(path) }
    }

    /// Like `search`, but first looks in the leaf of `start` and a few leaves after it. The
    /// returned path may only be compared with that of `start`.
    ///
    /// If the position is before `start`, the result is an arbitrary position that is not after
    /// `start`.
    pub(crate) fn search_from<T>(
        &self,
        start: (Position, Path),
        score: &T,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> (Position, Path)
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let (Position { leaf: mut id, .. }, mut path) = start;
        for _ in 0..NEAR_LEAVES {
            let leaf = self.leaf(id);
            let is_after = leaf.forward != NONE && {
                let (first, first_score) = self.leaf(leaf.forward).at(0);
                first_score.borrow() < score || first_score.borrow() == score && precedes(&first.0)
            };
            if !is_after {
                let index = Equals::of(leaf, score).index_in(leaf, score, precedes);
                return (Position { leaf: id, index }, path);
            }
            (id, path) = (leaf.forward, Path::LAST);
        }
        self.search(score, precedes)
    }

    /// Returns the position before all elements with a score or, if `is_after`, after them. Calls
    /// `passed` with each block on the path and the index of the child taken. Reads no keys.
    #[inline]
    pub(crate) fn search_score<T>(
        &self,
        score: &T,
        is_after: bool,
        mut passed: impl FnMut(&Block<S>, usize),
    ) -> Position
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let precede = |scores: &[S]| {
            if is_after {
                count(scores, |other: &T| other <= score)
            } else {
                count(scores, |other: &T| other < score)
            }
        };
        let mut id = self.root();
        for _ in 0..self.levels {
            let block = self.blocks.get(id);
            let index = precede(&block.firsts);
            passed(block, index);
            id = block.children[index];
        }
        Position { leaf: id, index: precede(self.leaf(id).scores) }
    }

    /// Returns the position of the first element with this score for whose key `compare` returns
    /// `Equal`, if there is one.
    pub(crate) fn search_element<T>(
        &self,
        score: &T,
        mut compare: impl FnMut(&K) -> Ordering,
    ) -> Option<Position>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let (position, _) = self.search(score, |key| compare(key).is_lt());
        let position = self.at_element(position)?;
        let (pair, found) = self.leaf(position.leaf).at(position.index);
        (found.borrow() == score && compare(&pair.0).is_eq()).then_some(position)
    }
}

/// Returns a predicate that accepts the keys before `key`. All its callers pass the same closure
/// type to a search, so they share the code.
pub(crate) fn before<K: TieOrder>(key: &K) -> impl Fn(&K) -> bool {
    move |other| other.precedes(key)
}

/// The number of leaves to check for the end of a range before searching from the top.
const NEAR_LEAVES: usize = 4;

/// What is known about the scores below a node before they are read.
#[derive(Clone, Copy, Default)]
struct Equals {
    /// True if no score is lower than the target score.
    from_start: bool,
    /// True if no score is higher than the target score.
    to_end: bool,
}

impl Equals {
    /// Compares the first and the last score of a leaf with the target score.
    fn of<K, V, S: Borrow<T>, T: Ord + ?Sized>(leaf: LeafRef<'_, (K, V), S>, score: &T) -> Equals {
        let is_equal = |slot: &u8| leaf.scores[*slot as usize].borrow() == score;
        Equals {
            from_start: leaf.order().first().is_some_and(is_equal),
            to_end: leaf.order().last().is_some_and(is_equal),
        }
    }

    /// The last step of `search`: returns the index of the position in its leaf.
    fn index_in<K, V, S: Borrow<T>, T: Ord + ?Sized>(
        self,
        leaf: LeafRef<'_, (K, V), S>,
        score: &T,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> usize {
        if self.from_start && self.to_end {
            index_among(leaf, leaf.order(), precedes)
        } else {
            index_in(leaf, score, &mut precedes)
        }
    }

    /// Returns the range of the first scores of a block that equal `score`. The block's first child
    /// has no first score, so the index at which the range ends is that of the last child with this
    /// score.
    #[inline]
    fn range<S: Borrow<T>, T: Ord + ?Sized>(self, firsts: &[S], score: &T) -> Range<usize> {
        let is_equal = |first: &S| first.borrow() == score;
        let start = if self.from_start || firsts.first().is_some_and(is_equal) {
            0
        } else {
            count(firsts, |first: &T| first < score)
        };
        let end = if self.to_end || firsts.last().is_some_and(is_equal) {
            firsts.len()
        } else {
            count(firsts, |first: &T| first <= score)
        };
        start..end
    }
}

/// The last step of `search`: returns the index of the position in its leaf.
#[expect(clippy::inline_always, reason = "a call takes 2 % of an insertion")]
#[inline(always)]
pub(crate) fn index_in<K, V, S: Borrow<T>, T: Ord + ?Sized>(
    leaf: LeafRef<'_, (K, V), S>,
    score: &T,
    precedes: impl FnMut(&K) -> bool,
) -> usize {
    let scores = &leaf.scores[..leaf.len()];
    let below = count(scores, |other: &T| other < score);
    match leaf.order().get(below) {
        Some(&slot) if scores[slot as usize].borrow() == score => {
            let not_above = count(scores, |other: &T| other <= score);
            let equal = leaf.order().get(below..not_above).unwrap_or_default();
            below + index_among(leaf, equal, precedes)
        }
        _ => below,
    }
}

/// Returns the number of keys that `precedes` accepts in these slots, whose scores are equal.
#[inline]
fn index_among<K, V, S>(
    leaf: LeafRef<'_, (K, V), S>,
    slots: &[u8],
    mut precedes: impl FnMut(&K) -> bool,
) -> usize {
    partition_point(slots, |&slot| precedes(&leaf.pairs[slot as usize].0))
}

/// The number of parts into which each round of `partition_point` divides the remaining values.
const PARTS: usize = 8;

/// Returns the number of values that `precedes` accepts. They must be a prefix of the slice.
///
/// Each round tests the last value of every part except the last part. That is more tests than a
/// binary search needs, but they are independent, so their cache misses overlap.
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
            // Leave out the last value of this part, which `precedes` rejected.
            &rest[start..end_of(before + 1) - 1]
        } else {
            &rest[start..]
        };
    }
    accepted + rest.iter().map(|value| usize::from(precedes(value))).sum::<usize>()
}

/// Counts the scores that `is_counted` accepts. Without an early exit, the loop compiles to SIMD
/// comparisons.
#[inline]
fn count<S: Borrow<T>, T: ?Sized>(scores: &[S], is_counted: impl Fn(&T) -> bool) -> usize {
    scores.iter().map(|score| usize::from(is_counted(score.borrow()))).sum()
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
                assert!(len != 64 || asked == 14 + usize::from(accepted > 62), "{asked} questions");
            }
        }
    }
}
