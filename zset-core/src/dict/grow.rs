//! Growing: rebuilding or splitting one table at a time.

use arrayvec::ArrayVec;
use core::ops::Range;
use hashbrown::HashTable;

use super::{Dict, position};
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

/// The number of members hashed together.
const HASH_BATCH: usize = 32;

/// Returns the number of handles that a table with this many buckets holds: hashbrown fills 7/8.
pub(super) const fn capacity(buckets: usize) -> usize {
    buckets / 8 * 7
}

/// The tables that result from a split, in order of position.
type Parts = ArrayVec<HashTable<Handle>, { 1 << FIRST_BITS }>;

impl Dict {
    /// Makes room in the table for a position.
    #[cold]
    pub(super) fn make_room(
        &mut self,
        position: u64,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        loop {
            let table = self.table_at(position);
            let (len, buckets) = (table.len(), table.num_buckets());
            if len < table.capacity() {
                return Ok(());
            }
            let most = if self.directory.is_empty() { FIRST_BUCKETS } else { SEGMENT_BUCKETS };
            // A table without room that holds far fewer handles than its capacity is full of
            // tombstones.
            let is_whole = buckets >= most && len >= capacity(buckets) / 4 * 3;
            if is_whole && self.may_split(position) {
                self.split(position, &hash_of)?;
            } else {
                // The same size if it is full of tombstones, otherwise twice the size.
                rebuild(self.table_at_mut(position), len * 4 / 3 + 1, &hash_of)?;
            }
        }
    }

    /// Returns whether a table can split without the directory becoming too large.
    fn may_split(&self, position: u64) -> bool {
        let entries = self.directory.len();
        self.next_bit(position) >= self.shift || self.len / (2 * entries).max(8) >= LEAST_LOAD
    }

    /// Returns the bit of a position by which its table splits next.
    fn next_bit(&self, position: u64) -> u32 {
        self.shift + self.extent(self.entry(position)).len().trailing_zeros() - 1
    }

    /// Splits the table for a position.
    fn split(
        &mut self,
        position: u64,
        hash_of: &impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        if self.directory.is_empty() {
            self.split_first(hash_of)
        } else {
            self.split_segment(position, hash_of)
        }
    }

    /// Splits the first table into segments.
    fn split_first(&mut self, hash_of: &impl Fn(Handle) -> u64) -> Result<(), TryReserveError> {
        let parts = try_split(&self.first, u64::BITS - FIRST_BITS, FIRST_BITS, hash_of)?;
        self.segments.try_reserve(parts.len())?;
        self.directory.try_reserve_exact(parts.len())?;

        self.first = HashTable::new();
        self.directory.extend(0..parts.len() as u32);
        self.segments.extend(parts);
        self.shift = u64::BITS - FIRST_BITS;
        Ok(())
    }

    /// Splits the segment for a position in two.
    fn split_segment(
        &mut self,
        position: u64,
        hash_of: &impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        let bit = self.next_bit(position);
        let mut parts = try_split(self.table_at(position), bit, 1, hash_of)?;
        self.segments.try_reserve(1)?;
        if bit < self.shift {
            self.directory.try_reserve_exact(self.directory.len())?;
            self.double_directory();
        }

        let Range { start, end } = self.extent(self.entry(position));
        self.directory[usize::midpoint(start, end)..end].fill(self.segments.len() as u32);
        self.segments.extend(parts.pop());
        self.segments[self.directory[start] as usize] = parts.remove(0);
        Ok(())
    }

    /// Duplicates each entry of the directory. The memory must already be reserved.
    fn double_directory(&mut self) {
        let entries = 2 * self.directory.len();
        self.directory.resize(entries, 0);
        for entry in (0..entries).rev() {
            self.directory[entry] = self.directory[entry / 2];
        }
        self.shift -= 1;
    }

    /// Reserves room for more handles: splits until each table has room for its share of them, and for
    /// at least one.
    pub(crate) fn try_reserve(
        &mut self,
        additional: usize,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        let wanted = self.len.saturating_add(additional);
        if wanted > MAX_LEAVES * LEAF_CAPACITY {
            return Err(TryReserveError::CapacityOverflow);
        }
        if wanted <= capacity(FIRST_BUCKETS) && self.directory.is_empty() {
            if wanted > self.first.capacity() {
                rebuild(&mut self.first, wanted, &hash_of)?;
            }
            return Ok(());
        }
        // A few standard deviations below the full capacity, since hashes are not evenly distributed.
        let segments = wanted.div_ceil(SEGMENT_CAPACITY / 16 * 15);
        let last_bit = u64::BITS - segments.next_power_of_two().trailing_zeros();
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

/// Splits a table by `bits` bits of its positions, starting at `bit`.
fn try_split(
    table: &HashTable<Handle>,
    bit: u32,
    bits: u32,
    hash_of: &impl Fn(Handle) -> u64,
) -> Result<Parts, TryReserveError> {
    let mut parts = Parts::new();
    for _ in 0..1 << bits {
        parts.push(try_table(SEGMENT_CAPACITY)?);
    }
    let mut handles = table.iter();
    loop {
        // Hash a batch first: the members are scattered in memory, and in a loop that does nothing
        // else, their cache misses overlap.
        let batch: ArrayVec<(u64, Handle), HASH_BATCH> =
            handles.by_ref().take(HASH_BATCH).map(|&handle| (hash_of(handle), handle)).collect();
        if batch.is_empty() {
            return Ok(parts);
        }
        for (hash, handle) in batch {
            let part = position(hash) >> bit & ((1 << bits) - 1);
            let part = &mut parts[part as usize];
            if part.len() == part.capacity() {
                // If all hashes share these bits, one part gets all handles.
                part.try_reserve(1, |&handle| hash_of(handle)).map_err(table_error)?;
            }
            part.insert_unique(hash, handle, |_| unreachable!("room was reserved"));
        }
    }
}

/// Moves the handles of a table to one of another size.
///
/// hashbrown's own `reserve` may rehash in place, which would lose handles if the user's hash panics.
fn rebuild(
    table: &mut HashTable<Handle>,
    capacity: usize,
    hash_of: &impl Fn(Handle) -> u64,
) -> Result<(), TryReserveError> {
    let mut rebuilt = try_table(capacity)?;
    for &handle in &*table {
        rebuilt.insert_unique(hash_of(handle), handle, |_| unreachable!("room was made"));
    }
    *table = rebuilt;
    Ok(())
}

/// Creates an empty table with room for this many handles.
fn try_table(capacity: usize) -> Result<HashTable<Handle>, TryReserveError> {
    let mut table = HashTable::new();
    table.try_reserve(capacity, |_| unreachable!("the table is empty")).map_err(table_error)?;
    Ok(table)
}
