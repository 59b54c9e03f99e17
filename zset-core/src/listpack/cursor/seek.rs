//! Finding entries: by value, by index, or at the ends.

use core::ops::RangeBounds;

use super::{Cursor, CursorMut};
use crate::Member;
use crate::bounds::ranks;
use crate::listpack::entry::Needle;
use crate::listpack::{HEADER, Iter, Listpack, Storage, Value, decode, next, previous};

impl<B: Storage> Listpack<B> {
    /// Returns a cursor at the first entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// list.try_push_back(2)?;
    /// let mut cursor = list.cursor_front();
    /// cursor.move_next();
    /// assert_eq!(cursor.current(), Some(Value::Integer(2)));
    /// cursor.move_next();
    /// assert_eq!(cursor.current(), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn cursor_front(&self) -> Cursor<'_> {
        Cursor { bytes: self.as_bytes(), at: HEADER }
    }

    /// Returns a cursor at the last entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// list.try_push_back(2)?;
    /// assert_eq!(list.cursor_back().current(), Some(Value::Integer(2)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn cursor_back(&self) -> Cursor<'_> {
        let end = self.end();
        Cursor { bytes: self.as_bytes(), at: previous(self.as_bytes(), end).unwrap_or(end) }
    }

    /// Returns a mutable cursor at the first entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// let mut cursor = list.cursor_front_mut();
    /// cursor.try_insert_before("new")?;
    /// cursor.try_replace(7)?;
    /// assert!(list.iter().eq([Value::Bytes(b"new"), Value::Integer(7)]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn cursor_front_mut(&mut self) -> CursorMut<'_, B> {
        CursorMut { list: self, at: HEADER }
    }

    /// Returns a mutable cursor at the last entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// assert!(list.cursor_back_mut().remove());
    /// assert!(list.is_empty());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn cursor_back_mut(&mut self) -> CursorMut<'_, B> {
        let at = self.cursor_back().at;
        CursorMut { list: self, at }
    }

    /// Returns a cursor at the first entry equal to `value`, skipping `skip` entries after each
    /// comparison. **O(n)**.
    ///
    /// In a listpack of pairs, a `skip` of 1 compares only the first entry of each pair.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// for entry in ["a", "b", "b", "c"] {
    ///     list.try_push_back(entry)?;
    /// }
    /// let mut cursor = list.find("b", 1).unwrap();
    /// cursor.move_next();
    /// assert_eq!(cursor.current(), Some(Value::Bytes(b"c")));
    /// assert!(list.find("c", 1).is_none());
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn find<'v>(&self, value: impl Into<Value<'v>>, skip: usize) -> Option<Cursor<'_>> {
        let bytes = self.as_bytes();
        find(bytes, value.into(), skip).map(|(at, _)| Cursor { bytes, at })
    }

    /// Like [`find`](Self::find), but returns a mutable cursor. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// assert!(list.find_mut("a", 0).is_some_and(|mut cursor| cursor.remove()));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn find_mut<'v>(
        &mut self,
        value: impl Into<Value<'v>>,
        skip: usize,
    ) -> Option<CursorMut<'_, B>> {
        let (at, _) = find(self.as_bytes(), value.into(), skip)?;
        Some(CursorMut { list: self, at })
    }

    /// Returns the entry at this 0-based index. **O(n)**, from the nearer end.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
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

    /// Returns a cursor at the entry with this 0-based index, or at the gap if there is none.
    /// **O(n)**, from the nearer end.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back("a")?;
    /// assert_eq!(list.cursor_at(0).current(), Some(Value::Bytes(b"a")));
    /// assert_eq!(list.cursor_at(9).current(), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn cursor_at(&self, index: usize) -> Cursor<'_> {
        Cursor { bytes: self.as_bytes(), at: self.seek(index) }
    }

    /// Like [`cursor_at`](Self::cursor_at), but returns a mutable cursor. **O(n)**, from the nearer
    /// end.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.cursor_at_mut(0).try_insert_before("a")?; // at the gap
    /// assert_eq!(list.len(), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn cursor_at_mut(&mut self, index: usize) -> CursorMut<'_, B> {
        let at = self.seek(index);
        CursorMut { list: self, at }
    }

    /// Returns the entries at these 0-based indexes. Lazy; **O(n)** to start.
    ///
    /// Indexes beyond the end are ignored; an inverted range is empty.
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
    /// assert!(list.range(1..9).eq([Value::Bytes(b"b"), Value::Bytes(b"c")]));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn range(&self, range: impl RangeBounds<usize>) -> Iter<'_> {
        let range = ranks(&range, self.len());
        Iter::new(self.as_bytes(), self.seek(range.start), self.seek(range.end))
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
}

/// Returns the offset of the first entry equal to `value`, skipping `skip` entries after each
/// comparison, and the number of entries compared before it.
pub(crate) fn find(bytes: &[u8], value: Value<'_>, skip: usize) -> Option<(usize, usize)> {
    let text = Member::new(value);
    let needle = Needle::new(value, &text);
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
