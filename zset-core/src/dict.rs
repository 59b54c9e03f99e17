//! [`Dict`]: from the hash of a member to its handle, in small tables that split one at a time.
//!
//! Extendible hashing (Fagin, Nievergelt, Pippenger, Strong: "Extendible Hashing: A Fast Access
//! Method for Dynamic Files", ACM TODS 4(3), 1979) over hashbrown tables of at most 1024 buckets:
//!
//! ```text
//! bits of the hash   directory           segments
//!               00 ──► 0 ──────────────► 0  (depth 1: holds .0)
//!               01 ──► 1 ──────────────► 1  (depth 2: holds 01)
//!               10 ──► 0 ──────────┘  ┌► 2  (depth 2: holds 11)
//!               11 ──► 2 ─────────────┘
//! ```
//!
//! A table that is full splits in two by the next bit, so one insertion rehashes at most 896
//! handles, allocates a few kilobytes, and never touches the other tables. One large table, grown
//! at once or bit by bit, has to allocate and clear all its control bytes in a single insertion.
//!
//! Invariants: a segment of depth d holds exactly the handles whose hash has the d bits by which
//! the directory leads to it, and is found at `directory.len() / 2^d` places. With one segment the
//! directory is empty. No handle is in the dict twice.

use alloc::vec::Vec;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::TryReserveError;
use crate::handle::Handle;

mod grow;
mod layout;
mod scan;

pub use layout::DictLayout;

#[derive(Clone, Default)]
struct Segment {
    table: HashTable<Handle>,
    /// How many bits of the hash all its handles share.
    depth: u32,
}

#[derive(Clone)]
pub(crate) struct Dict {
    /// The segment for each value of the lowest bits of `selector`; empty while there is only one.
    directory: Vec<u32>,
    segments: Vec<Segment>,
    len: usize,
}

/// The segment where a handle goes.
#[derive(Clone, Copy)]
pub(crate) struct SegmentId(u32);

/// Spreads the hash: the bits that choose a segment depend on all of it, so that they are neither
/// those that hashbrown uses inside a table, nor missing if a hasher fills only some of the bits.
#[inline]
fn selector(hash: u64) -> usize {
    // Both halves of the product folded, as in wyhash: the low half depends on the low bits of the
    // hash, the high half on the high ones.
    let product = u128::from(hash) * 0x9E37_79B9_7F4A_7C15;
    (product as u64 ^ (product >> 64) as u64) as usize
}

impl Dict {
    pub(crate) const fn new() -> Self {
        Dict { directory: Vec::new(), segments: Vec::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the index in the directory; it is out of bounds if the directory is empty.
    #[inline]
    fn entry(&self, selector: usize) -> usize {
        selector & self.directory.len().wrapping_sub(1)
    }

    #[inline]
    fn segment_id(&self, selector: usize) -> u32 {
        self.directory.get(self.entry(selector)).copied().unwrap_or(0)
    }

    #[inline]
    fn table(&mut self, hash: u64) -> &mut HashTable<Handle> {
        let id = self.segment_id(selector(hash));
        &mut self.segments[id as usize].table
    }

    /// Returns what `sought` makes of the first handle of this hash of which it makes anything.
    #[inline]
    pub(crate) fn find_map<T>(
        &self,
        hash: u64,
        mut sought: impl FnMut(Handle) -> Option<T>,
    ) -> Option<T> {
        let segment = self.segments.get(self.segment_id(selector(hash)) as usize)?;
        let mut found = None;
        segment.table.find(hash, |&handle| {
            found = sought(handle);
            found.is_some()
        })?;
        found
    }

    /// Adds a handle that is not in the dict to the segment in which `try_reserve_one` made room.
    #[inline]
    pub(crate) fn insert(&mut self, SegmentId(id): SegmentId, hash: u64, handle: Handle) {
        let table = &mut self.segments[id as usize].table;
        table.insert_unique(hash, handle, |_| unreachable!("room was reserved"));
        self.len += 1;
    }

    /// Adds a handle, unless one of this hash is there that `is_same` accepts; returns whether it did.
    #[inline]
    pub(crate) fn try_insert_new(
        &mut self,
        hash: u64,
        handle: Handle,
        is_same: impl Fn(Handle) -> bool,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<bool, TryReserveError> {
        let SegmentId(id) = self.try_reserve_one(hash, hash_of)?;
        let table = &mut self.segments[id as usize].table;
        match table.entry(hash, |&other| is_same(other), |_| unreachable!("room was reserved")) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(entry) => {
                entry.insert(handle);
                self.len += 1;
                Ok(true)
            }
        }
    }

    /// Puts another handle in the place of one.
    #[inline]
    pub(crate) fn replace(&mut self, hash: u64, from: Handle, to: Handle) {
        if let Some(handle) = self.table(hash).find_mut(hash, |&handle| handle == from) {
            *handle = to;
        }
    }

    /// Removes a handle.
    #[inline]
    pub(crate) fn remove(&mut self, hash: u64, handle: Handle) {
        if let Ok(entry) = self.table(hash).find_entry(hash, |&other| other == handle) {
            entry.remove();
            self.len -= 1;
        }
    }

    /// Makes room for one handle of this hash. On an error, or if `hash_of` panics, every handle is
    /// still found.
    #[inline]
    pub(crate) fn try_reserve_one(
        &mut self,
        hash: u64,
        hash_of: impl Fn(Handle) -> u64,
    ) -> Result<SegmentId, TryReserveError> {
        let id = self.segment_id(selector(hash));
        match self.segments.get(id as usize) {
            Some(Segment { table, .. }) if table.len() < table.capacity() => Ok(SegmentId(id)),
            _ => self.make_room(selector(hash), hash_of),
        }
    }

    /// Returns the bytes that the dict takes from the allocator.
    pub(crate) fn allocation_size(&self) -> usize {
        let tables: usize = self.segments.iter().map(|s| s.table.allocation_size()).sum();
        let directory = self.directory.capacity() * size_of::<u32>();
        tables + directory + self.segments.capacity() * size_of::<Segment>()
    }

    /// Panics if an invariant of the dict does not hold, or if `hash_of` and it disagree.
    pub(crate) fn check(&self, hash_of: impl Fn(Handle) -> u64) {
        let entries = self.directory.len();
        assert!(entries == 0 || entries.is_power_of_two() && entries > 1, "{entries} entries");
        let segments = self.segments.len();
        assert_eq!(entries == 0, segments <= 1, "{segments} segments and {entries} entries");
        let mut len = 0;
        for (id, segment) in (0..).zip(self.segments.iter()) {
            let leading = self.directory.iter().filter(|&&other| other == id).count();
            assert_eq!(leading, entries >> segment.depth, "entries that lead to segment {id}");
            for &handle in &segment.table {
                assert_eq!(self.segment_id(selector(hash_of(handle))), id, "segment of {handle:?}");
                let found = self.find_map(hash_of(handle), |other| (other == handle).then_some(()));
                assert!(found.is_some(), "a handle is not where its hash says");
            }
            len += segment.table.len();
        }
        assert_eq!(len, self.len, "the dict's tables hold another number of handles");
    }
}

#[cfg(test)]
mod tests {
    use super::grow::{SEGMENT_BUCKETS, SEGMENT_CAPACITY};
    use super::*;
    use crate::handle::{LEAF_CAPACITY, MAX_LEAVES};
    use std::collections::BTreeMap;

    /// The handles 0..n with the hashes that `hash_of` gives them.
    fn filled(n: u32, hash_of: impl Fn(Handle) -> u64 + Copy) -> Dict {
        let mut dict = Dict::new();
        for i in 0..n {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            let segment = dict.try_reserve_one(hash_of(handle), hash_of).unwrap();
            dict.insert(segment, hash_of(handle), handle);
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
        dict.find_map(hash, |other| (other == handle).then_some(())).is_some()
    }

    const MANY: u32 = if cfg!(miri) { 1_000 } else { 50_000 };

    #[test]
    fn handles_are_found_replaced_and_removed_across_splits() {
        let mut dict = filled(MANY, spread);
        assert!(dict.segments.len() > 1);
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
    #[cfg_attr(miri, ignore = "takes minutes there")]
    fn hashes_of_low_quality_do_not_blow_up_the_directory() {
        let constant = filled(5_000, |_| 42);
        assert!(constant.directory.len() <= 32, "{} entries", constant.directory.len());
        let of_32_bits = filled(MANY, |handle| spread(handle) & 0xFFFF_FFFF);
        assert!(of_32_bits.segments.iter().all(|s| s.table.num_buckets() <= SEGMENT_BUCKETS));
        filled(MANY, number);
        filled(MANY, |handle| number(handle) << 32);
        filled(MANY, |handle| number(handle) & 0xFF);
    }

    #[test]
    fn churn_at_constant_length_does_not_grow_the_dict() {
        let mut dict = filled(600, spread);
        let size = dict.allocation_size();
        for i in 600..if cfg!(miri) { 700 } else { 50_000u32 } {
            let handle = Handle::new(i / 64, (i % 64) as u8);
            let old = Handle::new((i - 600) / 64, ((i - 600) % 64) as u8);
            dict.remove(spread(old), old);
            let segment = dict.try_reserve_one(spread(handle), spread).unwrap();
            dict.insert(segment, spread(handle), handle);
        }
        dict.check(spread);
        assert_eq!(dict.allocation_size(), size);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes there")]
    fn after_a_reservation_nothing_is_allocated() {
        const MORE: u32 = 20_000;
        for already in [0, 10, 3_000] {
            let mut dict = filled(already, spread);
            dict.try_reserve(MORE as usize, spread).unwrap();
            dict.check(spread);
            let size = dict.allocation_size();
            for i in already..already + MORE {
                let handle = Handle::new(i / 64, (i % 64) as u8);
                let segment = dict.try_reserve_one(spread(handle), spread).unwrap();
                dict.insert(segment, spread(handle), handle);
            }
            assert_eq!(dict.allocation_size(), size);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes there")]
    fn room_for_millions_can_be_reserved_and_for_more_than_there_are_handles_not() {
        let mut dict = Dict::new();
        dict.try_reserve(2_000_000, spread).unwrap();
        assert!(dict.allocation_size() > 2_000_000 * size_of::<Handle>());
        let most = MAX_LEAVES * LEAF_CAPACITY;
        assert_eq!(dict.try_reserve(most + 1, spread), Err(TryReserveError::CapacityOverflow));
    }

    #[test]
    fn a_panic_in_the_hash_loses_nothing() {
        let mut dict = filled(SEGMENT_CAPACITY as u32, spread);
        let new = Handle::new(1 << 20, 0);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            dict.try_reserve_one(spread(new), |_| panic!("in the hash"))
        }));
        assert!(result.is_err());
        dict.check(spread);
        assert_eq!(dict.len(), SEGMENT_CAPACITY);
    }
}
