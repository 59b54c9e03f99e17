//! Restoring a set from a payload.

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use super::reader::Reader;
use super::writer::{TYPE_ELEMENTS, TYPE_LISTPACK};
use super::{FOOTER, checksum};
use crate::listpack::{self, ListpackError};
use crate::packed_zset::try_score_of;
use crate::reserve::try_box;
use crate::sorted_set::{Filling, FromSortedError};
use crate::{
    ByteString, ListpackLimits, Member, ParseScoreError, Score, SortedSet, TryReserveError, ZSet,
};

/// The error returned when a payload cannot be restored.
///
/// # Examples
///
/// ```
/// use zset_core::rdb::{self, RestoreError};
///
/// let mut payload = rdb::dump(&zset_core::ZSet::new());
/// payload[0] ^= 1;
/// assert_eq!(rdb::restore(&payload), Err(RestoreError::Checksum));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The payload is truncated.
    Truncated,
    /// The checksum does not match: the payload is corrupted.
    Checksum,
    /// The version of the format is unknown.
    Version(u16),
    /// The type is not a sorted set in one of the two encodings.
    Type(u8),
    /// A length is malformed, or too large for this machine.
    Length,
    /// A compressed string is malformed.
    Compression,
    /// There are bytes after the set.
    TrailingBytes,
    /// The listpack is malformed.
    Listpack(ListpackError),
    /// The last member has no score.
    OddLength,
    /// The score of the element at this 0-based rank is not a number.
    Score {
        /// The rank.
        rank: usize,
    },
    /// The score of the element at this 0-based rank is NaN.
    Nan {
        /// The rank.
        rank: usize,
    },
    /// The element at this 0-based rank does not come after the previous one.
    NotAscending {
        /// The rank.
        rank: usize,
    },
    /// The member at this 0-based rank is a duplicate.
    DuplicateMember {
        /// The rank.
        rank: usize,
    },
    /// Allocation failed.
    Memory(TryReserveError),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Truncated => f.write_str("data is truncated"),
            RestoreError::Checksum => f.write_str("checksum does not match"),
            RestoreError::Version(version) => write!(f, "version {version} is not supported"),
            RestoreError::Type(kind) => {
                write!(f, "type {kind} is not a sorted set of Redis 7")
            }
            RestoreError::Length => f.write_str("a length is malformed"),
            RestoreError::Compression => f.write_str("a compressed string is malformed"),
            RestoreError::TrailingBytes => f.write_str("there are bytes after the set"),
            RestoreError::Listpack(error) => error.fmt(f),
            RestoreError::OddLength => f.write_str("last member has no score"),
            RestoreError::Score { rank } => write!(f, "score of element {rank} is not a number"),
            RestoreError::Nan { rank } => write!(f, "score of element {rank} is NaN"),
            RestoreError::NotAscending { rank } => {
                write!(f, "element {rank} is out of order")
            }
            RestoreError::DuplicateMember { rank } => {
                write!(f, "member of element {rank} repeats an earlier one")
            }
            RestoreError::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for RestoreError {}

impl From<TryReserveError> for RestoreError {
    fn from(error: TryReserveError) -> Self {
        RestoreError::Memory(error)
    }
}

impl From<FromSortedError> for RestoreError {
    fn from(error: FromSortedError) -> Self {
        match error {
            FromSortedError::NotAscending { rank } => RestoreError::NotAscending { rank },
            FromSortedError::DuplicateMember { rank } => RestoreError::DuplicateMember { rank },
        }
    }
}

/// Restores a set from a payload of Redis's `DUMP`. **O(n)**.
///
/// Accepts sorted sets in both encodings from Redis 7 and 8 and Valkey 8 and 9, and from older
/// servers where the format is the same. The set has Redis's default [`ListpackLimits`] and the
/// encoding that they allow; see [`restore_with_limits`].
///
/// The payload is untrusted. In addition to the servers' checks, it is an error if elements are out
/// of order, a member repeats, or a score is not a number. Allocations are proportional to the
/// payload, whatever lengths it claims: at most 88-fold, for compressed strings.
///
/// # Errors
///
/// [`RestoreError`] if the payload is invalid or allocation fails.
///
/// # Examples
///
/// ```
/// use zset_core::{Score, rdb};
///
/// // ZADD key 1 a, then DUMP key, in Redis 7.0
/// let payload = b"\x11\x0C\x0C\0\0\0\x02\0\x81a\x02\x01\x01\xFF\x0A\0\xA8\x05\xCE\xB8\xD7\xA93\x02";
/// let set = rdb::restore(payload)?;
/// assert_eq!(set.score("a"), Some(Score::from(1)));
/// assert_eq!(rdb::restore(b"damaged").unwrap_err(), rdb::RestoreError::Truncated);
/// # Ok::<(), rdb::RestoreError>(())
/// ```
pub fn restore(payload: &[u8]) -> Result<ZSet, RestoreError> {
    restore_with_limits(payload, ListpackLimits::default())
}

/// Like [`restore`], for a set with these limits. **O(n)**.
///
/// # Errors
///
/// [`RestoreError`] if the payload is invalid or allocation fails.
///
/// # Examples
///
/// ```
/// use zset_core::{Encoding, ListpackLimits, Score, ZSet, rdb};
///
/// let payload = rdb::dump(&ZSet::from([("a", Score::from(1))]));
/// let limits = ListpackLimits { max_listpack_entries: 0, ..ListpackLimits::default() };
/// let set = rdb::restore_with_limits(&payload, limits)?;
/// assert_eq!(set.encoding(), Encoding::Skiplist);
/// # Ok::<(), rdb::RestoreError>(())
/// ```
pub fn restore_with_limits(payload: &[u8], limits: ListpackLimits) -> Result<ZSet, RestoreError> {
    let mut reader = Reader::new(unseal(payload)?);
    let kind = reader.byte()?;
    let set = reader.set(kind, limits)?;
    if reader.rest() > 0 {
        return Err(RestoreError::TrailingBytes);
    }
    Ok(set)
}

impl Reader<'_> {
    /// Reads a sorted set of this type, for a set with these limits. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] if the set is malformed or truncated, if the type is not that of a sorted
    /// set, or if allocation fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::rdb::{Reader, TYPE_LISTPACK, write_set};
    /// use zset_core::{ListpackLimits, Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1))]);
    /// let mut bytes = Vec::new();
    /// write_set(&set, &mut bytes, |_| Ok::<_, ()>(())).unwrap();
    /// let read = Reader::new(&bytes).set(TYPE_LISTPACK, ListpackLimits::default());
    /// assert_eq!(read, Ok(set));
    /// ```
    pub fn set(&mut self, kind: u8, limits: ListpackLimits) -> Result<ZSet, RestoreError> {
        let set = match kind {
            TYPE_LISTPACK => from_listpack(&self.string()?)?,
            TYPE_ELEMENTS => from_elements(self)?,
            other => return Err(RestoreError::Type(other)),
        };
        Ok(ZSet::from_sorted(try_box(set)?, limits)?)
    }
}

/// Returns the type and the value of a payload, after checking its version and checksum. **O(n)**.
///
/// # Errors
///
/// [`RestoreError`] if either is wrong, or if the payload is truncated.
///
/// # Examples
///
/// ```
/// use zset_core::rdb::{RestoreError, seal, unseal};
///
/// let mut payload = b"value".to_vec();
/// seal(&mut payload);
/// assert_eq!(unseal(&payload), Ok(b"value".as_slice()));
/// payload[0] = b'V';
/// assert_eq!(unseal(&payload), Err(RestoreError::Checksum));
/// ```
pub fn unseal(payload: &[u8]) -> Result<&[u8], RestoreError> {
    let body = payload.len().checked_sub(FOOTER).filter(|&len| len > 0);
    let (body, footer) = payload.split_at(body.ok_or(RestoreError::Truncated)?);
    let (version, sum) = footer.split_at(2);
    if checksum(&payload[..payload.len() - sum.len()]).to_le_bytes() != sum {
        return Err(RestoreError::Checksum);
    }
    match u16::from_le_bytes([version[0], version[1]]) {
        // Redis up to 8, which still writes sorted sets as 7.0 does; Valkey 9.
        1..=13 | 80 => Ok(body),
        other => Err(RestoreError::Version(other)),
    }
}

/// A set whose elements are being restored.
type Sorted = SortedSet<ByteString, Score>;

fn from_listpack(bytes: &[u8]) -> Result<Sorted, RestoreError> {
    let mut set = Sorted::new();
    let mut filling = Filling::new(&mut set, 0)?;
    let mut entries = listpack::read(bytes).map_err(RestoreError::Listpack)?;
    let mut rank = 0;
    while let Some(member) = entries.next() {
        let (_, member, _) = member.map_err(RestoreError::Listpack)?;
        let score = entries.next().ok_or(RestoreError::OddLength)?;
        let (_, score, _) = score.map_err(RestoreError::Listpack)?;
        let score = try_score_of(score).map_err(|error| match error {
            ParseScoreError::Nan => RestoreError::Nan { rank },
            _ => RestoreError::Score { rank },
        })?;
        push(&mut filling, &Member::new(member), score)?;
        rank += 1;
    }
    filling.finish()??;
    Ok(set)
}

fn from_elements(reader: &mut Reader<'_>) -> Result<Sorted, RestoreError> {
    let len = reader.length()?;
    // The shortest element is an empty string and a score.
    if len > reader.rest() / 9 {
        return Err(RestoreError::Truncated);
    }
    let mut elements = Vec::new();
    elements.try_reserve_exact(len).map_err(TryReserveError::from)?;
    for _ in 0..len {
        elements.push((reader.string()?, reader.float()?));
    }
    let mut set = Sorted::new();
    let mut filling = Filling::new(&mut set, len)?;
    for (rank, (member, score)) in elements.iter().rev().enumerate() {
        let score = Score::new(*score).map_err(|_| RestoreError::Nan { rank })?;
        push(&mut filling, member, score)?;
    }
    filling.finish()??;
    Ok(set)
}

/// Appends an element.
fn push(
    filling: &mut Filling<'_, ByteString, Score>,
    member: &[u8],
    score: Score,
) -> Result<(), RestoreError> {
    Ok(filling.try_push(ByteString::try_from_slice(member)?, score)??)
}
