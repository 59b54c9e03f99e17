//! Removing, in three steps: `prepare_take` returns a [`Departure`], `take` turns it into a [`Removal`],
//! and `rebalance` then merges small nodes. Only the first and the last may run user code.
//!
//! An element is removed at its position, and spans are updated along the parent pointers: a removal
//! needs no comparisons.

use core::borrow::Borrow;
use core::ops::RangeBounds;

use super::position::Position;
use super::range::RankedRange;
use super::{Handle, NoDict, Relocate, SkipList};

/// An element about to be removed, and the one that will fill its slot.
#[must_use]
pub(crate) struct Departure<T> {
    pub(super) position: Position,
    /// The handle of the element to remove.
    handle: Handle,
    /// The last slot of the leaf with its element's token, unless that slot is the one to remove.
    filler: Option<(Handle, T)>,
}

/// A removal from a leaf that may now be empty. `rebalance` must follow.
#[must_use = "`rebalance` must follow"]
pub(crate) struct Removal {
    /// The position of the next element.
    pub(super) position: Position,
}

impl<M: Ord, S: Ord + Copy> SkipList<M, S> {
    /// Removes the first element equal to `(member, score)` and returns its member. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("a", 1)]);
    /// assert_eq!(list.remove("a", 1), Some("a"));
    /// assert_eq!(list.remove("a", 2), None);
    /// assert_eq!(list.len(), 1);
    /// ```
    pub fn remove<Q>(&mut self, member: &Q, score: S) -> Option<M>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let position = self.search_element(score, |other| other.borrow().cmp(member))?;
        let ((member, _), _) = self.take_at(position, (), &mut NoDict);
        Some(member)
    }

    /// Removes the elements with scores in the range and returns how many were removed.
    /// **O(log n + m log n)** for m removed.
    ///
    /// An inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut log = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert_eq!(log.remove_range_by_score(..=2), 2);
    /// assert_eq!(log.first(), Some((&"c", 3)));
    /// ```
    pub fn remove_range_by_score(&mut self, range: impl RangeBounds<S>) -> usize {
        self.take_range(self.resolve_scores(&range), &mut NoDict)
    }
}

impl<M, S: Copy> SkipList<M, S> {
    /// Removes and returns the first element. **O(log n)**; O(1) until the first leaf is empty.
    ///
    /// To pop the first n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.pop_first(), Some(("a", 1)));
    /// ```
    pub fn pop_first(&mut self) -> Option<(M, S)> {
        (self.len > 0).then(|| self.take_at(self.start(), (), &mut NoDict).0)
    }

    /// Removes and returns the last element. **O(log n)**; O(1) until the last leaf is empty.
    ///
    /// To pop the last n elements, see [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.pop_last(), Some(("b", 2)));
    /// ```
    pub fn pop_last(&mut self) -> Option<(M, S)> {
        (self.len > 0).then(|| self.take_at(self.last_position(), (), &mut NoDict).0)
    }

    /// Removes and returns the element at this 0-based rank. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2)]);
    /// assert_eq!(list.remove_by_rank(1), Some(("b", 2)));
    /// assert_eq!(list.remove_by_rank(1), None);
    /// ```
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        (rank < self.len).then(|| self.take_at(self.position_at(rank), (), &mut NoDict).0)
    }

    /// Removes the elements at these 0-based ranks and returns how many were removed.
    /// **O(log n + m log n)** for m removed.
    ///
    /// Ranks past the end are ignored; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert_eq!(list.remove_range_by_rank(1..100), 2);
    /// ```
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.take_range(self.resolve_ranks(&range), &mut NoDict)
    }

    /// Removes the elements of a range one by one, which allocates nothing; returns how many were
    /// removed.
    pub(crate) fn take_range<R: Relocate<M>>(
        &mut self,
        range: RankedRange,
        relocate: &mut R,
    ) -> usize {
        let mut next = range.start;
        for _ in 0..range.len {
            let Some(position) = self.at_element(next) else { break };
            let token = relocate.token(self.leaf(position.leaf).at(position.index).0);
            (_, next) = self.take_at(position, token, relocate);
        }
        range.len
    }

    /// Removes the element at a position; returns it and the position of the next element. `token` is
    /// that of the element.
    ///
    /// If `relocate.token` panics, the list is unchanged or the element is removed.
    #[inline]
    pub(crate) fn take_at<R: Relocate<M>>(
        &mut self,
        position: Position,
        token: R::Token,
        relocate: &mut R,
    ) -> ((M, S), Position) {
        let departure = self.prepare_take(position, relocate);
        relocate.forget(token, departure.handle);
        let (element, removal) = self.take(departure, relocate);
        (element, self.rebalance(removal, relocate))
    }

    /// Prepares `take`. It leaves the list unchanged, but may run user code, which may panic.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn prepare_take<R: Relocate<M>>(
        &self,
        position: Position,
        relocate: &R,
    ) -> Departure<R::Token> {
        let leaf = self.leaf(position.leaf);
        let slot = leaf.order()[position.index];
        let last = leaf.len() - 1;
        let filler = (usize::from(slot) != last)
            .then(|| (Handle::new(position.leaf, last as u8), relocate.token(&leaf.members[last])));
        Departure { position, handle: Handle::new(position.leaf, slot), filler }
    }

    /// Removes an element. The dict must already have dropped its handle.
    #[expect(
        clippy::inline_always,
        reason = "a position returned through memory takes 1 % more instructions"
    )]
    #[inline(always)]
    pub(crate) fn take<R: Relocate<M>>(
        &mut self,
        departure: Departure<R::Token>,
        relocate: &mut R,
    ) -> ((M, S), Removal) {
        let position = departure.position;
        (self.take_element(departure, relocate), Removal { position })
    }

    #[expect(clippy::needless_pass_by_value, reason = "an element departs once")]
    #[inline]
    fn take_element<R: Relocate<M>>(
        &mut self,
        departure: Departure<R::Token>,
        relocate: &mut R,
    ) -> (M, S) {
        let Departure { position, handle, filler } = departure;
        let leaf = self.leaf(position.leaf);
        let new_first = (position.index == 0 && leaf.len() > 1).then(|| leaf.at(1).1);
        let element = self.leaves.remove(position.leaf, position.index);
        if let Some((from, token)) = filler {
            relocate.relocate(token, from, handle);
        }
        self.len -= 1;
        self.update_spans(position.leaf, -1, new_first);
        element
    }
}
