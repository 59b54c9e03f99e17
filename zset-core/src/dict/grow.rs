//! Growing: tables that are rebuilt or split, one at a time.

use arrayvec::ArrayVec;
use hashbrown::HashTable;

use super::{Dict, Segment, SegmentId, selector};
use crate::TryReserveError;
use crate::handle::{Handle, LEAF_CAPACITY, MAX_LEAVES};

/// Buckets of a segment that splits instead of growing.
pub(super) const SEGMENT_BUCKETS: usize = 1024;

/// Handles that they hold: hashbrown fills 7/8.
pub(super) const SEGMENT_CAPACITY: usize = SEGMENT_BUCKETS / 8 * 7;

/// A full segment that holds less than this is full of tombstones: it is rebuilt, not split.
const SPLIT_LEN: usize = SEGMENT_CAPACITY / 4 * 3;

/// The directory is not doubled when each of its entries would stand for fewer handles than this on
/// average. That happens only if many hashes share their bits: the segment's own table grows then.
const LEAST_LOAD: usize = SEGMENT_CAPACITY / 8;

/// Members whose hashes are computed together.
const HASH_BATCH: usize = 32;

impl Dict {
    /// Makes room in the segment of this selector.
    #[cold]
    pub(super) fn make_room(
        &mut self,
        selector: usize,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<SegmentId, TryReserveError> {
        self.try_first_segment()?;
        loop {
            let id = self.segment_id(selector);
            let table = &self.segments[id as usize].table;
            let len = table.len();
            if len < table.capacity() {
                return Ok(SegmentId(id));
            }
            let is_whole = table.num_buckets() >= SEGMENT_BUCKETS;
            if is_whole && len >= SPLIT_LEN && self.may_split(id) {
                self.split(self.entry(selector), &hash_of)?;
            } else {
                // As large as before if it is full of tombstones, else twice as large.
                self.rebuild(id, len * 4 / 3 + 1, &hash_of)?;
            }
        }
    }

    /// Puts a segment's handles into a table of another size.
    ///
    /// hashbrown's own `reserve` may rehash in place, where a panic in the user's hash loses handles.
    fn rebuild(
        &mut self,
        id: u32,
        capacity: usize,
        hash_of: &impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        let table = &mut self.segments[id as usize].table;
        let mut rebuilt = try_table(capacity)?;
        for &handle in &*table {
            rebuilt.insert_unique(hash_of(handle), handle, |_| unreachable!("room was made"));
        }
        *table = rebuilt;
        Ok(())
    }

    fn try_first_segment(&mut self) -> Result<(), TryReserveError> {
        if self.segments.is_empty() {
            self.segments.try_reserve_exact(1)?;
            self.segments.push(Segment::default());
        }
        Ok(())
    }

    /// Returns whether the segment can split without the directory growing out of proportion.
    fn may_split(&self, id: u32) -> bool {
        let depth = self.segments[id as usize].depth;
        let entries = self.directory.len().max(1);
        1 << depth < entries || self.len / (2 * entries) >= LEAST_LOAD
    }

    /// Splits the segment at this entry of the directory by the next bit.
    fn split(
        &mut self,
        entry: usize,
        hash_of: &impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        let id = self.directory.get(entry).copied().unwrap_or(0);
        let Segment { table, depth } = &self.segments[id as usize];
        let bit = 1 << depth;
        // The table of the handles whose bit is 0, and that of those whose bit is 1.
        let mut halves = [try_table(SEGMENT_CAPACITY)?, try_table(SEGMENT_CAPACITY)?];
        let mut handles = table.iter();
        loop {
            // A batch of hashes first: the members lie anywhere, and in a loop that does nothing
            // else the processor waits for many of them at once.
            let batch: ArrayVec<(u64, Handle), HASH_BATCH> = handles
                .by_ref()
                .take(HASH_BATCH)
                .map(|&handle| (hash_of(handle), handle))
                .collect();
            if batch.is_empty() {
                break;
            }
            for (hash, handle) in batch {
                let half = &mut halves[selector(hash) >> depth & 1];
                if half.len() == half.capacity() {
                    // Hashes that all share the bit make a half as large as the whole was.
                    half.try_reserve(1, |&handle| hash_of(handle))?;
                }
                half.insert_unique(hash, handle, |_| unreachable!("room was reserved"));
            }
        }
        let depth = depth + 1;
        self.segments.try_reserve(1)?;
        let entries = self.directory.len();
        if entries < 1 << depth {
            self.directory.try_reserve_exact((1 << depth) - entries)?;
            if entries == 0 {
                self.directory.push(0);
            }
            self.directory.extend_from_within(..);
        }

        let [low, high] = halves.map(|table| Segment { table, depth });
        self.segments[id as usize] = low;
        let new_id = self.segments.len() as u32;
        self.segments.push(high);
        // The entries that lead to the old segment end in the same bits; every other is the new's.
        let first = entry & (bit - 1) | bit;
        self.directory[first..].iter_mut().step_by(2 * bit).for_each(|entry| *entry = new_id);
        Ok(())
    }

    /// Makes room for more handles: splits until each segment has room for its share of them, and
    /// for one at least.
    pub(crate) fn try_reserve(
        &mut self,
        additional: usize,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        if additional == 0 {
            return Ok(());
        }
        let wanted = self.len.saturating_add(additional);
        if wanted > MAX_LEAVES * LEAF_CAPACITY {
            return Err(TryReserveError::CapacityOverflow);
        }
        self.try_first_segment()?;
        if wanted <= SEGMENT_CAPACITY && self.directory.is_empty() {
            if wanted > self.segments[0].table.capacity() {
                self.rebuild(0, wanted, &hash_of)?;
            }
        } else {
            // Below the full capacity by a few standard deviations of a random load.
            let segments = wanted.div_ceil(SEGMENT_CAPACITY * 7 / 8);
            let depth = segments.next_power_of_two().trailing_zeros();
            for entry in 0..1 << depth {
                while self.segments[self.segment_id(entry) as usize].depth < depth {
                    self.split(self.entry(entry), &hash_of)?;
                }
            }
        }
        let mut entry = 0;
        while entry < self.directory.len().max(1) {
            self.make_room(entry, &hash_of)?;
            entry += 1;
        }
        Ok(())
    }
}

/// Makes an empty table with room for this many handles.
fn try_table(capacity: usize) -> Result<HashTable<Handle>, TryReserveError> {
    let mut table = HashTable::new();
    table.try_reserve(capacity, |_| unreachable!("the table is empty"))?;
    Ok(table)
}
