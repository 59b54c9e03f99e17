//! Growing: rebuilding or splitting one table at a time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::ops::Range;

use super::small::{ONE_TABLE, SMALL_BUCKETS};
use super::{Dict, Table, no_rehash, position};
use crate::TryReserveError;
use crate::handle::{Handle, LEAF_CAPACITY, MAX_LEAVES};
use crate::reserve::table_error;

/// The number of buckets at which the first table splits. At this size its members still fit in a
/// second-level cache, and the split takes less than half a millisecond.
///
/// Under Miri, tables are smaller, because filling one of this size would take too long.
pub(super) const FIRST_BUCKETS: usize = if cfg!(miri) { 1 << 10 } else { 1 << 15 };

/// The number of buckets at which a segment splits. It is smaller because the members of a large set
/// are not cached.
pub(super) const SEGMENT_BUCKETS: usize = FIRST_BUCKETS / 8;

/// The number of handles that a segment of this size holds.
const SEGMENT_CAPACITY: usize = capacity(SEGMENT_BUCKETS);

/// The number of bits by which the first table splits, into segments that are half full.
const FIRST_BITS: u32 = 4;

/// The directory is not doubled if its entries would then stand for fewer handles than this on average.
/// That happens only if many hashes share their leading bits; the segment's own table grows instead.
const LEAST_LOAD: usize = SEGMENT_CAPACITY / 8;

/// The number of members hashed together. Small targets have little stack space, and no caches.
const HASH_BATCH: usize = if cfg!(target_pointer_width = "64") { 32 } else { 8 };

/// Returns the number of handles that a table with this many buckets holds: hashbrown fills 7/8.
pub(super) const fn capacity(buckets: usize) -> usize {
    buckets / 8 * 7
}

/// The tables that result from a split, in order of position.
type Parts = Vec<Table>;

impl Dict {
    /// Makes room in the table for a position.
    #[cold]
    pub(super) fn make_room(
        &mut self,
        position: u64,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let is_large = (ONE_TABLE..=capacity(FIRST_BUCKETS)).contains(&(self.len + 1));
        if self.has_small_segments() && is_large {
            match self.unite(self.len + 1, hash_of) {
                // The small tables can still grow.
                Ok(()) | Err(TryReserveError::AllocError) => {}
                error => return error,
            }
        }
        while !self.has_room(position) {
            match self.grow(position, hash_of) {
                // A table of the same size, without tombstones, needs less memory.
                Err(TryReserveError::AllocError) if self.has_tombstones(position) => {
                    let table = self.table_at_mut(position);
                    rebuild(table, table.len() + 1, hash_of)?;
                }
                result => result?,
            }
        }
        Ok(())
    }

    /// Returns whether the table for a position has room for one more handle.
    pub(super) fn has_room(&self, position: u64) -> bool {
        let table = self.table_at(position);
        table.len() < table.capacity()
    }

    /// Rebuilds or splits the table for a position, which has no room.
    fn grow(
        &mut self,
        position: u64,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let table = self.table_at(position);
        let (len, buckets) = (table.len(), table.num_buckets());
        // The same size if it is full of tombstones, otherwise twice the size. A small segment keeps its
        // size longer: its share of the handles varies more.
        let spare = if self.has_small_segments() { len / 8 } else { len / 4 + len / 16 };
        let wanted = len + spare + 1;
        if self.directory.is_none() && wanted > capacity(SMALL_BUCKETS) && len + 1 < ONE_TABLE {
            return self.split_small(hash_of);
        }
        let most = if self.directory.is_none() { FIRST_BUCKETS } else { SEGMENT_BUCKETS };
        // A table without room that holds far fewer handles than its capacity is full of tombstones.
        let is_whole = buckets >= most && len >= capacity(buckets) / 4 * 3;
        if is_whole && self.may_split(position) {
            self.split(position, hash_of)
        } else {
            rebuild(self.table_at_mut(position), wanted, hash_of)
        }
    }

    /// Returns whether a table can split without the directory becoming too large.
    fn may_split(&self, position: u64) -> bool {
        let entries = self.directory().len();
        self.next_bit(position) >= self.shift || self.len >= LEAST_LOAD * (2 * entries).max(8)
    }

    /// Returns the bit of a position by which its table splits next.
    fn next_bit(&self, position: u64) -> u32 {
        self.shift + self.extent(self.entry(position)).len().trailing_zeros() - 1
    }

    /// Splits the table for a position.
    fn split(
        &mut self,
        position: u64,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        match self.directory {
            None => self.split_first(FIRST_BITS, SEGMENT_CAPACITY, hash_of),
            Some(_) => self.split_segment(position, hash_of),
        }
    }

    /// Splits the only table into segments by this many leading bits of a position.
    pub(super) fn split_first(
        &mut self,
        bits: u32,
        capacity: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let count = 1 << bits;
        let mut parts = try_parts(count, capacity)?;
        try_split(&self.first, u64::BITS - bits, &mut parts, hash_of)?;
        let mut directory = Vec::new();
        directory.try_reserve_exact(count)?;

        directory.extend(0..count as u32);
        self.first = Table::new();
        self.segments = parts;
        self.shift = u64::BITS - bits;
        self.directory = Some(directory.into_boxed_slice());
        Ok(())
    }

    /// Splits the segment for a position in two.
    fn split_segment(
        &mut self,
        position: u64,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let bit = self.next_bit(position);
        let mut parts = try_parts(2, SEGMENT_CAPACITY)?;
        try_split(self.table_at(position), bit, &mut parts, hash_of)?;
        self.segments.try_reserve(1)?;
        if bit < self.shift {
            let doubled = self.try_doubled_directory()?;
            self.directory = Some(doubled);
            self.shift -= 1;
        }

        let Range { start, end } = self.extent(self.entry(position));
        let new = self.segments.len() as u32;
        let directory = self.directory.as_deref_mut().unwrap_or_default();
        directory[usize::midpoint(start, end)..end].fill(new);
        let first = directory[start] as usize;
        self.segments.extend(parts.pop());
        if let Some(table) = parts.pop() {
            self.segments[first] = table;
        }
        Ok(())
    }

    /// Returns the directory with each entry twice.
    fn try_doubled_directory(&self) -> Result<Box<[u32]>, TryReserveError> {
        let mut doubled = Vec::new();
        doubled.try_reserve_exact(2 * self.directory().len())?;
        doubled.extend(self.directory().iter().flat_map(|&segment| [segment; 2]));
        Ok(doubled.into_boxed_slice())
    }

    /// Reserves room for more handles: splits until each table has room for its share of them, and for
    /// at least one.
    pub(crate) fn try_reserve(
        &mut self,
        additional: usize,
        hash_of: impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let wanted = self.len.saturating_add(additional);
        if wanted > MAX_LEAVES * LEAF_CAPACITY {
            return Err(TryReserveError::CapacityOverflow);
        }
        if wanted <= capacity(FIRST_BUCKETS)
            && (self.directory.is_none() || self.has_small_segments())
        {
            return self.try_reserve_few(additional, &hash_of);
        }
        // A few standard deviations below the full capacity, since hashes are not evenly distributed.
        let per_segment = SEGMENT_CAPACITY / 16 * 15;
        let mut last_bit = u64::BITS;
        while wanted > per_segment << (u64::BITS - last_bit) {
            last_bit -= 1;
        }
        let mut next = Some(0);
        while let Some(position) = next {
            while self.next_bit(position) >= last_bit {
                self.split(position, &hash_of)?;
            }
            self.make_room(position, &hash_of)?;
            next = self.next_segment(position);
        }
        // There are enough segments, but tombstones may take up their room.
        let mut next = (self.capacity() < wanted).then_some(0);
        while let Some(position) = next {
            let table = self.table_at_mut(position);
            if table.capacity() < SEGMENT_CAPACITY {
                rebuild(table, SEGMENT_CAPACITY, &hash_of)?;
            }
            next = self.next_segment(position);
        }
        Ok(())
    }
}

/// Creates `count` empty tables with room for `capacity` handles each.
fn try_parts(count: usize, capacity: usize) -> Result<Parts, TryReserveError> {
    let mut parts = Parts::new();
    parts.try_reserve_exact(count)?;
    for _ in 0..count {
        parts.push(try_table(capacity)?);
    }
    Ok(parts)
}

/// Copies the handles of a table to the parts that it splits into, by the bits of their positions from
/// `bit` on.
fn try_split(
    table: &Table,
    bit: u32,
    parts: &mut Parts,
    hash_of: &impl Fn(Handle) -> usize,
) -> Result<(), TryReserveError> {
    let mask = parts.len() as u64 - 1;
    let mut handles = table.iter();
    loop {
        // Hash a batch first: the members are scattered in memory, and in a loop that does nothing
        // else, their cache misses overlap.
        let batch: ArrayVec<(usize, Handle), HASH_BATCH> =
            handles.by_ref().take(HASH_BATCH).map(|&handle| (hash_of(handle), handle)).collect();
        if batch.is_empty() {
            return Ok(());
        }
        for &(hash, handle) in &batch {
            let part = &mut parts[(position(hash) >> bit & mask) as usize];
            if part.len() == part.capacity() {
                // If all hashes share these bits, one part gets all handles.
                rebuild(part, 2 * part.len(), hash_of)?;
            }
            part.insert_unique(hash as u64, handle, no_rehash);
        }
    }
}

/// Moves the handles of a table to one of another size.
///
/// hashbrown's own `reserve` may rehash in place, which would lose handles if the user's hash panics.
pub(super) fn rebuild(
    table: &mut Table,
    capacity: usize,
    hash_of: &impl Fn(Handle) -> usize,
) -> Result<(), TryReserveError> {
    let mut rebuilt = try_table(capacity)?;
    for &handle in table.iter() {
        rebuilt.insert_unique(hash_of(handle) as u64, handle, no_rehash);
    }
    *table = rebuilt;
    Ok(())
}

/// Creates an empty table with room for this many handles.
pub(super) fn try_table(capacity: usize) -> Result<Table, TryReserveError> {
    let mut table = Table::new();
    table.try_reserve(capacity, no_rehash).map_err(table_error)?;
    Ok(table)
}
