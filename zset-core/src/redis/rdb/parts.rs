//! The parts of payloads and of RDB files: types, lengths, strings, checksums.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crc::{CRC_64_REDIS, Crc, Table};

use super::RestoreError;
use crate::redis::listpack::Value;
use crate::{ListpackLimits, Member, ParseScoreError, Score, ZSet};

/// The version written: that of Redis 7.0, which every later server accepts.
pub(super) const VERSION: u16 = 10;

/// The size of the version and the checksum, at the end.
const FOOTER: usize = 10;

/// The versions of Redis's format, up to that of Redis 8.10. A newer version adds types, but does
/// not change the types read here.
const REDIS_VERSIONS: RangeInclusive<u16> = 1..=15;

/// The version of Valkey 9, which numbers its format separately from Redis.
const VALKEY_VERSION: u16 = 80;

/// The type of a set whose value is a string, the listpack.
pub const TYPE_LISTPACK: u8 = 17;

/// The type of a set whose value is its elements, with binary scores.
pub(super) const TYPE_ELEMENTS: u8 = 5;

/// The first byte of a string that is not stored as a length and bytes, but as an integer of 1, 2
/// or 4 bytes, or compressed.
const STRING_INTEGER_8: u8 = 0xC0;
const STRING_INTEGER_16: u8 = 0xC1;
const STRING_INTEGER_32: u8 = 0xC2;
const STRING_COMPRESSED: u8 = 0xC3;

/// The first byte of a length that is stored in the next 4 or 8 bytes.
pub(super) const LENGTH_32: u8 = 0x80;
const LENGTH_64: u8 = 0x81;

/// The maximum length of the text of a 32-bit integer.
const LONGEST_INTEGER: usize = 11;

/// Completes a payload: appends the version and the checksum to a type and value. **O(n)**.
///
/// # Examples
///
/// ```
/// use zset_core::redis::rdb::{seal, unseal};
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
        if let Value::Integer(integer) = Value::from(text) {
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

/// Returns the type and the value of a payload, after checking its version and checksum. **O(n)**.
///
/// # Errors
///
/// [`RestoreError`] if either is wrong, or if the payload is truncated.
pub fn unseal(payload: &[u8]) -> Result<&[u8], RestoreError> {
    let body = payload.len().checked_sub(FOOTER).ok_or(RestoreError::Truncated)?;
    let (body, footer) = payload.split_at(body);
    let (version, sum) = footer.split_at(2);
    if checksum(&payload[..payload.len() - sum.len()]).to_le_bytes() != sum {
        return Err(RestoreError::Checksum);
    }
    let version = u16::from_le_bytes([version[0], version[1]]);
    if REDIS_VERSIONS.contains(&version) || version == VALKEY_VERSION {
        return Ok(body);
    }
    Err(RestoreError::Version(version))
}

/// Returns the CRC-64 (Jones) of `bytes`, as Redis computes it.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const CRC: Crc<u64, Table<1>> = Crc::<u64, Table<1>>::new(&CRC_64_REDIS);
    CRC.checksum(bytes)
}

/// Reads the parts of an untrusted payload or file one by one.
///
/// Missing bytes are reported as [`RestoreError::Truncated`], so a caller that has only the
/// beginning of a file knows when to read more.
///
/// # Examples
///
/// ```
/// use zset_core::redis::rdb::{Reader, RestoreError};
///
/// let mut reader = Reader::new(b"\x03abc\xC0\xFF\x40\xC8");
/// assert_eq!(reader.string()?, b"abc".as_slice());
/// assert_eq!(reader.string()?, b"-1".as_slice());
/// assert_eq!(reader.length()?, 200);
/// assert_eq!(reader.byte(), Err(RestoreError::Truncated));
/// # Ok::<(), RestoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Creates a reader at the start of `bytes`. **O(1)**.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Returns the number of unread bytes. **O(1)**.
    pub fn rest(&self) -> usize {
        self.0.len()
    }

    pub(super) fn bytes(&mut self, len: usize) -> Result<&'a [u8], RestoreError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(RestoreError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads `N` bytes. **O(N)**.
    ///
    /// # Errors
    ///
    /// [`RestoreError::Truncated`] if there are fewer bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], RestoreError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(RestoreError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Reads a byte. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`RestoreError::Truncated`] if there are no more bytes.
    pub fn byte(&mut self) -> Result<u8, RestoreError> {
        self.array().map(|[byte]| byte)
    }

    /// Reads a score as a little-endian `f64`.
    pub(super) fn binary_score(&mut self) -> Result<Result<Score, ParseScoreError>, RestoreError> {
        let number = self.array().map(f64::from_le_bytes)?;
        Ok(Score::new(number).map_err(|_| ParseScoreError::Nan))
    }

    /// Reads a score as text: a length byte, then the digits. Three values of the length byte stand
    /// for NaN and the infinities.
    pub(super) fn text_score(&mut self) -> Result<Result<Score, ParseScoreError>, RestoreError> {
        Ok(match self.byte()? {
            253 => Err(ParseScoreError::Nan),
            254 => Ok(Score::INFINITY),
            255 => Ok(Score::NEG_INFINITY),
            len => Score::parse(self.bytes(len.into())?),
        })
    }

    /// Reads a length: a big-endian number in 1, 2, 5 or 9 bytes. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] if the length is malformed or truncated.
    pub fn length(&mut self) -> Result<usize, RestoreError> {
        let first = self.byte()?;
        self.length_after(first)
    }

    fn length_after(&mut self, first: u8) -> Result<usize, RestoreError> {
        let len = match first {
            0x00..=0x3F => u64::from(first),
            0x40..=0x7F => u16::from_be_bytes([first & 0x3F, self.byte()?]).into(),
            LENGTH_32 => u32::from_be_bytes(self.array()?).into(),
            LENGTH_64 => u64::from_be_bytes(self.array()?),
            _ => return Err(RestoreError::Length),
        };
        usize::try_from(len).map_err(|_| RestoreError::Length)
    }

    /// Reads a string, stored as its length and bytes, as an integer, or compressed. **O(n)** for n
    /// bytes.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] if the string is malformed or truncated.
    pub fn string(&mut self) -> Result<Cow<'a, [u8]>, RestoreError> {
        let integer = match self.byte()? {
            STRING_INTEGER_8 => i8::from_le_bytes(self.array()?).into(),
            STRING_INTEGER_16 => i16::from_le_bytes(self.array()?).into(),
            STRING_INTEGER_32 => i32::from_le_bytes(self.array()?).into(),
            STRING_COMPRESSED => {
                let (compressed, len) = (self.length()?, self.length()?);
                return Ok(decompress(self.bytes(compressed)?, len)?.into());
            }
            first => {
                let len = self.length_after(first)?;
                return Ok(self.bytes(len)?.into());
            }
        };
        Ok(Cow::Owned(Member::new(Value::Integer(integer)).to_vec()))
    }

    /// Reads a sorted set of this type into a set with these limits. **O(n)** if the elements are
    /// in ascending or in descending order, **O(n log n)** otherwise.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] if the set is malformed or truncated, if the type is not that of a sorted
    /// set, or if allocation fails.
    pub fn set(&mut self, kind: u8, limits: ListpackLimits) -> Result<ZSet, RestoreError> {
        super::read_set(self, kind, limits)
    }
}

/// The maximum expansion per compressed byte: a back-reference of 3 bytes copies up to 264.
const MOST_EXPANSION: usize = 88;

/// Decompresses `input` into exactly `len` bytes.
pub(super) fn decompress(mut input: &[u8], len: usize) -> Result<Vec<u8>, RestoreError> {
    // Do not allocate for a length that the input cannot expand to.
    if len > input.len().saturating_mul(MOST_EXPANSION) {
        return Err(RestoreError::Compression);
    }
    let mut output = Vec::new();
    output.try_reserve_exact(len).map_err(|error| RestoreError::Memory(error.into()))?;
    while let Some(control) = take(&mut input, 1) {
        let control = usize::from(control[0]);
        if control < 0x20 {
            let literals = take(&mut input, control + 1).ok_or(RestoreError::Compression)?;
            if literals.len() > len - output.len() {
                return Err(RestoreError::Compression);
            }
            output.extend_from_slice(literals);
            continue;
        }
        let mut byte = || take(&mut input, 1).map(|byte| usize::from(byte[0]));
        let mut copied = control >> 5;
        if copied == 7 {
            copied += byte().ok_or(RestoreError::Compression)?;
        }
        copied += 2;
        let back = (control & 0x1F) << 8 | byte().ok_or(RestoreError::Compression)?;
        let from = output.len().checked_sub(back + 1).ok_or(RestoreError::Compression)?;
        if copied > len - output.len() {
            return Err(RestoreError::Compression);
        }
        // A back-reference may overlap its own output, so copy in pieces that are already written.
        while copied > 0 {
            let piece = copied.min(output.len() - from);
            output.extend_from_within(from..from + piece);
            copied -= piece;
        }
    }
    if output.len() == len { Ok(output) } else { Err(RestoreError::Compression) }
}

/// Removes and returns the first `len` bytes, or returns `None` if there are fewer.
fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_references_are_expanded() {
        assert_eq!(decompress(b"", 0).unwrap(), b"");
        assert_eq!(decompress(b"\x02abc", 3).unwrap(), b"abc");
        // The back-reference in the first input copies 3 bytes from 3 bytes back. Those in the
        // other inputs copy 10 and 9 bytes, and overlap their own output.
        assert_eq!(decompress(b"\x02abc\x20\x02", 6).unwrap(), b"abcabc");
        assert_eq!(decompress(b"\x00a\xE0\x01\x00", 11).unwrap(), b"aaaaaaaaaaa");
        assert_eq!(decompress(b"\x01ab\xE0\x00\x01", 11).unwrap(), b"abababababa");
        // The last back-reference copies from 257 bytes back, which takes more than 8 bits.
        assert!(decompress(b"\x01ba\xE0\xF6\0\x21\0", 260).unwrap().ends_with(b"abaa"));
    }

    #[test]
    fn malformed_input_is_rejected() {
        for (input, len) in [
            (&b"\x02abc"[..], 2),
            (b"\x02abc", 4),
            (b"\x02ab", 3),
            (b"\x00a\x20", 4),
            (b"\x00a\xE0\x00", 10),
            (b"\x00a\x20\x01", 4),
            (b"\x20\x00", 3),
            (b"\x00a\x20\x00", 3),
            (b"\x00a", usize::MAX),
            (b"", 1),
        ] {
            assert_eq!(decompress(input, len), Err(RestoreError::Compression), "{input:?} {len}");
        }
    }
}
