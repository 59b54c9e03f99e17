//! Read-only access to the two halves of a set.

use super::SortedSet;
use crate::SkipList;
use crate::layout::DictLayout;

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Returns the ordered half of the set. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// assert!(set.as_skip_list().iter().eq(&set));
    /// ```
    pub fn as_skip_list(&self) -> &SkipList<M, S> {
        &self.list
    }

    /// Returns statistics about the dict, the half of the set that finds members. **O(n / 3,500)**:
    /// sums over all tables.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// let dict = set.dict_layout();
    /// assert_eq!((dict.len, dict.tables, dict.directory), (2, 1, 0));
    /// ```
    pub fn dict_layout(&self) -> DictLayout {
        self.dict.layout()
    }
}
