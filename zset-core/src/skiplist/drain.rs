//! Draining: elements move out of the list immediately, and an iterator returns them.

use core::borrow::Borrow;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::RangeBounds;

use super::range::RankedRange;
use super::{IntoIter, NoDict, SkipList};
use crate::reserve::infallible;

impl<M, S: Copy> SkipList<M, S> {
    /// Removes all elements and returns them in order, lowest score first. **O(n)**.
    ///
    /// The list is emptied immediately, even if the iterator is leaked.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert!(list.drain().eq([("a", 1), ("b", 2)]));
    /// assert!(list.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, M, S> {
        let empty = self.empty();
        Drain::new(core::mem::replace(self, empty))
    }

    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. Ranks past the
    /// end are ignored; an inverted range removes nothing.
    ///
    /// Two or more elements move to newly allocated memory. To drop them without allocating, see
    /// [`remove_range_by_rank`](Self::remove_range_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(list.drain_by_rank(..2).eq([("a", 1), ("b", 2)]));
    /// assert_eq!(list.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, M, S> {
        self.drain_range(self.resolve_ranks(&range))
    }

    #[track_caller]
    fn drain_range(&mut self, range: RankedRange) -> Drain<'_, M, S> {
        match self.at_element(range.start) {
            Some(position) if range.len == 1 && self.len > 1 => {
                Drain::of_one(self.take_at(position, (), &mut NoDict).0)
            }
            _ => Drain::new(infallible(self.try_cut(range))),
        }
    }
}

impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Removes the elements with scores in the range and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted range
    /// removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut log = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("b", 2), ("c", 3)]);
    /// assert!(log.drain_by_score(2..3).eq([("b", 2), ("b", 2)]));
    /// assert_eq!(log.len(), 2);
    /// ```
    #[track_caller]
    pub fn drain_by_score(&mut self, range: impl RangeBounds<S>) -> Drain<'_, M, S> {
        self.drain_range(self.resolve_scores(&range))
    }

    /// Removes the elements with exactly this score and members in the range, and returns them in
    /// order. **O(log n + m)** for m removed.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted range
    /// removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 0), ("b", 0), ("b", 0), ("b", 1)]);
    /// assert!(list.drain_by_member(0, "b"..).eq([("b", 0), ("b", 0)]));
    /// assert_eq!(list.len(), 2);
    /// ```
    #[track_caller]
    pub fn drain_by_member<'q, Q>(
        &mut self,
        score: S,
        range: impl RangeBounds<&'q Q>,
    ) -> Drain<'_, M, S>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.drain_range(self.with_ranks(self.positions_by_part(score, &range, Borrow::borrow)))
    }
}

/// An iterator over removed elements, lowest score first. Each step is **O(1)**.
///
/// Returned by `drain` and the `drain_by_*` methods. The elements leave the collection as soon as the
/// iterator is created: those not yet returned are dropped or leaked with it.
///
/// # Examples
///
/// ```
/// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
/// assert_eq!(set.drain_by_score(2..).next_back(), Some(("c", 3)));
/// assert_eq!(set.len(), 1); // "b" was dropped with the iterator
/// ```
pub struct Drain<'a, M, S> {
    elements: IntoIter<M, S>,
    /// The list stays borrowed, as in the drains of other collections.
    list: PhantomData<&'a mut SkipList<M, S>>,
}

impl<M, S: Copy> Drain<'_, M, S> {
    pub(crate) fn new(list: SkipList<M, S>) -> Self {
        Drain { elements: list.into_iter(), list: PhantomData }
    }

    /// Creates a drain of one element, without allocating.
    pub(crate) fn of_one(element: (M, S)) -> Self {
        Drain { elements: IntoIter::of_one(element), list: PhantomData }
    }

    /// Returns the list of the elements, before the first is returned.
    pub(crate) fn list_mut(&mut self) -> &mut SkipList<M, S> {
        self.elements.list_mut()
    }

    /// Returns the remaining elements, without the borrow.
    pub(crate) fn into_elements(self) -> IntoIter<M, S> {
        self.elements
    }
}

impl<M, S: Copy> Iterator for Drain<'_, M, S> {
    type Item = (M, S);

    fn next(&mut self) -> Option<(M, S)> {
        self.elements.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl<M, S: Copy> DoubleEndedIterator for Drain<'_, M, S> {
    fn next_back(&mut self) -> Option<(M, S)> {
        self.elements.next_back()
    }
}

impl<M, S: Copy> ExactSizeIterator for Drain<'_, M, S> {}

impl<M, S: Copy> FusedIterator for Drain<'_, M, S> {}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for Drain<'_, M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}
