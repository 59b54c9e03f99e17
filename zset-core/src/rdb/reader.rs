//! Reading the parts of a payload, none of which is trusted.

use alloc::borrow::Cow;

use super::{
    LENGTH_32, LENGTH_64, RestoreError, STRING_COMPRESSED, STRING_INTEGER_8, STRING_INTEGER_16,
    STRING_INTEGER_32, lzf,
};
use crate::Member;
use crate::listpack::Value;

/// The bytes that have not been read yet.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(super) fn rest(&self) -> usize {
        self.0.len()
    }

    fn bytes(&mut self, len: usize) -> Result<&'a [u8], RestoreError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(RestoreError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RestoreError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(RestoreError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, RestoreError> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn float(&mut self) -> Result<f64, RestoreError> {
        self.array().map(f64::from_le_bytes)
    }

    /// Reads a length, big-endian in its first byte and those behind it.
    pub(super) fn length(&mut self) -> Result<usize, RestoreError> {
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

    /// Reads a string: its length and bytes, an integer, or compressed.
    pub(super) fn string(&mut self) -> Result<Cow<'a, [u8]>, RestoreError> {
        let integer = match self.byte()? {
            STRING_INTEGER_8 => i8::from_le_bytes(self.array()?).into(),
            STRING_INTEGER_16 => i16::from_le_bytes(self.array()?).into(),
            STRING_INTEGER_32 => i32::from_le_bytes(self.array()?).into(),
            STRING_COMPRESSED => {
                let (compressed, len) = (self.length()?, self.length()?);
                return Ok(lzf::decompress(self.bytes(compressed)?, len)?.into());
            }
            first => {
                let len = self.length_after(first)?;
                return Ok(self.bytes(len)?.into());
            }
        };
        Ok(Cow::Owned(Member::new(Value::Integer(integer)).to_vec()))
    }
}
