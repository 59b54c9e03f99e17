//! Draining: elements move out of the set immediately, and an iterator returns them.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};
use core::ops::RangeBounds;

use super::{Drain, Follow, SortedSet};
use crate::reserve::infallible;
use crate::skiplist::{Position, RankedRange};
use crate::{SkipList, TryReserveError};

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Removes all elements and returns them in order, lowest score first. **O(n)**.
    ///
    /// The set is emptied immediately, even if the iterator is leaked.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert!(set.drain().eq([("a", 1), ("b", 2)]));
    /// assert!(set.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, M, S> {
        let mut drain = Drain::new(self.list.empty());
        self.move_to(drain.list_mut());
        drain
    }
}

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
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
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(set.drain_by_rank(..2).eq([("a", 1), ("b", 2)])); // pops the first two
    /// assert_eq!(set.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, M, S> {
        self.drain_range(self.list.resolve_ranks(&range))
    }

    /// Removes the elements with scores in the range and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted range
    /// removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::SortedSet::from([("mail", 10), ("backup", 30), ("report", 20)]);
    /// assert!(due.drain_by_score(..=20).eq([("mail", 10), ("report", 20)]));
    /// assert_eq!(due.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_score(&mut self, range: impl RangeBounds<S>) -> Drain<'_, M, S>
    where
        S: Ord,
    {
        self.drain_range(self.list.resolve_scores(&range))
    }

    /// Removes the elements with exactly this score and members in the range, and returns them in
    /// order. **O(log n + m)** for m removed.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. An inverted range
    /// removes nothing.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = zset_core::SortedSet::from([("ant", 0), ("bee", 0), ("cat", 0)]);
    /// assert!(words.drain_by_member(0, "b"..).eq([("bee", 0), ("cat", 0)]));
    /// assert_eq!(words.len(), 1);
    /// ```
    #[track_caller]
    pub fn drain_by_member<'q, Q>(
        &mut self,
        score: S,
        range: impl RangeBounds<&'q Q>,
    ) -> Drain<'_, M, S>
    where
        M: Borrow<Q>,
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.drain_by_part(score, &range, Borrow::borrow)
    }

    /// Drains the elements with exactly this score whose members, compared by `part`, are in the range.
    #[track_caller]
    pub(crate) fn drain_by_part<'q, Q>(
        &mut self,
        score: S,
        range: &impl RangeBounds<&'q Q>,
        part: impl Fn(&M) -> &Q,
    ) -> Drain<'_, M, S>
    where
        S: Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.drain_range(self.list.with_ranks(self.list.positions_by_part(score, range, part)))
    }

    #[track_caller]
    fn drain_range(&mut self, range: RankedRange) -> Drain<'_, M, S> {
        if range.len == 1 && self.len() > 1 {
            return self.drain_one(range.start);
        }
        let mut drain = Drain::new(self.list.empty());
        match range.len {
            0 => {}
            len if len == self.len() => self.move_to(drain.list_mut()),
            _ => infallible(self.try_cut_to(drain.list_mut(), range, |_| Ok(()))),
        }
        drain
    }

    /// Drains the element at or after a position, which must not be the end.
    ///
    /// Not inlined, so that it takes no stack space where more elements are drained.
    #[inline(never)]
    fn drain_one(&mut self, position: Position) -> Drain<'_, M, S> {
        let first = self.list.at_element(position).expect("there is an element");
        Drain::of_one(self.take(first))
    }

    /// Moves a range to an empty list. It must be neither empty nor the whole set. Before anything changes,
    /// `prepare` gets the hashes of the members in order.
    ///
    /// On error, the set is unchanged. If hashing panics, the set is unchanged or valid without the elements.
    pub(super) fn try_cut_to(
        &mut self,
        list: &mut SkipList<M, S>,
        range: RankedRange,
        prepare: impl FnOnce(&[usize]) -> Result<(), TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let Self { list: from, dict, hasher, .. } = self;
        from.try_cut_to(list, range, prepare, &mut Follow::new(dict, hasher))
    }
}
