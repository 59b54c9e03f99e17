//! The public methods of [`SkipList`].

use core::borrow::Borrow;
use core::fmt;
use core::ops::RangeBounds;
use rand_core::Rng;

use super::height::Heights;
use super::range::Run;
use super::search::{Path, Place};
use super::{IntoIter, Iter, NoDict, SkipList};
use crate::TryReserveError;
use crate::reserve::infallible;

/// Construction.
impl<M, S: Copy> SkipList<M, S> {
    /// Creates an empty list without allocating. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use zset_core::SkipList;
    ///
    /// static LOG: Mutex<SkipList<&str, u64>> = Mutex::new(SkipList::new());
    ///
    /// LOG.lock().unwrap().insert("login", 30);
    /// assert_eq!(LOG.lock().unwrap().len(), 1);
    /// ```
    pub const fn new() -> Self {
        Self::with_heights(Heights::DEFAULT)
    }

    /// Creates an empty list whose random heights are seeded by `rng`. **O(1)**.
    ///
    /// The generator affects neither results nor the bounds on costs.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    ///
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// let list = zset_core::SkipList::<&str, u32>::from_rng(&mut rng);
    /// assert!(list.is_empty());
    /// ```
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self::with_heights(Heights::from_rng(rng))
    }

    /// Returns an empty list that continues this list's sequence of heights.
    pub(crate) fn empty(&self) -> Self {
        Self::with_heights(self.heights.clone())
    }

    /// Removes all elements and frees their memory. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2)]);
    /// list.clear();
    /// assert!(list.is_empty());
    /// ```
    pub fn clear(&mut self) {
        // If dropping a member panics, the list is already empty.
        *self = self.empty();
    }
}

/// Writing.
impl<M: Ord, S: Ord + Copy> SkipList<M, S> {
    /// Inserts an element after all elements equal to it. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::new();
    /// list.insert("b", 1);
    /// list.insert("a", 1);
    /// assert_eq!(list.first(), Some((&"a", 1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, member: M, score: S) {
        infallible(self.try_insert(member, score));
    }

    /// Like [`insert`](Self::insert), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The list is unchanged, and the member
    /// is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::new();
    /// assert_eq!(list.try_insert("a", 1), Ok(()));
    /// ```
    pub fn try_insert(&mut self, member: M, score: S) -> Result<(), TryReserveError> {
        let mut path = Path::new();
        let place = self.search_to_insert(score, |other| *other <= member, &mut path);
        let place = self.make_room(place, &mut path, score, &mut NoDict)?;
        self.put(place, &path, member, score);
        Ok(())
    }

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
        let place = self.find(score, |other| other.borrow().cmp(member))?;
        let ((member, _), _) = self.take_at(place);
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
        self.remove_run(self.run_by_score(&range))
    }
}

/// Removal at the ends and by rank, which needs no comparisons.
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
        (self.len > 0).then(|| self.take_at(self.start()).0)
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
        (self.len > 0).then(|| self.take_at(self.last_place()).0)
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
        self.remove_run(self.run_by_rank(&range))
    }

    fn remove_run(&mut self, run: Run) -> usize {
        let mut place = run.start;
        for _ in 0..run.len {
            let Some(at) = self.at_element(place) else { break };
            (_, place) = self.take_at(at);
        }
        run.len
    }
}

/// Reading.
impl<M, S: Copy> SkipList<M, S> {
    /// Returns the number of elements. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::from_iter([("a", 1), ("a", 1)]).len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::SkipList::<u8, u8>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the first element. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.first(), Some((&"a", 1)));
    /// ```
    pub fn first(&self) -> Option<(&M, S)> {
        (self.len > 0).then(|| self.leaf(self.head).at(0))
    }

    /// Returns the last element. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.last(), Some((&"b", 2)));
    /// ```
    pub fn last(&self) -> Option<(&M, S)> {
        (self.len > 0).then(|| {
            let Place { leaf, position } = self.last_place();
            self.leaf(leaf).at(position)
        })
    }

    /// Returns the element at this 0-based rank. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert_eq!(list.get_by_rank(1), Some((&"b", 2)));
    /// assert_eq!(list.get_by_rank(2), None);
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, S)> {
        (rank < self.len).then(|| {
            let Place { leaf, position } = self.place_at(rank);
            self.leaf(leaf).at(position)
        })
    }

    /// Returns the elements in order. Lazy and double-ended; **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert!(list.iter().eq([(&"a", 1), (&"b", 2)]));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, M, S> {
        Iter::of_run(self, self.run_of_all())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start.
    ///
    /// Ranks past the end are ignored; an inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(list.range_by_rank(1..).eq([(&"b", 2), (&"c", 3)]));
    /// ```
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S> {
        Iter::of_run(self, self.run_by_rank(&range))
    }

    /// Returns the number of bytes the list has allocated, excluding memory owned by members.
    ///
    /// **O(n)**, but it visits only chunks of about 32 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::<u64, u64>::new().allocation_size(), 0);
    /// ```
    pub fn allocation_size(&self) -> usize {
        self.heap_size()
    }
}

/// Reading by score, which needs comparisons.
impl<M, S: Ord + Copy> SkipList<M, S> {
    /// Returns the 0-based rank of the first element equal to `(member, score)`. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("b", 2)]);
    /// assert_eq!(list.rank("b", 2), Some(1));
    /// assert_eq!(list.rank("b", 1), None);
    /// ```
    pub fn rank<Q>(&self, member: &Q, score: S) -> Option<usize>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        Some(self.rank_of(self.find(score, |other| other.borrow().cmp(member))?))
    }

    /// Returns the number of elements with scores in the range. **O(log n)**.
    ///
    /// Returns 0 for an inverted range.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 2)]);
    /// assert_eq!(list.count_by_score(2..), 2);
    /// ```
    pub fn count_by_score(&self, range: impl RangeBounds<S>) -> usize {
        self.run_by_score(&range).len
    }

    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("c", 3)]);
    /// assert!(list.range_by_score(2..).eq([(&"b", 2), (&"c", 3)]));
    /// ```
    #[inline]
    pub fn range_by_score(&self, range: impl RangeBounds<S>) -> Iter<'_, M, S> {
        Iter::new(self, || self.places_by_score(&range))
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 0), ("b", 0), ("c", 0)]);
    /// assert!(list.range_by_member(0, "b"..).eq([(&"b", 0), (&"c", 0)]));
    /// ```
    pub fn range_by_member<'q, Q>(&self, score: S, range: impl RangeBounds<&'q Q>) -> Iter<'_, M, S>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.range_by_part(score, &range, Borrow::borrow)
    }

    /// Returns the elements with exactly this score whose members, compared by `part`, are in the
    /// range.
    pub(crate) fn range_by_part<'q, Q>(
        &self,
        score: S,
        range: &impl RangeBounds<&'q Q>,
        part: impl Fn(&M) -> &Q,
    ) -> Iter<'_, M, S>
    where
        Q: Ord + ?Sized + 'q,
    {
        Iter::new(self, || self.places_by_part(score, range, part))
    }
}

impl<M, S: Copy> Default for SkipList<M, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for SkipList<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<M: PartialEq, S: PartialEq + Copy> PartialEq for SkipList<M, S> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<M: Eq, S: Eq + Copy> Eq for SkipList<M, S> {}

impl<M: Ord, S: Ord + Copy> Extend<(M, S)> for SkipList<M, S> {
    fn extend<I: IntoIterator<Item = (M, S)>>(&mut self, elements: I) {
        elements.into_iter().for_each(|(member, score)| self.insert(member, score));
    }
}

impl<M: Ord, S: Ord + Copy> FromIterator<(M, S)> for SkipList<M, S> {
    fn from_iter<I: IntoIterator<Item = (M, S)>>(elements: I) -> Self {
        let mut list = SkipList::new();
        list.extend(elements);
        list
    }
}

impl<M, S: Copy> IntoIterator for SkipList<M, S> {
    type Item = (M, S);
    type IntoIter = IntoIter<M, S>;

    fn into_iter(self) -> IntoIter<M, S> {
        IntoIter::new(self)
    }
}

impl<'a, M, S: Copy> IntoIterator for &'a SkipList<M, S> {
    type Item = (&'a M, S);
    type IntoIter = Iter<'a, M, S>;

    fn into_iter(self) -> Iter<'a, M, S> {
        self.iter()
    }
}
