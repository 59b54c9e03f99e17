//! [`PackedZSet`]: a small sorted set in a listpack.
//!
//! Invariants: the listpack's entries are pairs of a member and its score, a number; the pairs
//! ascend by `(score, member)`; members are unique; a member that is the text of an integer is
//! stored as the integer, so each member has a single representation.

use core::fmt;

use crate::listpack::{HEADER, Storage, Value, entry_at, find, next, previous};
use crate::{Listpack, Member, Score, TryReserveError};

mod insert;
mod insert_max;
mod iter;
mod range;
mod remove;
mod score;
mod scores;
mod validate;

pub use iter::Iter;
#[cfg(feature = "alloc")]
pub(crate) use iter::Rest;
#[cfg(feature = "alloc")]
pub(crate) use range::Run;
use score::score_of;
pub(crate) use score::try_score_of;
pub use validate::PackedZSetError;

/// A small sorted set in one contiguous buffer: a [`Listpack`] of members and their scores in
/// order, byte for byte as Redis stores small sorted sets.
///
/// The storage `B` is a `Vec<u8>` (feature `alloc`), `[u8; N]` or `&mut [u8]`. The latter two need
/// no allocator. Lookups walk from pair to pair, so they are **O(n)** unless noted otherwise; the
/// set is meant for a few hundred members. A `ZSet` switches to a skip list as it grows.
///
/// Methods that can run out of space have `try_` names; there is no `insert`. The bytes of the
/// listpack, from [`as_listpack`](Self::as_listpack), are the serialized form;
/// [`from_listpack`](Self::from_listpack) validates and loads it.
///
/// # Examples
///
/// ```
/// use zset_core::{PackedZSet, Score, TryReserveError};
///
/// let mut set = PackedZSet::with_storage([0; 24])?;
/// set.try_insert("ann", Score::from(120))?;
/// set.try_insert("bob", Score::from(85))?;
/// assert_eq!(set.rank("ann"), Some(1));
/// // The buffer is full, and the set is unchanged.
/// assert_eq!(set.try_insert("cid", Score::from(99)), Err(TryReserveError::BufferFull));
/// assert_eq!(set.len(), 2);
/// # Ok::<(), TryReserveError>(())
/// ```
#[derive(Clone)]
pub struct PackedZSet<B> {
    list: Listpack<B>,
}

/// Where a pair is in the listpack.
#[derive(Clone, Copy)]
struct PairOffsets {
    /// The offset of the member.
    member: usize,
    /// The offset of the score.
    score: usize,
    /// The offset after the pair.
    behind: usize,
}

/// Returns the pair at an offset, or `None` at the end.
#[cfg_attr(not(target_os = "none"), inline)]
fn pair_at(bytes: &[u8], at: usize) -> Option<(Value<'_>, Value<'_>, PairOffsets)> {
    let (member, score_at) = entry_at(bytes, at)?;
    let (score, behind) = entry_at(bytes, score_at)?;
    Some((member, score, PairOffsets { member: at, score: score_at, behind }))
}

/// Returns the score of the pair at an offset, without decoding the member, and the offset after the pair;
/// `None` at the end.
#[cfg_attr(not(target_os = "none"), inline)]
fn score_at(bytes: &[u8], at: usize) -> Option<(Score, usize)> {
    let (score, behind) = entry_at(bytes, next(bytes, at)?)?;
    Some((score_of(score), behind))
}

#[cfg(feature = "alloc")]
impl PackedZSet<alloc::vec::Vec<u8>> {
    /// Creates an empty set without allocating. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::new();
    /// set.try_insert("a", Score::from(1))?;
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub const fn new() -> Self {
        PackedZSet { list: Listpack::new() }
    }

    /// Frees unused memory, or keeps it if a smaller buffer cannot be allocated. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::new();
    /// set.try_insert("a", zset_core::Score::from(1))?;
    /// set.shrink_to_fit();
    /// assert_eq!(set.into_listpack().into_storage().capacity(), 12);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// Returns the number of bytes allocated.
    pub(crate) fn allocation_size(&self) -> usize {
        self.list.allocation_size()
    }
}

impl<const N: usize> PackedZSet<[u8; N]> {
    /// Creates an empty set in an array of at least 7 bytes; the size is checked at compile time.
    /// **O(N)**.
    ///
    /// Until something is inserted, the array has only zeros, so a `static` takes no flash for it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use zset_core::{PackedZSet, Score};
    ///
    /// static BOARD: Mutex<PackedZSet<[u8; 256]>> = Mutex::new(PackedZSet::in_array());
    /// BOARD.lock().unwrap().try_insert("ann", Score::from(1)).unwrap();
    /// ```
    pub const fn in_array() -> Self {
        PackedZSet { list: Listpack::in_array() }
    }
}

impl<B: Storage> PackedZSet<B> {
    /// Creates an empty set in `storage`, whose previous contents are ignored. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if the storage cannot hold the 7 bytes of an empty set.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::PackedZSet::with_storage([0; 256])?;
    /// assert!(set.is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn with_storage(storage: B) -> Result<Self, TryReserveError> {
        Ok(PackedZSet { list: Listpack::with_storage(storage)? })
    }

    /// Returns a reference to the listpack. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(1))?;
    /// assert_eq!(set.as_listpack().as_bytes(), b"\x0C\0\0\0\x02\0\x81a\x02\x01\x01\xFF");
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn as_listpack(&self) -> &Listpack<B> {
        &self.list
    }

    /// Returns the listpack by value. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// assert!(set.into_listpack().is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn into_listpack(self) -> Listpack<B> {
        self.list
    }

    /// Returns the number of members. **O(1)**; O(n) from 32768 members on.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(1))?;
    /// assert_eq!(set.len(), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.list.len() / 2
    }

    /// Returns whether the set is empty. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_core::PackedZSet::with_storage([0; 64])?.is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Removes all members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(1))?;
    /// set.clear();
    /// assert!(set.is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Returns the score of a member. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(1))?;
    /// assert_eq!(set.score("a"), Some(Score::from(1)));
    /// assert_eq!(set.score("b"), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn score(&self, member: impl AsRef<[u8]>) -> Option<Score> {
        self.find(member.as_ref()).map(|(_, score)| score)
    }

    /// Returns whether a member is in the set. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(1))?;
    /// assert!(set.contains("a"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn contains(&self, member: impl AsRef<[u8]>) -> bool {
        self.find(member.as_ref()).is_some()
    }

    /// Returns the 0-based rank of a member, lowest score first. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{PackedZSet, Score};
    ///
    /// let mut set = PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", Score::from(2))?;
    /// set.try_insert("b", Score::from(1))?;
    /// assert_eq!(set.rank("a"), Some(1));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        let (_, rank) = find(self.list.as_bytes(), Value::of(member.as_ref()), 1)?;
        Some(rank)
    }

    /// Returns the 0-based rank of a member, highest score first. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(2))?;
    /// assert_eq!(set.rev_rank("a"), Some(0));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn rev_rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        let rank = self.rank(member)?;
        Some(self.len() - 1 - rank)
    }

    /// Returns the element with the lowest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(2))?;
    /// assert!(set.first().is_some_and(|(member, _)| member == "a"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn first(&self) -> Option<(Member<'_>, Score)> {
        self.element_at(HEADER)
    }

    /// Returns the element with the highest score. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(2))?;
    /// assert!(set.last().is_some_and(|(member, _)| member == "a"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn last(&self) -> Option<(Member<'_>, Score)> {
        self.element_at(self.last_pair()?)
    }

    /// Returns the element at this 0-based rank, lowest score first. **O(n)**, from the nearer end.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::PackedZSet::with_storage([0; 64])?;
    /// set.try_insert("a", zset_core::Score::from(2))?;
    /// assert!(set.get_by_rank(0).is_some_and(|(member, _)| member == "a"));
    /// assert!(set.get_by_rank(1).is_none());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn get_by_rank(&self, rank: usize) -> Option<(Member<'_>, Score)> {
        self.element_at(self.list.seek(rank.checked_mul(2)?))
    }

    /// Returns the element at an offset, or `None` at the end.
    fn element_at(&self, at: usize) -> Option<(Member<'_>, Score)> {
        let (member, score, _) = pair_at(self.list.as_bytes(), at)?;
        Some((Member::new(member), score_of(score)))
    }

    /// Returns the offset of the last pair.
    fn last_pair(&self) -> Option<usize> {
        let bytes = self.list.as_bytes();
        previous(bytes, previous(bytes, self.list.end())?)
    }

    /// Returns the offsets and the score of a member.
    fn find(&self, member: &[u8]) -> Option<(PairOffsets, Score)> {
        let bytes = self.list.as_bytes();
        let (at, _) = find(bytes, Value::of(member), 1)?;
        let (_, score, place) = pair_at(bytes, at)?;
        Some((place, score_of(score)))
    }
}

#[cfg(feature = "alloc")]
impl Default for PackedZSet<alloc::vec::Vec<u8>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Storage, B2: Storage> PartialEq<PackedZSet<B2>> for PackedZSet<B> {
    fn eq(&self, other: &PackedZSet<B2>) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<B: Storage> Eq for PackedZSet<B> {}

impl<B: Storage> fmt::Debug for PackedZSet<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
