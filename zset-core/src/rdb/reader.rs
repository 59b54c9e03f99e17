//! Reading the parts of an untrusted payload.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::{
    LENGTH_32, LENGTH_64, RestoreError, STRING_COMPRESSED, STRING_INTEGER_8, STRING_INTEGER_16,
    STRING_INTEGER_32,
};
use crate::listpack::Value;
use crate::{Member, ParseScoreError, Score};

/// Reads the parts of an untrusted payload or file one by one.
///
/// Missing bytes are reported as [`RestoreError::Truncated`], so a caller that has only the
/// beginning of a file knows when to read more.
///
/// # Examples
///
/// ```
/// use zset_core::rdb::{Reader, RestoreError};
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

    /// Reads `len` bytes.
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

    /// Reads a score in binary.
    pub(super) fn binary_score(&mut self) -> Result<Result<Score, ParseScoreError>, RestoreError> {
        let number = self.array().map(f64::from_le_bytes)?;
        Ok(Score::new(number).map_err(|_| ParseScoreError::Nan))
    }

    /// Reads a score as text: its length in one byte, in which three values stand for NaN and the
    /// infinities.
    pub(super) fn text_score(&mut self) -> Result<Result<Score, ParseScoreError>, RestoreError> {
        Ok(match self.byte()? {
            253 => Err(ParseScoreError::Nan),
            254 => Ok(Score::INFINITY),
            255 => Ok(Score::NEG_INFINITY),
            len => Score::parse(self.bytes(len.into())?),
        })
    }

    /// Reads a length, which is big-endian and starts in the first byte. **O(1)**.
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

/// Removes the first `len` bytes, if there are that many.
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
        // Copies 3 bytes from 3 bytes back, and 9 + 1 bytes that overlap themselves.
        assert_eq!(decompress(b"\x02abc\x20\x02", 6).unwrap(), b"abcabc");
        assert_eq!(decompress(b"\x00a\xE0\x01\x00", 11).unwrap(), b"aaaaaaaaaaa");
        assert_eq!(decompress(b"\x01ab\xE0\x00\x01", 11).unwrap(), b"abababababa");
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
