//! A single entry: its encodings, and how to find the next and the previous entry.

use core::fmt;

/// An entry of a listpack, as stored.
///
/// An integer is not equal to its text. Only a listpack written elsewhere can contain such text:
/// Redis, Valkey and this crate store it as an integer.
///
/// The enum is exhaustive, because the format has no other kinds of entries.
///
/// # Examples
///
/// ```
/// use zset_core::redis::listpack::Value;
///
/// let mut list = zset_core::Listpack::with_storage([0; 64])?;
/// list.try_push_back("7")?;
/// list.try_push_back("seven")?;
/// assert!(list.iter().eq([Value::Integer(7), Value::Bytes(b"seven")]));
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value<'a> {
    /// An integer.
    Integer(i64),
    /// Bytes, usually not the decimal form of an `i64`.
    Bytes(&'a [u8]),
}

/// An integer if the text is the decimal form of an `i64`, else bytes. **O(1)**.
impl<'a> From<&'a [u8]> for Value<'a> {
    /// The decimal form is exactly what `Display` prints: `"7"` and `"-7"`, but not `"007"`, `"+7"`
    /// or `"-0"`.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::listpack::Value;
    ///
    /// assert_eq!(Value::from("-7"), Value::Integer(-7));
    /// assert_eq!(Value::from("007"), Value::Bytes(b"007"));
    /// assert_eq!(Value::from("9223372036854775808"), Value::Bytes(b"9223372036854775808"));
    /// ```
    fn from(text: &'a [u8]) -> Self {
        parse_integer(text).map_or(Value::Bytes(text), Value::Integer)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(text: &'a [u8; N]) -> Self {
        Value::from(&text[..])
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::from(text.as_bytes())
    }
}

impl From<i64> for Value<'_> {
    fn from(integer: i64) -> Self {
        Value::Integer(integer)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(integer) => integer.fmt(f),
            Value::Bytes(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
        }
    }
}

/// Returns the integer whose decimal form is `text`.
fn parse_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    // Accumulate as a negative number: `i64::MIN` has no positive counterpart.
    let magnitude = digits.iter().try_fold(0i64, |integer, digit| {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        integer.checked_mul(10)?.checked_sub(digit)
    })?;
    if negative { Some(magnitude) } else { magnitude.checked_neg() }
}

// The first byte of an entry. In a short entry, this byte contains bits of the integer or of the
// text's length. In a long entry, it determines how many bytes follow for the integer or the
// length.
//
//     0xxxxxxx                       0 to 127
//     10llllll                       up to 63 bytes of text
//     110xxxxx xxxxxxxx              -4096 to 4095
//     1110llll llllllll              up to 4095 bytes of text
//     11110000 and 4 bytes           length of longer text
//     11110001 to 11110100           2, 3, 4, 8 bytes of an integer
const TEXT_6: u8 = 0b1000_0000;
const INTEGER_13: u8 = 0b1100_0000;
const TEXT_12: u8 = 0b1110_0000;
const TEXT_32: u8 = 0xF0;
const INTEGER_16: u8 = 0xF1;
const INTEGER_24: u8 = 0xF2;
const INTEGER_32: u8 = 0xF3;
const INTEGER_64: u8 = 0xF4;

/// An encoded entry, ready to be written.
pub(crate) struct Encoded<'a> {
    /// The first byte, then the integer or the length.
    head: [u8; 9],
    head_len: u8,
    text: &'a [u8],
}

impl<'a> Encoded<'a> {
    #[expect(clippy::cast_sign_loss, reason = "reinterprets the bits")]
    pub(crate) fn new(value: Value<'a>) -> Self {
        // `Value::Bytes` with the decimal form of an integer is stored as the integer.
        let value = if let Value::Bytes(text) = value { Value::from(text) } else { value };
        let (first, rest, len, text): (u8, [u8; 8], u8, &[u8]) = match value {
            Value::Integer(integer) => {
                let bytes = integer.to_le_bytes();
                match integer {
                    0..=0x7F => (integer as u8, bytes, 0, &[]),
                    -0x1000..=0xFFF => {
                        let high = integer >> 8 & 0x1F;
                        (INTEGER_13 | high as u8, bytes, 1, &[])
                    }
                    -0x8000..=0x7FFF => (INTEGER_16, bytes, 2, &[]),
                    -0x80_0000..=0x7F_FFFF => (INTEGER_24, bytes, 3, &[]),
                    -0x8000_0000..=0x7FFF_FFFF => (INTEGER_32, bytes, 4, &[]),
                    _ => (INTEGER_64, bytes, 8, &[]),
                }
            }
            Value::Bytes(text) => {
                let bytes = (text.len() as u64).to_le_bytes();
                match text.len() {
                    0..=0x3F => (TEXT_6 | text.len() as u8, bytes, 0, text),
                    0x40..=0xFFF => (TEXT_12 | (text.len() >> 8) as u8, bytes, 1, text),
                    _ => (TEXT_32, bytes, 4, text),
                }
            }
        };
        let mut head = [first; 9];
        head[1..].copy_from_slice(&rest);
        Encoded { head, head_len: len + 1, text }
    }

    /// Returns the length in bytes without the back-length.
    fn body_len(&self) -> usize {
        usize::from(self.head_len) + self.text.len()
    }

    /// Returns the length in bytes of the whole entry.
    pub(crate) fn len(&self) -> usize {
        self.body_len() + back_length_bytes(self.body_len())
    }

    /// Writes the entry to the first `len` bytes of `out`.
    pub(crate) fn write(&self, out: &mut [u8]) {
        let head_len = usize::from(self.head_len);
        let (head, out) = out.split_at_mut(head_len);
        head.copy_from_slice(&self.head[..head_len]);
        let (text, out) = out.split_at_mut(self.text.len());
        text.copy_from_slice(self.text);
        write_back_length(self.body_len(), out);
    }
}

/// The value to find. One or two bytes distinguish it from most entries without decoding them:
/// members often share a length and a prefix, but seldom their last byte.
pub(super) struct Needle<'a> {
    value: Value<'a>,
    /// The first byte of the value's entry, or `LONG`.
    first: u8,
    /// The last byte of the value's entry before the back-length, and the offset of that byte.
    last: u8,
    last_at: usize,
}

/// Entries whose first byte is this or greater are decoded: other writers may store a short value
/// in a long encoding.
const LONG: u8 = INTEGER_13;

impl<'a> Needle<'a> {
    #[expect(clippy::cast_sign_loss, reason = "the integer is not negative")]
    pub(super) fn new(value: Value<'a>) -> Self {
        let (first, last, last_at) = match value {
            Value::Integer(integer @ 0..=0x7F) => (integer as u8, integer as u8, 0),
            Value::Bytes(text) if text.len() <= 0x3F => {
                let first = TEXT_6 | text.len() as u8;
                (first, text.last().copied().unwrap_or(first), text.len())
            }
            _ => (LONG, LONG, 0),
        };
        Needle { value, first, last, last_at }
    }

    /// Returns whether the entry at `at` equals the value, and the offset after it; `None` at the
    /// end.
    #[inline]
    pub(super) fn compare(&self, bytes: &[u8], at: usize) -> Option<(bool, usize)> {
        let first = *bytes.get(at)?;
        let may_be_equal = first >= LONG
            || first == self.first && bytes.get(at + self.last_at) == Some(&self.last);
        if may_be_equal { self.compare_decoded(bytes, at) } else { Some((false, next(bytes, at)?)) }
    }

    /// Not inlined, so that the loop over other entries keeps its registers.
    #[inline(never)]
    fn compare_decoded(&self, bytes: &[u8], at: usize) -> Option<(bool, usize)> {
        let (entry, behind) = entry_at(bytes, at)?;
        Some((entry == self.value, behind))
    }
}

/// Returns the size in bytes of the back-length for a body of `len` bytes.
///
/// The bounds are Redis's. Those above 127 are one less than the bits allow.
#[inline]
fn back_length_bytes(len: usize) -> usize {
    if len <= 127 { 1 } else { long_back_length_bytes(len) }
}

/// Like [`back_length_bytes`], for a body of more than 127 bytes.
#[inline(never)]
fn long_back_length_bytes(len: usize) -> usize {
    match len {
        ..16_383 => 2,
        16_383..2_097_151 => 3,
        2_097_151..268_435_455 => 4,
        _ => 5,
    }
}

/// Writes a length in groups of 7 bits, the highest first. A reader starts at the last byte: if its
/// highest bit is set, another byte precedes it.
fn write_back_length(len: usize, out: &mut [u8]) {
    let bytes = back_length_bytes(len);
    for (i, byte) in out[..bytes].iter_mut().enumerate() {
        let group = (len as u64 >> (7 * (bytes - 1 - i))) as u8 & 0x7F;
        *byte = if i == 0 { group } else { group | 0x80 };
    }
}

/// Reads the back-length that ends at `end`; returns it and its size in bytes.
fn read_back_length(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let mut len = 0u64;
    for i in 0..5 {
        let byte = *bytes.get(end.checked_sub(i + 1)?)?;
        len |= u64::from(byte & 0x7F) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(len).ok()?, i + 1));
        }
    }
    None
}

/// Returns the entry at the start of `bytes` and its length without the back-length, or `None` if
/// the entry is incomplete.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Option<(Value<'_>, usize)> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        0..=0x7F => Some((Value::Integer(first.into()), 1)),
        0x80..=0xBF | 0xE0..=0xEF | TEXT_32 => {
            let (head, len) = text_lens(first, rest)?;
            Some((Value::Bytes(bytes.get(head..)?.get(..len)?), head + len))
        }
        0xC0..=0xDF => {
            // Shift the 13 bits to the top and back, to extend the sign.
            let second = *rest.first()?;
            let bits = i16::from_be_bytes([first << 3 | second >> 5, second << 3]) >> 3;
            Some((Value::Integer(bits.into()), 2))
        }
        INTEGER_16 => integer::<2>(rest),
        INTEGER_24 => integer::<3>(rest),
        INTEGER_32 => integer::<4>(rest),
        INTEGER_64 => integer::<8>(rest),
        _ => None,
    }
}

/// Reads an integer of `N` bytes after the first byte.
#[inline]
fn integer<'a, const N: usize>(rest: &[u8]) -> Option<(Value<'a>, usize)> {
    let mut bytes = [0; 8];
    bytes[8 - N..].copy_from_slice(rest.first_chunk::<N>()?);
    Some((Value::Integer(i64::from_le_bytes(bytes) >> (64 - 8 * N)), 1 + N))
}

/// Returns the number of bytes before the text, and the length of the text.
#[inline]
pub(super) fn text_lens(first: u8, rest: &[u8]) -> Option<(usize, usize)> {
    match first {
        TEXT_32 => Some((5, usize::try_from(u32::from_le_bytes(*rest.first_chunk()?)).ok()?)),
        0xE0.. => Some((2, u16::from_be_bytes([first & 0x0F, *rest.first()?]).into())),
        _ => Some((1, (first & 0x3F).into())),
    }
}

/// Returns the entry at `at` and the offset after it, or `None` at the end of the listpack.
#[expect(clippy::inline_always, reason = "a call takes a third of a step of an iterator")]
#[inline(always)]
pub(crate) fn entry_at(bytes: &[u8], at: usize) -> Option<(Value<'_>, usize)> {
    let (value, len) = decode(bytes.get(at..)?)?;
    Some((value, at + len + back_length_bytes(len)))
}

/// Returns the offset after the entry at `at`, or `None` at the end of the listpack.
#[inline]
pub(crate) fn next(bytes: &[u8], at: usize) -> Option<usize> {
    match *bytes.get(at)? {
        // One byte for the value, and one for the back-length.
        0..=0x7F => Some(at + 2),
        first @ 0x80..=0xBF => Some(at + 2 + usize::from(first & 0x3F)),
        0xC0..=0xDF => Some(at + 3),
        _ => Some(entry_at(bytes, at)?.1),
    }
}

/// Returns the offset of the entry before `at`, or `None` if `at` is the first entry.
pub(crate) fn previous(bytes: &[u8], at: usize) -> Option<usize> {
    if at <= super::HEADER {
        return None;
    }
    let (len, back) = read_back_length(bytes, at)?;
    at.checked_sub(len.checked_add(back)?)
}

/// Returns the offset after the entry at `at` if it is complete and its back-length is correct.
/// Servers write back-lengths of different sizes: where Redis's bound is one less than the bits
/// allow, Valkey 9 uses one byte less.
pub(super) fn validate(bytes: &[u8], at: usize) -> Option<usize> {
    let (_, len) = decode(bytes.get(at..)?)?;
    let width = back_length_bytes(len);
    [width, width - 1].into_iter().find_map(|width| {
        let behind = at + len + width;
        let back = read_back_length(bytes.get(..behind)?, behind)?;
        (back == (len, width)).then_some(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::vec;

    fn encode(value: Value<'_>) -> std::vec::Vec<u8> {
        let encoded = Encoded::new(value);
        let mut out = vec![0xAA; encoded.len()];
        encoded.write(&mut out);
        out
    }

    #[test]
    fn integers_have_the_shortest_encoding() {
        for (integer, bytes) in [
            (0, &[0x00, 1][..]),
            (127, &[0x7F, 1]),
            (128, &[0xC0, 0x80, 2]),
            (4095, &[0xCF, 0xFF, 2]),
            (-1, &[0xDF, 0xFF, 2]),
            (-4096, &[0xD0, 0x00, 2]),
            (4096, &[0xF1, 0x00, 0x10, 3]),
            (-4097, &[0xF1, 0xFF, 0xEF, 3]),
            (i64::from(i16::MIN), &[0xF1, 0x00, 0x80, 3]),
            (32_768, &[0xF2, 0x00, 0x80, 0x00, 4]),
            (-8_388_608, &[0xF2, 0x00, 0x00, 0x80, 4]),
            (8_388_608, &[0xF3, 0x00, 0x00, 0x80, 0x00, 5]),
            (i64::from(i32::MIN), &[0xF3, 0, 0, 0, 0x80, 5]),
            (2_147_483_648, &[0xF4, 0, 0, 0, 0x80, 0, 0, 0, 0, 9]),
            (i64::MIN, &[0xF4, 0, 0, 0, 0, 0, 0, 0, 0x80, 9]),
        ] {
            assert_eq!(encode(Value::Integer(integer)), bytes, "{integer}");
            assert_eq!(decode(bytes), Some((Value::Integer(integer), bytes.len() - 1)));
            assert_eq!(next(bytes, 0), Some(bytes.len()));
            assert_eq!(validate(bytes, 0), Some(bytes.len()));
            assert_eq!(Value::from(format!("{integer}").as_bytes()), Value::Integer(integer));
        }
    }

    #[test]
    fn text_has_the_shortest_encoding_and_back_length() {
        for (len, head, back) in [
            (0, &[0x80][..], &[1][..]),
            (63, &[0xBF], &[64]),
            (64, &[0xE0, 64], &[66]),
            (125, &[0xE0, 125], &[127]),
            (126, &[0xE0, 126], &[1, 0x80]),
            (4095, &[0xEF, 0xFF], &[32, 0x81]),
            (4096, &[0xF0, 0, 0x10, 0, 0], &[32, 0x85]),
            (16_377, &[0xF0, 0xF9, 0x3F, 0, 0], &[127, 0xFE]),
            // The length 16383 fits in 14 bits, but its back-length has three bytes.
            (16_378, &[0xF0, 0xFA, 0x3F, 0, 0], &[0, 0xFF, 0xFF]),
            (2_097_146, &[0xF0, 0xFA, 0xFF, 0x1F, 0], &[0, 0xFF, 0xFF, 0xFF]),
        ] {
            let text = vec![b'x'; len];
            let entry = encode(Value::Bytes(&text));
            assert_eq!(entry[..head.len()], *head, "{len}");
            assert_eq!(entry[head.len() + len..], *back, "{len}");
            assert_eq!(decode(&entry), Some((Value::Bytes(&text), head.len() + len)));
            assert_eq!(validate(&entry, 0), Some(entry.len()));
            assert_eq!(read_back_length(&entry, entry.len()), Some((head.len() + len, back.len())));
        }
    }

    #[test]
    fn only_canonical_decimal_text_is_an_integer() {
        let short = ["", "-", "-0", "00", "007", "+1", " 1", "1 ", "1.0", "1e3", "--1", "0x1"];
        let long = "9223372036854775808 -9223372036854775809 99999999999999999999".split(' ');
        for text in short.into_iter().chain(long) {
            assert_eq!(Value::from(text.as_bytes()), Value::Bytes(text.as_bytes()), "{text:?}");
        }
        assert_eq!(Value::from(b"9223372036854775807"), Value::Integer(i64::MAX));
    }

    #[test]
    fn a_truncated_entry_is_rejected() {
        for value in [Value::Integer(300), Value::Integer(i64::MAX), Value::Bytes(&[7; 200])] {
            let entry = encode(value);
            for len in 0..entry.len() {
                assert_eq!(validate(&entry[..len], 0), None);
            }
        }
        assert_eq!(decode(&[0xFF]), None);
        assert_eq!(decode(&[0xF5, 0, 0]), None);
        assert_eq!(next(&[0xF0, 0xFF, 0xFF, 0xFF, 0xFF], 0).filter(|&at| at < 100), None);
    }
}
