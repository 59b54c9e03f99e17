//! The serialization of values for DUMP and for files.

use zset_core::listpack::Value as Entry;
use zset_core::rdb::{self, Reader, RestoreError};
use zset_core::{Listpack, ListpackLimits, Member, Score, ZSet};

use super::PIECE;
use crate::keyspace::Value;

/// A string.
const STRING: u8 = 0;

/// A set, as its members.
const SET: u8 = 2;

/// A set of integers in one piece: their width in bytes, their number, and the integers.
const SET_OF_INTEGERS: u8 = 11;

/// A set as a listpack.
const SET_AS_LISTPACK: u8 = 20;

/// Returns the type of a value as [`write()`] writes it.
pub(crate) fn type_of(value: &Value) -> u8 {
    match value {
        Value::String(_) => STRING,
        Value::Set(_) => SET,
        Value::SortedSet(set) => rdb::type_of(set),
    }
}

/// Writes a value without its type. Calls `spill` regularly, which may remove the bytes written so
/// far from the vector.
pub(crate) fn write<E>(
    value: &Value,
    out: &mut Vec<u8>,
    mut spill: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    match value {
        Value::String(string) if string.len() > PIECE => {
            rdb::write_length(string.len(), out);
            for piece in string.chunks(PIECE) {
                out.extend_from_slice(piece);
                spill(out)?;
            }
        }
        Value::String(string) => rdb::write_string(string, out),
        Value::Set(set) => {
            rdb::write_length(set.len(), out);
            for (member, _) in set {
                rdb::write_string(&member, out);
                spill(out)?;
            }
        }
        Value::SortedSet(set) => rdb::write_set(set, out, spill)?,
    }
    Ok(())
}

/// Reads a value of the given type. A sorted set gets these limits.
pub(crate) fn read(
    kind: u8,
    reader: &mut Reader<'_>,
    limits: ListpackLimits,
) -> Result<Value, RestoreError> {
    Ok(match kind {
        STRING => Value::String(reader.string()?.into_owned()),
        SET => Value::Set(read_set(reader)?),
        SET_OF_INTEGERS => Value::Set(set_of_integers(&reader.string()?)?),
        SET_AS_LISTPACK => Value::Set(set_of_listpack(&reader.string()?)?),
        rdb::TYPE_LISTPACK => {
            // Servers check only the number of members in a listpack, not their lengths.
            let any_length = ListpackLimits { max_listpack_value: usize::MAX, ..limits };
            let mut set = reader.set(kind, any_length)?;
            set.set_limits(limits);
            Value::SortedSet(set)
        }
        kind => Value::SortedSet(reader.set(kind, limits)?),
    })
}

fn read_set(reader: &mut Reader<'_>) -> Result<ZSet, RestoreError> {
    let len = reader.length()?;
    // A member takes at least one byte.
    if len > reader.rest() {
        return Err(RestoreError::Truncated);
    }
    set_of((0..len).map(|_| reader.string()))
}

fn set_of_integers(bytes: &[u8]) -> Result<ZSet, RestoreError> {
    let mut header = Reader::new(bytes);
    let (width, len) = (header.array()?, header.array()?);
    let (width, len) = (u32::from_le_bytes(width) as usize, u32::from_le_bytes(len) as usize);
    let body = &bytes[bytes.len() - header.rest()..];
    if !matches!(width, 2 | 4 | 8) || len.checked_mul(width) != Some(body.len()) {
        return Err(RestoreError::Length);
    }
    set_of(body.chunks_exact(width).map(|integer| {
        // Sign-extend to 64 bits.
        let sign = if integer[width - 1] < 0x80 { 0 } else { 0xFF };
        let mut wide = [sign; 8];
        wide[..width].copy_from_slice(integer);
        Ok(Member::from(Entry::Integer(i64::from_le_bytes(wide))))
    }))
}

fn set_of_listpack(bytes: &[u8]) -> Result<ZSet, RestoreError> {
    let list = Listpack::from_bytes(bytes.to_vec()).map_err(RestoreError::Listpack)?;
    set_of(list.iter().map(|entry| Ok(Member::from(entry))))
}

/// Returns a plain set of distinct members.
fn set_of<M: AsRef<[u8]>>(
    members: impl Iterator<Item = Result<M, RestoreError>>,
) -> Result<ZSet, RestoreError> {
    let mut set = ZSet::new();
    for (rank, member) in members.enumerate() {
        if set.insert(member?, Score::from(1)).is_some() {
            return Err(RestoreError::DuplicateMember { rank });
        }
    }
    Ok(set)
}
