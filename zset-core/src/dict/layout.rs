//! [`DictLayout`]: the tables of a dict, to be looked at.

use hashbrown::HashTable;

use super::Dict;

/// What the dict of a [`SortedSet`](crate::SortedSet) is made of.
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
    /// The members that are filed.
    pub len: usize,
    /// The hash tables, each of which splits in two when it is full.
    pub tables: usize,
    /// The entries of the directory, which leads from bits of a hash to a table; 0 while there is one
    /// table or none.
    pub directory: usize,
    /// The places of all tables.
    pub buckets: usize,
    /// The bytes from the allocator.
    pub allocation_size: usize,
}

impl Dict {
    pub(crate) fn layout(&self) -> DictLayout {
        DictLayout {
            len: self.len,
            tables: self.tables().iter().filter(|table| table.num_buckets() > 0).count(),
            directory: self.directory.len(),
            buckets: self.tables().iter().map(HashTable::num_buckets).sum(),
            allocation_size: self.allocation_size(),
        }
    }
}
