//! From a set to a payload.

use alloc::vec::Vec;

use super::{
    LENGTH_32, LENGTH_64, STRING_INTEGER_8, STRING_INTEGER_16, STRING_INTEGER_32, TYPE_ELEMENTS,
    TYPE_LISTPACK, VERSION, checksum,
};
use crate::ZSet;
use crate::listpack::Value;

/// Up to this length a string may be the text of an integer of 32 bits.
const LONGEST_INTEGER: usize = 11;

/// Returns the payload of a set, as Redis 7.0's `DUMP` prints it with `rdbcompression no`. **O(n)**.
///
/// Servers take it in `RESTORE`, but for that of an empty set, which they do not have.
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
    out.extend_from_slice(&VERSION.to_le_bytes());
    let sum = checksum(&out);
    out.extend_from_slice(&sum.to_le_bytes());
    out
}

fn write_string(text: &[u8], out: &mut Vec<u8>) {
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

/// Writes a length, big-endian.
fn write_length(len: usize, out: &mut Vec<u8>) {
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
