//! Cursors: move over entries in both directions, and change them in place.

use core::fmt;

use super::entry::Needle;
use super::{Encoded, HEADER, Listpack, Storage, Value, decode, next, previous};
use crate::{Member, TryReserveError};

/// A position in a listpack: at an entry, or at the gap between the last entry and the first.
///
/// Moving is **O(1)** and wraps around through the gap, like the cursors of `LinkedList`.
///
/// # Examples
///
/// ```
/// use zset_core::listpack::Value;
///
/// let mut list = zset_core::Listpack::with_storage([0; 64])?;
/// list.try_push_back("a")?;
/// list.try_push_back(5)?;
/// let mut cursor = list.cursor_back();
/// assert_eq!(cursor.current(), Some(Value::Integer(5)));
/// cursor.move_prev();
/// assert_eq!(cursor.current(), Some(Value::Bytes(b"a")));
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// The offset of the entry; at the gap, that of the end byte.
    at: usize,
}

/// A position in a listpack at which it can be changed.
///
/// It moves like a [`Cursor`]. Changes are **O(n)** in the bytes after the position.
///
/// # Examples
///
/// ```
/// use zset_core::listpack::Value;
///
/// let mut list = zset_core::Listpack::with_storage([0; 64])?;
/// list.try_push_back("a")?;
/// let mut cursor = list.cursor_front_mut();
/// cursor.try_insert_before(1)?;
/// cursor.try_replace("b")?;
/// assert!(list.iter().eq([Value::Integer(1), Value::Bytes(b"b")]));
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
pub struct CursorMut<'a, B> {
    list: &'a mut Listpack<B>,
    /// The offset of the entry; at the gap, that of the end byte.
    at: usize,
}

fn move_next(bytes: &[u8], at: usize) -> usize {
    next(bytes, at).unwrap_or(HEADER)
}

fn move_prev(bytes: &[u8], at: usize) -> usize {
    previous(bytes, at).unwrap_or(bytes.len() - 1)
}

impl<'a> Cursor<'a> {
    /// Returns the entry, or `None` at the gap. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::Listpack::with_storage([0; 7])?.cursor_front().current(), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn current(&self) -> Option<Value<'a>> {
        decode(&self.bytes[self.at..]).map(|(value, _)| value)
    }

    /// Moves to the next entry, wrapping from the last entry to the gap and from the gap to the
    /// first entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// let mut cursor = list.cursor_front();
    /// cursor.move_next();
    /// assert_eq!(cursor.current(), None);
    /// cursor.move_next();
    /// assert_eq!(cursor.current(), Some(Value::Integer(1)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn move_next(&mut self) {
        self.at = move_next(self.bytes, self.at);
    }

    /// Moves to the previous entry, wrapping from the first entry to the gap and from the gap to
    /// the last entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// let mut cursor = list.cursor_back();
    /// cursor.move_prev();
    /// assert_eq!(cursor.current(), None);
    /// cursor.move_prev();
    /// assert_eq!(cursor.current(), Some(Value::Integer(1)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn move_prev(&mut self) {
        self.at = move_prev(self.bytes, self.at);
    }
}

impl<B: Storage> CursorMut<'_, B> {
    /// Returns the entry, or `None` at the gap. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 7])?;
    /// assert_eq!(list.cursor_front_mut().current(), None);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn current(&self) -> Option<Value<'_>> {
        decode(&self.list.as_bytes()[self.at..]).map(|(value, _)| value)
    }

    /// Moves to the next entry, wrapping from the last entry to the gap and from the gap to the
    /// first entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// let mut cursor = list.cursor_front_mut();
    /// cursor.move_next(); // to the gap
    /// cursor.try_insert_before(2)?;
    /// assert_eq!(list.len(), 2);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn move_next(&mut self) {
        self.at = move_next(self.list.as_bytes(), self.at);
    }

    /// Moves to the previous entry, wrapping from the first entry to the gap and from the gap to
    /// the last entry. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// list.try_push_back(2)?;
    /// let mut cursor = list.cursor_back_mut();
    /// cursor.move_prev();
    /// assert_eq!(cursor.current(), Some(Value::Integer(1)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn move_prev(&mut self) {
        self.at = move_prev(self.list.as_bytes(), self.at);
    }

    /// Inserts an entry before this one, or at the end of the listpack if the cursor is at the gap.
    /// **O(n)** bytes.
    ///
    /// The cursor stays at its entry.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The listpack is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 9])?;
    /// let mut cursor = list.cursor_front_mut();
    /// cursor.try_insert_before(1)?;
    /// assert!(cursor.try_insert_before(2).is_err());
    /// assert_eq!(list.len(), 1);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_before<'v>(
        &mut self,
        value: impl Into<Value<'v>>,
    ) -> Result<(), TryReserveError> {
        let entry = Encoded::new(value.into());
        self.list.splice(self.at..self.at, 0, &[&entry])?;
        self.at += entry.len();
        Ok(())
    }

    /// Inserts an entry after this one, or at the start of the listpack if the cursor is at the
    /// gap. **O(n)** bytes.
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
    /// list.try_push_back(1)?;
    /// list.cursor_back_mut().try_insert_after(2)?;
    /// assert_eq!(list.get(1), Some(Value::Integer(2)));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_insert_after<'v>(
        &mut self,
        value: impl Into<Value<'v>>,
    ) -> Result<(), TryReserveError> {
        let entry = Encoded::new(value.into());
        let is_gap = self.at == self.list.end();
        let behind = move_next(self.list.as_bytes(), self.at);
        self.list.splice(behind..behind, 0, &[&entry])?;
        if is_gap {
            self.at = self.list.end();
        }
        Ok(())
    }

    /// Replaces this entry; returns whether there was one. **O(1)** if the encoded length is the
    /// same, else **O(n)** bytes.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if there is not enough space. The listpack is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// assert!(!list.cursor_front_mut().try_replace("a")?);
    /// list.try_push_back("a")?;
    /// assert!(list.cursor_front_mut().try_replace("b")?);
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_replace<'v>(
        &mut self,
        value: impl Into<Value<'v>>,
    ) -> Result<bool, TryReserveError> {
        let Some(behind) = next(self.list.as_bytes(), self.at) else { return Ok(false) };
        self.list.splice(self.at..behind, 1, &[&Encoded::new(value.into())])?;
        Ok(true)
    }

    /// Removes the entry and moves to the next; returns whether there was one. **O(n)** bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::listpack::Value;
    ///
    /// let mut list = zset_core::Listpack::with_storage([0; 64])?;
    /// list.try_push_back(1)?;
    /// list.try_push_back(2)?;
    /// let mut cursor = list.cursor_front_mut();
    /// assert!(cursor.remove());
    /// assert_eq!(cursor.current(), Some(Value::Integer(2)));
    /// assert!(cursor.remove());
    /// assert!(!cursor.remove()); // at the gap
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn remove(&mut self) -> bool {
        let Some(behind) = next(self.list.as_bytes(), self.at) else { return false };
        self.list.delete(self.at..behind, 1);
        true
    }
}

impl fmt::Debug for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cursor").field(&self.current()).finish()
    }
}

impl<B: Storage> fmt::Debug for CursorMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CursorMut").field(&self.current()).finish()
    }
}

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
