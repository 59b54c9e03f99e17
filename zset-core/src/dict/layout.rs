//! [`DictLayout`]: statistics about the tables of a dict.

use super::{Dict, Table};

/// Statistics about the dict of a [`SortedSet`](crate::SortedSet).
///
/// See [`SortedSet::dict_layout`](crate::SortedSet::dict_layout).
///
/// # Examples
///
/// ```
/// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
/// assert_eq!(set.dict_layout().len, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DictLayout {
    /// The number of members.
    pub len: usize,
    /// The number of hash tables, each of which splits in two when it is full.
    pub tables: usize,
    /// The number of entries in the directory, which maps leading bits of a hash to a table; 0 if there
    /// is at most one table.
    pub directory: usize,
    /// The number of buckets in all tables.
    pub buckets: usize,
    /// The number of bytes allocated.
    pub allocation_size: usize,
}

impl Dict {
    pub(crate) fn layout(&self) -> DictLayout {
        DictLayout {
            len: self.len,
            tables: self.tables().iter().filter(|table| table.num_buckets() > 0).count(),
            directory: self.directory().len(),
            buckets: self.tables().iter().map(Table::num_buckets).sum(),
            allocation_size: self.allocation_size(),
        }
    }
}
