//! Ranges by rank, score and member: runs of consecutive pairs.

use core::cmp::Ordering;
use core::ops::RangeBounds;

use super::{Iter, PackedZSet, pair_at, score_of};
use crate::bounds::{is_after, is_before, ranks};
use crate::listpack::{HEADER, Storage, Value};
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
        self.iter_of(self.run(
            |member, score| {
                is_before(&(score_of(score), &*Member::new(member)), range.start_bound())
            },
            |member, score| is_after(&(score_of(score), &*Member::new(member)), range.end_bound()),
        ))
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
        self.run(
            |_, score| is_before(&score_of(score), range.start_bound()),
            |_, score| is_after(&score_of(score), range.end_bound()),
        )
    }

    pub(crate) fn run_by_member<'q>(
        &self,
        score: Score,
        range: &impl RangeBounds<&'q [u8]>,
    ) -> Run {
        self.run(
            |member, other| match score_of(other).cmp(&score) {
                Ordering::Equal => is_before(&&*Member::new(member), range.start_bound()),
                order => order.is_lt(),
            },
            |member, other| match score_of(other).cmp(&score) {
                Ordering::Equal => is_after(&&*Member::new(member), range.end_bound()),
                order => order.is_gt(),
            },
        )
    }

    pub(crate) fn run_by_lex<'q>(&self, range: &impl RangeBounds<&'q [u8]>) -> Run {
        self.run(
            |member, _| is_before(&&*Member::new(member), range.start_bound()),
            |member, _| is_after(&&*Member::new(member), range.end_bound()),
        )
    }

    /// Returns the run from the first pair for which `is_before` returns false up to the next for
    /// which `is_after` returns true.
    fn run(
        &self,
        is_before: impl Fn(Value<'_>, Value<'_>) -> bool,
        is_after: impl Fn(Value<'_>, Value<'_>) -> bool,
    ) -> Run {
        let bytes = self.list.as_bytes();
        let mut start = HEADER;
        while let Some((_, _, place)) =
            pair_at(bytes, start).filter(|&(member, score, _)| is_before(member, score))
        {
            start = place.behind;
        }
        let (mut end, mut len) = (start, 0);
        while let Some((_, _, place)) =
            pair_at(bytes, end).filter(|&(member, score, _)| !is_after(member, score))
        {
            end = place.behind;
            len += 1;
        }
        Run { start, end, len }
    }
}
