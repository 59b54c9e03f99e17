//! [`FixedSortedSet`]: a sorted set of fixed capacity, without an allocator.
//!
//! ```text
//! order    2 0 1 · · ·        slots, sorted by (score, member)
//! slot     0    1    2
//! members  g    a    k        dense: removal moves the last element into the vacated slot
//! scores   4.0  9.0  1.0
//! heads    · 1 2 · · ·        for each bucket of hashes, the first slot of its chain
//! links    · · 0 · · ·        for each slot, the next one of its chain
//! ```
//!
//! Invariants, for a set of n elements:
//!
//! - `members` and `scores` have length n, with one entry for each slot in use.
//! - The first n entries of `order` are a permutation of the slots, sorted by `(score, member)` if
//!   `Ord` is consistent.
//! - Each slot in use is in exactly one chain. If `Hash` is consistent, that is the chain of the
//!   bucket to which its member hashes.
//!
//! A change to one element first calls all user code that it needs (`Ord`, `Eq`, `Hash`), and then
//! only moves elements and slot numbers. A panic in that code therefore leaves the set unchanged.
//! If a method changes several elements, a panic may leave some of them changed and others not.

use arrayvec::ArrayVec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::hash::{BuildHasher, Hash};
use core::mem;
use core::ops::{Range, RangeBounds};
use equivalent::Equivalent;

use crate::{
    Increment, IncrementError, InsertError, ScoreBound, ScoreOrder, TryReserveError, bounds,
};

mod iter;
mod slots;

pub use iter::{IntoIter, Iter};
pub use slots::{FixedHashBuilder, FixedHasher, SlotNumber};

/// A sorted set of at most `N` elements, stored in place: it needs no allocator, and can be a
/// `static`.
///
/// Members are unique, and ordered by `(score, member)`. The score of a member is found in O(1)
/// expected, ranks and elements by rank in O(log n). Insertion and removal compare O(log n) times
/// and shift up to n slot numbers of one or two bytes, which is fast for the sizes that fit in
/// fixed memory.
///
/// # Methods
///
/// Methods that `SortedSet` also has behave the same. Insertions can fail because the set is full,
/// so there are only `try_insert` and `try_increment`, whose error returns the element or reports
/// the full set, and `insert_or_evict_first` and `insert_or_evict_last`, which make room.
///
/// `SortedSet` also has methods
///
/// - for memory: `with_capacity`, `with_capacity_and_hasher`, `reserve`, `try_reserve`,
///   `shrink_to_fit`, `allocation_size`;
/// - that insert or panic, or keep the better score: `insert`, `increment`, `insert_max`,
///   `insert_min`;
/// - for entries and other ways to change one: `entry`, `entry_ref`, `first_entry`, `last_entry`,
///   `replace`, `set_score`, `try_update`;
/// - that return several removed elements: `drain`, `drain_range`, `drain_by_rank`,
///   `drain_by_score`, `drain_by_member`, `extract_if`, `split_off_by_rank`, `split_off_by_score`;
/// - for several sets: `append`, `union`, `intersection`, `difference`, `symmetric_difference`,
///   `union_with`, `intersection_with`, `is_subset`, `is_superset`, `is_disjoint`;
/// - for look-ups of many members and sorted input: `scores`, `from_rng`, `from_sorted_iter`.
///
/// # Memory
///
/// Besides members and scores, an element needs three slot numbers: 6 bytes with `u16`, the default
/// for `I`, which allows `N` up to 65,535. With `u8`, it needs 3 bytes, and `N` is at most 255. A
/// larger `N` does not compile.
///
/// # Hashing
///
/// The default hasher, [`FixedHashBuilder`], multiplies 32-bit words: it is small and fast on small
/// machines, and the same in every run. An attacker who can choose members can make them collide,
/// which makes a look-up O(n). [`with_hasher`](Self::with_hasher) accepts another hasher.
///
/// # Compared with heapless
///
/// The collections of [heapless](https://docs.rs/heapless) 0.9 also need no allocator. A dash means
/// that the operation needs a copy of all elements. "Scan" visits all elements through the
/// iterator.
///
/// | | `FixedSortedSet` | `BinaryHeap` | `SortedLinkedList` | `FnvIndexMap` |
/// |---|---|---|---|---|
/// | a member is in it | once | as often as pushed | as often as pushed | once |
/// | insert | O(log n), shifts | O(log n) | O(n) | O(1) |
/// | insert into a full one, evicting the first | one call: O(log n), shifts | O(log n) | O(n) | scan |
/// | score of a member | O(1) | scan | scan | O(1) |
/// | update a score, remove a member | O(log n), shifts | – | O(n) | O(1) |
/// | first element | O(1) | O(1) | O(1) | scan |
/// | pop the first | O(log n), shifts | O(log n) | O(1) | scan |
/// | last element, pop the last | O(1), O(log n) | scan, – | scan, O(n) | scan |
/// | the m first in order | O(m) | – | O(m) | – |
/// | elements in order | from both ends | – | from one end | – |
/// | range of scores, in order | O(log n + m) | – | scan | – |
/// | rank of a member | O(log n) | scan | scan | scan |
/// | element by rank | O(1) | – | scan | – |
/// | bytes besides member and score, `u32`s | 6, or 3 | 0 | 4, with links of `u16` | 8 |
/// | capacity | 65,535, or 255 | any | 65,534 with links of `u16` | a power of two |
///
/// All have a `const fn` constructor, so they can be a `static`, and are modified through
/// `&mut self`: an interrupt handler and the main loop share them in critical sections (see
/// the [guide](crate::_guide::firmware#interrupt-handlers)).
///
/// `BinaryHeap` is the choice where elements are only pushed and popped. The project's
/// `docs/benchmarks.md` has the times of all four.
///
/// # Examples
///
/// ```
/// use zset_core::FixedSortedSet;
///
/// // Timers by deadline.
/// let mut timers = FixedSortedSet::<&str, u32, 8>::new();
/// timers.try_insert("watchdog", 1_000)?;
/// timers.try_insert("blink", 250)?;
/// timers.try_insert("watchdog", 2_000)?; // postponed
/// assert_eq!(timers.first(), Some((&"blink", &250)));
/// assert_eq!(timers.pop_first_if(|_, &deadline| deadline <= 500), Some(("blink", 250)));
/// assert_eq!(timers.score("watchdog"), Some(&2_000));
/// # Ok::<(), zset_core::InsertError<(&str, u32)>>(())
/// ```
///
/// In a `static`, with one byte for a slot number:
///
/// ```
/// use std::sync::Mutex;
/// use zset_core::FixedSortedSet;
///
/// static BEST: Mutex<FixedSortedSet<u16, u32, 10, u8>> = Mutex::new(FixedSortedSet::new());
///
/// let mut best = BEST.lock().unwrap();
/// for (sensor, reading) in [(7, 310), (8, 290)] {
///     best.insert_or_evict_first(sensor, reading);
/// }
/// assert_eq!(best.last(), Some((&7, &310)));
/// ```
#[derive(Clone)]
pub struct FixedSortedSet<M, S, const N: usize, I: SlotNumber = u16, H = FixedHashBuilder> {
    members: ArrayVec<M, N>,
    scores: ArrayVec<S, N>,
    order: [I; N],
    heads: [I; N],
    links: [I; N],
    hasher: H,
}

/// Clears scores when dropped, even if dropping a member has panicked.
struct ClearOnDrop<'a, S, const N: usize>(&'a mut ArrayVec<S, N>);

impl<S, const N: usize> Drop for ClearOnDrop<'_, S, N> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

impl<M, S, const N: usize, I: SlotNumber> FixedSortedSet<M, S, N, I> {
    /// Creates an empty set. **O(N)**, or at compile time in a constant.
    ///
    /// An empty set consists of zeros, so in a `static` it needs RAM, but no flash.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::FixedSortedSet;
    ///
    /// const EMPTY: FixedSortedSet<u32, u32, 64> = FixedSortedSet::new();
    /// assert!(EMPTY.is_empty());
    /// ```
    ///
    /// A slot number of one byte is too small for 300 elements:
    ///
    /// ```compile_fail
    /// let set = zset_core::FixedSortedSet::<u32, u32, 300, u8>::new();
    /// ```
    pub const fn new() -> Self {
        Self::with_hasher(FixedHashBuilder)
    }
}

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Removes all elements. **O(N)**.
    ///
    /// If dropping a member or a score panics, the set is empty.
    pub fn clear(&mut self) {
        self.heads = [I::NONE; N];
        let _scores = ClearOnDrop(&mut self.scores);
        self.members.clear();
    }

    /// Creates an empty set that hashes members with `hasher`. **O(N)**, or at compile time in a
    /// constant.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::RandomState;
    /// use zset_core::FixedSortedSet;
    ///
    /// let set: FixedSortedSet<u32, u32, 64, u8, _> = FixedSortedSet::with_hasher(RandomState::new());
    /// assert_eq!(set.capacity(), 64);
    /// ```
    pub const fn with_hasher(hasher: H) -> Self {
        const {
            assert!(N <= I::MAX_SLOTS, "the slot numbers are too small for this capacity");
        }
        FixedSortedSet {
            members: ArrayVec::new_const(),
            scores: ArrayVec::new_const(),
            order: [I::NONE; N],
            heads: [I::NONE; N],
            links: [I::NONE; N],
            hasher,
        }
    }

    /// Returns the hash builder. **O(1)**.
    pub const fn hasher(&self) -> &H {
        &self.hasher
    }

    /// Returns the number of members. **O(1)**.
    pub const fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether the set has no members. **O(1)**.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the maximum number of members, `N`. **O(1)**.
    pub const fn capacity(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there is no room for another member. **O(1)**.
    pub const fn is_full(&self) -> bool {
        self.len() == N
    }
}

impl<M, S, const N: usize, I: SlotNumber, H: BuildHasher> FixedSortedSet<M, S, N, I, H> {
    /// Returns the score of a member. **O(1)** expected.
    pub fn score<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<&S> {
        self.scores.get(self.slot(member)?)
    }

    /// Returns the stored member equal to `member`, and its score. **O(1)** expected.
    pub fn get<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<(&M, &S)> {
        Some(self.element(self.slot(member)?))
    }

    /// Returns whether a member is in the set. **O(1)** expected.
    pub fn contains<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> bool {
        self.slot(member).is_some()
    }
}

impl<M: Ord, S: Ord, const N: usize, I: SlotNumber, H: BuildHasher> FixedSortedSet<M, S, N, I, H> {
    /// Returns the 0-based rank of a member, lowest score first. **O(log n)** comparisons.
    pub fn rank<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<usize> {
        Some(self.rank_of(self.slot(member)?))
    }

    /// Returns the 0-based rank of a member, highest score first. **O(log n)** comparisons. See
    /// [`SortedSet::rev_rank`](crate::SortedSet::rev_rank).
    pub fn rev_rank<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<usize> {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }
}

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the element with the lowest score. **O(1)**.
    pub fn first(&self) -> Option<(&M, &S)> {
        self.get_by_rank(0)
    }

    /// Returns the element with the highest score. **O(1)**.
    pub fn last(&self) -> Option<(&M, &S)> {
        self.get_by_rank(self.len().checked_sub(1)?)
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(1)**.
    pub fn get_by_rank(&self, rank: usize) -> Option<(&M, &S)> {
        Some(self.element(self.sorted().get(rank)?.to_usize()))
    }

    fn element(&self, slot: usize) -> (&M, &S) {
        (&self.members[slot], &self.scores[slot])
    }

    /// Returns the elements in order, lowest score first. Lazy and double-ended; **O(1)** per step
    /// and per `nth`.
    pub fn iter(&self) -> Iter<'_, M, S, I> {
        self.range_by_rank(..)
    }

    /// Returns the elements at these 0-based ranks. Lazy; **O(1)** to start. See
    /// [`SortedSet::range_by_rank`](crate::SortedSet::range_by_rank).
    pub fn range_by_rank(&self, range: impl RangeBounds<usize>) -> Iter<'_, M, S, I> {
        self.view(bounds::ranks(&range, self.len()))
    }

    /// Returns the elements with these ranks, which must not exceed the length. An inverted range
    /// is empty.
    fn view(&self, ranks: Range<usize>) -> Iter<'_, M, S, I> {
        Iter::new(self.order.get(ranks).unwrap_or_default(), &self.members, &self.scores)
    }
}

impl<M, S: Ord, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the elements with scores in the range. Lazy; **O(log n)** to start. See
    /// [`SortedSet::range_by_score`](crate::SortedSet::range_by_score).
    pub fn range_by_score<T>(&self, range: impl RangeBounds<T>) -> Iter<'_, M, S, I>
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.view(self.ranks_by_score(&range))
    }

    /// Returns the elements with exactly this score and members in the range. Lazy; **O(log n)** to
    /// start. See [`SortedSet::range_by_member`](crate::SortedSet::range_by_member).
    pub fn range_by_member<'q, T, Q>(
        &self,
        score: &T,
        range: impl RangeBounds<&'q Q>,
    ) -> Iter<'_, M, S, I>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.view(self.ranks_by_member(score, &range))
    }

    /// Returns the elements between two bounds, each a score and a member. Lazy; **O(log n)** to
    /// start. See [`SortedSet::range`](crate::SortedSet::range).
    pub fn range<'q, T, Q>(&self, range: impl RangeBounds<(&'q T, &'q Q)>) -> Iter<'_, M, S, I>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.view(self.ranks_across(&range))
    }

    /// Returns the number of elements with scores in the range. **O(log n)**.
    pub fn count_by_score<T>(&self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.ranks_by_score(&range).len()
    }

    /// Returns the ranks of the elements with scores in the range.
    fn ranks_by_score<T>(&self, range: &impl RangeBounds<T>) -> Range<usize>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
    {
        let start =
            self.partition_point(|_, score| bounds::is_before(score.borrow(), range.start_bound()));
        let end =
            self.partition_point(|_, score| !bounds::is_after(score.borrow(), range.end_bound()));
        start..end
    }

    /// Returns the ranks of the elements with exactly this score and members in the range.
    fn ranks_by_member<'q, T, Q>(&self, score: &T, range: &impl RangeBounds<&'q Q>) -> Range<usize>
    where
        S: Borrow<T>,
        T: Ord + ?Sized,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let rank = |is_below: &dyn Fn(&Q) -> bool| {
            self.partition_point(|member, other| match other.borrow().cmp(score) {
                Ordering::Less => true,
                Ordering::Equal => is_below(member.borrow()),
                Ordering::Greater => false,
            })
        };
        let start = rank(&|member| bounds::is_before(&member, range.start_bound()));
        let end = rank(&|member| !bounds::is_after(&member, range.end_bound()));
        start..end
    }

    /// Returns the ranks of the elements between two bounds.
    fn ranks_across<'q, T, Q>(&self, range: &impl RangeBounds<(&'q T, &'q Q)>) -> Range<usize>
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        let start = self.partition_point(|member, score| {
            bounds::is_before(&(score.borrow(), member.borrow()), range.start_bound())
        });
        let end = self.partition_point(|member, score| {
            !bounds::is_after(&(score.borrow(), member.borrow()), range.end_bound())
        });
        start..end
    }
}

impl<M: Ord + Hash, S: ScoreOrder, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Inserts a member with a score, or updates its score; returns the old score.
    ///
    /// **O(log n)** comparisons, and up to n slot numbers are shifted. As in `BTreeMap`, a stored
    /// member is kept, and the new one dropped.
    ///
    /// # Errors
    ///
    /// [`InsertError`] with the element if the member is new and the set is full. The set is
    /// unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(set.try_insert("a", 1), Ok(None));
    /// assert_eq!(set.try_insert("a", 5), Ok(Some(1)));
    /// assert_eq!(set.try_insert("b", 2), Ok(None));
    /// let full = set.try_insert("c", 3).unwrap_err();
    /// assert_eq!(full.element, ("c", 3));
    /// assert!(set.iter().eq([(&"b", &2), (&"a", &5)]));
    /// ```
    #[inline]
    pub fn try_insert(&mut self, member: M, score: S) -> Result<Option<S>, InsertError<(M, S)>> {
        if let Some(slot) = self.slot(&member) {
            let old = self.set_slot_score(slot, score);
            // Drop `member` here: if its drop panics, `old` is still dropped.
            drop(member);
            return Ok(Some(old));
        }
        if self.is_full() {
            let (element, error) = ((member, score), TryReserveError::BufferFull);
            return Err(InsertError { element, error });
        }
        self.push(member, score);
        Ok(None)
    }

    /// Inserts a member with a score, or updates its score. If the member is new and the set is
    /// full, evicts the element that then comes first: the set keeps the `N` highest.
    ///
    /// Returns the evicted element, which is the new one if it would come first.
    /// **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Examples
    ///
    /// ```
    /// // The two highest readings.
    /// let mut highest = zset_core::FixedSortedSet::<&str, u32, 2>::new();
    /// assert_eq!(highest.insert_or_evict_first("a", 30), None);
    /// assert_eq!(highest.insert_or_evict_first("b", 10), None);
    /// assert_eq!(highest.insert_or_evict_first("c", 20), Some(("b", 10)));
    /// assert_eq!(highest.insert_or_evict_first("d", 15), Some(("d", 15)));
    /// assert!(highest.iter().eq([(&"c", &20), (&"a", &30)]));
    /// ```
    pub fn insert_or_evict_first(&mut self, member: M, score: S) -> Option<(M, S)> {
        self.insert_or_evict(member, score, 0, |new, old| new < old)
    }

    /// Inserts a member with a score, or updates its score. If the member is new and the set is
    /// full, evicts the element that then comes last: the set keeps the `N` lowest.
    ///
    /// Returns the evicted element, which is the new one if it would come last.
    /// **O(log n)** comparisons, and up to n slot numbers are shifted.
    pub fn insert_or_evict_last(&mut self, member: M, score: S) -> Option<(M, S)> {
        let last = self.len().saturating_sub(1);
        self.insert_or_evict(member, score, last, |new, old| new > old)
    }

    /// Inserts an element. If the set is full, evicts the element at `rank` or, if `is_beyond`
    /// returns true for the new element and that one, rejects the new element. Returns the evicted
    /// or rejected element.
    fn insert_or_evict(
        &mut self,
        member: M,
        score: S,
        rank: usize,
        is_beyond: impl FnOnce((&S, &M), (&S, &M)) -> bool,
    ) -> Option<(M, S)> {
        if let Some(slot) = self.slot(&member) {
            self.set_slot_score(slot, score);
            return None;
        }
        if !self.is_full() {
            self.push(member, score);
            return None;
        }
        let Some(slot) = self.sorted().get(rank).map(|slot| slot.to_usize()) else {
            return Some((member, score)); // the capacity is 0
        };
        if is_beyond((&score, &member), (&self.scores[slot], &self.members[slot])) {
            return Some((member, score));
        }
        // The set has no room for both elements, so the new one takes the slot of the evicted one.
        let (old_bucket, bucket) = (self.bucket(&self.members[slot]), self.bucket(&member));
        let new_rank = self.rank_for(&member, &score);
        self.redirect(old_bucket, slot, self.links[slot]);
        self.link(bucket, slot);
        // If the evicted element comes before the new one, `new_rank` counts it, so subtract 1.
        self.shift(rank, new_rank - usize::from(rank < new_rank));
        let evicted = core::mem::replace(&mut self.members[slot], member);
        Some((evicted, core::mem::replace(&mut self.scores[slot], score)))
    }

    /// Adds a new member to a set that is not full.
    pub(super) fn push(&mut self, member: M, score: S) {
        let bucket = self.bucket(&member);
        let new_rank = self.rank_for(&member, &score);
        let slot = self.len();
        self.members.push(member);
        self.scores.push(score);
        self.link(bucket, slot);
        self.order[slot] = I::from_usize(slot);
        self.shift(slot, new_rank);
    }

    /// Updates the score of a member with `new_score`, called on the old score, and returns the old
    /// score. **O(log n)** comparisons, and up to n slot numbers are shifted. See
    /// [`SortedSet::update`](crate::SortedSet::update).
    pub fn update<Q>(&mut self, member: &Q, new_score: impl FnOnce(&S) -> S) -> Option<S>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let slot = self.slot(member)?;
        let score = new_score(&self.scores[slot]);
        Some(self.set_slot_score(slot, score))
    }

    /// Sets the score of a slot, and returns the old one.
    fn set_slot_score(&mut self, slot: usize, score: S) -> S {
        if score != self.scores[slot] {
            let rank = self.rank_of(slot);
            let new_rank = self.rank_for(&self.members[slot], &score);
            // If the old score is lower, `new_rank` counts the element itself, so subtract 1.
            self.shift(rank, new_rank - usize::from(rank < new_rank));
        }
        mem::replace(&mut self.scores[slot], score)
    }

    /// Removes a member, and returns its score. **O(log n)** comparisons, and up to n slot numbers
    /// are shifted.
    pub fn remove<Q: Hash + Equivalent<M> + ?Sized>(&mut self, member: &Q) -> Option<S> {
        let (_, score) = self.remove_entry(member)?;
        Some(score)
    }

    /// Removes a member, and returns the stored member and its score. **O(log n)** comparisons, and
    /// up to n slot numbers are shifted.
    pub fn remove_entry<Q: Hash + Equivalent<M> + ?Sized>(&mut self, member: &Q) -> Option<(M, S)> {
        let slot = self.slot(member)?;
        Some(self.take(self.rank_of(slot)))
    }

    /// Removes and returns the element at this 0-based rank. **O(log n)** comparisons, and up to n
    /// slot numbers are shifted.
    pub fn remove_by_rank(&mut self, rank: usize) -> Option<(M, S)> {
        (rank < self.len()).then(|| self.take(rank))
    }

    /// Removes and returns the element with the lowest score. **O(log n)** comparisons, and n slot
    /// numbers are shifted.
    pub fn pop_first(&mut self) -> Option<(M, S)> {
        self.remove_by_rank(0)
    }

    /// Removes and returns the element with the highest score. **O(log n)** comparisons.
    pub fn pop_last(&mut self) -> Option<(M, S)> {
        self.remove_by_rank(self.len().checked_sub(1)?)
    }

    /// Removes and returns the element with the lowest score if `predicate` returns true for it.
    /// **O(log n)** comparisons, and n slot numbers are shifted. See
    /// [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_first_if(&mut self, predicate: impl FnOnce(&M, &S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.first()?;
        if predicate(member, score) { self.pop_first() } else { None }
    }

    /// Removes and returns the element with the highest score if `predicate` returns true for it.
    /// **O(log n)** comparisons. See [`SortedSet::pop_first_if`](crate::SortedSet::pop_first_if).
    pub fn pop_last_if(&mut self, predicate: impl FnOnce(&M, &S) -> bool) -> Option<(M, S)> {
        let (member, score) = self.last()?;
        if predicate(member, score) { self.pop_last() } else { None }
    }

    /// Removes the element at a rank, which must be below the length.
    fn take(&mut self, rank: usize) -> (M, S) {
        let (slot, last) = (self.slot_at(rank), self.len() - 1);
        // Call all user code before any change: if it panics, the set must be unchanged.
        let bucket = self.bucket(&self.members[slot]);
        let last_bucket = self.bucket(&self.members[last]);
        let last_rank = self.rank_of(last);

        // Unlink the slot from its chain. Clear its own link too, because `redirect` may search all
        // links.
        let next = mem::replace(&mut self.links[slot], I::NONE);
        self.redirect(bucket, slot, next);
        if slot != last {
            self.redirect(last_bucket, last, I::from_usize(slot));
            self.links[slot] = self.links[last];
            self.order[last_rank] = I::from_usize(slot);
        }
        self.shift(rank, last);
        (self.members.swap_remove(slot), self.scores.swap_remove(slot))
    }

    /// Removes the elements at these 0-based ranks, and returns how many. **O(m (log n + n))** for
    /// m removed elements, with only O(m log n) comparisons. See
    /// [`SortedSet::remove_range_by_rank`](crate::SortedSet::remove_range_by_rank).
    pub fn remove_range_by_rank(&mut self, range: impl RangeBounds<usize>) -> usize {
        let ranks = bounds::ranks(&range, self.len());
        let removed = ranks.len();
        ranks.rev().for_each(|rank| drop(self.take(rank)));
        removed
    }

    /// Removes the elements with scores in the range, and returns how many. **O(m (log n + n))**
    /// for m removed elements, with only O(m log n) comparisons.
    pub fn remove_range_by_score<T>(&mut self, range: impl RangeBounds<T>) -> usize
    where
        S: ScoreBound<T>,
        T: Ord + ?Sized,
    {
        self.remove_range_by_rank(self.ranks_by_score(&range))
    }

    /// Removes the elements between two bounds, each a score and a member, and returns how many.
    /// **O(m (log n + n))** for m removed elements, with only O(m log n) comparisons.
    pub fn remove_range<'q, T, Q>(&mut self, range: impl RangeBounds<(&'q T, &'q Q)>) -> usize
    where
        S: Borrow<T>,
        T: Ord + ?Sized + 'q,
        M: Borrow<Q>,
        Q: Ord + ?Sized + 'q,
    {
        self.remove_range_by_rank(self.ranks_across(&range))
    }

    /// Removes the elements with exactly this score and members in the range, and returns how many.
    /// **O(m (log n + n))** for m removed elements, with only O(m log n) comparisons.
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
        self.remove_range_by_rank(self.ranks_by_member(score, &range))
    }

    /// Keeps only the elements for which `keep` returns true, visiting them in order.
    /// **O(n + m (log n + n))** for m removed elements. See
    /// [`SortedSet::retain`](crate::SortedSet::retain).
    pub fn retain(&mut self, mut keep: impl FnMut(&M, &S) -> bool) {
        let mut rank = 0;
        while let Some((member, score)) = self.get_by_rank(rank) {
            if keep(member, score) {
                rank += 1;
            } else {
                self.take(rank);
            }
        }
    }
}

impl<M: Ord + Hash, S: Ord + Increment, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Adds `by` to the score of a member, which counts as zero if the member is not in the set;
    /// returns the new score. **O(log n)** comparisons, and up to n slot numbers are shifted.
    ///
    /// # Errors
    ///
    /// [`IncrementError::Score`] with the score's own error if the sum is not a valid score, and
    /// [`IncrementError::Full`] if the member is new and the set is full. The set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{FixedSortedSet, IncrementError, ScoreOverflow, TryReserveError};
    ///
    /// let mut set = FixedSortedSet::<&str, u8, 1>::new();
    /// assert_eq!(set.try_increment("a", 200), Ok(200));
    /// assert_eq!(set.try_increment("a", 56), Err(IncrementError::Score(ScoreOverflow)));
    /// assert_eq!(set.try_increment("b", 1), Err(IncrementError::Full(TryReserveError::BufferFull)));
    /// ```
    pub fn try_increment(&mut self, member: M, by: S::By) -> Result<S, IncrementError<S::Error>> {
        let slot = self.slot(&member);
        let old = slot.map_or(S::ZERO, |slot| self.scores[slot]);
        let sum = old.checked_increment(by).map_err(IncrementError::Score)?;
        match slot {
            Some(slot) => {
                self.set_slot_score(slot, sum);
            }
            None if self.is_full() => return Err(TryReserveError::BufferFull.into()),
            None => self.push(member, sum),
        }
        Ok(sum)
    }
}

#[cfg(feature = "serde")]
crate::serde::serialize_elements! {
    /// Deserializes a sequence of `(member, score)` in any order. A repeated member is an error,
    /// and so are more elements than the capacity.
    [M, S, const N: usize, I: SlotNumber, H] FixedSortedSet<M, S, N, I, H>,
    [M: serde::Serialize, S: serde::Serialize],
    [
        M: serde::Deserialize<'de> + Ord + Hash,
        S: serde::Deserialize<'de> + Ord,
        H: BuildHasher + Default
    ],
    "a sequence of members and scores",
    |set: &mut Self, (member, score)| {
        let old = set.try_insert(member, score);
        Ok(old?.is_none())
    }
}
