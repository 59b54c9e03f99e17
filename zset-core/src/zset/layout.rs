//! Access to the skip list and dict of a set.

use super::{Elements, ZSet};
use crate::{ByteString, Score, SortedSet};

impl ZSet {
    /// Returns the skip list and the dict of a set in that encoding. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// assert!(set.as_sorted_set().is_none());
    /// set.promote();
    /// assert_eq!(set.as_sorted_set().map(|set| set.as_skip_list().root().span()), Some(1));
    /// ```
    pub fn as_sorted_set(&self) -> Option<&SortedSet<ByteString, Score>> {
        match &self.elements {
            Elements::Listpack(_) => None,
            Elements::Skiplist(set) => Some(&set[0]),
        }
    }
}
