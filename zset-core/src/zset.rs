//! [`ZSet`]: Redis's sorted set, byte strings with `f64` scores, in two encodings.
//!
//! A new member that exceeds the limits switches the set to the skip-list encoding, where it stays
//! until it is cleared. The limits are no invariant: they apply to the next new member, and
//! `set_limits` may lower them below what a listpack holds already.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::{ByteString, PackedZSet, Score, SortedSet};

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

/// The encoding of a [`ZSet`] in memory.
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
    /// A single contiguous buffer, for small sets.
    Listpack,
    /// A skip list and a dict.
    Skiplist,
}

/// Writes the name that Redis's `OBJECT ENCODING` returns.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Listpack => "listpack",
            Encoding::Skiplist => "skiplist",
        })
    }
}

/// The maximum size of a [`ZSet`] in the listpack encoding.
///
/// These are all of Redis's parameters for sorted sets. The struct is exhaustive, so that it can be
/// written as a literal.
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
    /// The maximum number of members (Redis: `zset-max-listpack-entries`). If 0, only an empty set
    /// is a listpack.
    pub max_listpack_entries: usize,
    /// The maximum length of a member in bytes (Redis: `zset-max-listpack-value`).
    pub max_listpack_value: usize,
}

/// Returns Redis's defaults: 128 members of 64 bytes.
impl Default for ListpackLimits {
    fn default() -> Self {
        REDIS_LIMITS
    }
}

/// The default as a constant, for statics.
const REDIS_LIMITS: ListpackLimits =
    ListpackLimits { max_listpack_entries: 128, max_listpack_value: 64 };

/// Redis's sorted set: unique byte strings, each with a [`Score`], ordered by `(score, member)`.
///
/// A small set is a [`PackedZSet`] in a `Vec<u8>`, where every operation is **O(n)** for an n of at
/// most 128 by default. Beyond its [`ListpackLimits`], it becomes a [`SortedSet`] of
/// [`ByteString`]s. The documented costs are the expected costs of that encoding. Members are
/// hashed by foldhash with a seed specific to the set. This is fast, but no protection against an
/// attacker who can measure timings.
///
/// With the feature `serde`, a set serializes as a sequence of `(member, score)` in order, with
/// members as bytes. Elements are deserialized in any order, with members as bytes or text; a
/// repeated member is an error.
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
    /// Boxed, because small sets are numerous and a skip list is large. The box holds an array
    /// because it is made from a `Vec`, whose allocation can fail without a panic.
    Skiplist(Box<[Sorted; 1]>),
}

/// A set in the skip-list encoding.
type Sorted = SortedSet<ByteString, Score>;

impl ZSet {
    /// Creates an empty set with Redis's limits, without allocating. **O(1)**.
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

    /// Creates an empty set with these limits. **O(1)**.
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

    /// Replaces the limits. **O(1)**.
    ///
    /// The encoding does not change: the new limits apply from the next new member on, as with
    /// Redis's `CONFIG SET`.
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

    /// Returns the encoding. **O(1)**.
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

    /// Removes all members, frees their memory and returns to the listpack encoding. **O(n)**.
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

    /// Frees unused memory. **O(n)**.
    ///
    /// A listpack keeps its buffer if a smaller one cannot be allocated.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails for a skip list, whose elements are moved; the set is unchanged.
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

    /// Returns the number of bytes that the set has allocated, including those of its members.
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

    /// Estimates [`allocation_size`](Self::allocation_size) from the sizes of at most `samples`
    /// members. **O(n + samples)**, but it visits only
    /// `samples` members and the chunks of memory; O(1) for a listpack.
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
                // The product may exceed 64 bits.
                let members = sizes.sum::<usize>() as u128 * set.len() as u128;
                let members = members.checked_div(looked_at as u128).unwrap_or(0) as usize;
                size_of::<Sorted>() + set.allocation_size() + members
            }
        }
    }

    /// Returns the listpack of a set in that encoding, such as for a diagram or a dump. **O(1)**.
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

    /// Panics with a description if an invariant does not hold. The limits are not among them, since
    /// [`set_limits`](Self::set_limits) may lower them. For tests; **O(n)**, **O(n^2)** for a listpack.
    #[doc(hidden)]
    pub fn check(&self) {
        match &self.elements {
            Elements::Listpack(set) => set.check(),
            Elements::Skiplist(set) => set[0].check(),
        }
    }
}
