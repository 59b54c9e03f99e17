//! The iterator over pairs.

use core::fmt;
use core::iter::FusedIterator;

use super::range::Run;
use super::{PackedZSet, pair_at, score_of};
use crate::listpack::{Storage, previous};
use crate::{Member, Score};

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy and double-ended, and knows its length. Each step is **O(1)**.
#[derive(Clone)]
pub struct Iter<'a> {
    bytes: &'a [u8],
    front: usize,
    back: usize,
    remaining: usize,
}

impl<'a> Iter<'a> {
    pub(super) fn new(bytes: &'a [u8], run: Run) -> Self {
        Iter { bytes, front: run.start, back: run.end, remaining: run.len }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Member<'a>, Score);

    fn next(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        let (member, score, place) = pair_at(self.bytes, self.front)?;
        self.front = place.behind;
        Some((Member::new(member), score_of(score)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        self.back = previous(self.bytes, previous(self.bytes, self.back)?)?;
        let (member, score, _) = pair_at(self.bytes, self.back)?;
        Some((Member::new(member), score_of(score)))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, B: Storage> IntoIterator for &'a PackedZSet<B> {
    type Item = (Member<'a>, Score);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
