//! Dicts of a few hundred handles, which allocate at most 4 KiB at once, and growth with little memory.

use alloc::vec::Vec;

use super::grow::{capacity, rebuild, try_reserve};
use super::{Dict, Table, TableHash, no_rehash, position};
use crate::TryReserveError;
use crate::handle::Handle;

/// The number of buckets at which the first table splits into small segments, up to `ONE_TABLE` handles.
/// It takes 2.5 KiB.
///
/// Under Miri, tables are smaller, because filling one of this size would take too long.
pub(super) const SMALL_BUCKETS: usize = if cfg!(miri) { 1 << 5 } else { 1 << 9 };

/// The number of handles from which on the small segments are one table again.
///
/// One table is faster, but such a table takes 10 KiB, which a microcontroller may not have in one piece.
pub(super) const ONE_TABLE: usize = if cfg!(miri) { 60 } else { 1_000 };

/// The number of bits by which the first table splits into small segments.
const SMALL_BITS: u32 = 2;

impl Dict {
    /// Returns whether the tables are the small segments of less than `ONE_TABLE` handles, or of more if
    /// there was no memory for one table.
    pub(super) fn has_small_segments(&self) -> bool {
        self.directory().len() == 1 << SMALL_BITS
    }

    /// Splits the first table into small segments of full size, which are not rebuilt before they unite.
    pub(super) fn split_small(
        &mut self,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        self.split_first(SMALL_BITS, capacity(SMALL_BUCKETS), hash_of)
    }

    /// Moves all handles to one table with room for `wanted`.
    pub(super) fn unite(
        &mut self,
        wanted: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let mut first = Table::new();
        try_reserve(&mut first, wanted)?;
        for &handle in self.segments.iter().flat_map(Table::iter) {
            first.insert_unique(hash_of(handle) as TableHash, handle, no_rehash);
        }
        self.first = first;
        self.directory = None;
        self.segments = Vec::new();
        self.shift = usize::BITS;
        Ok(())
    }

    /// Returns whether the table for a position has no room because of tombstones.
    pub(super) fn has_tombstones(&self, position: usize) -> bool {
        let table = self.table_at(position);
        table.capacity() == table.len() && table.len() < capacity(table.num_buckets())
    }

    /// Reserves room for more handles, at most as many as one table holds.
    pub(super) fn try_reserve_few(
        &mut self,
        additional: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let wanted = self.len + additional;
        if self.directory.is_none() {
            if wanted <= self.first.capacity() {
                return Ok(());
            }
            if wanted <= capacity(SMALL_BUCKETS) || wanted >= ONE_TABLE {
                return rebuild(&mut self.first, wanted, hash_of);
            }
            self.split_small(hash_of)?;
        } else if wanted >= ONE_TABLE {
            return self.unite(wanted, hash_of);
        }
        // A few standard deviations above the share, since hashes are not evenly distributed.
        let share = additional.min(additional / 4 + additional / 16 + 8);
        for table in &mut self.segments {
            if table.capacity() < table.len() + share {
                rebuild(table, table.len() + share, hash_of)?;
            }
        }
        Ok(())
    }

    /// Returns whether `refile` makes room for a hash.
    pub(crate) fn is_worth_refiling(&self, hash: usize) -> bool {
        self.has_tombstones(position(hash))
    }

    /// Removes all handles and then adds these, in the same memory. Leaves out those for which there is
    /// no room, which requires an inconsistent `Hash`.
    pub(crate) fn refile(&mut self, handles: impl Iterator<Item = (usize, Handle)>) {
        self.first.clear();
        self.segments.iter_mut().for_each(Table::clear);
        self.len = 0;
        for (hash, handle) in handles {
            if self.has_room(position(hash)) {
                self.insert(hash, handle);
            }
        }
    }
}
