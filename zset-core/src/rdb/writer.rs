//! Writing a set as a payload.

use alloc::vec::Vec;
use core::convert::Infallible;

use super::{
    LENGTH_32, LENGTH_64, STRING_INTEGER_8, STRING_INTEGER_16, STRING_INTEGER_32, VERSION, checksum,
};
use crate::ZSet;
use crate::listpack::Value;

/// The type of a set whose value is a string, the listpack.
pub const TYPE_LISTPACK: u8 = 17;

/// The type of a set whose value is its elements, with binary scores.
pub(super) const TYPE_ELEMENTS: u8 = 5;

/// The maximum length of the text of a 32-bit integer.
const LONGEST_INTEGER: usize = 11;

/// Returns the payload of a set, identical to that of `DUMP` in Redis 7.0 with `rdbcompression no`.
/// **O(n)**.
///
/// Servers accept it in `RESTORE`, unless the set is empty: servers have no empty sets.
///
/// # Examples
///
/// ```
/// use zset_core::{Score, ZSet, rdb};
///
/// let set = ZSet::from([("a", Score::from(1))]);
/// let payload = rdb::dump(&set);
/// assert_eq!(&payload[..14], b"\x11\x0C\x0C\0\0\0\x02\0\x81a\x02\x01\x01\xFF");
/// assert_eq!(rdb::restore(&payload), Ok(set));
/// ```
pub fn dump(set: &ZSet) -> Vec<u8> {
    let mut out = Vec::from([type_of(set)]);
    let Ok(()) = write_set(set, &mut out, |_| Ok::<_, Infallible>(()));
    seal(&mut out);
    out
}

/// Returns the type of the value written by [`write_set`]. **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_core::ZSet;
/// use zset_core::rdb::{TYPE_LISTPACK, type_of};
///
/// let mut set = ZSet::new();
/// assert_eq!(type_of(&set), TYPE_LISTPACK);
/// set.promote();
/// assert_ne!(type_of(&set), TYPE_LISTPACK);
/// ```
pub fn type_of(set: &ZSet) -> u8 {
    if set.as_listpack().is_some() { TYPE_LISTPACK } else { TYPE_ELEMENTS }
}

/// Writes a set without its type. **O(n)**.
///
/// `spill` is called after each element and may drain the vector, so that a large set is never in
/// memory twice.
///
/// # Errors
///
/// Any error returned by `spill`.
///
/// # Examples
///
/// ```
/// use zset_core::rdb::{Reader, type_of, write_set};
/// use zset_core::{ListpackLimits, Score, ZSet};
///
/// let set = ZSet::from([("a", Score::from(1))]);
/// let (mut out, mut file) = (Vec::new(), Vec::new());
/// write_set(&set, &mut out, |out| {
///     file.append(out);
///     Ok::<_, ()>(())
/// })
/// .unwrap();
/// file.append(&mut out);
/// assert_eq!(Reader::new(&file).set(type_of(&set), ListpackLimits::default()), Ok(set));
/// ```
pub fn write_set<E>(
    set: &ZSet,
    out: &mut Vec<u8>,
    mut spill: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(list) = set.as_listpack() {
        write_length(list.as_bytes().len(), out);
        out.extend_from_slice(list.as_bytes());
        return Ok(());
    }
    write_length(set.len(), out);
    for (member, score) in set.iter().rev() {
        write_string(&member, out);
        out.extend_from_slice(&score.get().to_le_bytes());
        spill(out)?;
    }
    Ok(())
}

/// Completes a payload: appends the version and the checksum to a type and value. **O(n)**.
///
/// # Examples
///
/// ```
/// use zset_core::rdb::{seal, unseal};
///
/// let mut payload = b"\0\x01a".to_vec();
/// seal(&mut payload);
/// assert_eq!(unseal(&payload), Ok(b"\0\x01a".as_slice()));
/// ```
pub fn seal(out: &mut Vec<u8>) {
    out.extend_from_slice(&VERSION.to_le_bytes());
    let sum = checksum(out);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// Writes a string as its length and its bytes, or as an integer if that is shorter.
/// **O(n)** for n bytes.
pub fn write_string(text: &[u8], out: &mut Vec<u8>) {
    if text.len() <= LONGEST_INTEGER {
        if let Value::Integer(integer) = Value::of(text) {
            if let Ok(integer) = i8::try_from(integer) {
                out.push(STRING_INTEGER_8);
                return out.extend_from_slice(&integer.to_le_bytes());
            } else if let Ok(integer) = i16::try_from(integer) {
                out.push(STRING_INTEGER_16);
                return out.extend_from_slice(&integer.to_le_bytes());
            } else if let Ok(integer) = i32::try_from(integer) {
                out.push(STRING_INTEGER_32);
                return out.extend_from_slice(&integer.to_le_bytes());
            }
        }
    }
    write_length(text.len(), out);
    out.extend_from_slice(text);
}

/// Writes a length, big-endian. **O(1)**.
pub fn write_length(len: usize, out: &mut Vec<u8>) {
    if len < 1 << 6 {
        out.push(len as u8);
    } else if len < 1 << 14 {
        out.extend_from_slice(&(len as u16 | 0x4000).to_be_bytes());
    } else if let Ok(len) = u32::try_from(len) {
        out.push(LENGTH_32);
        out.extend_from_slice(&len.to_be_bytes());
    } else {
        out.push(LENGTH_64);
        out.extend_from_slice(&(len as u64).to_be_bytes());
    }
}
