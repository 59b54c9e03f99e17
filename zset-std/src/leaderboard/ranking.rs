//! [`Ranking`]: the sorted set of a board, with an optional index of the distinct scores.
//!
//! Invariant: the index, if there is one, contains each distinct score of the set once. Each write
//! detaches the index, and reattaches it at the end. So if user code panics during a write, the set
//! has no index rather than a wrong one. Its results are the same with and without an index.

use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::hash::Hash;
use core::mem;
use core::ops::Bound::{Excluded, Included, Unbounded};

use zset_core::sorted_set::Entry;
use zset_core::{Equivalent, SkipList, SortedSet, TieOrder};

use super::{Submission, Ties};

/// After stepping over this many members with the same score, a search finds the next score
/// instead.
const LONGEST_WALK: usize = 32;

pub(super) struct Ranking<Id, S> {
    set: SortedSet<Id, Reverse<S>>,
    distinct: Option<Distinct<S>>,
}

/// The distinct scores, highest first.
type Distinct<S> = SkipList<(), Reverse<S>>;

impl<Id, S> Ranking<Id, S> {
    pub(super) fn new() -> Self {
        Ranking::of(SortedSet::new())
    }

    /// Wraps a set, without an index.
    pub(super) fn of(set: SortedSet<Id, Reverse<S>>) -> Self {
        Ranking { set, distinct: None }
    }

    pub(super) fn set(&self) -> &SortedSet<Id, Reverse<S>> {
        &self.set
    }

    pub(super) fn into_set(self) -> SortedSet<Id, Reverse<S>> {
        self.set
    }

    pub(super) fn has_index(&self) -> bool {
        self.distinct.is_some()
    }

    pub(super) fn allocation_size(&self) -> usize {
        let index = self.distinct.as_ref().map_or(0, Distinct::allocation_size);
        self.set.allocation_size() + index
    }
}

impl<Id: Clone, S: Clone> Clone for Ranking<Id, S> {
    fn clone(&self) -> Self {
        Ranking { set: self.set.clone(), distinct: self.distinct.clone() }
    }
}

/// Numbering.
impl<Id, S: Ord> Ranking<Id, S> {
    /// Returns the number of members with a higher score. **O(log n)**.
    pub(super) fn above(&self, score: &Reverse<S>) -> usize {
        self.set.count_by_score((Unbounded, Excluded(score)))
    }

    /// Returns the number of members with this score or a higher one. **O(log n)**.
    pub(super) fn at_least(&self, score: &Reverse<S>) -> usize {
        self.set.count_by_score((Unbounded, Included(score)))
    }

    /// Returns the number of distinct higher scores. **O(log n)** with the index, otherwise O(d log
    /// n) for d distinct higher scores.
    fn distinct_above(&self, score: &Reverse<S>) -> usize {
        if let Some(distinct) = &self.distinct {
            return distinct.count_by_score((Unbounded, Excluded(score)));
        }
        let (mut count, mut walked) = (0, 0);
        let mut last = None;
        let mut rest = self.set.range_by_score((Unbounded, Excluded(score)));
        while let Some((_, other)) = rest.next() {
            if last != Some(other) {
                (last, count, walked) = (Some(other), count + 1, 0);
                continue;
            }
            walked += 1;
            // Search for the next score only after a long run of equal scores: stepping over a
            // short run is cheaper.
            if walked == LONGEST_WALK {
                rest = self.set.range_by_score((Excluded(other), Excluded(score)));
            }
        }
        count
    }

    /// Returns the number that members with this score share; for ordinal numbers, the number of
    /// the first of them.
    pub(super) fn number(&self, score: &Reverse<S>, ties: Ties) -> usize {
        1 + match ties {
            Ties::Dense => self.distinct_above(score),
            Ties::Competition | Ties::Ordinal => self.above(score),
        }
    }
}

/// Numbering by a part of the score: members tie if `same` is true of their scores.
impl<Id, S> Ranking<Id, S> {
    /// Returns the number of the member at a rank. **O(log t log n)** for t members that tie; dense
    /// numbers cost as much again for each higher part.
    pub(super) fn number_by(&self, rank: usize, ties: Ties, same: fn(&S, &S) -> bool) -> usize {
        let mut first = self.first_tied(rank, same);
        if ties != Ties::Dense {
            return 1 + first;
        }
        let mut number = 1;
        while let Some(above) = first.checked_sub(1) {
            first = self.first_tied(above, same);
            number += 1;
        }
        number
    }

    /// Returns the rank of the first member that ties with the one at `rank`. **O(log t log n)**
    /// for t members that tie.
    fn first_tied(&self, rank: usize, same: fn(&S, &S) -> bool) -> usize {
        let score = |rank| self.set.get_by_rank(rank).map(|(_, Reverse(score))| score);
        let Some(last) = score(rank) else {
            return rank;
        };
        // Usually few members tie, so search backward from `rank`, with steps that double.
        let (mut low, mut high, mut step) = (0, rank, 1_usize);
        while low < high {
            let middle = (low + (high - low) / 2).max(high.saturating_sub(step));
            if score(middle).is_some_and(|other| same(other, last)) {
                (high, step) = (middle, step.saturating_mul(2));
            } else {
                low = middle + 1;
            }
        }
        high
    }
}

/// Writing.
impl<Id: TieOrder + Hash, S: Ord + Clone> Ranking<Id, S> {
    /// Sets the score of a member to `new_score(old)`, and evicts the last member if there are then
    /// more than `max_len`. Scores for the outcome are cloned before anything changes.
    pub(super) fn submit<E>(
        &mut self,
        member: Id,
        max_len: usize,
        new_score: impl FnOnce(Option<&S>) -> Result<S, E>,
    ) -> Result<Submission<Id, S>, E> {
        // If an earlier submission panicked, there may be one member too many.
        self.truncate(max_len);
        let is_full = self.set.len() >= max_len;
        let mut entry = self.set.entry(member);
        // Borrow an occupied entry: moving it would copy fields that have just been written, and so
        // stall the processor.
        let (old, new, dropped) = match entry {
            Entry::Occupied(ref mut entry) => {
                let Reverse(old) = entry.score();
                let new = new_score(Some(old))?;
                if new == *old {
                    (Some(old.clone()), Some(new), None)
                } else {
                    let stored = Reverse(new.clone());
                    let distinct = self.distinct.take();
                    let old = entry.insert(stored);
                    let new = Reverse(new);
                    self.reindex(distinct, Some(&old), Some(&new));
                    (Some(old.0), Some(new.0), None)
                }
            }
            Entry::Vacant(entry) if !is_full => {
                let new = Reverse(new_score(None)?);
                let stored = new.clone();
                let distinct = self.distinct.take();
                entry.insert(stored);
                self.reindex(distinct, None, Some(&new));
                (None, Some(new.0), None)
            }
            Entry::Vacant(entry) => {
                let member = entry.into_member();
                let new = Reverse(new_score(None)?);
                // A bound of 0 keeps the set empty, so every new member is rejected.
                let lowest = self.set.last().map(|(_, lowest)| lowest);
                let order = lowest.map_or(Ordering::Greater, |lowest| new.cmp(lowest));
                if order.is_gt() {
                    (None, None, Some((member, new.0)))
                } else {
                    let stored = new.clone();
                    let distinct = self.distinct.take();
                    let entry = self.set.entry(member).insert_entry(stored);
                    // If scores are equal, only the set knows the order. The new member is rejected
                    // if it is the last.
                    let is_rejected = order.is_eq() && entry.rank() == max_len;
                    let dropped = self.set.pop_last();
                    let got = (!is_rejected).then_some(new);
                    let lost = dropped.as_ref().map(|(_, score)| score);
                    self.reindex(distinct, lost, got.as_ref());
                    (None, got.map(|Reverse(score)| score), dropped.map(unreversed))
                }
            }
        };
        Ok(Submission { old, new, dropped })
    }

    /// Removes a member and returns its score. **O(log n)**.
    pub(super) fn remove<Q>(&mut self, member: &Q) -> Option<S>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        let distinct = self.distinct.take();
        let removed = self.set.remove(member);
        self.reindex(distinct, removed.as_ref(), None);
        removed.map(|Reverse(score)| score)
    }

    /// Removes a member from an end of the set. **O(log n)**.
    pub(super) fn pop(
        &mut self,
        pop: impl FnOnce(&mut SortedSet<Id, Reverse<S>>) -> Option<(Id, Reverse<S>)>,
    ) -> Option<(Id, S)> {
        let distinct = self.distinct.take();
        let popped = pop(&mut self.set);
        self.reindex(distinct, popped.as_ref().map(|(_, score)| score), None);
        popped.map(unreversed)
    }

    /// Removes all but the first `max_len` members and returns how many it removed. **O(log n)**
    /// each.
    pub(super) fn truncate(&mut self, max_len: usize) -> usize {
        if self.set.len() <= max_len {
            return 0;
        }
        let mut distinct = self.distinct.take();
        let removed = self.set.remove_range_by_rank(max_len..);
        if let Some(distinct) = &mut distinct {
            match self.set.last() {
                Some((_, lowest)) => {
                    distinct.remove_range_by_score((Excluded(lowest), Unbounded));
                }
                None => distinct.clear(),
            }
        }
        self.distinct = distinct;
        removed
    }

    /// Keeps the members for which `keep` returns true. **O(n)**, plus O(log n) for each removed.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Id, &S) -> bool) {
        let is_indexed = self.distinct.take().is_some();
        self.set.retain(|member, Reverse(score)| keep(member, score));
        if is_indexed {
            self.index_distinct();
        }
    }

    /// Replaces each score with the result of `map`. **O(n log n)**.
    #[track_caller]
    pub(super) fn map_scores(&mut self, mut map: impl FnMut(&Id, &S) -> S) {
        // Call `map` for all members first: if it panics, the board is unchanged.
        let scores = self.set.iter().map(|(member, Reverse(score))| Reverse(map(member, score)));
        let scores: Vec<_> = scores.collect();
        let is_indexed = self.distinct.take().is_some();
        let members = mem::take(&mut self.set).into_iter().map(|(member, _)| member);
        self.set = members.zip(scores).collect();
        if is_indexed {
            self.index_distinct();
        }
    }

    pub(super) fn clear(&mut self) {
        // Detach the index, so that a panic while members or scores are dropped leaves no stale
        // index.
        let distinct = self.distinct.take();
        self.set.clear();
        self.distinct = distinct.map(|mut distinct| {
            distinct.clear();
            distinct
        });
    }

    pub(super) fn index_distinct(&mut self) {
        if self.distinct.is_some() {
            return;
        }
        let mut distinct = Distinct::new();
        for (_, score) in &self.set {
            if distinct.last().is_none_or(|((), last)| last != score) {
                distinct.insert((), score.clone());
            }
        }
        self.distinct = Some(distinct);
    }

    /// Reattaches the index after a write that removed the score `lost` and added the score `got`.
    fn reindex(
        &mut self,
        distinct: Option<Distinct<S>>,
        lost: Option<&Reverse<S>>,
        got: Option<&Reverse<S>>,
    ) {
        self.distinct = distinct.map(|mut distinct| {
            if let Some(score) = got {
                if distinct.rank(&(), score).is_none() {
                    distinct.insert((), score.clone());
                }
            }
            if let Some(score) = lost {
                if self.set.count_by_score((Included(score), Included(score))) == 0 {
                    distinct.remove(&(), score);
                }
            }
            distinct
        });
    }

    pub(super) fn check_invariants(&self) {
        self.set.check();
        if let Some(distinct) = &self.distinct {
            distinct.check();
            let mut scores: Vec<_> = self.set.iter().map(|(_, score)| score).collect();
            scores.dedup();
            assert!(
                distinct.iter().map(|((), score)| score).eq(scores),
                "the index differs from the scores"
            );
        }
    }
}

impl<Id: Ord + Hash, S: Ord + Clone> Ranking<Id, S> {
    /// Returns whether the bound rejects a member with this score: the member is new, the board is
    /// full, and its last member ranks above it. A bound of 0 rejects every member.
    pub(super) fn rejects(&self, member: &Id, score: &S, max_len: usize) -> bool {
        let is_below = |(last, Reverse(lowest)): (&Id, &Reverse<S>)| {
            (Reverse(score), member) >= (Reverse(lowest), last)
        };
        self.set.len() >= max_len
            && !self.set.contains(member)
            && self.set.last().is_none_or(is_below)
    }
}

/// Converts an owned element of the set to what the board returns.
pub(super) fn unreversed<Id, S>((member, Reverse(score)): (Id, Reverse<S>)) -> (Id, S) {
    (member, score)
}

/// Like `unreversed`, for a borrowed element.
pub(super) fn unreversed_ref<'a, Id, S>(
    (member, Reverse(score)): (&'a Id, &'a Reverse<S>),
) -> (&'a Id, &'a S) {
    (member, score)
}
