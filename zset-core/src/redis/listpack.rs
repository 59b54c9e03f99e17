//! [`Listpack`]: a list of byte strings and integers in one contiguous buffer, in Redis's format.
//!
//! Invariants, all checked by [`Listpack::from_bytes`]:
//! - The header's byte count is the length of the listpack.
//! - The header's entry count is exact, or 65535 for "unknown".
//! - Entries are contiguous up to the end byte.
//! - The back-length of each entry is the length in bytes of its encoding and data.
//!
//! Empty storage, or a byte count of 0, stands for an empty listpack.
//!
//! ```text
//! header                     entry                                       end
//! bytes: u32 | entries: u16  encoding and data | back-length of 1 to 5   0xFF
//! ```
//!
//! The format is that of Redis 7 (antirez, "Listpack specification", github.com/antirez/listpack).
//! Numbers that occupy whole bytes are little-endian on every machine. Back-lengths, and numbers
//! that begin in the encoding byte, have their highest bits first.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

use crate::TryReserveError;

mod entry;
#[cfg(feature = "unstable-internals")]
mod raw;
mod storage;
mod validate;

use entry::Needle;

pub use entry::Value;
#[cfg(feature = "unstable-internals")]
pub use raw::{EntryEncoding, RawEntry};
pub use storage::Storage;
#[cfg(test)]
pub(crate) use storage::sealed::Buffer;
pub use validate::ListpackError;

pub(crate) use entry::{Encoded, decode, entry_at, next, previous};
#[cfg(feature = "alloc")]
pub(crate) use validate::read;

/// The size of the header: the byte count and the entry count.
pub(crate) const HEADER: usize = 6;

/// The byte after the last entry.
const END: u8 = 0xFF;

/// The header's entry count for "unknown". The header cannot count this many entries or more.
const UNKNOWN_LEN: u16 = u16::MAX;

/// The maximum size of a listpack, as in Redis.
const MAX_BYTES: usize = 1 << 30;

/// An empty listpack.
const EMPTY: [u8; HEADER + 1] = [HEADER as u8 + 1, 0, 0, 0, 0, 0, END];

/// A list of byte strings and integers, byte for byte a listpack of Redis 7.
///
/// Text that is the decimal form of an `i64` is stored as an integer. The storage `B` is a
/// `Vec<u8>` (feature `alloc`), `[u8; N]` or `&mut [u8]`. The latter two need no allocator.
///
/// Lookups walk from entry to entry, so they are **O(n)**, and changes move the bytes that follow.
/// A listpack is meant for lists of a few kilobytes.
///
/// # Examples
///
/// ```
/// use zset_core::Listpack;
/// use zset_core::redis::listpack::Value;
///
/// let mut list = Listpack::with_storage([0; 32])?;
/// list.try_push_back("hello")?;
/// list.try_push_back("-17")?;
/// assert!(list.iter().eq([Value::Bytes(b"hello"), Value::Integer(-17)]));
/// assert_eq!(list.as_bytes(), b"\x11\0\0\0\x02\0\x85hello\x06\xDF\xEF\x02\xFF");
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone)]
pub struct Listpack<B> {
    /// The listpack, followed by unused bytes. Empty storage, or a byte count of 0, means an empty
    /// listpack.
    storage: B,
}

#[cfg(feature = "alloc")]
impl Listpack<alloc::vec::Vec<u8>> {
    /// Frees unused memory, or keeps it if a smaller buffer cannot be allocated. **O(n)** bytes.
    pub fn shrink_to_fit(&mut self) {
        // `Vec::shrink_to_fit` would abort if allocation fails.
        let mut exact = alloc::vec::Vec::new();
        let bytes = &mut self.storage;
        if bytes.capacity() > bytes.len() && exact.try_reserve_exact(bytes.len()).is_ok() {
            exact.extend_from_slice(bytes);
            *bytes = exact;
        }
    }

    /// Returns the number of bytes allocated.
    pub(crate) fn allocation_size(&self) -> usize {
        self.storage.capacity()
    }

    /// Creates an empty listpack without allocating. **O(1)**.
    pub const fn new() -> Self {
        Listpack { storage: alloc::vec::Vec::new() }
    }
}

impl<const N: usize> Listpack<[u8; N]> {
    /// Creates an empty listpack in an array of at least 7 bytes, whose contents are ignored; the
    /// size is checked at compile time. **O(N)**.
    ///
    /// An array of zeros stays zero until something is inserted, so it needs no flash in a
    /// `static`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use zset_core::Listpack;
    ///
    /// static LIST: Mutex<Listpack<[u8; 64]>> = Mutex::new(Listpack::with_array([0; 64]));
    /// LIST.lock().unwrap().try_push_back("a").unwrap();
    /// ```
    pub const fn with_array(mut array: [u8; N]) -> Self {
        const { assert!(N >= EMPTY.len(), "an empty listpack has 7 bytes") };
        let mut index = 0;
        while index < EMPTY.len() {
            array[index] = 0;
            index += 1;
        }
        Listpack { storage: array }
    }
}

impl<B: Storage> Listpack<B> {
    /// Creates an empty listpack in `storage`, whose previous contents are ignored. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if the storage cannot hold the 7 bytes of an empty listpack.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::Listpack;
    ///
    /// assert!(Listpack::with_storage([0; 7]).is_ok());
    /// assert!(Listpack::with_storage([0; 6]).is_err());
    /// ```
    pub fn with_storage(mut storage: B) -> Result<Self, TryReserveError> {
        storage.try_grow(EMPTY.len())?;
        storage.as_mut_slice()[..EMPTY.len()].copy_from_slice(&EMPTY);
        storage.truncate(EMPTY.len());
        Ok(Listpack { storage })
    }

    /// Returns the bytes of the listpack: header, entries, end byte. **O(1)**.
    pub fn as_bytes(&self) -> &[u8] {
        let bytes = self.storage.as_slice();
        match total_bytes(bytes) {
            0 => &EMPTY,
            total => &bytes[..total],
        }
    }

    /// Returns the storage: the bytes of the listpack, followed by unused bytes. **O(1)**.
    ///
    /// The vector is empty if nothing was ever inserted.
    pub fn into_storage(mut self) -> B {
        let bytes = self.storage.as_mut_slice();
        // An array from `with_array` has no header until the first insertion.
        if total_bytes(bytes) == 0 && !bytes.is_empty() {
            bytes[..EMPTY.len()].copy_from_slice(&EMPTY);
        }
        self.storage
    }

    /// Returns the number of entries. **O(1)**. Once there are 65535 entries, which the header
    /// cannot count, **O(n)** until the listpack is smaller than 131,070 bytes again.
    pub fn len(&self) -> usize {
        match header_len(self.as_bytes()) {
            UNKNOWN_LEN => count(self.as_bytes()),
            len => len.into(),
        }
    }

    /// Returns whether the listpack is empty. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().len() == EMPTY.len()
    }

    /// Returns the entry at this 0-based index. **O(n)**, from the nearer end.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// assert_eq!(list.get(0), Some(Value::Bytes(b"a")));
    /// assert_eq!(list.get(1), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn get(&self, index: usize) -> Option<Value<'_>> {
        decode(&self.as_bytes()[self.seek(index)..]).map(|(value, _)| value)
    }

    /// Returns the entries in order. Lazy, double-ended, **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// list.try_push_back(5)?;
    /// assert!(list.iter().rev().eq([Value::Integer(5), Value::Bytes(b"a")]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(self.as_bytes(), HEADER, self.end())
    }

    /// Returns the offset of the end byte.
    pub(crate) fn end(&self) -> usize {
        self.as_bytes().len() - 1
    }

    /// Returns the offset of the entry at this index, or that of the end byte if there is none.
    pub(crate) fn seek(&self, index: usize) -> usize {
        let (bytes, len) = (self.as_bytes(), self.len());
        if index >= len {
            self.end()
        } else if index <= len / 2 {
            (0..index).fold(HEADER, |at, _| next(bytes, at).unwrap_or(at))
        } else {
            (index..len).fold(self.end(), |at, _| previous(bytes, at).unwrap_or(at))
        }
    }

    /// Appends an entry. **O(1)**, except when the storage grows.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The listpack is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 10])?;
    /// list.try_push_back("a")?;
    /// assert!(list.try_push_back("b").is_err()); // 3 bytes per entry, and 7 for the header and end byte
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_push_back<'v>(
        &mut self,
        value: impl Into<Value<'v>>,
    ) -> Result<(), TryReserveError> {
        let end = self.end();
        self.splice(end..end, 0, &[&Encoded::new(value.into())])
    }

    /// Removes all entries. **O(1)**.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.storage.as_mut_slice()[..EMPTY.len()].copy_from_slice(&EMPTY);
            self.storage.truncate(EMPTY.len());
        }
    }

    /// Replaces the `removed` entries at these offsets with `entries`.
    ///
    /// On error the listpack is unchanged.
    pub(crate) fn splice(
        &mut self,
        at: Range<usize>,
        removed: usize,
        entries: &[&Encoded<'_>],
    ) -> Result<(), TryReserveError> {
        let added: usize = entries.iter().map(|entry| entry.len()).sum();
        self.try_reserve(at.len(), added)?;
        self.move_tail(at.end, at.start + added);
        let mut gap = &mut self.storage.as_mut_slice()[at.start..];
        for entry in entries {
            entry.write(gap);
            gap = &mut gap[entry.len()..];
        }
        self.change_len(removed, entries.len());
        Ok(())
    }

    /// Rotates the entries at these offsets so that the one at `middle` comes first.
    pub(crate) fn rotate(&mut self, at: Range<usize>, middle: usize) {
        let left = middle - at.start;
        self.storage.as_mut_slice()[at].rotate_left(left);
    }

    /// Removes the `removed` entries at these offsets.
    pub(crate) fn delete(&mut self, at: Range<usize>, removed: usize) {
        if !at.is_empty() {
            self.move_tail(at.end, at.start);
            self.change_len(removed, 0);
        }
    }

    /// Reserves space to replace `removed` bytes with `added` ones.
    pub(crate) fn try_reserve(
        &mut self,
        removed: usize,
        added: usize,
    ) -> Result<(), TryReserveError> {
        let total = self.as_bytes().len() - removed;
        let total = total.checked_add(added).filter(|&total| total <= MAX_BYTES);
        let total = total.ok_or(TryReserveError::BufferFull)?;
        let is_unwritten = total_bytes(self.storage.as_slice()) == 0;
        self.storage.try_grow(total.max(EMPTY.len()))?;
        if is_unwritten {
            self.storage.as_mut_slice()[..EMPTY.len()].copy_from_slice(&EMPTY);
        }
        Ok(())
    }

    /// Moves the tail that starts at `from` to `to`, and updates the byte count.
    fn move_tail(&mut self, from: usize, to: usize) {
        let total = self.as_bytes().len();
        let new_total = to + (total - from);
        let bytes = self.storage.as_mut_slice();
        if from != to {
            bytes.copy_within(from..total, to);
        }
        bytes[..4].copy_from_slice(&(new_total as u32).to_le_bytes());
        self.storage.truncate(new_total);
    }

    /// Updates the entry count.
    ///
    /// If the count is unknown, the entries are recounted once 65535 of them no longer fit.
    fn change_len(&mut self, removed: usize, added: usize) {
        let bytes = self.as_bytes();
        let len = match header_len(bytes) {
            UNKNOWN_LEN if removed > added && bytes.len() / 2 < usize::from(UNKNOWN_LEN) => {
                count(bytes)
            }
            UNKNOWN_LEN => return,
            len => usize::from(len) - removed + added,
        };
        let len = u16::try_from(len).unwrap_or(UNKNOWN_LEN);
        self.storage.as_mut_slice()[4..HEADER].copy_from_slice(&len.to_le_bytes());
    }
}

/// Returns the header's byte count.
#[inline]
fn total_bytes(bytes: &[u8]) -> usize {
    match bytes {
        [a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]) as usize,
        _ => 0,
    }
}

/// Returns the header's entry count.
#[inline]
fn header_len(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[4], bytes[5]])
}

fn count(bytes: &[u8]) -> usize {
    let mut at = HEADER;
    let mut len = 0;
    while let Some(behind) = next(bytes, at) {
        at = behind;
        len += 1;
    }
    len
}

/// Returns the offset of the first entry equal to `value`, skipping `skip` entries after each
/// comparison, and the number of entries compared before it. An integer does not equal its text.
pub(crate) fn find(bytes: &[u8], value: Value<'_>, skip: usize) -> Option<(usize, usize)> {
    let needle = Needle::new(value);
    let (mut at, mut compared) = (HEADER, 0);
    loop {
        let (is_equal, mut behind) = needle.compare(bytes, at)?;
        if is_equal {
            return Some((at, compared));
        }
        for _ in 0..skip {
            behind = next(bytes, behind)?;
        }
        at = behind;
        compared += 1;
    }
}

/// Two listpacks are equal if their bytes are equal.
impl<B: Storage, B2: Storage> PartialEq<Listpack<B2>> for Listpack<B> {
    fn eq(&self, other: &Listpack<B2>) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<B: Storage> Eq for Listpack<B> {}

#[cfg(feature = "alloc")]
impl Default for Listpack<alloc::vec::Vec<u8>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Storage> fmt::Debug for Listpack<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// An iterator over the entries of a listpack, double-ended. Each step is **O(1)**.
#[derive(Clone)]
pub struct Iter<'a> {
    bytes: &'a [u8],
    front: usize,
    back: usize,
}

impl<'a> Iter<'a> {
    /// Creates an iterator over the entries between two offsets.
    fn new(bytes: &'a [u8], front: usize, back: usize) -> Self {
        Iter { bytes, front, back }
    }
}

impl<'a, B: Storage> IntoIterator for &'a Listpack<B> {
    type Item = Value<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        if self.front >= self.back {
            return None;
        }
        let (value, _) = decode(&self.bytes[self.front..])?;
        self.front = next(self.bytes, self.front)?;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // The shortest entry has 2 bytes, and a single entry may fill all the remaining bytes.
        let bytes = self.back - self.front;
        (usize::from(bytes > 0), Some(bytes / 2))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.back = previous(self.bytes, self.back)?;
        decode(&self.bytes[self.back..]).map(|(value, _)| value)
    }
}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;

    #[test]
    fn the_header_counts_again_once_the_bytes_are_too_few_for_65535_entries() {
        let len = 70_000;
        let total = EMPTY.len() + 2 * len;
        let mut bytes = (total as u32).to_le_bytes().to_vec();
        bytes.extend(UNKNOWN_LEN.to_le_bytes());
        // Each entry has two bytes: the integer 1, and a back-length of 1.
        bytes.extend([1, 1].repeat(len));
        bytes.push(END);
        let mut list = Listpack { storage: bytes };
        for (removed, header) in [(4_468, UNKNOWN_LEN), (1, 65_531), (1, 65_530)] {
            list.delete(HEADER..HEADER + 2 * removed, removed);
            assert_eq!(header_len(list.as_bytes()), header);
        }
        assert_eq!(list.len(), 65_530);
    }
}
