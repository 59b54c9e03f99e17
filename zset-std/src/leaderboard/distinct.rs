//! [`Distinct`]: the index of the distinct scores of a board.

use core::cmp::Reverse;
use core::ops::Bound::{Excluded, Unbounded};

use zset_core::SkipList;

/// The distinct scores, highest first.
#[derive(Clone)]
pub(super) struct Distinct<S>(SkipList<(), Reverse<S>>);

impl<S: Copy> Distinct<S> {
    pub(super) fn allocation_size(&self) -> usize {
        self.0.allocation_size()
    }
}

impl<S: Ord + Copy> Distinct<S> {
    /// Builds the index from scores in descending order, which may repeat.
    pub(super) fn of(descending: impl Iterator<Item = S>) -> Self {
        let mut distinct = Distinct(SkipList::new());
        for score in descending {
            if distinct.0.last().is_none_or(|((), Reverse(last))| last != score) {
                distinct.0.insert((), Reverse(score));
            }
        }
        distinct
    }

    /// Returns the number of distinct scores above `score`. **O(log n)**.
    pub(super) fn above(&self, score: S) -> usize {
        self.0.count_by_score(..Reverse(score))
    }

    /// Adds a score if absent. **O(log n)**.
    pub(super) fn add(&mut self, score: S) {
        if self.0.rank(&(), Reverse(score)).is_none() {
            self.0.insert((), Reverse(score));
        }
    }

    /// Removes a score once no member has it. **O(log n)**.
    pub(super) fn remove(&mut self, score: S) {
        self.0.remove(&(), Reverse(score));
    }

    /// Removes all scores below `lowest`, or all scores if it is `None`.
    pub(super) fn truncate(&mut self, lowest: Option<S>) {
        match lowest {
            Some(lowest) => {
                self.0.remove_range_by_score((Excluded(Reverse(lowest)), Unbounded));
            }
            None => self.0.clear(),
        }
    }

    /// Returns the scores, highest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = S> {
        self.0.iter().map(|((), Reverse(score))| score)
    }

    pub(super) fn check_invariants(&self) {
        self.0.check();
    }
}
