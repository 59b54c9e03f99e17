//! Runs of consecutive pairs: finding the run of a range by score, element or member, and iterating
//! over a run.

use core::cmp::Ordering;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::{Bound, RangeBounds};

use super::{PackedZSet, PairOffsets, pair_at, score_at, score_of};
use crate::bounds::{is_after, is_before};
use crate::redis::listpack::{HEADER, Storage, entry_at, next, previous};
use crate::{Member, Score};

/// A run of consecutive pairs.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// The offset of the first pair.
    pub(super) start: usize,
    /// The offset after the last pair.
    pub(super) end: usize,
    /// The number of pairs.
    pub(super) len: usize,
}

#[cfg(feature = "alloc")]
impl Run {
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

pub(super) type Bounds<T> = (Bound<T>, Bound<T>);

pub(super) fn bounds<T: Copy>(range: &impl RangeBounds<T>) -> Bounds<T> {
    (range.start_bound().cloned(), range.end_bound().cloned())
}

// The `run_by_*` functions are not generic, so they are compiled once, in this crate.

pub(super) fn run_by_score(bytes: &[u8], (start, end): Bounds<Score>) -> Run {
    run(
        bytes,
        |at| {
            let (score, behind) = score_at(bytes, at)?;
            is_before(&score, start.as_ref()).then_some(behind)
        },
        |at| {
            let (score, behind) = score_at(bytes, at)?;
            (!is_after(&score, end.as_ref())).then_some(behind)
        },
    )
}

pub(super) fn run_by_element(bytes: &[u8], (start, end): Bounds<(Score, &[u8])>) -> Run {
    run(
        bytes,
        |at| {
            let (member, score, behind) = element_at(bytes, at)?;
            is_before(&(score, &*member), start.as_ref()).then_some(behind)
        },
        |at| {
            let (member, score, behind) = element_at(bytes, at)?;
            (!is_after(&(score, &*member), end.as_ref())).then_some(behind)
        },
    )
}

pub(super) fn run_by_member(bytes: &[u8], score: Score, (start, end): Bounds<&[u8]>) -> Run {
    run(
        bytes,
        |at| {
            let (member, other, behind) = element_at(bytes, at)?;
            let is_before = match other.cmp(&score) {
                Ordering::Equal => is_before(&&*member, start.as_ref()),
                order => order.is_lt(),
            };
            is_before.then_some(behind)
        },
        |at| {
            let (member, other, behind) = element_at(bytes, at)?;
            let is_after = match other.cmp(&score) {
                Ordering::Equal => is_after(&&*member, end.as_ref()),
                order => order.is_gt(),
            };
            (!is_after).then_some(behind)
        },
    )
}

pub(super) fn run_by_lex(bytes: &[u8], (start, end): Bounds<&[u8]>) -> Run {
    run(
        bytes,
        |at| {
            let (member, _, place) = pair_at(bytes, at)?;
            is_before(&&*Member::new(member), start.as_ref()).then_some(place.behind)
        },
        |at| {
            let (member, _, place) = pair_at(bytes, at)?;
            (!is_after(&&*Member::new(member), end.as_ref())).then_some(place.behind)
        },
    )
}

/// Returns the element at an offset and the offset after it, or `None` at the end.
fn element_at(bytes: &[u8], at: usize) -> Option<(Member<'_>, Score, usize)> {
    let (member, score, place) = pair_at(bytes, at)?;
    Some((Member::new(member), score_of(score), place.behind))
}

/// Returns the run of pairs that `is_within` accepts. They follow those that `precedes` accepts.
///
/// Both functions take the offset of a pair. They return the offset after the pair if they accept
/// it, and `None` if they do not, or at the end.
#[inline]
fn run(
    bytes: &[u8],
    precedes: impl Fn(usize) -> Option<usize>,
    is_within: impl Fn(usize) -> Option<usize>,
) -> Run {
    let (start, _) = partition_point(bytes, HEADER, precedes);
    let (end, len) = partition_point(bytes, start, is_within);
    Run { start, end, len }
}

/// The distance between the pairs that `partition_point` tests first.
const STRIDE: usize = 8;

/// Returns the offset of the first pair from `start` on for which `precedes` returns `None`, and
/// the number of pairs before it. `precedes` takes the offset of a pair, and returns the offset
/// after it for a prefix of the pairs; at the end it returns `None`.
///
/// Finding the next pair is cheap. Decoding a score is not, especially one with a fraction, so this
/// function tests every eighth pair. When one of these does not precede, it tests the skipped pairs
/// before that one.
#[inline]
pub(super) fn partition_point(
    bytes: &[u8],
    start: usize,
    precedes: impl Fn(usize) -> Option<usize>,
) -> (usize, usize) {
    let (mut at, mut passed) = (start, 0);
    loop {
        let mut last = Some(at);
        for _ in 1..STRIDE {
            last = last.and_then(|at| next(bytes, next(bytes, at)?));
        }
        let Some(behind) = last.and_then(&precedes) else { break };
        at = behind;
        passed += STRIDE;
    }
    while let Some(behind) = precedes(at) {
        at = behind;
        passed += 1;
    }
    (at, passed)
}

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**.
#[derive(Clone)]
pub struct Iter<'a> {
    bytes: &'a [u8],
    /// The run of elements not yet returned.
    rest: Run,
}

impl<'a> Iter<'a> {
    pub(super) fn new(bytes: &'a [u8], rest: Run) -> Self {
        Iter { bytes, rest }
    }
}

/// Creates an empty iterator.
impl Default for Iter<'_> {
    fn default() -> Self {
        Iter::new(&[], Run { start: 0, end: 0, len: 0 })
    }
}

/// Removes and returns the first element of a run.
#[inline]
fn take_first<'a>(bytes: &'a [u8], rest: &mut Run) -> Option<(Member<'a>, Score)> {
    rest.len = rest.len.checked_sub(1)?;
    let (element, place) = read_element(bytes, rest.start)?;
    rest.start = place.behind;
    Some(element)
}

/// Removes and returns the last element of a run.
#[inline]
fn take_last<'a>(bytes: &'a [u8], rest: &mut Run) -> Option<(Member<'a>, Score)> {
    rest.len = rest.len.checked_sub(1)?;
    let (element, place) = read_element_before(bytes, rest.end)?;
    rest.end = place.member;
    Some(element)
}

/// Reads an element. Not inlined, so that `next` is small enough to be inlined.
///
/// Does not call `pair_at`, because that call takes a sixth of a step.
#[inline(never)]
fn read_element(bytes: &[u8], at: usize) -> Option<((Member<'_>, Score), PairOffsets)> {
    let (member, score_at) = entry_at(bytes, at)?;
    let (score, behind) = entry_at(bytes, score_at)?;
    let place = PairOffsets { member: at, score: score_at, behind };
    Some(((Member::new(member), score_of(score)), place))
}

/// Reads the element before an offset. Not inlined, like `read_element`.
#[inline(never)]
fn read_element_before(bytes: &[u8], end: usize) -> Option<((Member<'_>, Score), PairOffsets)> {
    read_element(bytes, previous(bytes, previous(bytes, end)?)?)
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

/// The steps of an iterator that owns the set.
#[cfg(feature = "alloc")]
impl<B: Storage> PackedZSet<B> {
    pub(crate) fn next_of(&self, rest: &mut Run) -> Option<(Member<'_>, Score)> {
        take_first(self.list.as_bytes(), rest)
    }

    pub(crate) fn next_back_of(&self, rest: &mut Run) -> Option<(Member<'_>, Score)> {
        take_last(self.list.as_bytes(), rest)
    }

    pub(crate) fn iter_rest(&self, rest: &Run) -> Iter<'_> {
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
