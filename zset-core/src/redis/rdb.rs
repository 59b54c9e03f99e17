//! The payload of Redis's `DUMP` and `RESTORE`: a serialized set that servers can exchange.
//!
//! ```text
//! type: u8       17 (listpack), 5 (elements) or 3 (elements of Redis before 4.0)
//! value          17: a string that contains the listpack
//!                 5: the number of elements, then each member (a string) and its score (f64)
//!                 3: the same, with each score as a string of up to 252 bytes after its length
//! version: u16   of the format; 10 is Redis 7.0's
//! CRC64: u64     of all preceding bytes
//! ```
//!
//! Numbers are little-endian, except for lengths of strings and the number of elements. The format
//! is defined by Redis's `rdb.h` and `cluster.c`.
//!
//! In a listpack, Redis and Valkey write the lowest score first. In types 5 and 3, the order of the
//! elements depends on the writer: Redis from 4.0 on and Valkey write the highest score first,
//! Dragonfly the lowest, Kvrocks orders by score only, and older Redis does not order elements.
//! This module writes types 17 and 5 as Redis 7.0 does without compression. It reads all three
//! types, with elements in any order.
//!
//! With the feature `unstable-internals`, the parts needed for whole RDB files are public too:
//! `Reader`, which reads untrusted bytes, `write_length` and `write_string`.

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::ops::Deref;

use crate::inner::bulk::Filling;
use crate::redis::listpack::{self, ListpackError};
use crate::redis::packed_zset::try_score_of;
use crate::reserve::{try_box, try_collect};
use crate::{
    ByteString, ListpackLimits, Member, ParseScoreError, Score, SortedSet, TryReserveError, ZSet,
};

#[cfg_attr(
    not(feature = "unstable-internals"),
    allow(unreachable_pub, dead_code, reason = "the feature makes it public")
)]
mod parts;

#[cfg(feature = "unstable-internals")]
pub use parts::{Reader, TYPE_LISTPACK, seal, unseal, write_length, write_string};
#[cfg(not(feature = "unstable-internals"))]
use parts::{Reader, TYPE_LISTPACK, seal, unseal, write_length, write_string};

use parts::TYPE_ELEMENTS;

/// The type of a set whose value is its elements, with scores as text, from Redis before 4.0.
const TYPE_TEXT_SCORES: u8 = 3;

/// The type of a set whose value is a ziplist, from Redis before 7.0. It is not supported.
const TYPE_ZIPLIST: u8 = 12;

/// The error returned when a payload cannot be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The payload is truncated.
    Truncated,
    /// The checksum does not match: the payload is corrupted.
    Checksum,
    /// The version of the format is unknown.
    Version(u16),
    /// The type is not a sorted set, or it is 12: a ziplist, from Redis before 7.
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
        /// The rank in the order of the payload.
        rank: usize,
    },
    /// The score of the element at this 0-based rank is NaN.
    Nan {
        /// The rank in the order of the payload.
        rank: usize,
    },
    /// The member at this 0-based rank repeats an earlier one, with any score.
    DuplicateMember {
        /// The rank in the order of the payload.
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
            RestoreError::Type(TYPE_ZIPLIST) => {
                f.write_str("type 12, a sorted set as a ziplist, is not supported")
            }
            RestoreError::Type(kind) => write!(f, "type {kind} is not a sorted set"),
            RestoreError::Length => f.write_str("a length is malformed"),
            RestoreError::Compression => f.write_str("a compressed string is malformed"),
            RestoreError::TrailingBytes => f.write_str("there are bytes after the set"),
            RestoreError::Listpack(error) => error.fmt(f),
            RestoreError::OddLength => f.write_str("last member has no score"),
            RestoreError::Score { rank } => write!(f, "score of element {rank} is not a number"),
            RestoreError::Nan { rank } => write!(f, "score of element {rank} is NaN"),
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

/// Returns the payload of a set, as `DUMP` does in Redis 7.0 with `rdbcompression no`. **O(n)**.
///
/// It may differ in fractional scores in a listpack, which Redis 7.0 writes with 17 digits.
///
/// Servers accept it in `RESTORE`, unless the set is empty: servers have no empty sets.
///
/// # Examples
///
/// ```
/// use zset_core::redis::rdb;
/// use zset_core::{Score, ZSet};
///
/// let set = ZSet::from([("a", Score::from(1))]);
/// let payload = rdb::dump(&set);
/// assert_eq!(&payload[..14], b"\x11\x0C\x0C\0\0\0\x02\0\x81a\x02\x01\x01\xFF");
/// assert_eq!(rdb::restore(&payload), Ok(set));
/// ```
pub fn dump(set: &ZSet) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(list) = set.as_listpack() {
        out.push(TYPE_LISTPACK);
        write_length(list.as_bytes().len(), &mut out);
        out.extend_from_slice(list.as_bytes());
    } else {
        out.push(TYPE_ELEMENTS);
        write_length(set.len(), &mut out);
        for (member, score) in set.iter().rev() {
            write_string(&member, &mut out);
            out.extend_from_slice(&score.get().to_le_bytes());
        }
    }
    seal(&mut out);
    out
}

/// Restores a set from a payload of Redis's `DUMP`. **O(n)** if the elements are in ascending or in
/// descending order, as servers write them; **O(n log n)** otherwise.
///
/// Accepts sorted sets from Redis and Valkey up to Redis 8.10 and Valkey 9, as elements in any
/// order or as a listpack; a ziplist, which Redis wrote before 7.0, is not supported. The set has
/// Redis's default [`ListpackLimits`] and the encoding that they allow; see
/// [`restore_with_limits`].
///
/// The payload is untrusted. In addition to the servers' checks, it is an error if a member repeats
/// or a score is not a number, in either encoding. Allocations are proportional to the size of the
/// payload, whatever lengths it claims: for compressed strings, at most 88 times their size.
///
/// # Errors
///
/// [`RestoreError`] if the payload is invalid or allocation fails.
///
/// # Examples
///
/// ```
/// use zset_core::redis::rdb;
/// use zset_core::Score;
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

/// Like [`restore`], for a set with these limits, at the same cost: **O(n)** or **O(n log n)**.
///
/// # Errors
///
/// [`RestoreError`] if the payload is invalid or allocation fails.
///
/// # Examples
///
/// ```
/// use zset_core::redis::rdb;
/// use zset_core::{Encoding, ListpackLimits, Score, ZSet};
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

/// Reads a sorted set whose type is `kind`.
fn read_set(
    reader: &mut Reader<'_>,
    kind: u8,
    limits: ListpackLimits,
) -> Result<ZSet, RestoreError> {
    let set = match kind {
        TYPE_LISTPACK => from_listpack(&reader.string()?)?,
        TYPE_ELEMENTS => from_elements(reader, size_of::<f64>(), Reader::binary_score)?,
        TYPE_TEXT_SCORES => from_elements(reader, 1, Reader::text_score)?,
        other => return Err(RestoreError::Type(other)),
    };
    Ok(ZSet::from_sorted(try_box(set)?, limits)?)
}

/// A set whose elements are being restored.
type Sorted = SortedSet<ByteString, Score>;

fn from_listpack(bytes: &[u8]) -> Result<Sorted, RestoreError> {
    let elements = packed_elements(bytes)?;
    if let Some(set) = try_fill(elements.clone(), 0)? {
        return Ok(set);
    }
    let mut unsorted = Vec::new();
    for element in elements {
        unsorted.try_reserve(1).map_err(TryReserveError::from)?;
        unsorted.push(element?);
    }
    sort(&unsorted)
}

/// Returns the elements of a listpack.
fn packed_elements(
    bytes: &[u8],
) -> Result<impl Iterator<Item = Result<(Member<'_>, Score), RestoreError>> + Clone, RestoreError> {
    let mut entries = listpack::read(bytes).map_err(RestoreError::Listpack)?;
    Ok((0..).map_while(move |rank| {
        let member = entries.next()?.map_err(RestoreError::Listpack);
        Some(member.and_then(|(_, member, _)| {
            let score = entries.next().ok_or(RestoreError::OddLength)?;
            let (_, score, _) = score.map_err(RestoreError::Listpack)?;
            let score = try_score_of(score).map_err(|error| wrong_score(error, rank))?;
            Ok((Member::new(member), score))
        }))
    }))
}

/// Reads the elements, each a string and a score. A score has at least `shortest` bytes.
fn from_elements<'a>(
    reader: &mut Reader<'a>,
    shortest: usize,
    score: impl Fn(&mut Reader<'a>) -> Result<Result<Score, ParseScoreError>, RestoreError>,
) -> Result<Sorted, RestoreError> {
    let len = reader.length()?;
    // Reject a length that the remaining bytes cannot hold. Even an empty string is encoded in one
    // byte.
    if len > reader.rest() / (1 + shortest) {
        return Err(RestoreError::Truncated);
    }
    let mut elements = Vec::new();
    elements.try_reserve_exact(len).map_err(TryReserveError::from)?;
    for rank in 0..len {
        let member = reader.string()?;
        elements.push((member, score(reader)?.map_err(|error| wrong_score(error, rank))?));
    }
    // Redis writes the highest score first, so the reversed elements usually ascend.
    let ascending = elements.iter().rev().map(|(member, score)| Ok((&**member, *score)));
    match try_fill(ascending, len)? {
        Some(set) => Ok(set),
        None => sort(&elements),
    }
}

fn wrong_score(error: ParseScoreError, rank: usize) -> RestoreError {
    match error {
        ParseScoreError::Nan => RestoreError::Nan { rank },
        _ => RestoreError::Score { rank },
    }
}

/// Returns a set of the elements, or `None` if they do not ascend or a member repeats.
fn try_fill<M: Deref<Target = [u8]>>(
    elements: impl Iterator<Item = Result<(M, Score), RestoreError>>,
    capacity: usize,
) -> Result<Option<Sorted>, RestoreError> {
    let mut set = Sorted::new();
    let mut filling = Filling::new(&mut set.core, capacity)?;
    for element in elements {
        let (member, score) = element?;
        if filling.try_push((ByteString::try_from_slice(&member)?, ()), score)?.is_err() {
            return Ok(None);
        }
    }
    Ok(filling.finish()?.is_ok().then_some(set))
}

/// Returns a set of the elements, which may be in any order.
fn sort<M: Deref<Target = [u8]>>(elements: &[(M, Score)]) -> Result<Sorted, RestoreError> {
    let mut sorted = try_collect(elements.iter().map(|(member, score)| (*score, &**member)))?;
    // This sort is linear if the elements ascend or descend.
    sorted.sort_unstable();
    let ascending = sorted.iter().map(|(score, member)| Ok((*member, *score)));
    match try_fill(ascending, elements.len())? {
        Some(set) => Ok(set),
        None => Err(RestoreError::DuplicateMember { rank: first_repeated(elements)? }),
    }
}

/// Returns the rank of the first element whose member repeats an earlier one.
fn first_repeated<M: Deref<Target = [u8]>>(
    elements: &[(M, Score)],
) -> Result<usize, TryReserveError> {
    let ranked = elements.iter().enumerate().map(|(rank, (member, _))| (&**member, rank));
    let mut sorted: Vec<(&[u8], usize)> = try_collect(ranked)?;
    sorted.sort_unstable();
    let repeated = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1);
    Ok(repeated.min().unwrap_or_default())
}
