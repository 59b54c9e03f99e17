//! All keys, at once or in pages.

use std::ops::Range;

use super::{Keyspace, Value};

/// Returns the places of a page of a table of `len` entries that is scanned from the end; the first of
/// them is the cursor of the page after it. The first page has cursor 0.
///
/// A cursor is the number of entries before the page. As long as they only ever move to the front, into
/// the place of one that is removed, and new ones come at the end, none is missed.
pub(crate) fn page(len: usize, cursor: u64, count: usize) -> Range<usize> {
    let end = match usize::try_from(cursor) {
        Ok(0) | Err(_) => len,
        Ok(end) => end.min(len),
    };
    end.saturating_sub(count.max(1))..end
}

impl Keyspace {
    /// Returns all keys that have not expired, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Value)> {
        let entries = self.entries.iter().map(|(key, value)| (&**key, value));
        entries.filter(|(key, _)| !self.has_expired(key))
    }

    /// Returns a [`page`] of `count` keys, and the cursor of the page after it, which is 0 after the last.
    ///
    /// Every key that is there from the first page to the last is in one of them.
    pub(crate) fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(&[u8], &Value)>) {
        let places = page(self.entries.len(), cursor, count);
        let start = places.start;
        let page = places.rev().filter_map(|index| self.entries.get_index(index));
        let page = page.map(|(key, value)| (&**key, value));
        (start as u64, page.filter(|(key, _)| !self.has_expired(key)).collect())
    }

    /// Returns the key of a number below [`len`](Self::len), unless it has expired.
    pub(crate) fn nth(&self, index: usize) -> Option<&[u8]> {
        let (key, _) = self.entries.get_index(index)?;
        (!self.has_expired(key)).then_some(key)
    }
}
