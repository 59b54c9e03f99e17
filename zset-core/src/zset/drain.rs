//! Draining: removing elements immediately and returning them through an iterator.

use alloc::vec::Vec;
use core::ops::RangeBounds;

use super::iter::owned;
use super::range::lex_ranks;
use super::{Elements, IntoIter, ZSet};
use crate::packed_zset::Run;
use crate::reserve::infallible;
use crate::skiplist::{self, Drain};
use crate::{ByteString, PackedZSet, Score};

impl ZSet {
    /// Removes all elements and returns them in order, lowest score first. **O(1)** to start.
    ///
    /// The set is emptied immediately, even if the iterator is dropped early or leaked, and returns
    /// to the listpack encoding.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert_eq!(set.drain().len(), 2);
    /// assert!(set.is_empty());
    /// ```
    pub fn drain(&mut self) -> IntoIter {
        let empty = ZSet::with_limits(self.limits);
        core::mem::replace(self, empty).into_iter()
    }

    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. Ranks beyond
    /// the end are ignored; an inverted range removes nothing. The encoding does not change.
    ///
    /// Two or more elements move into a new allocation. To drop them without allocating, see
    /// [`remove_range_by_rank`](Self::remove_range_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.drain_by_rank(..1).eq([("b".into(), Score::from(1))])); // pops the first
    /// assert_eq!(set.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_rank(&range)),
            Elements::Skiplist(set) => drained(set[0].drain_by_rank(range)),
        }
    }

    /// Removes the elements whose scores lie in the range and returns them in order, lowest score
    /// first. **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted
    /// range removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// assert!(set.drain_by_score(Score::from(2)..).eq([("a".into(), Score::from(2))]));
    /// assert_eq!(set.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_score(&mut self, range: impl RangeBounds<Score>) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_score(&range)),
            Elements::Skiplist(set) => drained(set[0].drain_by_score(range)),
        }
    }

    /// Removes the elements whose members lie in the range, assuming that all scores are equal, and
    /// returns them in order. **O(log n + m)** for m removed elements.
    ///
    /// See [`range_by_lex`](Self::range_by_lex). They are removed immediately, even if the iterator
    /// is dropped early or leaked.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from(["ant", "bee", "cat"].map(|word| (word, Score::ZERO)));
    /// assert_eq!(set.drain_by_lex(&b"b"[..]..).len(), 2);
    /// assert_eq!(set.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_lex<'q>(&mut self, range: impl RangeBounds<&'q [u8]>) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_lex(&range)),
            Elements::Skiplist(set) => {
                let ranks = lex_ranks(&set[0], &range);
                drained(set[0].drain_by_rank(ranks))
            }
        }
    }

    /// Removes the elements with exactly this score whose members lie in the range and returns them
    /// in order. **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted
    /// range removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let words = [("ant", 0), ("bee", 0), ("cat", 1)];
    /// let mut set = ZSet::from(words.map(|(word, score)| (word, Score::from(score))));
    /// assert!(set.drain_by_member(Score::ZERO, &b"b"[..]..).eq([("bee".into(), Score::ZERO)]));
    /// assert_eq!(set.len(), 2);
    /// ```
    #[track_caller]
    pub fn drain_by_member<'q>(
        &mut self,
        score: Score,
        range: impl RangeBounds<&'q [u8]>,
    ) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_member(score, &range)),
            Elements::Skiplist(set) => drained(set[0].drain_by_member(score, range)),
        }
    }
}

/// Not inlined, so that it takes no stack space where a skip list is drained.
#[inline(never)]
#[track_caller]
fn drain_packed(
    set: &mut PackedZSet<Vec<u8>>,
    run: impl FnOnce(&PackedZSet<Vec<u8>>) -> Run,
) -> IntoIter {
    let run = run(set);
    let mut elements = set.iter_rest(&run);
    match (run.len(), elements.next()) {
        (1, Some(element)) => {
            let only = owned(element);
            set.remove_run(run);
            IntoIter::of_skiplist(skiplist::IntoIter::of_one(only))
        }
        _ => IntoIter::of_listpack(infallible(set.try_cut(run))),
    }
}

fn drained(elements: Drain<'_, ByteString, Score>) -> IntoIter {
    IntoIter::of_skiplist(elements.into_elements())
}
