//! Changing a listpack: every operation is a splice.

use core::ops::{Range, RangeBounds};

use super::{
    EMPTY, Encoded, HEADER, Listpack, MAX_BYTES, Storage, UNKNOWN_LEN, Value, count, header_len,
    total_bytes,
};
use crate::TryReserveError;
use crate::copy::copy_within;

impl<B: Storage> Listpack<B> {
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

    /// Prepends an entry. **O(n)** bytes.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The listpack is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_front("b")?;
    /// list.try_push_front("a")?;
    /// assert!(list.iter().eq([Value::Bytes(b"a"), Value::Bytes(b"b")]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_push_front<'v>(
        &mut self,
        value: impl Into<Value<'v>>,
    ) -> Result<(), TryReserveError> {
        self.splice(HEADER..HEADER, 0, &[&Encoded::new(value.into())])
    }

    /// Removes the entries at these 0-based indexes; returns the number removed. **O(n)** bytes.
    ///
    /// Indexes beyond the end are ignored; an inverted range removes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// for entry in ["a", "b", "c"] {
    ///     list.try_push_back(entry)?;
    /// }
    /// assert_eq!(list.remove_range(1..), 2);
    /// assert!(list.iter().eq([Value::Bytes(b"a")]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn remove_range(&mut self, range: impl RangeBounds<usize>) -> usize {
        let range = crate::bounds::ranks(&range, self.len());
        self.delete(self.seek(range.start)..self.seek(range.end), range.len());
        range.len()
    }

    /// Removes all entries. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// list.clear();
    /// assert!(list.is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
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
        let entries = &mut self.storage.as_mut_slice()[at];
        if cfg!(target_os = "none") {
            // Smaller code than that of `rotate_left`.
            entries[..left].reverse();
            entries[left..].reverse();
            entries.reverse();
        } else {
            entries.rotate_left(left);
        }
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

    /// Moves the bytes from `from` on to `to`, and updates the byte count.
    fn move_tail(&mut self, from: usize, to: usize) {
        let total = self.as_bytes().len();
        let new_total = to + (total - from);
        let bytes = self.storage.as_mut_slice();
        if from != to {
            copy_within(bytes, from..total, to);
        }
        bytes[..4].copy_from_slice(&(new_total as u32).to_le_bytes());
        self.storage.truncate(new_total);
    }

    /// Updates the entry count.
    ///
    /// If it is unknown, entries are recounted once the listpack is too short for 65535 of them.
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
