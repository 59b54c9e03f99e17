//! [`Scores`]: looks up many members in batches, so that their cache misses overlap.

use arrayvec::ArrayVec;
use core::fmt;
use core::iter::{Fuse, FusedIterator};

/// The number of members that are hashed before the first of them is looked up.
const BATCH: usize = 16;

/// A collection in which [`Scores`] looks up members.
pub trait LookUp<Q> {
    /// The result for a member.
    type Found;

    /// Returns the hash of a member.
    fn hash(&self, member: &Q) -> usize;

    /// Returns the result for a member with this hash.
    fn find(&self, hash: usize, member: Q) -> Self::Found;
}

/// An iterator over the scores of members, returned by
/// [`SortedSet::scores`](crate::SortedSet::scores) and the methods of that name of
/// [`SortedMap`](crate::SortedMap) and `ZSet`.
///
/// It is double-ended and exact-size if the iterator over the members is. A batch of members is
/// hashed first, then looked up, so it takes up to a batch from their iterator ahead of time.
pub struct Scores<C: LookUp<I::Item>, I: Iterator> {
    set: C,
    members: Fuse<I>,
    /// The remaining results of the last batch from the front.
    front: Batch<C::Found>,
    /// The remaining results of the last batch from the back, in reverse order.
    back: Batch<C::Found>,
}

type Batch<T> = arrayvec::IntoIter<T, BATCH>;

impl<C: LookUp<I::Item>, I: Iterator> Scores<C, I> {
    pub(crate) fn new(set: C, members: impl IntoIterator<IntoIter = I>) -> Self {
        let [front, back] = [ArrayVec::new(), ArrayVec::new()].map(ArrayVec::into_iter);
        Scores { set, members: members.into_iter().fuse(), front, back }
    }
}

/// Looks up the next members. The look-ups do not depend on each other, so their cache misses
/// overlap.
#[inline]
fn look_up<C: LookUp<Q>, Q>(set: &C, members: impl Iterator<Item = Q>) -> Batch<C::Found> {
    let members = members.take(BATCH);
    let batch: ArrayVec<_, BATCH> = members.map(|member| (set.hash(&member), member)).collect();
    let found = batch.into_iter().map(|(hash, member)| set.find(hash, member));
    found.collect::<ArrayVec<_, BATCH>>().into_iter()
}

impl<C: LookUp<I::Item>, I: Iterator> Iterator for Scores<C, I> {
    type Item = C::Found;

    fn next(&mut self) -> Option<C::Found> {
        if self.front.len() == 0 {
            self.front = look_up(&self.set, self.members.by_ref());
        }
        self.front.next().or_else(|| self.back.next_back())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (low, high) = self.members.size_hint();
        let found = self.front.len() + self.back.len();
        (low.saturating_add(found), high.and_then(|high| high.checked_add(found)))
    }
}

impl<C: LookUp<I::Item>, I: DoubleEndedIterator> DoubleEndedIterator for Scores<C, I> {
    fn next_back(&mut self) -> Option<C::Found> {
        if self.back.len() == 0 {
            self.back = look_up(&self.set, self.members.by_ref().rev());
        }
        self.back.next().or_else(|| self.front.next_back())
    }
}

impl<C: LookUp<I::Item>, I: ExactSizeIterator> ExactSizeIterator for Scores<C, I> {}

impl<C: LookUp<I::Item>, I: Iterator> FusedIterator for Scores<C, I> {}

impl<C: LookUp<I::Item>, I: Iterator> fmt::Debug for Scores<C, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scores").finish_non_exhaustive()
    }
}
