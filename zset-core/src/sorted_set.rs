//! [`SortedSet`]: unique members with scores.

use core::borrow::Borrow;
use core::hash::{BuildHasher, Hash};
use core::ops::RangeBounds;
use equivalent::Equivalent;
use rand_core::Rng;

use crate::increment::sum_or_panic;
use crate::inner::bulk::Filling;
use crate::inner::index::Heights;
use crate::inner::iter as elements;
use crate::inner::leaf::End;
use crate::inner::{Core, Hashed, Nodes};
use crate::reserve::or_panic;
use crate::skiplist::{element, taken};
use crate::{
    DefaultHashBuilder, Increment, IncrementError, InsertError, Insertion, Score, ScoreBound,
    ScoreOrder, TieOrder, TryReserveError,
};

mod entry;
mod iter;
mod ops;
#[cfg(feature = "serde")]
pub mod serde_map;
mod traits;

pub use crate::hash_builder::DefaultHasher;
pub use crate::inner::Scores;
pub use crate::inner::bulk::FromSortedError;
pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use iter::{Drain, ExtractIf, IntoIter, Iter};
pub use ops::{Difference, Intersection, SymmetricDifference, Union};

/// A set of unique members, each with a score, ordered by `(score, member)`.
///
/// Any `Ord + Clone` type can be a score: integers, strings, tuples,
/// [`Reverse`](core::cmp::Reverse), and [`Score`], the default, an `f64` that is never NaN. **An
/// `f64` itself is not a score**, since it is not `Ord`: if the compiler reports an unsatisfied
/// bound `f64: Ord`, use [`Score`].
///
/// A member is `Ord + Hash`. Wrapped in [`Unordered`](crate::Unordered), it needs only `Eq + Hash`,
/// and elements of equal score are in the order in which their scores were set.
///
/// Finding the score of a member is **O(1)**; ranks, elements by rank and ranges are **O(log n)**.
///
/// As with `HashMap` and `BTreeMap`, it is a logic error to change a member so that its order or
/// hash changes while it is in the set, or to use members with an inconsistent `Ord`, `Eq` or
/// `Hash`. The results are then unspecified, and operations that sort may panic, but the set
/// remains memory safe and can be cleared and reused.
///
/// Memory shrinks with the set. If a set of more than 3,000 elements has fewer than 16,384 left,
/// and only one in 24 to 48, a removal moves all of them into smaller allocations. Reserved memory
/// is kept, and [`clear`](Self::clear), [`drain`](Self::drain), [`retain`](Self::retain) and
/// [`extract_if`](Self::extract_if) free none, as in `Vec`. [`shrink_to_fit`](Self::shrink_to_fit)
/// frees all unused memory.
///
/// With the feature `serde`, a set serializes as a sequence of `(member, score)` in order, and
/// deserializes from a sequence in any order; a repeated member is an error. To serialize it as a
/// map, use `sorted_set::serde_map`. In JSON, that requires members that can be keys of an object,
/// such as strings.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let mut board = SortedSet::from([("ann", 120), ("bob", 85), ("cid", 120)]);
/// board.insert("bob", 130);
/// assert_eq!(board.score("bob"), Some(&130));
/// assert_eq!(board.rank("ann"), Some(0)); // ties are ordered by member
/// assert_eq!(board.rev_rank("bob"), Some(0));
/// assert!(board.range_by_score(100..).map(|(m, _)| *m).eq(["ann", "cid", "bob"]));
/// ```
///
/// For fractional scores use `Score`; a plain `f64` does not compile:
///
/// ```
/// use zset_core::{Score, SortedSet};
///
/// let mut laps = SortedSet::new();
/// laps.insert("ann", Score::new(83.25)?);
/// # Ok::<(), zset_core::NanScore>(())
/// ```
///
/// ```compile_fail
/// let mut laps = zset_core::SortedSet::new();
/// laps.insert("ann", 83.25); // an `f64` is not `Ord`
/// ```
pub struct SortedSet<M, S = Score, H = DefaultHashBuilder> {
    pub(crate) core: Core<M, (), S, Hashed<H>>,
}

/// Constructors.
impl<M, S> SortedSet<M, S> {
    /// Creates an empty set without allocating. **O(1)**.
    pub fn new() -> Self {
        Self::with_hasher(DefaultHashBuilder::default())
    }

    /// Creates an empty set whose random heights are seeded by `rng`. **O(1)**.
    ///
    /// The generator affects neither results nor the bounds on costs.
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        let mut set = Self::new();
        set.core.nodes = Nodes::with_heights(Heights::from_rng(rng));
        set
    }
}

impl<M: Hash, S: Clone> SortedSet<M, S> {
    /// Creates an empty set with memory for about `capacity` members. **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, DefaultHashBuilder::default())
    }
}

impl<M, S, H> SortedSet<M, S, H> {
    /// Creates an empty set that uses the given hasher. **O(1)**.
    ///
    /// It can initialize a static if the hasher has a `const` constructor. [`new`](Self::new)
    /// cannot: the seed of the default hasher is random.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    /// use std::sync::Mutex;
    /// use zset_core::SortedSet;
    ///
    /// type Fixed = BuildHasherDefault<DefaultHasher>;
    /// static VISITS: Mutex<SortedSet<&str, u32, Fixed>> =
    ///     Mutex::new(SortedSet::with_hasher(Fixed::new()));
    /// VISITS.lock().unwrap().insert("home", 1);
    /// ```
    pub const fn with_hasher(hasher: H) -> Self {
        SortedSet { core: Core::new(Hashed::new(hasher)) }
    }

    /// Returns a reference to the set's hasher. **O(1)**.
    pub fn hasher(&self) -> &H {
        &self.core.dict.hasher
    }
}

impl<M: Hash, S: Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Creates an empty set with memory for about `capacity` members and the given hasher.
    /// **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn with_capacity_and_hasher(capacity: usize, hasher: H) -> Self {
        let mut set = Self::with_hasher(hasher);
        set.reserve(capacity);
        set
    }
}

impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher + Default> SortedSet<M, S, H> {
    /// Creates a set from elements that ascend by `(score, member)`, or only by score if members
    /// are [`Unordered`](crate::Unordered). **O(n)**.
    ///
    /// All leaves are full, so the set uses the least memory possible.
    ///
    /// # Errors
    ///
    /// [`FromSortedError`] with the rank of the first element that is out of order or repeats a
    /// member.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::sorted_set::FromSortedError;
    /// use zset_core::SortedSet;
    ///
    /// let set: SortedSet<_, _> = SortedSet::from_sorted_iter([("b", 1), ("a", 2)])?;
    /// assert_eq!(set.rank("a"), Some(1));
    ///
    /// let error = SortedSet::<_, _>::from_sorted_iter([("a", 2), ("b", 1)]).unwrap_err();
    /// assert_eq!(error, FromSortedError::NotAscending { rank: 1 });
    /// # Ok::<(), FromSortedError>(())
    /// ```
    #[track_caller]
    pub fn from_sorted_iter<I>(elements: I) -> Result<Self, FromSortedError>
    where
        I: IntoIterator<Item = (M, S)>,
    {
        let elements = elements.into_iter();
        let mut set = Self::default();
        let mut filling = or_panic(Filling::new(&mut set.core, elements.size_hint().0));
        for (member, score) in elements {
            or_panic(filling.try_push((member, ()), score))?;
        }
        or_panic(filling.finish())?;
        Ok(set)
    }
}

/// Look-ups by member.
impl<M, S, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the score of a member. **O(1)**.
    #[inline]
    pub fn score<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<&S> {
        self.core.map_element(member, |found| found.score)
    }

    /// Returns the stored member equal to `member`, and its score. **O(1)**.
    pub fn get<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<(&M, &S)> {
        let found = self.core.element(member)?;
        Some((&found.pair.0, found.score))
    }

    /// Returns whether a member is in the set. **O(1)**.
    pub fn contains<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> bool {
        self.core.map_element(member, |_| ()).is_some()
    }

    /// Returns the score of each of these members, or `None` for members not in the set. Lazy;
    /// **O(1)** per member.
    ///
    /// Members are hashed in batches and then looked up, so that their cache misses overlap. The
    /// iterator may therefore take a few more members from `members` than it has returned scores.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 1), ("b", 2)]);
    /// let scores = set.scores(&["a", "b", "c"]);
    /// assert_eq!(scores.len(), 3);
    /// assert!(scores.rev().eq([None, Some(&2), Some(&1)]));
    /// ```
    pub fn scores<'q, Q, I>(&self, members: I) -> Scores<&Self, I::IntoIter>
    where
        I: IntoIterator<Item = &'q Q>,
        Q: Hash + Equivalent<M> + ?Sized + 'q,
    {
        Scores::new(self, members)
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(log n)**.
    #[inline]
    pub fn rank<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<usize> {
        self.core.rank(member)
    }

    /// Returns the 0-based rank of a member, highest score first. **O(log n)**.
    ///
    /// It is the exact reverse of [`rank`](Self::rank), so among equal scores the last member comes
    /// first. If equal scores are to share a rank, as in a medal table, count the higher scores
    /// instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    ///
    /// let set = zset_core::SortedSet::from([("a", 30), ("b", 10), ("c", 30)]);
    /// assert_eq!(set.rev_rank("c"), Some(0));
    /// assert_eq!(set.rev_rank("b"), Some(2));
    /// assert_eq!(1 + set.count_by_score((Excluded(30), Unbounded)), 1); // "a" and "c"
    /// assert_eq!(1 + set.count_by_score((Excluded(10), Unbounded)), 3); // "b"
    /// ```
    pub fn rev_rank<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<usize> {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }
}

impl<M, S, H> SortedSet<M, S, H> {
    /// Returns the number of members. **O(1)**.
    pub fn len(&self) -> usize {
        self.core.nodes.len()
    }

    /// Returns whether the set has no members. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of members that fit in the allocated memory if every leaf is full.
    /// **O(n)**, one step per 1,800 to 3,600 members.
    ///
    /// It is at least `len()`, and after `reserve(n)` at least `len() + n`. Unlike
    /// `HashMap::capacity`, it is not a guarantee: leaves become full only if members are inserted
    /// in ascending order, so a set may allocate below its capacity. At its capacity, the next new
    /// member always allocates.
    pub fn capacity(&self) -> usize {
        self.core.nodes.capacity().min(self.core.dict.tables.capacity())
    }

    /// Returns the number of bytes the set has allocated, excluding memory owned by members.
    ///
    /// **O(n)**, one step per 1,800 to 3,600 members.
    pub fn allocation_size(&self) -> usize {
        self.core.nodes.allocation_size() + self.core.dict.tables.allocation_size()
    }

    /// Returns the element with the lowest score. **O(1)**.
    pub fn first(&self) -> Option<(&M, &S)> {
        self.core.nodes.first().map(element)
    }

    /// Returns the element with the highest score. **O(1)**.
    pub fn last(&self) -> Option<(&M, &S)> {
        self.core.nodes.last().map(element)
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(log n)**.
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, &S)> {
        self.core.nodes.get_by_rank(rank).map(element)
    }

    /// Returns the elements in order, lowest score first. Lazy and double-ended; **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert!(set.iter().eq([(&"a", &1), (&"b", &2)]));
    /// assert!(set.iter().rev().eq([(&"b", &2), (&"a", &1)]));
    /// ```
    pub fn iter(&self) -> Iter<'_, M, S> {
        Iter(self.core.nodes.iter())
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(log n)** to start.
    ///
    /// Ranks past the end are ignored; an inverted range is empty, whereas indexing a slice panics.
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S> {
        Iter(self.core.nodes.range_by_rank(range))
    }
}

/// Ranges of scores and of members.
///
/// A bound may have any type that a score borrows as: a range of `String`s takes `str`s.
impl<M, S, H> SortedSet<M, S, H> {
    /// Returns the number of elements with scores in the range; 0 if it is inverted. **O(log n)**.
    ///
    /// This is the length of [`range_by_score`](Self::range_by_score), but takes half the time: it
    /// finds ranks, not elements.
    pub fn count_by_score<T>(&self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.core.nodes.resolve_scores(&range).len
    }

    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start.
    ///
    /// An inverted range is empty, whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Included, Unbounded};
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// assert_eq!(set.range_by_score(..=2).len(), 2);
    /// assert!(set.range_by_score((Excluded(2), Unbounded)).eq([(&"c", &3)]));
    /// assert_eq!(set.range_by_score(3..1).len(), 0);
    ///
    /// // Strings by `&str`, as in `BTreeMap::range`.
    /// let names = SortedSet::from([(7, "ann".to_string()), (8, "bob".to_string())]);
    /// let mut from_b = names.range_by_score::<str>((Included("b"), Unbounded));
    /// assert_eq!(from_b.next(), Some((&8, &"bob".to_string())));
    /// ```
    #[inline]
    pub fn range_by_score<T>(&self, range: impl RangeBounds<T>) -> Iter<'_, M, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        Iter(self.core.nodes.range_by_score(&range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to
    /// start.
    ///
    /// An inverted range is empty, whereas `BTreeMap::range` panics.
    ///
    /// # Examples
    ///
    /// Pagination: each page starts after the last element of the previous one, whatever its score.
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::SortedSet;
    ///
    /// let set = SortedSet::from([("ann", 1), ("bob", 1), ("cid", 1), ("dan", 2)]);
    /// let page: Vec<_> = set.iter().take(2).collect();
    /// assert_eq!(page, [(&"ann", &1), (&"bob", &1)]);
    /// let (member, score) = page[1];
    /// let next = set.range((Excluded((score, member)), Unbounded));
    /// assert!(next.eq([(&"cid", &1), (&"dan", &2)]));
    ///
    /// // The element itself may have been removed in the meantime.
    /// assert_eq!(set.range((&1, "bill")..(&2, "dan")).len(), 2);
    /// ```
    pub fn range<'q, T, Q>(&self, range: impl RangeBounds<(&'q T, &'q Q)>) -> Iter<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        let nodes = &self.core.nodes;
        Iter(elements::Iter::new(nodes, || nodes.positions_across(&range)))
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start.
    ///
    /// Elements with equal scores are ordered by member, so a set with equal scores throughout is
    /// an index of its members. An inverted range is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let words = ["bee", "ant", "cat", "cow"].map(|word| (word.to_string(), 0));
    /// let words = SortedSet::from(words);
    /// assert!(words.range_by_member(&0, "b".."co").map(|(m, _)| m).eq(["bee", "cat"]));
    /// assert!(words.range_by_member(&0, "c"..).map(|(m, _)| m).eq(["cat", "cow"]));
    /// ```
    pub fn range_by_member<'q, T, Q>(
        &self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Iter<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        let nodes = &self.core.nodes;
        Iter(elements::Iter::new(nodes, || nodes.positions_by_key(score, &range)))
    }
}

/// Methods that insert elements and change scores.
impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Inserts a member with a score, or updates its score if it is in the set already; returns the
    /// old score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// If the set has an equal member, the given one is dropped, like a key in `HashMap::insert`.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::new();
    /// assert_eq!(set.insert("a", 1), None);
    /// assert_eq!(set.insert("a", 2), Some(1));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, member: M, score: S) -> Option<S> {
        or_panic(self.try_insert(member, score))
    }

    /// Like [`insert`](Self::insert), with an error instead of a panic. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the element if memory or 32-bit handles run out. The set is unchanged.
    ///
    /// A call may clone a score. If that allocates, as for `String`, and memory runs out, the clone
    /// aborts the process.
    pub fn try_insert(&mut self, member: M, score: S) -> Result<Option<S>, InsertError<(M, S)>> {
        let old = self.core.try_insert(member, (), score).map_err(|error| error.map(taken))?;
        Ok(old.map(|((), old)| old))
    }

    /// Inserts a member with a score, replacing an equal member and its score; returns the old
    /// ones. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// [`insert`](Self::insert) keeps the member that is in the set. The difference matters for
    /// members that are equal but not identical.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::rc::Rc;
    /// use zset_core::SortedSet;
    ///
    /// let (old, new) = (Rc::new("ann"), Rc::new("ann"));
    /// let mut set = SortedSet::from([(old.clone(), 1)]);
    /// let (replaced, score) = set.replace(new.clone(), 2).unwrap();
    /// assert!(Rc::ptr_eq(&replaced, &old) && score == 1);
    /// assert!(Rc::ptr_eq(set.first().unwrap().0, &new));
    /// ```
    #[track_caller]
    pub fn replace(&mut self, member: M, score: S) -> Option<(M, S)> {
        or_panic(self.core.try_replace(member, (), score)).map(taken)
    }

    /// Inserts a member with a score. A member already in the set keeps the higher of the two
    /// scores, like Redis's `ZADD` with `GT`. **O(log n)**; O(1) if its score is unchanged.
    ///
    /// The score that is not kept is returned: the old one in [`Insertion::Updated`], the given one
    /// in [`Insertion::Unchanged`].
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Insertion, SortedSet};
    ///
    /// let mut best = SortedSet::new();
    /// assert_eq!(best.insert_max("ann", 120), Insertion::Inserted);
    /// assert_eq!(best.insert_max("ann", 95), Insertion::Unchanged(95));
    /// assert_eq!(best.insert_max("ann", 130), Insertion::Updated(120));
    /// assert_eq!(best.score("ann"), Some(&130));
    /// ```
    #[track_caller]
    pub fn insert_max(&mut self, member: M, score: S) -> Insertion<S> {
        or_panic(self.core.try_insert_if(member, (), score, |new, old| new > old))
            .map(|((), score)| score)
    }

    /// Inserts a member with a score. A member already in the set keeps the lower of the two
    /// scores, like Redis's `ZADD` with `LT`. **O(log n)**; O(1) if its score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert_min(&mut self, member: M, score: S) -> Insertion<S> {
        or_panic(self.core.try_insert_if(member, (), score, |new, old| new < old))
            .map(|((), score)| score)
    }

    /// Sets the score of a member that is in the set; returns the old one. **O(log n)**; O(1) if
    /// the member stays between its neighbours.
    ///
    /// [`insert`](Self::insert) takes the member by value, and inserts it if it is not in the set.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn set_score<Q>(&mut self, member: &Q, score: S) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        self.update(member, |_| score)
    }

    /// Updates the score of a member with `new_score`, called on the old score, and returns the old
    /// score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// If `new_score` panics, the score is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_update`](Self::try_update).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// assert_eq!(set.update("a", |score| score * 10), Some(1));
    /// assert_eq!(set.update("b", |score| score * 10), None);
    /// assert_eq!(set.score("a"), Some(&10));
    /// ```
    #[track_caller]
    pub fn update<Q>(&mut self, member: &Q, new_score: impl FnOnce(&S) -> S) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        or_panic(self.try_update(member, new_score))
    }

    /// Like [`update`](Self::update), with an error instead of a panic. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The score is unchanged.
    pub fn try_update<Q: Hash + Equivalent<M> + ?Sized>(
        &mut self,
        member: &Q,
        new_score: impl FnOnce(&S) -> S,
    ) -> Result<Option<S>, TryReserveError> {
        self.core.try_change(member, |(), old| Ok(new_score(old)))
    }
}

impl<M: TieOrder + Hash, S: Ord + Increment, H: BuildHasher> SortedSet<M, S, H> {
    /// Adds `by` to the score of a member, which counts as zero if the member is not in the set;
    /// returns the new score. **O(log n)**; O(1) if the member stays between its neighbours.
    ///
    /// # Errors
    ///
    /// Returns the score's own error if the sum is not a valid score: [`NanScore`](crate::NanScore)
    /// for [`Score`], [`ScoreOverflow`](crate::ScoreOverflow) for integers. The set
    /// is unchanged; in particular, a new member is not inserted.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_increment`](Self::try_increment).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ScoreOverflow, SortedSet};
    ///
    /// let mut set = SortedSet::<&str, i64>::new();
    /// assert_eq!(set.increment("a", 5), Ok(5));
    /// assert_eq!(set.increment("a", -7), Ok(-2));
    /// assert_eq!(set.increment("a", i64::MIN), Err(ScoreOverflow));
    /// assert_eq!(set.score("a"), Some(&-2));
    /// ```
    #[track_caller]
    pub fn increment(&mut self, member: M, by: S::By) -> Result<S, S::Error> {
        sum_or_panic(self.try_increment(member, by))
    }

    /// Like [`increment`](Self::increment), with an error instead of a panic. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] with the score's own error if the sum is not a valid score, and
    /// [`IncrementError::Full`] if memory or 32-bit handles run out. The set is unchanged.
    #[inline]
    pub fn try_increment(&mut self, member: M, by: S::By) -> Result<S, IncrementError<S::Error>> {
        self.core.try_increment(member, || (), by)
    }
}

impl<M: Hash, S: Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Removes a member and returns its score. **O(log n)**.
    pub fn remove<Q: Hash + Equivalent<M> + ?Sized>(&mut self, member: &Q) -> Option<S> {
        let (_, score) = self.remove_entry(member)?;
        Some(score)
    }

    /// Removes a member and returns it with its score. **O(log n)**.
    pub fn remove_entry<Q: Hash + Equivalent<M> + ?Sized>(&mut self, member: &Q) -> Option<(M, S)> {
        self.core.remove(member).map(taken)
    }

    /// Removes and returns the element with the lowest score. **O(log n)**.
    ///
    /// To pop the first n elements, see [`drain_by_rank`](Self::drain_by_rank).
    pub fn pop_first(&mut self) -> Option<(M, S)> {
        self.core.pop(End::First).map(taken)
    }

    /// Removes and returns the element with the highest score. **O(log n)**.
    ///
    /// To pop the last n elements, see [`drain_by_rank`](Self::drain_by_rank).
    pub fn pop_last(&mut self) -> Option<(M, S)> {
        self.core.pop(End::Last).map(taken)
    }

    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// **O(log n)**.
    ///
    /// If the set is empty, `predicate` is not called. If `predicate` panics, the element is not
    /// removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut due = zset_core::SortedSet::from([("mail", 10), ("backup", 30)]);
    /// assert_eq!(due.pop_first_if(|_, &time| time <= 20), Some(("mail", 10)));
    /// assert_eq!(due.pop_first_if(|_, &time| time <= 20), None);
    /// ```
    pub fn pop_first_if(&mut self, predicate: impl FnOnce(&M, &S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.first()?;
        if predicate(member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// **O(log n)**. See [`pop_first_if`](Self::pop_first_if).
    pub fn pop_last_if(&mut self, predicate: impl FnOnce(&M, &S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.last()?;
        if predicate(member, score) { self.pop_last() } else { None }
    }

    /// Removes and returns the element at this 0-based rank, lowest score first. **O(log n)**.
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        self.core.remove_by_rank(rank).map(taken)
    }

    /// Keeps only the elements for which `keep` returns true; visits them in order, lowest score
    /// first. **O(n + m log n)** for m removed elements.
    ///
    /// It frees no memory. If `keep` panics, the elements it has rejected so far are removed, and
    /// all others remain.
    pub fn retain(&mut self, mut keep: impl FnMut(&M, &S) -> bool) {
        self.extract_if(|member, score| !keep(member, score)).for_each(drop);
    }

    /// Returns an iterator that removes and returns the elements for which `extracted` returns
    /// true, in order, lowest score first. Lazy; **O(log n)** per element removed.
    ///
    /// Elements that the iterator has not visited when it is dropped remain in the set. If
    /// `extracted` panics, the element that it was called with remains too; the iterator continues
    /// after it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1), ("b", 2), ("c", 3)]);
    /// let odd: Vec<_> = set.extract_if(|_, score| score % 2 == 1).collect();
    /// assert_eq!(odd, [("a", 1), ("c", 3)]);
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn extract_if<F>(&mut self, extracted: F) -> ExtractIf<'_, M, S, H, F>
    where
        F: FnMut(&M, &S) -> bool,
    {
        let next = self.core.nodes.start();
        ExtractIf { set: self, extracted, next }
    }

    /// Reserves memory for about `additional` more members. **O(n + additional)**.
    ///
    /// After `reserve(1)` the next insertion does not allocate. A larger reservation is an
    /// estimate: how many members fit in a leaf depends on the order of insertion, and leaves are
    /// assumed to be 3/4 full. Reserved memory is freed only by `shrink_to_fit`, and by an `append`
    /// that merges the sets.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_panic(self.try_reserve(additional));
    }

    /// Like [`reserve`](Self::reserve), with an error instead of a panic. **O(n + additional)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set's members are unchanged.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.core.try_reserve(additional)
    }

    /// Shrinks the capacity of the set as much as possible. **O(capacity)**.
    ///
    /// The elements move to full leaves in newly allocated memory, which temporarily doubles memory
    /// use.
    ///
    /// # Panics
    ///
    /// Panics if that allocation fails; the set is unchanged.
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        or_panic(self.core.try_shrink_to_fit());
    }
}

/// Removing ranges. Methods that return the removed elements are named `drain_*`.
impl<M: Hash, S: Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Removes the elements at these 0-based ranks and returns how many were removed.
    /// **O(log n + m log n)** for m removed elements.
    ///
    /// Only clones of scores may need memory: a shrink that cannot allocate is skipped. Ranks past
    /// the end are ignored; an inverted range removes nothing.
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        self.core.take_range(self.core.nodes.resolve_ranks(&range))
    }

    /// Removes the elements with scores in the range and returns how many were removed.
    /// **O(log n + m log n)** for m removed elements.
    ///
    /// Only clones of scores may need memory: a shrink that cannot allocate is skipped. An inverted
    /// range removes nothing.
    pub fn remove_range_by_score<T>(&mut self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.core.take_range(self.core.nodes.resolve_scores(&range))
    }

    /// Removes the elements between two bounds, each a score and a member, and returns how many
    /// were removed. **O(log n + m log n)** for m removed elements.
    ///
    /// Only clones of scores may need memory: a shrink that cannot allocate is skipped. An inverted
    /// range removes nothing.
    pub fn remove_range<'q, T, Q>(&mut self, range: impl RangeBounds<(&'q T, &'q Q)>) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.core.take_range(self.core.nodes.resolve_across(&range))
    }

    /// Removes the elements with exactly this score and members in the range, and returns how many
    /// were removed. **O(log n + m log n)** for m removed elements.
    ///
    /// Only clones of scores may need memory: a shrink that cannot allocate is skipped. An inverted
    /// range removes nothing.
    pub fn remove_range_by_member<'q, T, Q>(
        &mut self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        self.core.take_range(self.core.nodes.resolve_keys(score, &range))
    }

    /// Removes the elements at these 0-based ranks and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements.
    ///
    /// They are removed immediately, even if the iterator is dropped early or leaked. Ranks past
    /// the end are ignored; an inverted range removes nothing.
    ///
    /// Two or more elements move to newly allocated memory. To drop them, see
    /// [`remove_range_by_rank`](Self::remove_range_by_rank), which does not move them.
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
        Drain(self.core.drain_range(self.core.nodes.resolve_ranks(&range)))
    }

    /// Removes the elements with scores in the range and returns them in order, lowest score first.
    /// **O(log n + m)** for m removed elements. See [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_by_score<T>(&mut self, range: impl RangeBounds<T>) -> Drain<'_, M, S>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_scores(&range)))
    }

    /// Removes the elements between two bounds, each a score and a member, and returns them in
    /// order. **O(log n + m)** for m removed elements. See [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_range<'q, T, Q>(
        &mut self,
        range: impl RangeBounds<(&'q T, &'q Q)>,
    ) -> Drain<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_across(&range)))
    }

    /// Removes the elements with exactly this score and members in the range, and returns them in
    /// order. **O(log n + m)** for m removed elements. See [`drain_by_rank`](Self::drain_by_rank).
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the set is unchanged.
    #[track_caller]
    pub fn drain_by_member<'q, T, Q>(
        &mut self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Drain<'_, M, S>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q> + Ord,
        Q: Ord + ?Sized + 'q,
    {
        Drain(self.core.drain_range(self.core.nodes.resolve_keys(score, &range)))
    }
}

impl<M, S, H> SortedSet<M, S, H> {
    /// Removes all elements and returns them in order, lowest score first. Keeps the memory for new
    /// ones. **O(capacity)**.
    ///
    /// The set is emptied immediately, even if the iterator is leaked; the memory is leaked with
    /// it.
    pub fn drain(&mut self) -> Drain<'_, M, S> {
        Drain(self.core.drain_all())
    }

    /// Removes all members. Keeps the memory for new ones. **O(capacity)**.
    ///
    /// If dropping an element panics, the set is empty.
    pub fn clear(&mut self) {
        self.core.clear();
    }
}

impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Panics with a description if an invariant is violated.
    ///
    /// For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.core.check();
    }
}
