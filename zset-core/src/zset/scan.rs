//! Scanning: all members in pages, while the set changes between them.

use alloc::vec::Vec;

use super::{Elements, ZSet};
use crate::{Member, Score};

impl ZSet {
    /// Returns the next page of about `count` elements, and the cursor of the page after it, as
    /// Redis's `ZSCAN`. The first page has cursor 0, and after the last one the cursor is 0 again.
    ///
    /// Every member that is in the set from the first page to the last is returned exactly once,
    /// however the set changes meanwhile; one that comes or goes may or may not be. Pages are in no
    /// order, and may be empty: only the cursor tells the end. A listpack is one page.
    ///
    /// **O(count)** expected, plus hashing up to 28,672 members, of which the page returns at least 1/64;
    /// O(n) for a listpack. A cursor is a position in the order of hashes, so it is only valid for the set
    /// that returned it, not even for a set with equal members.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let set: ZSet = (0..1000u16).map(|i| (i.to_string(), Score::from(i))).collect();
    /// let (mut cursor, mut seen) = (0, 0);
    /// loop {
    ///     let (next, page) = set.scan(cursor, 10);
    ///     seen += page.len();
    ///     if next == 0 {
    ///         break;
    ///     }
    ///     cursor = next;
    /// }
    /// assert_eq!(seen, 1000);
    /// ```
    pub fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(Member<'_>, Score)>) {
        match &self.elements {
            Elements::Listpack(set) => (0, set.iter().collect()),
            Elements::Skiplist(set) => {
                let (next, page) = set[0].scan(cursor, count.max(1));
                (next, page.into_iter().map(super::read::borrowed).collect())
            }
        }
    }
}
