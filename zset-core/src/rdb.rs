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
//! Numbers are little-endian, except for the lengths of strings. The format is defined by Redis's
//! `rdb.h` and `cluster.c`.
//!
//! The order of elements differs by writer: Redis from 4.0 on and Valkey write the highest score
//! first, Dragonfly the lowest, Kvrocks orders by score only, and older Redis does not order them.
//! Types 17 and 5 are written as Redis 7.0 writes them; all three are read, in any order.
//!
//! With the feature `unstable-internals`, the parts are public too, for whole RDB files: `Reader`
//! for untrusted bytes, and `write_length`, `write_string` and `write_set`.

use crc::{CRC_64_REDIS, Crc, Table};

#[cfg_attr(
    not(feature = "unstable-internals"),
    allow(unreachable_pub, dead_code, reason = "the feature makes it public")
)]
mod reader;
#[cfg_attr(
    not(feature = "unstable-internals"),
    allow(unreachable_pub, reason = "the feature makes it public")
)]
mod restore;
#[cfg(test)]
mod tests;
#[cfg_attr(
    not(feature = "unstable-internals"),
    allow(unreachable_pub, reason = "the feature makes it public")
)]
mod writer;

#[cfg(feature = "unstable-internals")]
pub use reader::Reader;
#[cfg(feature = "unstable-internals")]
pub use restore::{REDIS_VERSIONS, VALKEY_VERSION, unseal};
pub use restore::{RestoreError, restore, restore_with_limits};
pub use writer::dump;
#[cfg(feature = "unstable-internals")]
pub use writer::{TYPE_LISTPACK, seal, type_of, write_length, write_set, write_string};

/// The version written: that of Redis 7.0, which every later server accepts.
const VERSION: u16 = 10;

/// The size of the version and the checksum, at the end.
const FOOTER: usize = 10;

/// The first byte of a string without a length: an integer of 1, 2 or 4 bytes, or a compressed
/// string.
const STRING_INTEGER_8: u8 = 0xC0;
const STRING_INTEGER_16: u8 = 0xC1;
const STRING_INTEGER_32: u8 = 0xC2;
const STRING_COMPRESSED: u8 = 0xC3;

/// The first byte of a length that is stored in the next 4 or 8 bytes.
const LENGTH_32: u8 = 0x80;
const LENGTH_64: u8 = 0x81;

/// Returns the CRC-64 (Jones) of `bytes`, as Redis computes it.
fn checksum(bytes: &[u8]) -> u64 {
    const CRC: Crc<u64, Table<1>> = Crc::<u64, Table<1>>::new(&CRC_64_REDIS);
    CRC.checksum(bytes)
}
