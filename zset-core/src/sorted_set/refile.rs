//! Refiling: removing the tombstones of the dict without memory for another table.
//!
//! A table without tombstones is a new one, as long as there is memory for it. Otherwise all tables are
//! cleared and filled again from the list. Between the two, `Hash` runs while the dict is incomplete, so
//! all members are hashed once before: a `Hash` that panics then leaves the set unchanged. One that
//! panics only the second time leaves it empty.

use core::hash::{BuildHasher, Hash};

use super::{ClearOnDrop, SortedSet, hash_of};
use crate::TryReserveError;

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Makes room in the dict for a hash, if only tombstones occupy it. **O(n)**.
    #[cold]
    pub(super) fn refile(&mut self, hash: usize) -> Result<(), TryReserveError> {
        if !self.dict.is_worth_refiling(hash) {
            return Err(TryReserveError::AllocError);
        }
        self.list.all_handles().map(hash_of(&self.list, &self.hasher)).for_each(drop);

        // Hashing may panic.
        let incomplete = ClearOnDrop(self);
        let SortedSet { list, dict, hasher, .. } = &mut *incomplete.0;
        dict.refile(list.all_handles().map(|handle| (hash_of(list, hasher)(handle), handle)));
        core::mem::forget(incomplete);
        Ok(())
    }
}
