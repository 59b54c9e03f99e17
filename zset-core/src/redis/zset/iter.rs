//! Iterators over a set.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use super::{Elements, ZSet, borrowed};
use crate::inner::iter;
use crate::redis::packed_zset::{self, Iter as PackedIter, PackedZSet};
use crate::{ByteString, Member, Score, sorted_set};

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**; `nth` and `nth_back`, and
/// therefore `skip` and `step_by`, are **O(log n)**. `len`, `size_hint`, `count` and `last` are at
/// most **O(log n)**.
#[derive(Clone)]
pub struct Iter<'a>(Borrowed<'a>);

#[derive(Clone)]
enum Borrowed<'a> {
    Listpack(PackedIter<'a>),
    Skiplist(sorted_set::Iter<'a, ByteString, Score>),
}

impl<'a> From<PackedIter<'a>> for Iter<'a> {
    fn from(elements: PackedIter<'a>) -> Self {
        Iter(Borrowed::Listpack(elements))
    }
}

impl<'a> From<sorted_set::Iter<'a, ByteString, Score>> for Iter<'a> {
    fn from(elements: sorted_set::Iter<'a, ByteString, Score>) -> Self {
        Iter(Borrowed::Skiplist(elements))
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Member<'a>, Score);

    // Without inlining, each member is returned through memory.
    #[expect(clippy::inline_always, reason = "a loop takes a fifth of the time, and is no longer")]
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Borrowed::Listpack(elements) => elements.next(),
            Borrowed::Skiplist(elements) => elements.next().map(borrowed),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Borrowed::Listpack(elements) => elements.size_hint(),
            Borrowed::Skiplist(elements) => elements.size_hint(),
        }
    }

    fn count(self) -> usize {
        self.len()
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        match &mut self.0 {
            Borrowed::Listpack(elements) => elements.nth(n),
            Borrowed::Skiplist(elements) => elements.nth(n).map(borrowed),
        }
    }

    /// Matches the encoding once instead of for each element.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut combine: F) -> B {
        match self.0 {
            Borrowed::Listpack(elements) => elements.fold(init, combine),
            Borrowed::Skiplist(elements) => {
                elements.fold(init, |combined, element| combine(combined, borrowed(element)))
            }
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    // Inlined for the same reason as `next`.
    #[expect(clippy::inline_always, reason = "a loop takes a fifth of the time, and is no longer")]
    #[inline(always)]
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Borrowed::Listpack(elements) => elements.next_back(),
            Borrowed::Skiplist(elements) => elements.next_back().map(borrowed),
        }
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        match &mut self.0 {
            Borrowed::Listpack(elements) => elements.nth_back(n),
            Borrowed::Skiplist(elements) => elements.nth_back(n).map(borrowed),
        }
    }

    /// Matches the encoding once instead of for each element.
    #[inline]
    fn rfold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut combine: F) -> B {
        match self.0 {
            Borrowed::Listpack(elements) => elements.rfold(init, combine),
            Borrowed::Skiplist(elements) => {
                elements.rfold(init, |combined, element| combine(combined, borrowed(element)))
            }
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An owning iterator over elements, lowest score first.
///
/// Each step is **O(1)**.
#[derive(Clone)]
pub struct IntoIter(Owned);

#[derive(Clone)]
enum Owned {
    /// The whole set, and the run of elements not yet returned.
    Listpack(PackedZSet<Vec<u8>>, packed_zset::Run),
    Skiplist(sorted_set::IntoIter<ByteString, Score>),
}

impl IntoIter {
    pub(super) fn of_listpack(set: PackedZSet<Vec<u8>>) -> Self {
        let rest = set.all();
        IntoIter(Owned::Listpack(set, rest))
    }

    pub(super) fn of_skiplist(elements: iter::IntoIter<ByteString, (), Score>) -> Self {
        IntoIter(Owned::Skiplist(sorted_set::IntoIter(elements)))
    }
}

impl Iterator for IntoIter {
    type Item = (ByteString, Score);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Owned::Listpack(set, rest) => set.next_of(rest).map(owned),
            Owned::Skiplist(elements) => elements.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Owned::Listpack(_, rest) => (rest.len(), Some(rest.len())),
            Owned::Skiplist(elements) => elements.size_hint(),
        }
    }
}

impl DoubleEndedIterator for IntoIter {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Owned::Listpack(set, rest) => set.next_back_of(rest).map(owned),
            Owned::Skiplist(elements) => elements.next_back(),
        }
    }
}

/// Copies an element out of its set.
pub(super) fn owned((member, score): (Member<'_>, Score)) -> (ByteString, Score) {
    (member.into(), score)
}

impl ExactSizeIterator for IntoIter {}

impl FusedIterator for IntoIter {}

impl fmt::Debug for IntoIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Owned::Listpack(set, rest) => set.iter_rest(rest).fmt(f),
            Owned::Skiplist(elements) => elements.fmt(f),
        }
    }
}

impl IntoIterator for ZSet {
    type Item = (ByteString, Score);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        match self.elements {
            Elements::Listpack(set) => IntoIter::of_listpack(set),
            Elements::Skiplist(set) => {
                let [set] = *set;
                IntoIter::of_skiplist(set.into_iter().0)
            }
        }
    }
}

impl<'a> IntoIterator for &'a ZSet {
    type Item = (Member<'a>, Score);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
