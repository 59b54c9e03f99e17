//! [`SortedSet`]: a skip list, and a dict of the handles of its members.
//!
//! Invariants: the list's members are unique, and the dict holds exactly one handle for each, under the
//! member's hash.
//!
//! User code (`Hash`, `Eq`, `Ord`, `Drop`, closures) runs only before or after a change, never between
//! the change of the list and that of the dict. If it panics, the set is in the state before or after
//! the change. (In `fill` user code runs between the two, but no caller has access to the set yet.)

use core::fmt;
use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;
use rand_core::Rng;

use crate::arena::NONE;
use crate::dict::{Dict, hash_one};
use crate::handle::Handle;
use crate::skiplist::{Element, Position, Relocate};
use crate::{DefaultHashBuilder, Score, SkipList};

mod bulk;
mod compare;
mod convert;
mod drain;
mod entry;
mod fill;
mod increment;
mod insert;
mod insert_max;
mod iter;
#[cfg(feature = "unstable-internals")]
mod layout;
mod lazy_ops;
mod merge;
mod operators;
mod pop_if;
mod range;
mod read;
mod rebuild;
mod refile;
mod relations;
mod remove;
mod replace;
mod reserve;
mod sample;
mod scan;
mod scores;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "serde")]
pub mod serde_map;
mod set_ops;
mod split_off;
mod traits;
mod update;

pub use crate::hash_builder::DefaultHasher;
pub use crate::skiplist::Drain;
pub use bulk::FromSortedError;
pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub(crate) use fill::{Filling, try_collect};
pub use iter::ExtractIf;
pub use lazy_ops::{Difference, Intersection, SymmetricDifference, Union};
pub use set_ops::Aggregate;

pub use crate::skiplist::{IntoIter, Iter};

/// A set of unique members, each with a score, ordered by `(score, member)`.
///
/// Any `Ord + Copy` type is a score: integers, tuples, [`Reverse`](core::cmp::Reverse), and [`Score`], the
/// default, an `f64` that is never NaN. **An `f64` itself is not a score**, since it is not `Ord`: if the
/// compiler reports an unsatisfied bound `f64: Ord`, use [`Score`].
///
/// Finding the score of a member is **O(1)**; ranks, elements by rank and ranges are **O(log n)**.
///
/// As with `HashMap` and `BTreeMap`, it is a logic error to change a member so that its order or hash
/// changes while it is in the set, or to use members with an inconsistent `Ord`, `Eq` or `Hash`. The
/// results are then unspecified, and operations that sort may panic, but the set remains memory safe
/// and can be cleared and reused.
///
/// With the feature `serde`, a set serializes as a sequence of `(member, score)` in order, and
/// deserializes from a sequence in any order; a repeated member is an error. To serialize it as a map,
/// use `sorted_set::serde_map`. In JSON, that requires members that can be keys of an object, such as
/// strings.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let mut board = SortedSet::from([("ann", 120), ("bob", 85), ("cid", 120)]);
/// board.insert("bob", 130);
/// assert_eq!(board.score("bob"), Some(130));
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
/// laps.insert("ann", 83.25); // the bound `f64: Ord` is not satisfied
/// ```
pub struct SortedSet<M, S = Score, H = DefaultHashBuilder> {
    pub(crate) list: SkipList<M, S>,
    dict: Dict,
    pub(crate) hasher: H,
    /// The leaf at each end for which `visit_in_dict` was last called.
    visited_ends: [u32; 2],
}

/// Updates the dict when the list moves elements.
struct Follow<'a, H> {
    dict: &'a mut Dict,
    hasher: &'a H,
    /// The handle of an element, updated when the element moves.
    watched: Option<&'a mut Handle>,
}

impl<'a, H> Follow<'a, H> {
    fn new(dict: &'a mut Dict, hasher: &'a H) -> Self {
        Follow { dict, hasher, watched: None }
    }
}

impl<M: Hash, H: BuildHasher> Relocate<M> for Follow<'_, H> {
    type Token = usize;

    #[inline]
    fn token(&self, member: &M) -> usize {
        hash_one(self.hasher, member)
    }

    #[inline]
    fn relocate(&mut self, hash: usize, from: Handle, to: Handle) {
        self.dict.replace(hash, from, to);
        if let Some(watched) = self.watched.as_deref_mut().filter(|watched| **watched == from) {
            *watched = to;
        }
    }

    #[inline]
    fn forget(&mut self, hash: usize, handle: Handle) {
        self.dict.remove(hash, handle);
    }
}

/// Empties a set that is inconsistent meanwhile.
struct ClearOnDrop<'a, M, S: Copy, H>(&'a mut SortedSet<M, S, H>);

impl<M, S: Copy, H> Drop for ClearOnDrop<'_, M, S, H> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// Returns a function from a handle to the hash of its member, with which the dict rehashes.
///
/// If a handle is stale, which requires an inconsistent `Hash`, an arbitrary hash will do.
fn hash_of<M: Hash, S: Copy, H: BuildHasher>(
    list: &SkipList<M, S>,
    hasher: &H,
) -> impl Fn(Handle) -> usize {
    |handle| list.member(handle).map_or(0, |member| hash_one(hasher, member))
}

/// Construction.
impl<M, S: Copy> SortedSet<M, S> {
    /// Creates an empty set without allocating. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, SortedSet};
    ///
    /// let mut set: SortedSet<String> = SortedSet::new();
    /// set.insert("pi".to_string(), Score::new(3.14)?);
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub fn new() -> Self {
        Self::with_hasher(DefaultHashBuilder::default())
    }

    /// Creates an empty set whose random heights are seeded by `rng`. **O(1)**.
    ///
    /// The generator affects neither results nor the bounds on costs.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::SortedSet;
    ///
    /// let set: SortedSet<&str, u32> = SortedSet::from_rng(&mut SmallRng::seed_from_u64(7));
    /// assert!(set.is_empty());
    /// ```
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        SortedSet { list: SkipList::from_rng(rng), ..Self::new() }
    }
}

impl<M: Hash, S: Copy> SortedSet<M, S> {
    /// Creates an empty set with memory for about `capacity` members. **O(capacity)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::<&str, u32>::with_capacity(1000);
    /// assert!(set.is_empty());
    /// ```
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, DefaultHashBuilder::default())
    }
}

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Creates an empty set that uses the given hasher. **O(1)**.
    ///
    /// It can initialize a static if the hasher has a `const` constructor. [`new`](Self::new) cannot:
    /// the seed of the default hasher is random.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::hash::{BuildHasherDefault, DefaultHasher, RandomState};
    /// use std::sync::Mutex;
    /// use zset_core::SortedSet;
    ///
    /// let set: SortedSet<&str, u32, _> = SortedSet::with_hasher(RandomState::new());
    /// assert!(set.is_empty());
    ///
    /// type Fixed = BuildHasherDefault<DefaultHasher>;
    /// static VISITS: Mutex<SortedSet<&str, u32, Fixed>> =
    ///     Mutex::new(SortedSet::with_hasher(Fixed::new()));
    /// VISITS.lock().unwrap().insert("home", 1);
    /// ```
    pub const fn with_hasher(hasher: H) -> Self {
        SortedSet { list: SkipList::new(), dict: Dict::new(), hasher, visited_ends: [NONE; 2] }
    }

    /// Returns a reference to the set's hasher. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::<&str, u32>::new();
    /// let _: &zset_core::DefaultHashBuilder = set.hasher();
    /// ```
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// Removes all members and frees their memory. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("a", 1)]);
    /// set.clear();
    /// assert!(set.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.move_to(&mut self.list.empty());
    }

    /// Empties the set: its elements move to an empty list.
    fn move_to(&mut self, list: &mut SkipList<M, S>) {
        self.dict = Dict::new();
        self.visited_ends = [NONE; 2];
        core::mem::swap(&mut self.list, list);
    }
}

/// Look-ups.
impl<M, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the hash of a member.
    #[inline]
    pub(crate) fn hash<Q: Hash + ?Sized>(&self, member: &Q) -> usize {
        hash_one(&self.hasher, member)
    }

    /// Returns the element of a member.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn element<Q>(&self, member: &Q) -> Option<Element<'_, M, S>>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        // Skips hashing if the set is empty.
        if self.is_empty() { None } else { self.find(self.hash(member), member) }
    }

    /// Returns the element of a member with this hash.
    #[expect(
        clippy::inline_always,
        reason = "a call for each score takes a fifth more instructions"
    )]
    #[inline(always)]
    pub(crate) fn find<Q>(&self, hash: usize, member: &Q) -> Option<Element<'_, M, S>>
    where
        Q: Equivalent<M> + ?Sized,
    {
        self.list.find(&self.dict, hash, |other| member.equivalent(other))
    }

    #[inline]
    fn position<Q>(&self, member: &Q) -> Option<Position>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        Some(self.list.position_of(self.element(member)?.handle))
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Panics with a description if an invariant of the list or dict is violated, or the two disagree.
    ///
    /// For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.list.check();
        assert_eq!(self.dict.len(), self.list.len(), "list and dict differ in length");
        self.dict.check(hash_of(&self.list, &self.hasher));
        for (member, _) in self {
            let found = self.element(member).expect("a member of the list is not in the dict");
            assert!(core::ptr::eq(found.member, member), "a member is repeated");
        }
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy, H> fmt::Debug for SortedSet<M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
