//! Ranges by rank, score and member: runs of consecutive pairs.

use core::cmp::Ordering;
use core::ops::{Bound, RangeBounds};

use super::{Iter, PackedZSet, pair_at, score_at, score_of};
use crate::bounds::{is_after, is_before, ranks};
use crate::listpack::{HEADER, Storage, next};
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

impl<B: Storage> PackedZSet<B> {
    /// Returns the elements in order, lowest score first. Lazy, double-ended, **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("b", Score::from(2))?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert!(set.iter().map(|(member, _)| member[0]).eq(*b"ab"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn iter(&self) -> Iter<'_> {
        self.iter_of(self.all())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(n)** to start.
    ///
    /// Ranks beyond the end are ignored; an inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert_eq!(set.range_by_rank(..9).len(), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_> {
        self.iter_of(self.run_by_rank(&range))
    }

    /// Returns the elements whose scores lie in the range. Lazy; **O(n)** to start.
    ///
    /// An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// set.try_insert("b", Score::from(2))?;
    /// assert!(set.range_by_score(Score::from(2)..).all(|(member, _)| member == "b"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn range_by_score(&self, range: impl RangeBounds<Score>) -> Iter<'_> {
        self.iter_of(self.run_by_score(&range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(n)** to start.
    ///
    /// An inverted range is empty.
    ///
    /// # Examples
    ///
    /// Each page continues after the last element of the previous one, whatever its score:
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// for name in ["ann", "bob", "cid"] {
    ///     set.try_insert(name, Score::ZERO)?;
    /// }
    /// let (member, score) = set.get_by_rank(1).unwrap();
    /// let mut next = set.range((Excluded((score, &*member)), Unbounded));
    /// assert!(next.all(|(member, _)| member == "cid"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn range<'q>(&self, range: impl RangeBounds<(Score, &'q [u8])>) -> Iter<'_> {
        self.iter_of(run_by_element(self.list.as_bytes(), bounds(&range)))
    }

    /// Returns the elements whose members lie in the range, assuming that all scores are equal.
    /// Lazy; **O(n)** to start.
    ///
    /// If scores differ, it is unspecified which elements are returned, as in Redis.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::LexRange;
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// for word in ["ant", "bee", "cat"] {
    ///     set.try_insert(word, Score::ZERO)?;
    /// }
    /// assert!(set.range_by_lex(LexRange::parse(b"[b", b"(c")?).all(|(word, _)| word == "bee"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn range_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        self.iter_of(self.run_by_lex(&range))
    }

    /// Returns the elements with exactly this score whose members lie in the range. Lazy; **O(n)**
    /// to start.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// for (word, score) in [("ant", 0), ("bee", 0), ("cat", 1)] {
    ///     set.try_insert(word, Score::from(score))?;
    /// }
    /// assert_eq!(set.range_by_member(Score::ZERO, &b"b"[..]..).len(), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn range_by_member<'q>(&self, score: Score, range: impl RangeBounds<&'q [u8]>) -> Iter<'_> {
        self.iter_of(self.run_by_member(score, &range))
    }

    /// Returns how many elements have scores in the range. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert_eq!(set.count_by_score(Score::ZERO..), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<Score>) -> usize {
        self.run_by_score(&range).len
    }

    /// Returns how many members lie in the range, assuming that all scores are equal. **O(n)**.
    ///
    /// See [`range_by_lex`](Self::range_by_lex).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::ZERO)?;
    /// assert_eq!(set.count_by_lex(&b"b"[..]..), 0);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn count_by_lex<'q>(&self, range: impl RangeBounds<&'q [u8]>) -> usize {
        self.run_by_lex(&range).len
    }

    /// Returns the run of all pairs.
    pub(crate) fn all(&self) -> Run {
        Run { start: HEADER, end: self.list.end(), len: self.len() }
    }

    pub(super) fn iter_of(&self, run: Run) -> Iter<'_> {
        Iter::new(self.list.as_bytes(), run)
    }

    pub(crate) fn run_by_rank(&self, range: &impl RangeBounds<usize>) -> Run {
        let ranks = ranks(range, self.len());
        let (start, end) = (self.list.seek(2 * ranks.start), self.list.seek(2 * ranks.end));
        Run { start, end, len: ranks.len() }
    }

    pub(crate) fn run_by_score(&self, range: &impl RangeBounds<Score>) -> Run {
        run_by_score(self.list.as_bytes(), bounds(range))
    }

    pub(crate) fn run_by_member<'q>(
        &self,
        score: Score,
        range: &impl RangeBounds<&'q [u8]>,
    ) -> Run {
        run_by_member(self.list.as_bytes(), score, bounds(range))
    }

    pub(crate) fn run_by_lex<'q>(&self, range: &impl RangeBounds<&'q [u8]>) -> Run {
        run_by_lex(self.list.as_bytes(), bounds(range))
    }
}

type Bounds<T> = (Bound<T>, Bound<T>);

fn bounds<T: Copy>(range: &impl RangeBounds<T>) -> Bounds<T> {
    (range.start_bound().cloned(), range.end_bound().cloned())
}

// The functions below are not generic, so they are compiled once, in this crate.

fn run_by_score(bytes: &[u8], (start, end): Bounds<Score>) -> Run {
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

fn run_by_element(bytes: &[u8], (start, end): Bounds<(Score, &[u8])>) -> Run {
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

fn run_by_member(bytes: &[u8], score: Score, (start, end): Bounds<&[u8]>) -> Run {
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

fn run_by_lex(bytes: &[u8], (start, end): Bounds<&[u8]>) -> Run {
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

/// Returns the run from the first pair that does not precede it up to the next that is not within.
///
/// Both functions take the offset of a pair; they return the offset after it, or `None` if it does not precede, or is
/// not within, or at the end.
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

/// The number of pairs of which `partition_point` first asks for the last. Without an operating system, it asks for
/// each pair, in less code.
const STRIDE: usize = if cfg!(target_os = "none") { 1 } else { 8 };

/// Returns the offset of the first pair from `start` on for which `precedes` returns `None`, and the number of
/// pairs before it. `precedes` takes the offset of a pair, and returns the offset after it for a prefix of the
/// pairs; at the end it returns `None`.
///
/// Finding the next pair is cheap; decoding a score is not, above all if it has a fraction. So it asks for each
/// eighth pair, and for the seven before the first one that does not precede.
#[inline]
pub(super) fn partition_point(
    bytes: &[u8],
    start: usize,
    precedes: impl Fn(usize) -> Option<usize>,
) -> (usize, usize) {
    let (mut at, mut passed) = (start, 0);
    while STRIDE > 1 {
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
