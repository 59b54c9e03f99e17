//! Iterators over borrowed and owned elements, and implementations of standard traits.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::FusedIterator;
use core::slice;

use super::{FixedSortedSet, SlotNumber};

/// An iterator over elements in order.
pub struct Iter<'a, M, S, I> {
    order: slice::Iter<'a, I>,
    members: &'a [M],
    scores: &'a [S],
}

impl<'a, M, S, I: SlotNumber> Iter<'a, M, S, I> {
    pub(super) fn new(order: &'a [I], members: &'a [M], scores: &'a [S]) -> Self {
        Iter { order: order.iter(), members, scores }
    }

    fn element(&self, slot: Option<&I>) -> Option<(&'a M, &'a S)> {
        let slot = slot?.to_usize();
        Some((&self.members[slot], &self.scores[slot]))
    }
}

impl<'a, M, S, I: SlotNumber> Iterator for Iter<'a, M, S, I> {
    type Item = (&'a M, &'a S);

    fn next(&mut self) -> Option<Self::Item> {
        let slot = self.order.next();
        self.element(slot)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.order.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        let slot = self.order.nth(n);
        self.element(slot)
    }

    fn count(self) -> usize {
        self.order.len()
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl<M, S, I: SlotNumber> DoubleEndedIterator for Iter<'_, M, S, I> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let slot = self.order.next_back();
        self.element(slot)
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        let slot = self.order.nth_back(n);
        self.element(slot)
    }
}

impl<M, S, I: SlotNumber> ExactSizeIterator for Iter<'_, M, S, I> {}

impl<M, S, I: SlotNumber> FusedIterator for Iter<'_, M, S, I> {}

impl<M, S, I> Clone for Iter<'_, M, S, I> {
    fn clone(&self) -> Self {
        Iter { order: self.order.clone(), members: self.members, scores: self.scores }
    }
}

impl<M, S, I> Default for Iter<'_, M, S, I> {
    fn default() -> Self {
        Iter { order: [].iter(), members: &[], scores: &[] }
    }
}

impl<M: fmt::Debug, S: fmt::Debug, I: SlotNumber> fmt::Debug for Iter<'_, M, S, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An iterator over elements in order, by value.
pub struct IntoIter<M, S, const N: usize> {
    members: arrayvec::IntoIter<M, N>,
    scores: arrayvec::IntoIter<S, N>,
}

impl<M, S, const N: usize> Iterator for IntoIter<M, S, N> {
    type Item = (M, S);

    fn next(&mut self) -> Option<(M, S)> {
        Some((self.members.next()?, self.scores.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.scores.size_hint()
    }
}

impl<M, S, const N: usize> DoubleEndedIterator for IntoIter<M, S, N> {
    fn next_back(&mut self) -> Option<(M, S)> {
        Some((self.members.next_back()?, self.scores.next_back()?))
    }
}

impl<M, S, const N: usize> ExactSizeIterator for IntoIter<M, S, N> {}

impl<M, S, const N: usize> FusedIterator for IntoIter<M, S, N> {}

impl<M, S, const N: usize> fmt::Debug for IntoIter<M, S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Returns the elements in order. **O(n)** to start.
impl<M, S, const N: usize, I: SlotNumber, H> IntoIterator for FixedSortedSet<M, S, N, I, H> {
    type Item = (M, S);
    type IntoIter = IntoIter<M, S, N>;

    fn into_iter(mut self) -> IntoIter<M, S, N> {
        // Sort the members and scores in place, one cycle of the permutation at a time.
        for start in 0..self.len() {
            let mut to = start;
            loop {
                let from = self.order[to].to_usize();
                self.order[to] = I::from_usize(to);
                if from == start {
                    break;
                }
                self.members.swap(to, from);
                self.scores.swap(to, from);
                to = from;
            }
        }
        IntoIter { members: self.members.into_iter(), scores: self.scores.into_iter() }
    }
}

impl<'a, M, S, const N: usize, I: SlotNumber, H> IntoIterator
    for &'a FixedSortedSet<M, S, N, I, H>
{
    type Item = (&'a M, &'a S);
    type IntoIter = Iter<'a, M, S, I>;

    fn into_iter(self) -> Iter<'a, M, S, I> {
        self.iter()
    }
}

impl<M, S, const N: usize, I: SlotNumber, H: Default> Default for FixedSortedSet<M, S, N, I, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

impl<M: fmt::Debug, S: fmt::Debug, const N: usize, I: SlotNumber, H> fmt::Debug
    for FixedSortedSet<M, S, N, I, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Two sets are equal if they have the same members with the same scores, whatever their
/// capacities. **O(n)**.
impl<M, S, const N: usize, I, H, const N2: usize, I2, H2>
    PartialEq<FixedSortedSet<M, S, N2, I2, H2>> for FixedSortedSet<M, S, N, I, H>
where
    M: PartialEq,
    S: PartialEq,
    I: SlotNumber,
    I2: SlotNumber,
{
    fn eq(&self, other: &FixedSortedSet<M, S, N2, I2, H2>) -> bool {
        self.iter().eq(other)
    }
}

impl<M: Eq, S: Eq, const N: usize, I: SlotNumber, H> Eq for FixedSortedSet<M, S, N, I, H> {}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: PartialOrd, S: PartialOrd, const N: usize, I: SlotNumber, H> PartialOrd
    for FixedSortedSet<M, S, N, I, H>
{
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let by_score = |(member, score)| (score, member);
        self.iter().map(by_score).partial_cmp(other.iter().map(by_score))
    }
}

/// Compares lexicographically, element by element, each by `(score, member)`. **O(n)**.
impl<M: Ord, S: Ord, const N: usize, I: SlotNumber, H> Ord for FixedSortedSet<M, S, N, I, H> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = |(member, score)| (score, member);
        self.iter().map(by_score).cmp(other.iter().map(by_score))
    }
}

/// Hashes the elements in order. Equal sets have equal hashes. **O(n)**.
impl<M: Hash, S: Hash, const N: usize, I: SlotNumber, H> Hash for FixedSortedSet<M, S, N, I, H> {
    fn hash<T: Hasher>(&self, state: &mut T) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}
