//! The iterator over elements.

use core::fmt;
use core::iter::FusedIterator;

use super::range::Run;
use super::{PackedZSet, PairOffsets, pair_at, score_of};
use crate::listpack::{Storage, previous};
use crate::{Member, Score};

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_core::{PackedZSet, Score};
///
/// let mut set = PackedZSet::with_storage([0; 64])?;
/// set.try_insert("a", Score::from(1))?;
/// set.try_insert("b", Score::from(2))?;
/// let mut elements = set.iter();
/// assert!(elements.next_back().is_some_and(|(member, _)| member == "b"));
/// assert_eq!(elements.len(), 1);
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone)]
pub struct Iter<'a> {
    bytes: &'a [u8],
    rest: Rest,
}

/// The remaining run of an iterator, which shrinks with each step.
pub(crate) type Rest = Run;

impl<'a> Iter<'a> {
    pub(super) fn new(bytes: &'a [u8], rest: Rest) -> Self {
        Iter { bytes, rest }
    }
}

/// Creates an empty iterator.
impl Default for Iter<'_> {
    fn default() -> Self {
        Iter::new(&[], Rest { start: 0, end: 0, len: 0 })
    }
}

/// Removes the first element from a run.
#[inline]
fn take_first<'a>(bytes: &'a [u8], rest: &mut Rest) -> Option<(Member<'a>, Score)> {
    rest.len = rest.len.checked_sub(1)?;
    let (element, place) = element_at(bytes, rest.start)?;
    rest.start = place.behind;
    Some(element)
}

/// Removes the last element from a run.
#[inline]
fn take_last<'a>(bytes: &'a [u8], rest: &mut Rest) -> Option<(Member<'a>, Score)> {
    rest.len = rest.len.checked_sub(1)?;
    let (element, place) = element_before(bytes, rest.end)?;
    rest.end = place.member;
    Some(element)
}

/// Reads an element. Not inlined, so that `next` is small enough to be inlined.
#[inline(never)]
fn element_at(bytes: &[u8], at: usize) -> Option<((Member<'_>, Score), PairOffsets)> {
    let (member, score, place) = pair_at(bytes, at)?;
    Some(((Member::new(member), score_of(score)), place))
}

/// Reads the element before an offset. Not inlined, like `element_at`.
#[inline(never)]
fn element_before(bytes: &[u8], end: usize) -> Option<((Member<'_>, Score), PairOffsets)> {
    element_at(bytes, previous(bytes, previous(bytes, end)?)?)
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Member<'a>, Score);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        take_first(self.bytes, &mut self.rest)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.len, Some(self.rest.len))
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        take_last(self.bytes, &mut self.rest)
    }
}

/// Steps for an iterator that owns the set.
#[cfg(feature = "alloc")]
impl<B: Storage> PackedZSet<B> {
    pub(crate) fn next_of(&self, rest: &mut Rest) -> Option<(Member<'_>, Score)> {
        take_first(self.list.as_bytes(), rest)
    }

    pub(crate) fn next_back_of(&self, rest: &mut Rest) -> Option<(Member<'_>, Score)> {
        take_last(self.list.as_bytes(), rest)
    }

    pub(crate) fn iter_rest(&self, rest: &Rest) -> Iter<'_> {
        Iter::new(self.list.as_bytes(), *rest)
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
