//! [`Dict`]: a map from the hash of a member to its handle, in hash tables that split one at a time.
//!
//! Up to 28,672 handles live in a single hashbrown table. Larger dicts use extendible hashing (Fagin,
//! Nievergelt, Pippenger, Strong: "Extendible Hashing: A Fast Access Method for Dynamic Files", ACM
//! TODS 4(3), 1979): tables of at most 4,096 buckets, chosen by the leading bits of the hash times a
//! constant.
//!
//! ```text
//! leading bits     directory        segments
//!           00 ──► 0 ─────────────► 0  (holds 0.)
//!           01 ──► 0 ──────────┘ ┌► 1  (holds 10)
//!           10 ──► 1 ────────────┘
//!           11 ──► 2 ─────────────► 2  (holds 11)
//! ```
//!
//! The first table splits into sixteen segments; a full segment splits in two by the next bit. One
//! insertion therefore rehashes at most 28,672 handles, whose members still fit in a cache, and later
//! at most 3,584, and never touches the other tables. A single large table, grown at once or
//! incrementally, would have to allocate and clear all its control bytes during one insertion.
//!
//! Invariants: without a directory, `first` is the only table; with one, `first` is empty. The 2^k
//! directory entries that lead to a segment start at a multiple of 2^k, and the positions of all its
//! handles start with their common leading bits. No handle is in the dict twice.

use alloc::vec::Vec;
use core::ops::Range;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::TryReserveError;
use crate::handle::Handle;

mod grow;
#[cfg(feature = "unstable-internals")]
mod layout;
mod scan;

#[cfg(feature = "unstable-internals")]
pub use layout::DictLayout;

#[derive(Clone)]
pub(crate) struct Dict {
    /// The only table, until it splits.
    first: HashTable<Handle>,
    /// The segment for each value of a position's leading bits. The length is a power of two.
    directory: Vec<u32>,
    segments: Vec<HashTable<Handle>>,
    /// Shifts a position to its index in the directory: 64 minus the number of leading bits.
    shift: u32,
    len: usize,
}

/// Returns the position of a hash in the order of the directory.
///
/// The leading bits of a position depend on all bits of the hash, so they are independent of the bits
/// that hashbrown uses within a table, and vary even if a hasher sets only a few bits. Different hashes
/// have different positions.
#[inline]
fn position(hash: u64) -> u64 {
    hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Dict {
    pub(crate) const fn new() -> Self {
        Dict {
            first: HashTable::new(),
            directory: Vec::new(),
            segments: Vec::new(),
            shift: u64::BITS,
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the table for a position.
    #[inline]
    fn table_at(&self, position: u64) -> &HashTable<Handle> {
        if self.directory.is_empty() {
            return &self.first;
        }
        &self.segments[self.directory[(position >> self.shift) as usize] as usize]
    }

    #[inline]
    fn table_at_mut(&mut self, position: u64) -> &mut HashTable<Handle> {
        if self.directory.is_empty() {
            return &mut self.first;
        }
        &mut self.segments[self.directory[(position >> self.shift) as usize] as usize]
    }

    #[inline]
    fn table(&self, hash: u64) -> &HashTable<Handle> {
        self.table_at(position(hash))
    }

    #[inline]
    fn table_mut(&mut self, hash: u64) -> &mut HashTable<Handle> {
        self.table_at_mut(position(hash))
    }

    /// Returns all tables.
    fn tables(&self) -> &[HashTable<Handle>] {
        if self.directory.is_empty() { core::slice::from_ref(&self.first) } else { &self.segments }
    }

    /// Returns the directory index of a position; 0 without a directory.
    fn entry(&self, position: u64) -> usize {
        position.checked_shr(self.shift).unwrap_or(0) as usize
    }

    /// Returns the directory entries that lead to the same segment as this one.
    fn extent(&self, entry: usize) -> Range<usize> {
        let mut size = 1;
        while size < self.directory.len() && self.directory[entry ^ size] == self.directory[entry] {
            size *= 2;
        }
        let start = entry & !(size - 1);
        start..start + size
    }

    /// Returns the first position of the next segment.
    fn next_segment(&self, position: u64) -> Option<u64> {
        let end = self.extent(self.entry(position)).end;
        (end < self.directory.len()).then(|| (end as u64) << self.shift)
    }

    /// Returns all handles with this hash, and possibly a few others.
    #[inline]
    pub(crate) fn candidates(&self, hash: u64) -> impl Iterator<Item = Handle> {
        self.table(hash).iter_hash(hash).copied()
    }

    /// Adds a handle that is not in the dict. `try_reserve_one` must have reserved room for it.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, handle: Handle) {
        let table = self.table_mut(hash);
        table.insert_unique(hash, handle, |_| unreachable!("room was reserved"));
        self.len += 1;
    }

    /// Adds a handle unless `is_same` accepts a handle already stored under this hash; returns whether
    /// it was added.
    #[inline]
    pub(crate) fn try_insert_new(
        &mut self,
        hash: u64,
        handle: Handle,
        is_same: impl Fn(Handle) -> bool,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<bool, TryReserveError> {
        self.try_reserve_one(hash, hash_of)?;
        let table = self.table_mut(hash);
        match table.entry(hash, |&other| is_same(other), |_| unreachable!("room was reserved")) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(entry) => {
                entry.insert(handle);
                self.len += 1;
                Ok(true)
            }
        }
    }

    /// Replaces a handle with another.
    #[inline]
    pub(crate) fn replace(&mut self, hash: u64, from: Handle, to: Handle) {
        if let Some(handle) = self.table_mut(hash).find_mut(hash, |&handle| handle == from) {
            *handle = to;
        }
    }

    /// Removes a handle.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u64, handle: Handle) {
        if let Ok(entry) = self.table_mut(hash).find_entry(hash, |&other| other == handle) {
            entry.remove();
            self.len -= 1;
        }
    }

    /// Reserves room for one handle with this hash. After an error, or a panic in `hash_of`, every
    /// handle can still be found.
    #[inline]
    pub(crate) fn try_reserve_one(
        &mut self,
        hash: u64,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<(), TryReserveError> {
        let table = self.table(hash);
        if table.len() < table.capacity() {
            return Ok(());
        }
        self.make_room(position(hash), hash_of)
    }

    /// Returns the number of handles for which the tables have room, including those stored.
    pub(crate) fn capacity(&self) -> usize {
        self.tables().iter().map(HashTable::capacity).sum()
    }

    /// Returns the number of bytes the dict has allocated.
    pub(crate) fn allocation_size(&self) -> usize {
        let tables: usize = self.tables().iter().map(HashTable::allocation_size).sum();
        let directory = self.directory.capacity() * size_of::<u32>();
        tables + directory + self.segments.capacity() * size_of::<HashTable<Handle>>()
    }

    /// Panics if an invariant of the dict is violated, or if `hash_of` disagrees with it.
    pub(crate) fn check(&self, hash_of: impl Fn(Handle) -> u64) {
        let entries = self.directory.len();
        assert_eq!(entries == 0, self.segments.is_empty(), "the directory and the segments differ");
        if entries > 0 {
            assert!(entries.is_power_of_two() && entries > 1, "{entries} entries");
            assert_eq!(
                self.shift,
                u64::BITS - entries.trailing_zeros(),
                "the shift does not match the directory"
            );
            assert!(self.first.is_empty(), "the first table is in use beside segments");
            let mut seen = alloc::vec![false; self.segments.len()];
            let mut entry = 0;
            while entry < entries {
                let extent = self.extent(entry);
                let id = self.directory[entry] as usize;
                assert_eq!(extent.start, entry, "the entries of segment {id} are not aligned");
                assert!(self.directory[extent.clone()].iter().all(|&other| other as usize == id));
                assert!(!core::mem::replace(&mut seen[id], true), "segment {id} is in two places");
                entry = extent.end;
            }
            assert!(seen.into_iter().all(|seen| seen), "a segment has no entry");
        }
        let mut len = 0;
        for table in self.tables() {
            for &handle in table {
                let hash = hash_of(handle);
                assert!(core::ptr::eq(self.table(hash), table), "{handle:?} is in the wrong table");
                let is_found = self.candidates(hash).any(|other| other == handle);
                assert!(is_found, "a handle is not found by its hash");
            }
            len += table.len();
        }
        assert_eq!(len, self.len, "the tables hold a different number of handles");
    }
}

#[cfg(test)]
mod tests {
    use super::grow::{FIRST_BUCKETS, SEGMENT_BUCKETS, capacity};
    use super::*;
    use crate::handle::{LEAF_CAPACITY, MAX_LEAVES};
    use std::collections::BTreeMap;

    /// Creates a dict of the handles 0..n with hashes from `hash_of`.
    fn filled(n: u32, hash_of: impl Fn(Handle) -> u64 + Copy) -> Dict {
        let mut dict = Dict::new();
        for i in 0..n {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            dict.try_reserve_one(hash_of(handle), hash_of).unwrap();
            dict.insert(hash_of(handle), handle);
        }
        dict.check(hash_of);
        dict
    }

    fn number(handle: Handle) -> u64 {
        u64::from(handle.leaf()) * 64 + u64::from(handle.slot())
    }

    fn spread(handle: Handle) -> u64 {
        // The finalizer of splitmix64.
        let mut x = number(handle).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
    }

    fn has(dict: &Dict, hash: u64, handle: Handle) -> bool {
        dict.candidates(hash).any(|other| other == handle)
    }

    /// Enough for the first table to split, and then for segments to split.
    const MANY: u32 = if cfg!(miri) { 2_000 } else { 100_000 };

    #[test]
    fn handles_are_found_replaced_and_removed_across_splits() {
        let mut dict = filled(MANY, spread);
        assert!(dict.segments.len() > 16);
        let mut model: BTreeMap<u64, Handle> = BTreeMap::new();
        for i in 0..MANY {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            model.insert(number(handle), handle);
            if i % 3 == 0 {
                dict.remove(spread(handle), handle);
                model.remove(&number(handle));
            }
            assert_eq!(has(&dict, spread(handle), handle), i % 3 != 0);
        }
        assert_eq!(dict.len(), model.len());
        let (first, other) = (Handle::new(0, 1), Handle::new(1 << 20, 7));
        dict.replace(spread(first), first, other);
        assert!(!has(&dict, spread(first), first));
        assert!(has(&dict, spread(first), other));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn hashes_of_low_quality_do_not_blow_up_the_directory() {
        filled(3_000, |_| 42);
        let few = filled(35_000, |handle| number(handle) & 0xF);
        assert!(few.directory.len() <= 64, "{} entries", few.directory.len());
        let of_32_bits = filled(MANY, |handle| spread(handle) & 0xFFFF_FFFF);
        assert!(of_32_bits.tables().iter().all(|table| table.num_buckets() <= SEGMENT_BUCKETS));
        filled(MANY, number);
        filled(MANY, |handle| number(handle) << 32);
    }

    #[test]
    fn churn_at_constant_length_does_not_grow_the_dict() {
        let mut dict = filled(600, spread);
        let size = dict.allocation_size();
        for i in 600..if cfg!(miri) { 700 } else { 50_000u32 } {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            let old = Handle::new((i - 600) / 64, ((i - 600) % 64) as u8);
            dict.remove(spread(old), old);
            dict.try_reserve_one(spread(handle), spread).unwrap();
            dict.insert(spread(handle), handle);
        }
        dict.check(spread);
        assert_eq!(dict.allocation_size(), size);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn a_reservation_removes_tombstones_that_occupy_the_room() {
        const LEN: u32 = 100_000;
        for len in (LEN..2 * LEN).step_by(LEN as usize / 10) {
            let mut dict = filled(len, spread);
            for i in (0..len).filter(|i| i % 10 > 0) {
                let handle = Handle::new(i / 64, (i % 64) as u8);
                dict.remove(spread(handle), handle);
            }
            let more = len as usize / 10 * 8;
            dict.try_reserve(more, spread).unwrap();
            dict.check(spread);
            assert!(dict.capacity() >= dict.len() + more, "{more} of {len}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn insertions_after_a_reservation_allocate_nothing() {
        const MORE: u32 = 60_000;
        for already in [0, 10, 3_000, 40_000] {
            let mut dict = filled(already, spread);
            dict.try_reserve(MORE as usize, spread).unwrap();
            dict.check(spread);
            let size = dict.allocation_size();
            for i in already..already + MORE {
                let handle = Handle::new(i / 64, (i % 64) as u8);
                dict.try_reserve_one(spread(handle), spread).unwrap();
                dict.insert(spread(handle), handle);
            }
            assert_eq!(dict.allocation_size(), size);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn reserving_succeeds_for_millions_but_not_beyond_the_handle_limit() {
        let mut dict = Dict::new();
        dict.try_reserve(2_000_000, spread).unwrap();
        assert!(dict.allocation_size() > 2_000_000 * size_of::<Handle>());
        let most = MAX_LEAVES * LEAF_CAPACITY;
        assert_eq!(dict.try_reserve(most + 1, spread), Err(TryReserveError::CapacityOverflow));
    }

    #[test]
    fn a_panic_in_the_hash_loses_nothing() {
        // In the first case the table is rebuilt; in the second it splits.
        for buckets in [SEGMENT_BUCKETS, FIRST_BUCKETS] {
            let len = capacity(buckets);
            let mut dict = filled(len as u32, spread);
            assert_eq!(dict.tables().iter().map(HashTable::capacity).sum::<usize>(), len);
            let new = Handle::new(1 << 20, 0);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                dict.try_reserve_one(spread(new), |_| panic!("panic in the hash"))
            }));
            assert!(result.is_err());
            dict.check(spread);
            assert_eq!(dict.len(), len);
        }
    }
}
