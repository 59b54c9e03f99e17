//! [`Dict`]: a map from the hash of a key to its handle, in hash tables that split one at a time.
//!
//! Up to 16 handles take no table, as they are the slots of the only leaf: a byte of each key's
//! hash, its tag, is stored at the number of its slot, and a look-up compares all tags at once.
//!
//! Up to the capacity of `FIRST_BUCKETS`, handles are in a single table: hashbrown's, or without an
//! operating system, that of `small`. Larger dicts use extendible hashing (Fagin, Nievergelt,
//! Pippenger, Strong: "Extendible Hashing: A Fast Access Method for Dynamic Files", ACM TODS 4(3),
//! 1979): tables of at most 4,096 buckets, the segments, chosen by the leading bits of the hash
//! times a constant, its *route*.
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
//! insertion therefore rehashes at most the handles of the first table, whose keys still fit in a
//! cache, and later at most those of a segment. A single large table, grown at once or
//! incrementally, would have to allocate and clear all its control bytes during one insertion.
//!
//! Invariants: without a table, the handles are the slots `0..len` of leaf 0. With a directory,
//! `first` has no table. The 2^k directory entries that lead to a segment start at a multiple of
//! 2^k, and the routes of all its handles start with their common leading bits. No handle is in the
//! dict twice.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};
use core::ops::Range;

use super::leaf::Handle;
use crate::TryReserveError;
use crate::small::table::{Entry, Table, TableHash, slots_with_tag};

mod grow;
#[cfg(feature = "zset")]
mod scan;
#[cfg(test)]
mod tests;

/// The number of handles that take no table.
const MOST_TAGGED: usize = 16;

/// The handles, until there are segments.
#[derive(Clone)]
enum First {
    /// The tags of the slots of the only leaf. Those of unused slots are arbitrary.
    Tags([u8; MOST_TAGGED]),
    Table(Table),
}

#[derive(Clone)]
pub(crate) struct Dict {
    first: First,
    /// The segment for each value of a route's leading bits, if there are segments. The length is a
    /// power of two.
    directory: Option<Box<[u32]>>,
    segments: Vec<Table>,
    /// Shifts a route to its index in the directory: its bits minus the number of leading bits.
    shift: u32,
    len: usize,
}

/// Returns the route of a hash in the order of the directory.
///
/// The leading bits of a route depend on all bits of the hash, so they are independent of the bits
/// that are used within a table, and vary even if a hasher sets only a few bits. Different hashes
/// have different routes.
#[inline]
fn route(hash: usize) -> usize {
    // The first bits of the golden ratio.
    const FACTOR: usize = (0x9E37_79B9_7F4A_7C15_u64 >> (u64::BITS - usize::BITS)) as usize;
    hash.wrapping_mul(FACTOR)
}

/// Returns the tag of a hash.
#[inline]
fn tag(hash: usize) -> u8 {
    (route(hash) >> (usize::BITS - u8::BITS)) as u8
}

/// The hasher of tables that never grow by themselves. A function, so that all of them share their
/// code.
pub(crate) fn no_rehash<T>(_: &T) -> u64 {
    unreachable!("room was reserved")
}

/// Returns the hash of a key: as many bits as a table uses. If a table uses fewer bits than the
/// hasher returns, they depend on all of them, since a hasher may set only the upper ones.
pub(crate) fn hash_one<Q: Hash + ?Sized>(hasher: &impl BuildHasher, member: &Q) -> usize {
    let hash = hasher.hash_one(member);
    let folded = if usize::BITS < u64::BITS { hash ^ hash >> usize::BITS } else { hash };
    folded as usize
}

impl First {
    const EMPTY: First = First::Tags([0; MOST_TAGGED]);

    #[inline]
    fn table(&self) -> &Table {
        match self {
            First::Table(table) => table,
            First::Tags(_) => no_table(),
        }
    }

    #[inline]
    fn table_mut(&mut self) -> &mut Table {
        match self {
            First::Table(table) => table,
            First::Tags(_) => no_table(),
        }
    }
}

#[cold]
#[inline(never)]
fn no_table() -> ! {
    unreachable!("the dict has no table")
}

impl Dict {
    pub(crate) const fn new() -> Self {
        Dict {
            first: First::EMPTY,
            directory: None,
            segments: Vec::new(),
            shift: usize::BITS,
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is a table.
    #[inline]
    pub(crate) fn has_tables(&self) -> bool {
        self.directory.is_some() || matches!(self.first, First::Table(_))
    }

    /// Returns the segment for a route, or `None` if there is only the first table.
    #[cfg_attr(not(target_os = "none"), inline)]
    fn segment_at(&self, route: usize) -> Option<usize> {
        self.directory.as_ref().map(|directory| directory[route >> self.shift] as usize)
    }

    /// Returns the table for a route. There must be one.
    #[inline]
    fn table_at(&self, route: usize) -> &Table {
        match self.segment_at(route) {
            None => self.first.table(),
            Some(segment) => &self.segments[segment],
        }
    }

    #[inline]
    fn table_at_mut(&mut self, route: usize) -> &mut Table {
        match self.segment_at(route) {
            None => self.first.table_mut(),
            Some(segment) => &mut self.segments[segment],
        }
    }

    #[inline]
    fn table(&self, hash: usize) -> &Table {
        self.table_at(route(hash))
    }

    #[inline]
    fn table_mut(&mut self, hash: usize) -> &mut Table {
        self.table_at_mut(route(hash))
    }

    /// Returns all tables.
    fn tables(&self) -> &[Table] {
        match &self.first {
            First::Table(table) => core::slice::from_ref(table),
            First::Tags(_) => &self.segments,
        }
    }

    /// Returns the directory; empty if there is only one table.
    fn directory(&self) -> &[u32] {
        self.directory.as_deref().unwrap_or_default()
    }

    /// Returns the directory index of a route; 0 without a directory.
    fn entry(&self, route: usize) -> usize {
        route.checked_shr(self.shift).unwrap_or(0)
    }

    /// Returns the directory entries that lead to the same segment as this one.
    fn extent(&self, entry: usize) -> Range<usize> {
        let directory = self.directory();
        let mut size = 1;
        while size < directory.len() && directory[entry ^ size] == directory[entry] {
            size *= 2;
        }
        let start = entry & !(size - 1);
        start..start + size
    }

    /// Returns the first route of the next segment.
    fn next_segment(&self, route: usize) -> Option<usize> {
        let end = self.extent(self.entry(route)).end;
        (end < self.directory().len()).then(|| end << self.shift)
    }

    /// Returns the handles if there is no table.
    fn tagged(&self) -> impl Iterator<Item = Handle> + use<> {
        let len = if self.has_tables() { 0 } else { self.len };
        (0..len).map(tagged)
    }

    /// Returns the handle with this hash that `is_sought` accepts.
    #[inline]
    pub(crate) fn find(
        &self,
        hash: usize,
        mut is_sought: impl FnMut(Handle) -> bool,
    ) -> Option<Handle> {
        match self.first {
            First::Tags(tags) if self.directory.is_none() => {
                let slots = slots_with_tag(tags, tag(hash)).take_while(|&slot| slot < self.len);
                slots.map(tagged).find(|&handle| is_sought(handle))
            }
            _ => self.find_in_tables(hash, is_sought),
        }
    }

    /// Like `find`, if there is a table.
    #[expect(
        clippy::inline_always,
        reason = "a call for each score takes a fifth more instructions"
    )]
    #[inline(always)]
    pub(crate) fn find_in_tables(
        &self,
        hash: usize,
        mut is_sought: impl FnMut(Handle) -> bool,
    ) -> Option<Handle> {
        self.table(hash).find(hash as TableHash, |&handle| is_sought(handle)).copied()
    }

    /// Adds a handle that is not in the dict. `try_reserve_one` must have reserved room for it.
    #[cfg_attr(
        not(target_os = "none"),
        expect(clippy::inline_always, reason = "a call takes 2 % of an insertion"),
        inline(always)
    )]
    pub(crate) fn insert(&mut self, hash: usize, handle: Handle) {
        self.len += 1;
        if self.has_tables() {
            self.table_mut(hash).insert_unique(hash as TableHash, handle, no_rehash);
        } else {
            self.set_tag(hash, handle);
        }
    }

    /// Adds a handle unless `is_same` accepts a handle already stored under this hash; returns
    /// whether it was added.
    #[inline]
    pub(crate) fn try_insert_new(
        &mut self,
        hash: usize,
        handle: Handle,
        is_same: impl Fn(Handle) -> bool,
        hash_of: impl Fn(Handle) -> usize,
    ) -> Result<bool, TryReserveError> {
        self.try_reserve_one(hash, hash_of)?;
        if !self.has_tables() {
            let is_new = self.find(hash, is_same).is_none();
            if is_new {
                self.insert(hash, handle);
            }
            return Ok(is_new);
        }
        let table = self.table_mut(hash);
        match table.entry(hash as TableHash, |&other| is_same(other), no_rehash) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(entry) => {
                entry.insert(handle);
                self.len += 1;
                Ok(true)
            }
        }
    }

    /// Replaces a handle with another, if there is no table.
    #[inline]
    pub(crate) fn move_tag(&mut self, from: Handle, to: Handle) {
        if let First::Tags(tags) = &mut self.first {
            tags[to.slot() as usize] = tags[from.slot() as usize];
        }
    }

    /// Stores a handle, if there is no table.
    #[inline]
    fn set_tag(&mut self, hash: usize, handle: Handle) {
        if let First::Tags(tags) = &mut self.first {
            tags[handle.slot() as usize] = tag(hash);
        }
    }

    /// Replaces a handle with another, if there is a table.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn replace(&mut self, hash: usize, from: Handle, to: Handle) {
        let table = self.table_mut(hash);
        if let Some(handle) = table.find_mut(hash as TableHash, |&handle| handle == from) {
            *handle = to;
        }
    }

    /// Removes a handle.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn remove(&mut self, hash: usize, handle: Handle) {
        if !self.has_tables() {
            self.len -= 1;
        } else if let Ok(entry) =
            self.table_mut(hash).find_entry(hash as TableHash, |&other| other == handle)
        {
            entry.remove();
            self.len -= 1;
        }
    }

    /// Reserves room for one handle with this hash. After an error, or a panic in `hash_of`, every
    /// handle can still be found.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn try_reserve_one(
        &mut self,
        hash: usize,
        hash_of: impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        if self.has_room(route(hash)) { Ok(()) } else { self.make_room(route(hash), &hash_of) }
    }

    /// Returns the number of handles for which the tables have room, including those stored.
    pub(crate) fn capacity(&self) -> usize {
        if !self.has_tables() {
            return MOST_TAGGED;
        }
        self.tables().iter().map(Table::capacity).sum()
    }

    /// Returns the number of bytes the dict has allocated.
    pub(crate) fn allocation_size(&self) -> usize {
        let tables: usize = self.tables().iter().map(Table::allocation_size).sum();
        let directory = size_of_val(self.directory());
        tables + directory + self.segments.capacity() * size_of::<Table>()
    }

    #[cfg(feature = "unstable-internals")]
    pub(crate) fn layout(&self) -> crate::layout::DictLayout {
        crate::layout::DictLayout {
            len: self.len,
            tables: self.tables().len(),
            directory: self.directory().len(),
            buckets: self.tables().iter().map(Table::num_buckets).sum(),
            allocation_size: self.allocation_size(),
        }
    }

    /// Panics if an invariant of the dict is violated, or if `hash_of` disagrees with it.
    pub(crate) fn check(&self, hash_of: impl Fn(Handle) -> usize) {
        let directory = self.directory();
        let entries = directory.len();
        assert_eq!(entries == 0, self.segments.is_empty(), "the directory and the segments differ");
        if entries > 0 {
            assert!(entries.is_power_of_two() && entries > 1, "{entries} entries");
            assert_eq!(
                self.shift,
                usize::BITS - entries.trailing_zeros(),
                "the shift does not match the directory"
            );
            assert!(matches!(self.first, First::Tags(_)), "a first table beside segments");
            let mut seen = alloc::vec![false; self.segments.len()];
            let mut entry = 0;
            while entry < entries {
                let extent = self.extent(entry);
                let id = directory[entry] as usize;
                assert_eq!(extent.start, entry, "the entries of segment {id} are not aligned");
                assert!(directory[extent.clone()].iter().all(|&other| other as usize == id));
                assert!(!core::mem::replace(&mut seen[id], true), "segment {id} is in two places");
                entry = extent.end;
            }
            assert!(seen.into_iter().all(|seen| seen), "a segment has no entry");
        }
        if let (First::Tags(tags), 0) = (&self.first, entries) {
            assert!(self.len <= MOST_TAGGED, "{} handles without a table", self.len);
            for handle in self.tagged() {
                let found = tags[handle.slot() as usize];
                assert_eq!(found, tag(hash_of(handle)), "the tag of {handle:?}");
            }
            return;
        }
        let mut len = 0;
        for table in self.tables() {
            for handle in table.iter().copied() {
                let hash = hash_of(handle);
                assert!(core::ptr::eq(self.table(hash), table), "{handle:?} is in the wrong table");
                let is_found = self.find(hash, |other| other == handle);
                assert!(is_found.is_some(), "a handle is not found by its hash");
            }
            len += table.len();
        }
        assert_eq!(len, self.len, "the tables hold a different number of handles");
    }
}

/// Returns the handle of a slot of the only leaf.
#[inline]
fn tagged(slot: usize) -> Handle {
    Handle::new(0, slot as u8)
}
