//! Scanning: visiting all members in pages, while the set may change between pages.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use super::{SortedSet, hash_of};

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns about `count` elements starting at a cursor, and the next cursor, which is 0 at the end.
    pub(crate) fn scan(&self, cursor: u64, count: usize) -> (u64, Vec<(&M, S)>) {
        let (next, page) = self.dict.scan(cursor, count, hash_of(&self.list, &self.hasher));
        (next, page.into_iter().map(|handle| self.list.element_at(handle)).collect())
    }
}
