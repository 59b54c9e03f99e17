//! All keys, at once or in pages.

use super::{Keyspace, Value};

impl Keyspace {
    /// Returns all keys that have not expired, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Value)> {
        let entries = self.entries.iter().map(|(key, value)| (&**key, value));
        entries.filter(|(key, _)| !self.has_expired(key))
    }

    /// Returns a page of `count` keys, and the cursor of the page after it, which is 0 after the last.
    /// The first page has cursor 0.
    ///
    /// Every key that is there from the first page to the last is in one of them. A cursor is the number
    /// of keys before the page: keys only ever move to the front, into the place of one that is removed,
    /// and new ones come at the end.
    pub(crate) fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(&[u8], &Value)>) {
        let len = self.entries.len();
        let end = match usize::try_from(cursor) {
            Ok(0) | Err(_) => len,
            Ok(end) => end.min(len),
        };
        let start = end.saturating_sub(count.max(1));
        let page = (start..end).rev().filter_map(|index| self.entries.get_index(index));
        let page = page.map(|(key, value)| (&**key, value));
        (start as u64, page.filter(|(key, _)| !self.has_expired(key)).collect())
    }

    /// Returns the key of a number below [`len`](Self::len), unless it has expired.
    pub(crate) fn nth(&self, index: usize) -> Option<&[u8]> {
        let (key, _) = self.entries.get_index(index)?;
        (!self.has_expired(key)).then_some(key)
    }
}
