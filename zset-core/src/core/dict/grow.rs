//! Growing: rebuilding or splitting one table at a time, and removing tombstones.

use alloc::boxed::Box;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::ops::Range;

use super::{Dict, First, MOST_TAGGED, Table, TableHash, no_rehash, route};
use crate::TryReserveError;
use crate::core::leaf::{Handle, LEAF_CAPACITY, MAX_LEAVES};
use crate::reserve::{push_reserved, table_error};
use crate::small::IS_SMALL;

/// The maximum number of buckets of the first table; it splits at 28,672 handles. At this size its
/// keys still fit in a second-level cache, and the split takes less than half a millisecond.
///
/// Under Miri, tables are smaller, because filling one of this size would take too long.
pub(super) const FIRST_BUCKETS: usize = if cfg!(miri) { 1 << 10 } else { 1 << 15 };

/// The maximum number of buckets of a segment. It is smaller because the keys of a large set are
/// not cached.
pub(super) const SEGMENT_BUCKETS: usize = FIRST_BUCKETS / 8;

/// The number of handles at which a segment splits.
const SEGMENT_CAPACITY: usize = capacity(SEGMENT_BUCKETS);

/// The number of bits by which the first table splits, into segments that are half full.
const FIRST_BITS: u32 = 4;

/// The directory is not doubled if it would then have fewer handles than this per entry. That
/// happens only if many hashes share their leading bits; the segment's own table grows instead.
const LEAST_LOAD: usize = SEGMENT_CAPACITY / 8;

/// The number of keys hashed together. Small targets have little stack space, and no caches.
const HASH_BATCH: usize = if IS_SMALL {
    1
} else if cfg!(target_pointer_width = "64") {
    32
} else {
    8
};

/// Returns the number of handles that a table with this many buckets holds: 7 in 8 are filled.
pub(super) const fn capacity(buckets: usize) -> usize {
    buckets / 8 * 7
}

impl Dict {
    /// Makes room in the table for a route.
    #[cold]
    pub(super) fn make_room(
        &mut self,
        route: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        while !self.has_room(route) {
            match self.grow(route, hash_of) {
                // A table of the same size, without tombstones, needs less memory.
                Err(TryReserveError::AllocError) if self.has_tombstones(route) => {
                    let table = self.table_at_mut(route);
                    rebuild(table, table.len() + 1, hash_of)?;
                }
                result => result?,
            }
        }
        Ok(())
    }

    /// Returns whether there is room for one more handle with this route.
    #[inline]
    pub(super) fn has_room(&self, route: usize) -> bool {
        let table = match (&self.directory, &self.first) {
            (None, First::Tags(_)) => return self.len < MOST_TAGGED,
            (None, First::Table(table)) => table,
            (Some(_), _) => self.table_at(route),
        };
        table.len() < table.capacity()
    }

    /// Returns whether there is room for one more handle with this hash.
    #[inline]
    pub(crate) fn has_room_for(&self, hash: usize) -> bool {
        self.has_room(route(hash))
    }

    /// Returns the capacity of the next larger table if the only one is full of handles and does
    /// not split.
    pub(crate) fn doubled(&self) -> Option<usize> {
        let First::Table(table) = &self.first else { return None };
        let buckets = table.num_buckets();
        let grows = !IS_SMALL && buckets < FIRST_BUCKETS && table.len() == capacity(buckets);
        grows.then_some(2 * table.len())
    }

    /// Creates a dict with one table.
    pub(crate) fn try_with_table(capacity: usize) -> Result<Self, TryReserveError> {
        let mut table = Table::new();
        try_reserve(&mut table, capacity)?;
        Ok(Dict { first: First::Table(table), ..Dict::new() })
    }

    /// Rebuilds or splits the table for a route, which has no room.
    fn grow(
        &mut self,
        route: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        if !self.has_tables() {
            // Of 64 buckets: one of 32 would soon be rehashed.
            return self.try_make_table(2 * self.len, hash_of);
        }
        let table = self.table_at(route);
        let (len, buckets) = (table.len(), table.num_buckets());
        // The same size if it is full of tombstones, otherwise twice the size. The sum approximates
        // 4/3 of the length: a division is a library call on small machines.
        let wanted = len + len / 4 + len / 16 + 1;
        let most = if self.directory.is_none() { FIRST_BUCKETS } else { SEGMENT_BUCKETS };
        // A table without room that holds far fewer handles than its capacity is full of
        // tombstones.
        let is_whole = buckets >= most && len >= capacity(buckets) / 4 * 3;
        if is_whole && self.may_split(route) {
            self.split(route, hash_of)
        } else {
            rebuild(self.table_at_mut(route), wanted, hash_of)
        }
    }

    /// Moves the handles, which are in no table, to the first one.
    fn try_make_table(
        &mut self,
        capacity: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let mut table = Table::new();
        try_reserve(&mut table, capacity)?;
        for handle in self.tagged() {
            table.insert_unique(hash_of(handle) as TableHash, handle, no_rehash);
        }
        self.first = First::Table(table);
        Ok(())
    }

    /// Returns whether a table can split without the directory becoming too large.
    fn may_split(&self, route: usize) -> bool {
        let entries = self.directory().len();
        self.next_bit(route) >= self.shift || self.len >= LEAST_LOAD * (2 * entries).max(8)
    }

    /// Returns the bit of a route by which its table splits next.
    #[inline(never)]
    fn next_bit(&self, route: usize) -> u32 {
        self.shift + self.extent(self.entry(route)).len().trailing_zeros() - 1
    }

    /// Splits the table for a route.
    fn split(
        &mut self,
        route: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        match self.directory {
            None => self.split_first(hash_of),
            Some(_) => self.split_segment(route, hash_of),
        }
    }

    /// Splits the only table into segments.
    fn split_first(&mut self, hash_of: &impl Fn(Handle) -> usize) -> Result<(), TryReserveError> {
        let (bits, count) = (FIRST_BITS, 1 << FIRST_BITS);
        let mut segments = Vec::new();
        segments.try_reserve_exact(count)?;
        (0..count).for_each(|_| push_reserved(&mut segments, Table::new()));
        segments.iter_mut().try_for_each(|table| try_reserve(table, SEGMENT_CAPACITY))?;
        try_split(self.first.table(), usize::BITS - bits, &mut segments, hash_of)?;
        self.directory = Some(self.try_directory(count)?);
        self.shift = usize::BITS - bits;
        self.segments = segments;
        self.first = First::EMPTY;
        Ok(())
    }

    /// Splits the segment for a route in two.
    fn split_segment(
        &mut self,
        route: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let bit = self.next_bit(route);
        let mut parts = [const { Table::new() }; 2];
        parts.iter_mut().try_for_each(|table| try_reserve(table, SEGMENT_CAPACITY))?;
        try_split(self.table_at(route), bit, &mut parts, hash_of)?;
        self.segments.try_reserve(1)?;
        if bit < self.shift {
            self.directory = Some(self.try_directory(2 * self.directory().len())?);
            self.shift -= 1;
        }

        let Range { start, end } = self.extent(self.entry(route));
        let new = self.segments.len() as u32;
        let directory = self.directory.as_deref_mut().unwrap_or_default();
        directory[usize::midpoint(start, end)..end].fill(new);
        let old = directory[start] as usize;
        let [first, second] = parts;
        self.segments[old] = first;
        push_reserved(&mut self.segments, second);
        Ok(())
    }

    /// Returns a directory of this length: the present one with each entry twice or, if there is
    /// none, one with a segment for each entry.
    fn try_directory(&self, len: usize) -> Result<Box<[u32]>, TryReserveError> {
        let (old, mut directory) = (self.directory(), Vec::new());
        directory.try_reserve_exact(len)?;
        for entry in 0..len {
            push_reserved(
                &mut directory,
                old.get(entry / 2).map_or(entry as u32, |segment| *segment),
            );
        }
        Ok(directory.into_boxed_slice())
    }

    /// Reserves room for more handles: splits until each table has room for its share of them, and
    /// for at least one.
    pub(crate) fn try_reserve(
        &mut self,
        additional: usize,
        hash_of: impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let wanted = self.len.saturating_add(additional);
        if wanted > MAX_LEAVES * LEAF_CAPACITY {
            return Err(TryReserveError::CapacityOverflow);
        }
        if !self.has_tables() {
            if wanted <= MOST_TAGGED {
                return Ok(());
            }
            self.try_make_table(wanted.min(capacity(FIRST_BUCKETS)), &hash_of)?;
        }
        if wanted <= capacity(FIRST_BUCKETS) && self.directory.is_none() {
            let table = self.first.table_mut();
            return if wanted <= table.capacity() {
                Ok(())
            } else {
                rebuild(table, wanted, &hash_of)
            };
        }
        // A few standard deviations below the full capacity, since hashes are not evenly
        // distributed.
        let per_segment = SEGMENT_CAPACITY / 16 * 15;
        let (mut share, mut last_bit) = (wanted, usize::BITS);
        while share > per_segment {
            (share, last_bit) = (share.div_ceil(2), last_bit - 1);
        }
        let mut next = Some(0);
        while let Some(route) = next {
            while self.next_bit(route) >= last_bit {
                self.split(route, &hash_of)?;
            }
            self.make_room(route, &hash_of)?;
            next = self.next_segment(route);
        }
        // There are enough segments, but tombstones may take up their room.
        let mut next = (self.capacity() < wanted).then_some(0);
        while let Some(route) = next {
            let table = self.table_at_mut(route);
            if table.capacity() < SEGMENT_CAPACITY {
                rebuild(table, SEGMENT_CAPACITY, &hash_of)?;
            }
            next = self.next_segment(route);
        }
        Ok(())
    }

    /// Returns whether the table for a route has no room because of tombstones.
    fn has_tombstones(&self, route: usize) -> bool {
        if !self.has_tables() {
            return false;
        }
        let table = self.table_at(route);
        table.capacity() == table.len() && table.len() < capacity(table.num_buckets())
    }

    /// Returns whether `refile` makes room for a hash.
    pub(crate) fn is_worth_refiling(&self, hash: usize) -> bool {
        self.has_tombstones(route(hash))
    }

    /// Removes all handles from the tables, which keep their memory.
    pub(crate) fn clear_tables(&mut self) {
        if let First::Table(table) = &mut self.first {
            table.clear();
        }
        self.segments.iter_mut().for_each(Table::clear);
        self.len = 0;
    }

    /// Adds a handle that is not in the dict, unless there is no room for it, which requires an
    /// inconsistent `Hash`.
    pub(crate) fn insert_if_room(&mut self, hash: usize, handle: Handle) {
        if self.has_room_for(hash) {
            self.insert(hash, handle);
        }
    }
}

/// Copies the handles of a table to the parts that it splits into, by the bits of their routes from
/// `bit` on.
fn try_split(
    table: &Table,
    bit: u32,
    parts: &mut [Table],
    hash_of: &impl Fn(Handle) -> usize,
) -> Result<(), TryReserveError> {
    let mask = parts.len() - 1;
    let mut handles = table.iter();
    loop {
        // Hash a batch first: the keys are scattered in memory, and in a loop that does nothing
        // else, their cache misses overlap.
        let batch: ArrayVec<(usize, Handle), HASH_BATCH> =
            handles.by_ref().take(HASH_BATCH).map(|&handle| (hash_of(handle), handle)).collect();
        if batch.is_empty() {
            return Ok(());
        }
        for &(hash, handle) in &batch {
            let part = &mut parts[route(hash) >> bit & mask];
            if part.len() == part.capacity() {
                // If all hashes share these bits, one part gets all handles.
                rebuild(part, 2 * part.len(), hash_of)?;
            }
            part.insert_unique(hash as TableHash, handle, no_rehash);
        }
    }
}

/// Moves the handles of a table to one of another size.
///
/// hashbrown's own `reserve` may rehash in place, which would lose handles if the user's hash
/// panics.
pub(super) fn rebuild(
    table: &mut Table,
    capacity: usize,
    hash_of: &impl Fn(Handle) -> usize,
) -> Result<(), TryReserveError> {
    let mut rebuilt = Table::new();
    try_reserve(&mut rebuilt, capacity)?;
    for &handle in table.iter() {
        rebuilt.insert_unique(hash_of(handle) as TableHash, handle, no_rehash);
    }
    *table = rebuilt;
    Ok(())
}

/// Reserves memory for this many handles in a new table.
pub(super) fn try_reserve(table: &mut Table, capacity: usize) -> Result<(), TryReserveError> {
    table.try_reserve(capacity, no_rehash).map_err(table_error)
}
