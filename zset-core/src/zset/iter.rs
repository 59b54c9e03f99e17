//! Iterators over a set.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use super::read::borrowed;
use super::{Elements, ZSet};
use crate::{ByteString, Member, PackedIter, PackedZSet, Score, skiplist};

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy and double-ended, and knows its length. Each step is **O(1)**.
#[derive(Clone)]
#[non_exhaustive]
pub enum Iter<'a> {
    /// Over a listpack.
    #[doc(hidden)]
    Listpack(PackedIter<'a>),
    /// Over a skip list.
    #[doc(hidden)]
    Skiplist(skiplist::Iter<'a, ByteString, Score>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Member<'a>, Score);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Iter::Listpack(elements) => elements.next(),
            Iter::Skiplist(elements) => elements.next().map(borrowed),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Iter::Listpack(elements) => elements.size_hint(),
            Iter::Skiplist(elements) => elements.size_hint(),
        }
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match self {
            Iter::Listpack(elements) => elements.next_back(),
            Iter::Skiplist(elements) => elements.next_back().map(borrowed),
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

/// The iterator that owns its elements, lowest score first.
pub struct IntoIter(Owned);

enum Owned {
    Listpack(PackedZSet<Vec<u8>>),
    Skiplist(skiplist::IntoIter<ByteString, Score>),
}

impl Iterator for IntoIter {
    type Item = (ByteString, Score);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Owned::Listpack(set) => set.pop_first_with(|member, score| (member.into(), score)),
            Owned::Skiplist(elements) => elements.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Owned::Listpack(set) => (set.len(), Some(set.len())),
            Owned::Skiplist(elements) => elements.size_hint(),
        }
    }
}

impl DoubleEndedIterator for IntoIter {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Owned::Listpack(set) => set.pop_last_with(|member, score| (member.into(), score)),
            Owned::Skiplist(elements) => elements.next_back(),
        }
    }
}

impl ExactSizeIterator for IntoIter {}

impl FusedIterator for IntoIter {}

impl fmt::Debug for IntoIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Owned::Listpack(set) => set.iter().fmt(f),
            Owned::Skiplist(elements) => elements.fmt(f),
        }
    }
}

impl IntoIterator for ZSet {
    type Item = (ByteString, Score);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(match self.elements {
            Elements::Listpack(set) => Owned::Listpack(set),
            Elements::Skiplist(set) => {
                let [set] = *set;
                Owned::Skiplist(set.into_iter())
            }
        })
    }
}

impl<'a> IntoIterator for &'a ZSet {
    type Item = (Member<'a>, Score);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
