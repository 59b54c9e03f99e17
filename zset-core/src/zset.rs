//! [`ZSet`]: Redis's sorted set, byte strings with `f64` scores, in two encodings.
//!
//! Invariants: a set in the listpack encoding was within its limits when its last new member came. A
//! set changes over to the skip-list encoding at the first member that is not, and stays there until
//! it is cleared.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::{ByteString, Member, PackedZSet, Score, SortedSet};

mod add;
mod compare;
mod convert;
mod drain;
mod extract;
mod insert_max;
mod iter;
#[cfg(feature = "unstable-internals")]
mod layout;
mod pop_if;
mod promote;
mod range;
mod read;
mod remove;
mod reserve;
mod sample;
mod scan;
mod scores;
#[cfg(feature = "serde")]
mod serde;
mod split_off;
mod traits;

pub use extract::ExtractIf;
pub use iter::{IntoIter, Iter};

/// How a [`ZSet`] is laid out in memory.
///
/// # Examples
///
/// ```
/// use zset_core::{Encoding, Score, ZSet};
///
/// let mut set: ZSet = (0..128).map(|i| (i.to_string(), Score::from(i))).collect();
/// assert_eq!(set.encoding(), Encoding::Listpack);
/// set.insert("another", Score::ZERO);
/// assert_eq!(set.encoding(), Encoding::Skiplist);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// All elements in one piece of memory, for small sets.
    Listpack,
    /// A skip list and a dict.
    Skiplist,
}

/// Writes the name that Redis's `OBJECT ENCODING` answers.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Listpack => "listpack",
            Encoding::Skiplist => "skiplist",
        })
    }
}

/// The size up to which a [`ZSet`] stays a listpack.
///
/// These are all of Redis's parameters for sorted sets, so that a literal may name both.
///
/// # Examples
///
/// ```
/// use zset_core::{Encoding, ListpackLimits, Score, ZSet};
///
/// let mut limits = ListpackLimits::default();
/// limits.max_listpack_value = 3;
/// let mut set = ZSet::with_limits(limits);
/// set.insert("long", Score::ZERO);
/// assert_eq!(set.encoding(), Encoding::Skiplist);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListpackLimits {
    /// The most members (Redis: `zset-max-listpack-entries`). With 0 only an empty set is a listpack.
    pub max_listpack_entries: usize,
    /// The most bytes of a member (Redis: `zset-max-listpack-value`).
    pub max_listpack_value: usize,
}

/// Redis's own: 128 members of 64 bytes.
impl Default for ListpackLimits {
    fn default() -> Self {
        REDIS_LIMITS
    }
}

/// As a constant, for statics.
const REDIS_LIMITS: ListpackLimits =
    ListpackLimits { max_listpack_entries: 128, max_listpack_value: 64 };

/// Redis's sorted set: unique byte strings, each with a [`Score`], ordered by `(score, member)`.
///
/// A small set is a [`PackedZSet`] in a `Vec<u8>`, where everything is **O(n)** for an n of at most
/// 128. Beyond its [`ListpackLimits`] it becomes a [`SortedSet`] of [`ByteString`]s; the costs that the
/// methods name are those of that encoding, and expected ones. Members are hashed with a seed of the
/// set's own, by foldhash: quick, and no defence against someone who can measure it.
///
/// With the feature `serde`, a set is a sequence of `(member, score)` in order, members as bytes. It loads elements
/// in any order, and members that are text; a repeated member is an error.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{LexRange, ScoreRange, rank_range};
/// use zset_core::{Encoding, Score, ZSet};
///
/// let mut set = ZSet::new();
/// set.insert("ann", Score::from(120));
/// set.insert("bob", Score::from(85));
/// set.increment("bob", 40.5)?;
/// assert_eq!(set.score("bob"), Some(Score::new(125.5)?));
/// assert_eq!(set.encoding(), Encoding::Listpack);
///
/// // ZRANGEBYSCORE set (100 +inf
/// let above = set.range_by_score(ScoreRange::parse(b"(100", b"+inf")?);
/// assert!(above.map(|(member, _)| member.to_vec()).eq([b"ann", b"bob"]));
/// // ZRANGE set 0 0 REV
/// let ranks = rank_range(-1, -1, set.len());
/// assert!(set.range_by_rank(ranks).rev().all(|(member, _)| member == "bob"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ZSet {
    elements: Elements,
    limits: ListpackLimits,
}

#[derive(Clone)]
enum Elements {
    Listpack(PackedZSet<Vec<u8>>),
    /// On the heap, since small sets are many and this one is large. An array of one is what can be
    /// boxed without a panic if memory runs out.
    Skiplist(Box<[Sorted; 1]>),
}

/// The set in the skip-list encoding.
type Sorted = SortedSet<ByteString, Score>;

impl ZSet {
    /// Makes an empty set with Redis's limits, which allocates nothing until the first insertion.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use zset_core::ZSet;
    ///
    /// static BOARD: Mutex<ZSet> = Mutex::new(ZSet::new());
    ///
    /// let mut set = zset_core::ZSet::new();
    /// assert_eq!(set.insert("a", zset_core::Score::from(1)), None);
    /// ```
    pub const fn new() -> Self {
        Self::with_limits(REDIS_LIMITS)
    }

    /// Makes an empty set with other limits. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ListpackLimits, Score, ZSet};
    ///
    /// let limits = ListpackLimits { max_listpack_entries: 1, ..ListpackLimits::default() };
    /// let mut set = ZSet::with_limits(limits);
    /// set.insert("a", Score::from(1));
    /// assert_eq!(set.encoding(), Encoding::Listpack);
    /// set.insert("b", Score::from(2));
    /// assert_eq!(set.encoding(), Encoding::Skiplist);
    /// ```
    pub const fn with_limits(limits: ListpackLimits) -> Self {
        ZSet { elements: Elements::Listpack(PackedZSet::new()), limits }
    }

    /// Returns the limits. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::ZSet::new().limits(), zset_core::ListpackLimits::default());
    /// ```
    pub fn limits(&self) -> ListpackLimits {
        self.limits
    }

    /// Gives a set other limits. **O(1)**.
    ///
    /// It keeps its encoding: they count when the next member comes, as `CONFIG SET` does in Redis.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ListpackLimits, Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    /// set.set_limits(ListpackLimits { max_listpack_entries: 1, ..ListpackLimits::default() });
    /// set.insert("a", Score::from(3));
    /// assert_eq!(set.encoding(), Encoding::Listpack);
    /// set.insert("c", Score::from(3));
    /// assert_eq!(set.encoding(), Encoding::Skiplist);
    /// ```
    pub fn set_limits(&mut self, limits: ListpackLimits) {
        self.limits = limits;
    }

    /// Returns how the set is laid out. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ZSet};
    ///
    /// assert_eq!(ZSet::new().encoding(), Encoding::Listpack);
    /// assert_eq!(Encoding::Listpack.to_string(), "listpack");
    /// ```
    pub fn encoding(&self) -> Encoding {
        match &self.elements {
            Elements::Listpack(_) => Encoding::Listpack,
            Elements::Skiplist(_) => Encoding::Skiplist,
        }
    }

    /// Removes all members, gives their memory back, and is a listpack again. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::ZSet::new();
    /// set.insert("a", zset_core::Score::from(1));
    /// set.clear();
    /// assert!(set.is_empty());
    /// ```
    pub fn clear(&mut self) {
        *self = Self::with_limits(self.limits);
    }

    /// Gives back memory that is not in use. **O(n)**.
    ///
    /// # Panics
    ///
    /// If there is no memory for the copy that a skip list needs for it; the set is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::ZSet::new();
    /// set.insert("a", zset_core::Score::from(1));
    /// set.shrink_to_fit();
    /// assert_eq!(set.allocation_size(), 12);
    /// ```
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        match &mut self.elements {
            Elements::Listpack(set) => set.shrink_to_fit(),
            Elements::Skiplist(set) => set[0].shrink_to_fit(),
        }
    }

    /// Returns the bytes that the set takes from the allocator, with those of its members.
    /// **O(n)**; O(1) for a listpack.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::ZSet::new().allocation_size(), 0);
    /// ```
    pub fn allocation_size(&self) -> usize {
        self.sampled_allocation_size(usize::MAX)
    }

    /// Returns about how many bytes the set takes from the allocator, after a look at no more than so
    /// many members: the others count as long as these. **O(samples)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let members = (0..1000).map(|i| (format!("{i:030}"), Score::from(i)));
    /// let set: ZSet = members.collect();
    /// assert_eq!(set.estimated_allocation_size(5), set.allocation_size());
    /// ```
    #[cfg(feature = "unstable-internals")]
    pub fn estimated_allocation_size(&self, samples: usize) -> usize {
        self.sampled_allocation_size(samples)
    }

    fn sampled_allocation_size(&self, samples: usize) -> usize {
        match &self.elements {
            Elements::Listpack(set) => set.allocation_size(),
            Elements::Skiplist(set) => {
                let set = &set[0];
                let looked_at = samples.min(set.len());
                let sizes = set.iter().take(looked_at).map(|(m, _)| m.allocation_size());
                // In 128 bits, where no product of the two is too large.
                let members = sizes.sum::<usize>() as u128 * set.len() as u128;
                let members = members.checked_div(looked_at as u128).unwrap_or(0) as usize;
                size_of::<Sorted>() + set.allocation_size() + members
            }
        }
    }

    /// Returns the listpack of a set in that encoding: what a picture or a dump of it shows.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::ZSet::new();
    /// set.insert("a", zset_core::Score::from(1));
    /// assert_eq!(set.as_listpack().map(|list| list.len()), Some(2));
    /// set.promote();
    /// assert!(set.as_listpack().is_none());
    /// ```
    pub fn as_listpack(&self) -> Option<&crate::Listpack<Vec<u8>>> {
        match &self.elements {
            Elements::Listpack(set) => Some(set.as_listpack()),
            Elements::Skiplist(_) => None,
        }
    }

    /// Panics with what is wrong if an invariant does not hold, those of limits that were never
    /// [set](Self::set_limits) among them. For tests: **O(n)**, **O(n^2)** for a listpack.
    #[doc(hidden)]
    pub fn check(&self) {
        match &self.elements {
            Elements::Listpack(set) => {
                set.check();
                assert!(set.len() <= self.limits.max_listpack_entries, "too many for a listpack");
                let fits = |member: &Member<'_>| member.len() <= self.limits.max_listpack_value;
                assert!(set.iter().all(|(member, _)| fits(&member)), "too long for a listpack");
            }
            Elements::Skiplist(set) => set[0].check(),
        }
    }
}
