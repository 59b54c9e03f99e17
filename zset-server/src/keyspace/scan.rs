//! Iteration over all keys, at once or in pages.

use std::ops::Range;

use super::{Keyspace, Value};

/// Returns the indices of a page in a scan of a table of `len` entries from its end. The first index is
/// the cursor of the next page. The first page has cursor 0.
///
/// A cursor is the number of entries before the page. No entry is missed if entries only ever move to the
/// front, into the place of a removed one, and new ones are added at the end.
pub(crate) fn page(len: usize, cursor: u64, count: usize) -> Range<usize> {
    let end = match usize::try_from(cursor) {
        Ok(0) | Err(_) => len,
        Ok(end) => end.min(len),
    };
    end.saturating_sub(count.max(1))..end
}

impl Keyspace {
    /// Returns all keys that have not expired, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Value)> {
        let entries = self.entries.iter().map(|(key, value)| (&**key, value));
        entries.filter(|(key, _)| !self.has_expired(key))
    }

    /// Returns a [`page`] of `count` keys and the cursor of the next page, which is 0 after the last
    /// page.
    ///
    /// Every key that exists from the first page to the last is returned.
    pub(crate) fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(&[u8], &Value)>) {
        let places = page(self.entries.len(), cursor, count);
        let start = places.start;
        let page = places.rev().filter_map(|index| self.entries.get_index(index));
        let page = page.map(|(key, value)| (&**key, value));
        (start as u64, page.filter(|(key, _)| !self.has_expired(key)).collect())
    }

    /// Returns the key at an index less than [`len`](Self::len), unless it has expired.
    pub(crate) fn nth(&self, index: usize) -> Option<&[u8]> {
        let (key, _) = self.entries.get_index(index)?;
        (!self.has_expired(key)).then_some(key)
    }
}
