//! [`SkipList`]: the ordered half of a sorted set.

use core::borrow::Borrow;
use core::fmt;
use core::ops::RangeBounds;
use rand_core::Rng;

use crate::inner::find::Position;
use crate::inner::front::{
    front_extract_if, front_into_iter, front_iter, front_owning, front_traits,
};
use crate::inner::index::Heights;
use crate::inner::iter;
use crate::inner::leaf::End;
use crate::inner::{Core, Nodes, RankedRange, Unhashed};
use crate::reserve::or_panic;
use crate::{InsertError, ScoreBound, ScoreOrder, TryReserveError};

/// An ordered list of `(member, score)` elements, sorted by score, then by member.
///
/// It is the ordered half of [`SortedSet`](crate::SortedSet), without the dict: elements may
/// repeat, and finding an element requires its score. Use it when you do not need to look up
/// members by themselves, as in a log of timestamps, or when another map stores their scores.
/// Compared with a `BTreeSet<(S, M)>`, it adds ranks. From 100 elements on, ranges and pops take
/// less time, insertions about the same, and removals up to 1.5 times as long.
///
/// Any `Ord + Clone` type can be a score. `f64` is not `Ord`; use [`Score`](crate::Score).
///
/// With the feature `serde`, a list serializes as a sequence of `(member, score)` in order, and
/// deserializes from a sequence in any order.
///
/// # Examples
///
/// ```
/// use zset_core::SkipList;
///
/// let mut log = SkipList::new();
/// log.insert("login", 30);
/// log.insert("login", 10);
/// log.insert("login", 30);
/// assert_eq!(log.len(), 3);
/// assert_eq!(log.count_by_score(20..), 2);
/// assert_eq!(log.pop_first(), Some(("login", 10)));
/// ```
#[derive(Clone)]
pub struct SkipList<M, S> {
    pub(crate) core: Core<M, (), S, Unhashed>,
}

/// Converts a borrowed element of the core to a member and its score.
#[inline]
pub(crate) fn element<'a, M, S>(((member, ()), score): (&'a (M, ()), &'a S)) -> (&'a M, &'a S) {
    (member, score)
}

/// Converts an element taken from the core to a member and its score.
#[inline]
pub(crate) fn taken<M, S>(((member, ()), score): ((M, ()), S)) -> (M, S) {
    (member, score)
}

/// Constructors.
impl<M, S> SkipList<M, S> {
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
        Self::of(Nodes::new())
    }

    /// Creates an empty list with memory for about `capacity` elements. **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self
    where
        S: Clone,
    {
        let mut list = Self::new();
        list.reserve(capacity);
        list
    }

    /// Creates an empty list whose random heights are seeded by `rng`. **O(1)**. See
    /// [`SortedSet::from_rng`](crate::SortedSet::from_rng).
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self::of(Nodes::with_heights(Heights::from_rng(rng)))
    }

    const fn of(nodes: Nodes<M, (), S>) -> Self {
        SkipList { core: Core { nodes, dict: Unhashed } }
    }
}

/// Methods that only read.
impl<M, S> SkipList<M, S> {
    /// Returns the number of elements. **O(1)**.
    pub fn len(&self) -> usize {
        self.core.nodes.len()
    }

    /// Returns whether there are no elements. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements that fit in the allocated memory if every leaf is full.
    /// **O(1)**. See
    /// [`SortedSet::capacity`](crate::SortedSet::capacity).
    pub fn capacity(&self) -> usize {
        self.core.nodes.capacity()
    }

    /// Returns the number of bytes the list has allocated, excluding memory owned by members.
    ///
    /// **O(1)**.
    pub fn allocation_size(&self) -> usize {
        self.core.nodes.allocation_size()
    }

    /// Returns the first element. **O(1)**.
    pub fn first(&self) -> Option<(&M, &S)> {
        self.core.nodes.first().map(element)
    }

    /// Returns the last element. **O(1)**.
    pub fn last(&self) -> Option<(&M, &S)> {
        self.core.nodes.last().map(element)
    }

    /// Returns the element at this 0-based rank. **O(log n)**.
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, &S)> {
        self.core.nodes.get_by_rank(rank).map(element)
    }

    /// Returns the elements in order. Lazy and double-ended; **O(1)** per step.
    #[inline]
    pub fn iter(&self) -> Iter<'_, M, S> {
        Iter(self.core.nodes.iter())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_rank`](crate::SortedSet::range_by_rank).
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S> {
        Iter(self.core.nodes.range_by_rank(range))
    }
}

/// Elements, and ranges of scores and of members. A score may be given as any type that the list's
/// scores borrow as.
impl<M, S> SkipList<M, S> {
    /// Returns the first element equal to `(member, score)`. **O(log n)**.
    pub fn get<Q, T>(&self, member: &Q, score: &T) -> Option<(&M, &S)>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let Position { leaf, index } = self.position(member, score)?;
        Some(element(self.core.nodes.leaf(leaf).at(index)))
    }

    /// Returns whether there is an element equal to `(member, score)`. **O(log n)**.
    pub fn contains<Q, T>(&self, member: &Q, score: &T) -> bool
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        self.position(member, score).is_some()
    }

    /// Returns the 0-based rank of the first element equal to `(member, score)`. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2), ("b", 2)]);
    /// assert_eq!(list.rank("b", &2), Some(1));
    /// assert_eq!(list.rank("b", &1), None);
    /// ```
    pub fn rank<Q, T>(&self, member: &Q, score: &T) -> Option<usize>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        Some(self.core.nodes.rank_of(self.position(member, score)?))
    }

    /// Returns the position of the first element equal to `(member, score)`.
    fn position<Q, T>(&self, member: &Q, score: &T) -> Option<Position>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        self.core.nodes.search_element(score, |other| other.borrow().cmp(member))
    }

    /// Returns the number of elements with scores in the range. **O(log n)**. See
    /// [`SortedSet::count_by_score`](crate::SortedSet::count_by_score).
    pub fn count_by_score<T>(&self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.core.nodes.resolve_scores(&range).len
    }

    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_score`](crate::SortedSet::range_by_score).
    #[inline]
    pub fn range_by_score<T>(&self, range: impl RangeBounds<T>) -> Iter<'_, M, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        Iter(self.core.nodes.range_by_score(&range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to
    /// start. See [`SortedSet::range`](crate::SortedSet::range).
    ///
    /// Elements equal to a bound are either all included or all excluded.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 1), ("b", 1), ("c", 2)]);
    /// assert_eq!(list.range((&1, "b")..(&2, "c")).len(), 2);
    /// ```
    pub fn range<'q, T, Q>(&self, range: impl RangeBounds<(&'q T, &'q Q)>) -> Iter<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let nodes = &self.core.nodes;
        Iter(iter::Iter::new(nodes, || nodes.positions_across(&range)))
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start.
    pub fn range_by_member<'q, T, Q>(
        &self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Iter<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let nodes = &self.core.nodes;
        Iter(iter::Iter::new(nodes, || nodes.positions_by_key(score, &range)))
    }
}

/// Methods that insert and remove elements.
impl<M: Ord, S: ScoreOrder + Clone> SkipList<M, S> {
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
    /// assert_eq!(list.first(), Some((&"a", &1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, member: M, score: S) {
        or_panic(self.try_insert(member, score));
    }

    /// Like [`insert`](Self::insert), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the element if memory or 32-bit handles run out. The list is unchanged.
    ///
    /// A call may clone a score. If that allocates, as for `String`, and memory runs out, the clone
    /// aborts the process.
    pub fn try_insert(&mut self, member: M, score: S) -> Result<(), InsertError<(M, S)>> {
        let target = self.core.nodes.search_to_insert(&score, |other| *other <= member);
        let inserted = self.core.insert_at(target, (), ((member, ()), score));
        inserted.map(drop).map_err(|error| error.map(taken))
    }

    /// Moves all elements of `other` into this list, leaving `other` empty. **O(m log n)** for m
    /// moved elements.
    ///
    /// Elements of `other` come after equal elements of this list.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out. Elements not yet moved are then lost. The same
    /// holds if `Ord` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut log = zset_core::SkipList::from_iter([("login", 10), ("logout", 20), ("login", 30)]);
    /// let mut recent = log.split_off_by_score(&20);
    /// log.append(&mut recent);
    /// assert_eq!((log.len(), recent.len()), (3, 0));
    /// ```
    #[track_caller]
    pub fn append(&mut self, other: &mut Self) {
        self.extend(other.drain());
    }

    /// Removes the first element equal to `(member, score)` and returns it. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("a", 1)]);
    /// assert_eq!(list.remove("a", &1), Some(("a", 1)));
    /// assert_eq!(list.remove("a", &2), None);
    /// assert_eq!(list.len(), 1);
    /// ```
    pub fn remove<Q, T>(&mut self, member: &Q, score: &T) -> Option<(M, S)>
    where
        M: Borrow<Q>,
        Q: Ord + ?Sized,
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let position = self.position(member, score)?;
        Some(taken(self.core.take(position)))
    }
}

impl<M, S: Clone> SkipList<M, S> {
    /// Removes and returns the first element. **O(log n)**; O(1) until the first leaf is empty. See
    /// [`SortedSet::pop_first`](crate::SortedSet::pop_first).
    pub fn pop_first(&mut self) -> Option<(M, S)> {
        self.core.pop(End::First).map(taken)
    }

    /// Removes and returns the last element. **O(log n)**; O(1) until the last leaf is empty. See
    /// [`SortedSet::pop_last`](crate::SortedSet::pop_last).
    pub fn pop_last(&mut self) -> Option<(M, S)> {
        self.core.pop(End::Last).map(taken)
    }

    /// Removes and returns the first element if `predicate` returns true for it. **O(log n)**; O(1)
    /// until the first leaf is empty. See
    /// [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_first_if(&mut self, predicate: impl FnOnce(&M, &S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.first()?;
        if predicate(member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the last element if `predicate` returns true for it. **O(log n)**; O(1)
    /// until the last leaf is empty. See
    /// [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_last_if(&mut self, predicate: impl FnOnce(&M, &S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.last()?;
        if predicate(member, score) { self.pop_last() } else { None }
    }

    /// Removes and returns the element at this 0-based rank. **O(log n)**.
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        self.core.remove_by_rank(rank).map(taken)
    }

    /// Removes all elements and returns them in order, lowest score first. **O(capacity)**. See
    /// [`SortedSet::drain`](crate::SortedSet::drain).
    pub fn drain(&mut self) -> Drain<'_, M, S> {
        Drain(self.core.drain_all())
    }

    /// Keeps only the elements for which `keep` returns true; visits them in order, lowest score
    /// first. **O(n + m log n)** for m removed elements. See
    /// [`SortedSet::retain`](crate::SortedSet::retain).
    pub fn retain(&mut self, mut keep: impl FnMut(&M, &S) -> bool) {
        self.extract_if(|member, score| !keep(member, score)).for_each(drop);
    }

    /// Returns an iterator that removes and returns the elements for which `extracted` returns
    /// true, in order, lowest score first. Lazy; **O(log n)** per element removed. See
    /// [`SortedSet::extract_if`](crate::SortedSet::extract_if).
    pub fn extract_if<F: FnMut(&M, &S) -> bool>(&mut self, extracted: F) -> ExtractIf<'_, M, S, F> {
        let next = self.core.nodes.start();
        ExtractIf { list: self, extracted, next }
    }

    /// Splits the list at a 0-based rank: returns the elements from this rank on, and keeps those
    /// before it. **O(log n + m)** for m returned elements. See
    /// [`SortedSet::split_off_by_rank`](crate::SortedSet::split_off_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    /// If dropping a score panics, the elements to return are lost.
    #[track_caller]
    #[must_use = "use `remove_range_by_rank` if the elements are not needed"]
    pub fn split_off_by_rank(&mut self, rank: usize) -> Self {
        or_panic(self.try_split_off(self.core.nodes.resolve_ranks(&(rank..))))
    }

    /// Splits the list at a score: returns the elements with this or a higher score, and keeps the
    /// others. **O(log n + m)** for m returned elements.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    /// If dropping a score panics, the elements to return are lost.
    #[track_caller]
    #[must_use = "use `remove_range_by_score` if the elements are not needed"]
    pub fn split_off_by_score<T>(&mut self, score: &T) -> Self
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        or_panic(self.try_split_off(self.core.nodes.resolve_from_score(score)))
    }

    fn try_split_off(&mut self, range: RankedRange) -> Result<Self, TryReserveError> {
        Ok(Self::of(self.core.try_cut(range)?))
    }

    /// Reserves memory for about `additional` more elements. **O(additional)**. See
    /// [`SortedSet::reserve`](crate::SortedSet::reserve).
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_panic(self.try_reserve(additional));
    }

    /// Reserves memory for about `additional` more elements. **O(additional)**.
    ///
    /// Like [`reserve`](Self::reserve), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The elements are unchanged.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.core.try_reserve(additional)
    }

    /// Shrinks the capacity of the list as much as possible. **O(capacity)**. See
    /// [`SortedSet::shrink_to_fit`](crate::SortedSet::shrink_to_fit).
    ///
    /// # Panics
    ///
    /// Panics if the allocation of new memory fails; the list is unchanged.
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        or_panic(self.core.try_shrink_to_fit());
    }

    /// Removes all elements. Keeps the memory for new ones. **O(capacity)**.
    pub fn clear(&mut self) {
        self.core.clear();
    }
}

/// Removing ranges. Methods that return the removed elements are named `drain_*`.
impl<M, S: Clone> SkipList<M, S> {
    /// Removes the elements at these 0-based ranks and returns how many were removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_rank`](crate::SortedSet::remove_range_by_rank).
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.core.take_range(self.core.nodes.resolve_ranks(&range))
    }

    /// Removes the elements with scores in the range and returns how many were removed.
    /// **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_score`](crate::SortedSet::remove_range_by_score).
    pub fn remove_range_by_score<T>(&mut self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.core.take_range(self.core.nodes.resolve_scores(&range))
    }

    /// Removes the elements between two bounds, each a score and a member, and returns how many
    /// were removed. **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range`](crate::SortedSet::remove_range).
    pub fn remove_range<'q, T, Q>(&mut self, range: impl RangeBounds<(&'q T, &'q Q)>) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.core.take_range(self.core.nodes.resolve_across(&range))
    }

    /// Removes the elements with exactly this score and members in the range, and returns how many
    /// were removed. **O(log n + m log n)** for m removed elements. See
    /// [`SortedSet::remove_range_by_member`](crate::SortedSet::remove_range_by_member).
    pub fn remove_range_by_member<'q, T, Q>(
        &mut self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.core.take_range(self.core.nodes.resolve_keys(score, &range))
    }

    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    #[track_caller]
    pub fn drain_by_rank(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, M, S> {
        Drain(self.core.drain_range(self.core.nodes.resolve_ranks(&range)))
    }

    /// Removes the elements with scores in the range and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    #[track_caller]
    pub fn drain_by_score<T>(&mut self, range: impl RangeBounds<T>) -> Drain<'_, M, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_scores(&range)))
    }

    /// Removes the elements between two bounds, each a score and a member, and returns them in
    /// order. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    #[track_caller]
    pub fn drain_range<'q, T, Q>(
        &mut self,
        range: impl RangeBounds<(&'q T, &'q Q)>,
    ) -> Drain<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_across(&range)))
    }

    /// Removes the elements with exactly this score and members in the range, and returns them in
    /// order. **O(log n + m)** for m removed elements. See
    /// [`SortedSet::drain_by_rank`](crate::SortedSet::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the list is unchanged.
    #[track_caller]
    pub fn drain_by_member<'q, T, Q>(
        &mut self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Drain<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_keys(score, &range)))
    }
}

impl<M: Ord, S: ScoreOrder + Clone> SkipList<M, S> {
    /// Panics with a description if an invariant of the list is violated.
    ///
    /// For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.core.nodes.check();
    }
}

/// An iterator over elements in order: all of them or a range. Like
/// [`sorted_set::Iter`](crate::sorted_set::Iter).
pub struct Iter<'a, M, S>(pub(crate) iter::Iter<'a, M, (), S>);

front_iter!(Iter<M, S>, (&'a M, &'a S), element);

/// An owning iterator over elements, lowest score first.
///
/// Each step is **O(1)**.
pub struct IntoIter<M, S>(pub(crate) iter::IntoIter<M, (), S>);

front_into_iter!(IntoIter<M, S>, <M, S>, (M, S), taken, element);

front_owning!(IntoIter<M, S>);

/// An iterator over removed elements, lowest score first. Each step is **O(1)**.
///
/// Returned by `drain` and the `drain_by_*` methods. The elements leave the collection as soon as
/// the iterator is created: those not yet returned are dropped or leaked with it.
pub struct Drain<'a, M, S>(pub(crate) iter::Drain<'a, M, (), S>);

front_into_iter!(Drain<'_, M, S>, <M, S>, (M, S), taken, element, elements);

/// An iterator that removes elements, returned by [`SkipList::extract_if`].
pub struct ExtractIf<'a, M, S, F> {
    list: &'a mut SkipList<M, S>,
    extracted: F,
    /// The position of the next element to pass to `extracted`.
    next: Position,
}

front_extract_if!(
    <M, S, F>, [S: Clone, F: FnMut(&M, &S) -> bool], (M, S), taken,
    list, extracted(member, (), score) => extracted(member, score)
);

impl<M: fmt::Debug, S: fmt::Debug, F> fmt::Debug for ExtractIf<'_, M, S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("list", &self.list).finish_non_exhaustive()
    }
}

front_traits!(SkipList<member: M; S>, [Ord]);

impl<M: fmt::Debug, S: fmt::Debug> fmt::Debug for SkipList<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<M, S> Default for SkipList<M, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Ord, S: ScoreOrder + Clone> Extend<(M, S)> for SkipList<M, S> {
    fn extend<I: IntoIterator<Item = (M, S)>>(&mut self, elements: I) {
        elements.into_iter().for_each(|(member, score)| self.insert(member, score));
    }
}

impl<M: Ord, S: ScoreOrder + Clone> FromIterator<(M, S)> for SkipList<M, S> {
    fn from_iter<I: IntoIterator<Item = (M, S)>>(elements: I) -> Self {
        let mut list = SkipList::new();
        list.extend(elements);
        list
    }
}

#[cfg(feature = "serde")]
crate::serde::serialize_elements! {
    /// Deserializes a sequence of `(member, score)` in any order; the list sorts them. Elements
    /// may repeat.
    ///
    /// Returns an error, rather than panicking, if the list is too large for memory or for
    /// 32-bit handles.
    [M, S] SkipList<M, S>,
    [M: serde::Serialize, S: serde::Serialize],
    [M: serde::Deserialize<'de> + Ord, S: serde::Deserialize<'de> + Ord + Clone],
    "a sequence of members and scores",
    |list: &mut Self, (member, score)| Ok(list.try_insert(member, score).map(|()| true)?)
}
