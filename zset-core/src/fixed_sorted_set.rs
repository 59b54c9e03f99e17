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
//! - `members` and `scores` have n elements, one of each per slot.
//! - The first n of `order` are a permutation of the slots, sorted by `(score, member)` if `Ord` is
//!   consistent.
//! - Each slot is in exactly one chain, that of its member's hash if `Hash` is consistent.
//!
//! Every change first calls all user code that it needs (`Ord`, `Eq`, `Hash`), and then only moves
//! elements and numbers. So a panic in user code leaves the set unchanged.

mod chain;
mod check;
mod compare;
mod hash_builder;
mod increment;
mod insert;
mod insert_max;
mod iter;
mod order;
mod range;
mod read;
mod remove;
#[cfg(feature = "serde")]
mod serde;
mod slot_number;
mod update;

use arrayvec::ArrayVec;
use core::fmt;

pub use hash_builder::{FixedHashBuilder, FixedHasher};
pub use insert::CapacityError;
pub use iter::{IntoIter, Iter};
pub use slot_number::SlotNumber;

/// A sorted set of at most `N` elements, stored in place: it needs no allocator, and can be a `static`.
///
/// Members are unique, and ordered by `(score, member)`. The score of a member is found in O(1)
/// expected, ranks and elements by rank in O(log n). Insertion and removal compare O(log n) times and
/// shift up to n slot numbers of one or two bytes, which is fast for the sizes that fit in fixed memory.
///
/// # Methods
///
/// A method that `SortedSet` has too does the same. An insertion may find the set full: there are only
/// `try_insert`, `try_insert_max`, `try_insert_min` and `try_increment`, whose error returns the element or
/// reports the full set, and `insert_or_evict_first` and `insert_or_evict_last`, which make room. `SortedSet`
/// also has methods
///
/// - for memory: `with_capacity`, `with_capacity_and_hasher`, `reserve`, `try_reserve`, `shrink_to_fit`,
///   `allocation_size`;
/// - that insert or panic: `insert`, `insert_max`, `insert_min`, `increment`;
/// - for entries and other ways to change one: `entry`, `first_entry`, `last_entry`, `replace`,
///   `try_replace`, `try_update`, `increment_signed`, `try_increment_signed`;
/// - that return several removed elements: `drain`, `drain_by_rank`, `drain_by_score`, `drain_by_member`,
///   `extract_if`, `split_off_by_rank`, `split_off_by_score`;
/// - for several sets: `append`, `union`, `intersection`, `difference`, `symmetric_difference`, `union_with`,
///   `intersection_with`, `weighted_union`, `weighted_intersection`, `intersection_len`, `is_subset`,
///   `is_superset`, `is_disjoint`;
/// - for look-ups of many members, samples and sorted input: `scores`, `sample`, `sample_with_replacement`,
///   `from_rng`, `from_sorted_iter`.
///
/// # Memory
///
/// Beside members and scores, an element takes three slot numbers: 6 bytes with `u16`, the default for
/// `I`, which allows `N` up to 65,535. With `u8`, it takes 3 bytes, and `N` is at most 255. A larger `N`
/// does not compile.
///
/// # Hashing
///
/// The default hasher, [`FixedHashBuilder`], multiplies 32-bit words: small and fast on small machines, and the same
/// in every run. An attacker who can choose members can make them collide, which makes a look-up O(n).
/// [`with_hasher`](Self::with_hasher) takes another one.
///
/// # Beside heapless
///
/// The collections of [heapless](https://docs.rs/heapless) 0.9 also need no allocator. A dash: not without a copy of all
/// elements. "Scan" visits all elements through the iterator.
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
/// | bytes beside member and score, `u32`s | 6, or 3 | 0 | 4, with links of `u16` | 8 |
/// | capacity | 65,535, or 255 | any | 65,534 with links of `u16` | a power of two |
///
/// All are made by a `const fn`, so they can be a `static`, and change by `&mut self`: an interrupt handler and the main
/// loop share them behind a critical section (see the [guide](crate::_guide::firmware#interrupt-handlers)).
///
/// `BinaryHeap` is the choice where elements are only pushed and popped. The project's `docs/benchmarks.md` has the
/// times of all four.
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
/// assert_eq!(timers.first(), Some((&"blink", 250)));
/// assert_eq!(timers.pop_first_if(|_, deadline| deadline <= 500), Some(("blink", 250)));
/// assert_eq!(timers.score("watchdog"), Some(2_000));
/// # Ok::<(), zset_core::fixed_sorted_set::CapacityError<&str, u32>>(())
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
/// assert_eq!(best.last(), Some((&7, 310)));
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

impl<M, S, const N: usize, I: SlotNumber> FixedSortedSet<M, S, N, I> {
    /// Makes an empty set. **O(N)**, or nothing at run time in a constant.
    ///
    /// An empty set consists of zeros, so a `static` takes no flash for it, only RAM.
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
    /// Makes an empty set that hashes members with `hasher`. **O(N)**, or nothing at run time in a
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
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::BuildHasher;
    ///
    /// let set = zset_core::FixedSortedSet::<u32, u32, 4>::new();
    /// assert_eq!(set.hasher().hash_one(7), set.hasher().hash_one(7));
    /// ```
    pub const fn hasher(&self) -> &H {
        &self.hasher
    }

    /// Removes all elements. **O(N)**.
    ///
    /// If dropping a member panics, the set is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::FixedSortedSet::<u32, u32, 4>::new();
    /// set.try_insert(1, 10).unwrap();
    /// set.clear();
    /// assert!(set.is_empty() && !set.contains(&1));
    /// ```
    pub fn clear(&mut self) {
        self.heads = [I::NONE; N];
        self.scores.clear();
        self.members.clear();
    }
}

impl<M, S, const N: usize, I: SlotNumber, H: Default> Default for FixedSortedSet<M, S, N, I, H> {
    fn default() -> Self {
        Self::with_hasher(H::default())
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy, const N: usize, I: SlotNumber, H> fmt::Debug
    for FixedSortedSet<M, S, N, I, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
