//! [`Posts`]: the iterator over a timeline.

use core::fmt;
use core::iter::FusedIterator;

use zset_core::sorted_set::Iter;

use crate::Timestamp;

/// An iterator over entries of a [`Timeline`](super::Timeline), newest first: all of them, a page,
/// or those since a time.
///
/// It is lazy, double-ended and exact-size; `.rev()` yields the oldest first. Each step is **O(1)**; `nth` and
/// `nth_back`, and so `skip`, are **O(log n)**.
///
/// # Examples
///
/// ```
/// use zset_std::{Timeline, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let feed = Timeline::from([("a", at(1)), ("b", at(2)), ("c", at(3))]);
/// assert!(feed.latest(2).eq([(&"c", at(3)), (&"b", at(2))]));
/// assert!(feed.latest(2).rev().eq([(&"b", at(2)), (&"c", at(3))]));
/// ```
pub struct Posts<'a, Id>(pub(super) Iter<'a, Id, Timestamp>);

impl<'a, Id> Iterator for Posts<'a, Id> {
    type Item = (&'a Id, Timestamp);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.0.nth_back(n)
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl<Id> DoubleEndedIterator for Posts<'_, Id> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        self.0.nth(n)
    }
}

impl<Id> ExactSizeIterator for Posts<'_, Id> {}

impl<Id> FusedIterator for Posts<'_, Id> {}

impl<Id> Clone for Posts<'_, Id> {
    fn clone(&self) -> Self {
        Posts(self.0.clone())
    }
}

impl<Id: fmt::Debug> fmt::Debug for Posts<'_, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
