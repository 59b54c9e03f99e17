//! Taking elements out: draining a range, splitting a set in two, and extracting by predicate.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::RangeBounds;

use super::iter::owned;
use super::{Elements, IntoIter, Sorted, ZSet, lent};
use crate::inner::{RankedRange, iter};
use crate::redis::packed_zset::Run;
use crate::reserve::{or_panic, try_box};
use crate::sorted_set::Drain;
use crate::{ByteString, PackedZSet, Score};

impl ZSet {
    /// Removes all elements and returns them in order, lowest score first. **O(1)** to start.
    ///
    /// The set is emptied immediately, even if the iterator is dropped early or leaked, and returns
    /// to the listpack encoding.
    pub fn drain(&mut self) -> IntoIter {
        let empty = ZSet::with_limits(self.limits);
        core::mem::replace(self, empty).into_iter()
    }

    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// The encoding does not change.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_rank(&range)),
            Elements::Skiplist(set) => drained(set[0].drain_by_rank(range)),
        }
    }

    /// Removes the elements whose scores lie in the range and returns them in order, lowest score
    /// first. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_by_score(&mut self, range: impl RangeBounds<Score>) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_score(&range)),
            Elements::Skiplist(set) => drained(set[0].drain_by_score(range)),
        }
    }

    /// Removes the elements between two bounds, each a score and a member, and returns them in
    /// order. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_range<'q>(&mut self, range: impl RangeBounds<(Score, &'q [u8])>) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run(&range)),
            Elements::Skiplist(set) => drained(set[0].drain_range(lent(&range))),
        }
    }

    /// Removes the elements with exactly this score whose members lie in the range and returns them
    /// in order. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_by_member<'q>(
        &mut self,
        score: Score,
        range: impl RangeBounds<&'q [u8]>,
    ) -> IntoIter {
        match &mut self.elements {
            Elements::Listpack(set) => drain_packed(set, |set| set.run_by_member(score, &range)),
            Elements::Skiplist(set) => drained(set[0].drain_by_member(&score, range)),
        }
    }

    /// Splits the set at a 0-based rank: returns the elements from this rank on, and keeps the
    /// others. **O(log n + m)** for m returned elements. See
    /// [`SortedSet::split_off_by_rank`](crate::SortedSet::split_off_by_rank).
    ///
    /// Both parts keep the limits and the encoding of the set.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        self.split_off(
            |set| set.run_by_rank(&(rank..)),
            |set| set.core.nodes.resolve_ranks(&(rank..)),
        )
    }

    /// Splits the set at a score: returns the elements with this score or a higher one, and keeps
    /// the others. **O(log n + m)** for m returned elements.
    ///
    /// Both parts keep the limits and the encoding of the set.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score(&mut self, score: Score) -> Self {
        self.split_off(
            |set| set.run_by_score(&(score..)),
            |set| set.core.nodes.resolve_scores(&(score..)),
        )
    }

    #[track_caller]
    fn split_off(
        &mut self,
        run: impl FnOnce(&PackedZSet<Vec<u8>>) -> Run,
        range: impl FnOnce(&Sorted) -> RankedRange,
    ) -> Self {
        let elements = match &mut self.elements {
            Elements::Listpack(set) => Elements::Listpack(or_panic(set.try_cut(run(set)))),
            Elements::Skiplist(set) => {
                let set = &mut set[0];
                // Allocate before the elements move: if allocation failed later, they would be
                // lost.
                let mut upper = or_panic(try_box(Sorted::with_hasher(set.hasher().clone())));
                or_panic(set.core.try_split_off(range(set), &mut upper[0].core));
                Elements::Skiplist(upper)
            }
        };
        ZSet { elements, limits: self.limits }
    }
}

/// Not inlined, so that draining a skip list does not use its stack space.
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
            let (member, score) = owned(element);
            set.remove_run(run);
            IntoIter::of_skiplist(iter::IntoIter::of_one(((member, ()), score)))
        }
        _ => IntoIter::of_listpack(or_panic(set.try_cut(run))),
    }
}

fn drained(elements: Drain<'_, ByteString, Score>) -> IntoIter {
    IntoIter::of_skiplist(elements.0.into_elements())
}

/// The iterator returned by [`ZSet::extract_if`].
pub struct ExtractIf<'a, F> {
    set: &'a mut ZSet,
    extracted: F,
    /// The rank of the next element to pass to `extracted`.
    next: usize,
}

impl<'a, F> ExtractIf<'a, F> {
    pub(super) fn new(set: &'a mut ZSet, extracted: F) -> Self {
        ExtractIf { set, extracted, next: 0 }
    }
}

impl<F: FnMut(&[u8], Score) -> bool> Iterator for ExtractIf<'_, F> {
    type Item = (ByteString, Score);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rank = self.next;
            let element = self.set.get_by_rank(rank)?;
            // Advance first: if `extracted` panics, the element is not visited again.
            self.next = rank + 1;
            if (self.extracted)(&element.0, element.1) {
                let element = owned(element);
                self.set.remove_range_by_rank(rank..=rank);
                self.next = rank;
                return Some(element);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.set.len() - self.next))
    }
}

impl<F: FnMut(&[u8], Score) -> bool> FusedIterator for ExtractIf<'_, F> {}

impl<F> fmt::Debug for ExtractIf<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("set", &self.set).finish_non_exhaustive()
    }
}
