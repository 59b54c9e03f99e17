//! Scanning: iterating in pages while the set changes between them.

use alloc::vec::Vec;

use super::{Elements, ZSet};
use crate::{Member, Score};

impl ZSet {
    /// Returns the next page of about `count` elements and the cursor of the following page, like
    /// Redis's `ZSCAN`. The first page has cursor 0; after the last page, the returned cursor is 0.
    ///
    /// Every member that stays in the set throughout the scan is returned exactly once, whatever
    /// other changes occur. Members inserted or removed during the scan may or may not be returned.
    /// Pages are unordered and may be empty: only the cursor marks the end. A listpack is returned
    /// as a single page.
    ///
    /// **O(count)** expected, plus hashing up to 28,672 members, of which the page returns at least
    /// 1/64; O(n) for a listpack. A cursor is a position in hash order, so it is valid only for the
    /// set that returned it, not even for a set with equal members.
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
