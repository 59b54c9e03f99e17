//! [`RawEntry`]: the bytes of an entry, for inspection.

use core::fmt;

use super::entry::text_lens;
use super::{HEADER, Listpack, Storage, Value, decode, next};

/// The encoding of an entry's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryEncoding {
    /// An integer of this many bits: 7 unsigned, or 13, 16, 24, 32 or 64 signed.
    Integer(u8),
    /// Bytes, with a length of this many bits: 6, 12 or 32.
    Text(u8),
}

/// Writes Redis's name for the encoding.
impl fmt::Display for EntryEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryEncoding::Integer(7) => f.write_str("7-bit uint"),
            EntryEncoding::Integer(bits) => write!(f, "{bits}-bit int"),
            EntryEncoding::Text(bits) => write!(f, "{bits}-bit string"),
        }
    }
}

/// An entry of a listpack as stored. See [`Listpack::raw_entries`].
///
/// # Examples
///
/// ```
/// let mut list = zset_core::Listpack::new();
/// list.try_push_back("a")?;
/// assert_eq!(list.raw_entries().count(), 1);
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawEntry<'a> {
    /// The offset of the entry in the listpack.
    pub offset: usize,
    /// The encoding of the value.
    pub encoding: EntryEncoding,
    /// The encoding, with the bits of an integer or the length of a string.
    pub head: &'a [u8],
    /// The decoded value. The bytes of a string follow the head.
    pub value: Value<'a>,
    /// The length of the entry without this field. A backward walk uses it to find the entry's
    /// start.
    pub back_length: &'a [u8],
}

impl<B: Storage> Listpack<B> {
    /// Returns the entries with their bytes, in order. Lazy, **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::listpack::{EntryEncoding, Value};
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 32])?;
    /// list.try_push_back("hello")?;
    /// list.try_push_back("-17")?;
    /// let last = list.raw_entries().last().unwrap();
    /// assert_eq!((last.offset, last.value), (13, Value::Integer(-17)));
    /// assert_eq!(last.encoding, EntryEncoding::Integer(13));
    /// assert_eq!((last.head, last.back_length), (&[0xDF, 0xEF][..], &[2][..]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn raw_entries(&self) -> impl Iterator<Item = RawEntry<'_>> {
        let bytes = self.as_bytes();
        let mut offset = HEADER;
        core::iter::from_fn(move || {
            let (entry, behind) = raw_entry(bytes, offset)?;
            offset = behind;
            Some(entry)
        })
    }
}

/// Returns the entry at an offset and the offset after it, or `None` at the end.
fn raw_entry(bytes: &[u8], offset: usize) -> Option<(RawEntry<'_>, usize)> {
    let (value, body_len) = decode(&bytes[offset..])?;
    let behind = next(bytes, offset)?;
    let body = bytes.get(offset..offset + body_len)?;
    let (encoding, head_len) = match value {
        Value::Bytes(_) => {
            let (head_len, _) = text_lens(body[0], &body[1..])?;
            (EntryEncoding::Text([6, 12, 32][head_len / 2]), head_len)
        }
        Value::Integer(_) => {
            let bits = match body_len {
                1 => 7,
                2 => 13,
                len => 8 * (len as u8 - 1),
            };
            (EntryEncoding::Integer(bits), body_len)
        }
    };
    let back_length = bytes.get(offset + body_len..behind)?;
    Some((RawEntry { offset, encoding, head: &body[..head_len], value, back_length }, behind))
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn raw_entries_cover_the_bytes_of_the_list_in_order() {
        let texts = [0, 1, 63, 64, 130, 4095, 4096, 20_000].map(|len| vec![b'x'; len]);
        let integers = [0, 127, 128, -4096, 4096, -32_768, 32_768, 1 << 23, 1 << 31, i64::MIN];
        let mut list = Listpack::<Vec<u8>>::new();
        for text in &texts {
            list.try_push_back(text.as_slice()).unwrap();
        }
        for integer in integers {
            list.try_push_back(integer).unwrap();
        }
        let mut end = HEADER;
        for entry in list.raw_entries() {
            assert_eq!(entry.offset, end);
            let bytes = &list.as_bytes()[end..];
            let text = if let Value::Bytes(text) = entry.value { text } else { &[] };
            let parts = [entry.head, text, entry.back_length].concat();
            assert_eq!(bytes[..parts.len()], parts);
            end += parts.len();
        }
        assert_eq!(end + 1, list.as_bytes().len());
        assert!(list.raw_entries().map(|entry| entry.value).eq(&list));
        let encodings = list.raw_entries().map(|entry| entry.encoding);
        let texts = [6, 6, 6, 12, 12, 12, 32, 32].map(EntryEncoding::Text);
        let integers = [7, 7, 13, 13, 16, 16, 24, 32, 64, 64].map(EntryEncoding::Integer);
        assert!(encodings.eq(texts.into_iter().chain(integers)));
        let names = [texts[0], integers[0], integers[2]].map(|encoding| encoding.to_string());
        assert_eq!(names, ["6-bit string", "7-bit uint", "13-bit int"]);
    }

    #[test]
    fn an_empty_list_has_no_entries() {
        assert!(Listpack::with_storage([0; 7]).unwrap().raw_entries().next().is_none());
    }
}
