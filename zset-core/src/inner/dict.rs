//! [`Hashed`], the dict of a set or a map, which consists of a hasher and a [`Dict`]. The tables of
//! a `Dict` map the hash of a key to its handle, and split one at a time.
//!
//! - Up to 16 handles need no table, because they are the slots of the only leaf. For each slot,
//!   the dict stores a *tag*: one byte, derived from the hash of the key. A look-up compares all
//!   tags at once.
//! - Up to the capacity of a table with `FIRST_BUCKETS` buckets, all handles are in a single
//!   hashbrown table.
//! - Larger dicts use extendible hashing (Fagin, Nievergelt, Pippenger, Strong: "Extendible
//!   Hashing: A Fast Access Method for Dynamic Files", ACM TODS 4(3), 1979): the handles are in
//!   several tables, the *segments*, which usually have at most 4,096 buckets. The *route* of a key
//!   is its hash times a constant, and its leading bits select the segment.
//!
//! ```text
//! leading bits     directory        segments
//!           00 ──► 0 ─────────────► 0  (routes that start with 0)
//!           01 ──► 0 ──────────┘ ┌► 1  (routes that start with 10)
//!           10 ──► 1 ────────────┘
//!           11 ──► 2 ─────────────► 2  (routes that start with 11)
//! ```
//!
//! When the single table is full, it splits into sixteen segments. A full segment splits in two by
//! the next bit of the route. One insertion therefore rehashes at most one table: the single table,
//! whose keys still fit in a cache, or a segment. A single large table, even one that grows
//! incrementally, would have to allocate and clear all its control bytes during one insertion.
//!
//! Invariants:
//! - Without a table, the handles are the slots `0..len` of leaf 0.
//! - The directory entries of a segment are adjacent. There are 2^k of them, and the index of the
//!   first is a multiple of 2^k.
//! - The route of each handle in a segment starts with the leading bits that the indexes of the
//!   segment's entries have in common.
//! - No handle is in the dict twice.

use alloc::boxed::Box;
use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::hash::{BuildHasher, Hash};
use core::hint::black_box;
use core::mem;
use core::ops::Range;
use hashbrown::hash_table::Entry;

use super::arena::NONE;
use super::leaf::{End, Handle, LEAF_CAPACITY, MAX_HANDLES};
use super::{Clear, Lookup, Nodes};
use crate::TryReserveError;
use crate::reserve::{push_reserved, table_error};

#[cfg(feature = "zset")]
mod scan;
#[cfg(test)]
mod tests;

type Table = hashbrown::HashTable<Handle>;

/// The maximum number of handles without a table.
const MOST_TAGGED: usize = 16;

const _: () = assert!(
    MOST_TAGGED <= LEAF_CAPACITY && MOST_TAGGED == size_of::<u128>(),
    "they are in one leaf, and a number has all tags"
);

/// The maximum number of buckets of the only table, which splits at 28,672 handles. At this size,
/// small keys still fit in a second-level cache, and the split takes less than half a millisecond.
///
/// Under Miri, tables are smaller, because filling one of this size would take too long.
const FIRST_BUCKETS: usize = if cfg!(miri) { 1 << 9 } else { 1 << 15 };

/// The maximum number of buckets of a segment, with exceptions (`LEAST_LOAD`). It is lower than
/// that of the first table, because a split reads all keys, and those of a large set are in no
/// cache.
const SEGMENT_BUCKETS: usize = FIRST_BUCKETS / 8;

/// The number of handles at which a segment splits.
const SEGMENT_CAPACITY: usize = capacity(SEGMENT_BUCKETS);

/// The number of bits by which the only table splits, into segments that are half full.
const FIRST_BITS: u32 = 4;

/// The directory is not doubled if it would then have fewer handles than this per entry. That
/// happens only if many hashes share their leading bits; the segment's own table grows instead.
const LEAST_LOAD: usize = SEGMENT_CAPACITY / 8;

/// The number of keys hashed together when a table splits.
const HASH_BATCH: usize = 32;

#[derive(Clone)]
pub(crate) struct Dict {
    tables: Tables,
    len: usize,
}

// `repr(u8)` adds a discriminant. Without it, a niche in a field would distinguish the variants,
// which takes five more instructions.
#[derive(Clone)]
#[repr(u8)]
enum Tables {
    /// The tag of each slot of the only leaf. For an unused slot, it is arbitrary.
    Tags([u8; MOST_TAGGED]),
    One(Table),
    Many(Segments),
}

#[derive(Clone)]
struct Segments {
    /// The index of the segment for each value of a route's leading bits. The length is a power of
    /// two.
    directory: Box<[u32]>,
    tables: Vec<Table>,
    /// `route >> shift` is the index of a route in the directory.
    shift: u32,
}

/// With this many elements or more, the dict exceeds the nearest caches, and `visit` pays off.
const VISITED_LEN: usize = 1 << 16;

/// A dict with its hasher.
#[derive(Clone)]
pub(crate) struct Hashed<H> {
    pub(crate) tables: Dict,
    pub(crate) hasher: H,
    /// A handle to keep up to date when its element moves, or `Handle::NONE`.
    pub(super) watched: Handle,
    /// For each end, the leaf whose keys were last passed to `visit`.
    visited_ends: [u32; 2],
}

impl<H> Hashed<H> {
    pub(crate) const fn new(hasher: H) -> Self {
        Hashed { tables: Dict::new(), hasher, watched: Handle::NONE, visited_ends: [NONE; 2] }
    }

    /// Swaps the tables with others, whose hashes must come from an equal hasher.
    pub(crate) fn exchange(&mut self, tables: &mut Dict) {
        mem::swap(&mut self.tables, tables);
        self.visited_ends = [NONE; 2];
    }
}

impl<H: BuildHasher> Hashed<H> {
    /// Looks up all keys of a leaf, only to bring their dict entries into the cache.
    ///
    /// Pops remove the elements of a leaf one after the other, and each pop waits for its key's
    /// dict entry, which is at a random location. In a loop that only looks up keys, the cache
    /// misses overlap.
    fn visit<K: Hash, V>(&self, pairs: &[(K, V)]) {
        for (key, _) in pairs {
            let hash = hash_one(&self.hasher, key);
            // Comparing each handle makes the look-up read the handle's memory.
            let is_none = |handle| (handle == Handle::NONE).then_some(());
            black_box(self.tables.find(hash, is_none));
        }
    }
}

impl<H> Clear for Hashed<H> {
    fn clear(&mut self) {
        self.tables.clear();
        self.visited_ends = [NONE; 2];
    }
}

impl<K: Hash, H: BuildHasher> Lookup<K> for Hashed<H> {
    type Token = usize;

    #[inline]
    fn has_room(&self, hash: usize) -> bool {
        self.tables.has_room(hash)
    }

    #[cold]
    fn try_grow<V, S>(
        &mut self,
        hash: usize,
        nodes: &Nodes<K, V, S>,
    ) -> Result<(), TryReserveError> {
        let Hashed { tables, hasher, .. } = self;
        if tables.has_small_table() {
            // Hash the keys leaf by leaf, because the keys of a leaf are adjacent in memory. In the
            // order of the old table, they would be scattered.
            let mut grown = Dict::try_with_table(rebuilt_capacity(nodes.len()))?;
            nodes.for_each_key(|handle, key| grown.insert(hash_one(hasher, key), handle));
            *tables = grown;
            return Ok(());
        }
        tables.try_reserve_one(hash, hash_of(hasher, nodes))
    }

    fn try_reserve<V, S>(
        &mut self,
        additional: usize,
        nodes: &Nodes<K, V, S>,
    ) -> Result<(), TryReserveError> {
        self.tables.try_reserve(additional, hash_of(&self.hasher, nodes))
    }

    fn try_refill(&mut self, hashes: &[usize]) -> Result<(), TryReserveError> {
        self.exchange(&mut Dict::try_of_full_leaves(hashes)?);
        Ok(())
    }

    #[inline]
    fn token(&self, handle: Handle, key: &K) -> usize {
        self.tables.token(handle, || hash_one(&self.hasher, key))
    }

    #[inline]
    fn insert(&mut self, hash: usize, handle: Handle) {
        self.tables.insert(hash, handle);
    }

    #[inline]
    fn relocate(&mut self, hash: usize, from: Handle, to: Handle) {
        self.tables.replace(hash, from, to);
        if self.watched == from {
            self.watched = to;
        }
    }

    #[inline]
    fn forget(&mut self, hash: usize, handle: Handle) {
        self.tables.remove(hash, handle);
    }

    #[inline]
    fn prepare_pop<V>(&mut self, len: usize, end: End, leaf: u32, pairs: &[(K, V)]) {
        if len >= VISITED_LEN && self.visited_ends[end as usize] != leaf {
            self.visited_ends[end as usize] = leaf;
            self.visit(pairs);
        }
    }
}

/// An odd number from the first bits of the golden ratio. `INVERSE` undoes a multiplication by it.
const FACTOR: usize = (0x9E37_79B9_7F4A_7C15_u64 >> (u64::BITS - usize::BITS)) as usize;
const INVERSE: usize = inverse(FACTOR);

/// Returns the route of a hash. Its leading bits are an index in the directory.
///
/// The leading bits of a route depend on all bits of the hash, so they hardly correlate with the
/// bits used within a table, and vary even if a hasher sets only a few bits. Different hashes have
/// different routes.
#[inline]
fn route(hash: usize) -> usize {
    hash.wrapping_mul(FACTOR)
}

#[inline]
fn tag(hash: usize) -> u8 {
    (route(hash) >> (usize::BITS - u8::BITS)) as u8
}

/// Returns a hash with this tag.
#[inline]
fn hash_with_tag(tag: u8) -> usize {
    (usize::from(tag) << (usize::BITS - u8::BITS)).wrapping_mul(INVERSE)
}

/// Returns the inverse of an odd factor by Newton's method, which doubles the number of correct
/// bits in each step.
const fn inverse(factor: usize) -> usize {
    let (mut inverse, mut bits) = (factor, 3);
    while bits < usize::BITS {
        inverse = inverse.wrapping_mul(2_usize.wrapping_sub(factor.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// The hasher of tables that never grow by themselves. It is a function, not a closure, so that
/// these tables share their code.
pub(crate) fn no_rehash<T>(_: &T) -> u64 {
    unreachable!("room was reserved")
}

/// Returns the hash of a key as a `usize`. On 32-bit targets, it depends on all 64 bits, because a
/// hasher may set only the upper ones.
pub(crate) fn hash_one<Q: Hash + ?Sized>(hasher: &impl BuildHasher, member: &Q) -> usize {
    let hash = hasher.hash_one(member);
    let folded = if usize::BITS < u64::BITS { hash ^ hash >> usize::BITS } else { hash };
    folded as usize
}

/// Returns a function that hashes the key at a handle, for the rebuilding of tables.
///
/// A handle can be stale only if `Hash` is inconsistent. Any hash will do then.
#[inline]
pub(crate) fn hash_of<K: Hash, V, S>(
    hasher: &impl BuildHasher,
    nodes: &Nodes<K, V, S>,
) -> impl Fn(Handle) -> usize {
    |handle| nodes.key(handle).map_or(0, |key| hash_one(hasher, key))
}

/// Returns the maximum number of handles in a table with this many buckets: 7/8 of them or, if
/// there are fewer than 8, all but one.
const fn capacity(buckets: usize) -> usize {
    if buckets < 8 { buckets.saturating_sub(1) } else { buckets / 8 * 7 }
}

/// Returns the handle of a slot of the only leaf.
#[inline]
fn tagged(slot: usize) -> Handle {
    Handle::new(0, slot as u8)
}

/// Returns the handles of the slots below `len` that have this tag, and possibly of some that do
/// not.
///
/// All tags are compared at once, as the bytes of a number. Bytes that equal the tag become zero,
/// and the subtraction sets their highest bit (Henry Warren, "Hacker's Delight", section 6-1). The
/// byte above a zero may be a false match.
#[inline]
fn handles_with_tag(tags: [u8; MOST_TAGGED], len: usize, tag: u8) -> impl Iterator<Item = Handle> {
    const ONES: u128 = u128::MAX / 0xff;
    let differences = u128::from_le_bytes(tags) ^ (ONES * u128::from(tag));
    let mut matches = differences.wrapping_sub(ONES) & !differences & (ONES << 7);
    core::iter::from_fn(move || {
        let slot = (matches != 0).then(|| matches.trailing_zeros() as usize / 8)?;
        matches &= matches - 1;
        (slot < len).then(|| tagged(slot))
    })
}

/// Like [`Dict::find`], for a dict without a table.
///
/// It is not inlined, because it would take registers from look-ups in a table.
#[inline(never)]
fn find_tagged<T>(
    tags: [u8; MOST_TAGGED],
    len: usize,
    hash: usize,
    seek: impl Fn(Handle) -> Option<T>,
) -> Option<T> {
    handles_with_tag(tags, len, tag(hash)).find_map(seek)
}

/// Finding and changing handles.
impl Dict {
    pub(crate) const fn new() -> Self {
        Dict { tables: Tables::Tags([0; MOST_TAGGED]), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Removes all handles, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        match &mut self.tables {
            Tables::Tags(_) => {}
            Tables::One(table) => table.clear(),
            Tables::Many(many) => many.tables.iter_mut().for_each(Table::clear),
        }
        self.len = 0;
    }

    /// Returns the table for a hash, if there is one.
    #[inline]
    fn table(&self, hash: usize) -> Option<&Table> {
        match &self.tables {
            Tables::Tags(_) => None,
            Tables::One(table) => Some(table),
            Tables::Many(many) => Some(many.table(route(hash))),
        }
    }

    /// Calls `seek` with handles of this hash, and returns the first result that is not `None`.
    #[expect(clippy::inline_always, reason = "a call takes 8 % of a look-up of a number")]
    #[inline(always)]
    pub(crate) fn find<T>(&self, hash: usize, seek: impl Fn(Handle) -> Option<T>) -> Option<T> {
        let table = match &self.tables {
            Tables::Tags(tags) => return find_tagged(*tags, self.len, hash, seek),
            Tables::One(table) => table,
            Tables::Many(many) => many.table(route(hash)),
        };
        let mut found = None;
        table.find(hash as u64, |&handle| {
            found = seek(handle);
            found.is_some()
        });
        found
    }

    /// Returns a value that all methods accept in place of the hash of the key at a handle, until a
    /// new table is created. Without a table, it is a hash with the same tag.
    #[inline]
    pub(crate) fn token(&self, handle: Handle, hash: impl FnOnce() -> usize) -> usize {
        match &self.tables {
            Tables::Tags(tags) => hash_with_tag(tags[handle.slot() as usize % MOST_TAGGED]),
            _ => hash(),
        }
    }

    /// Adds a handle that is not in the dict. There must be room for it.
    #[expect(clippy::inline_always, reason = "a call takes 3 % of an insertion")]
    #[inline(always)]
    pub(crate) fn insert(&mut self, hash: usize, handle: Handle) {
        self.len += 1;
        let table = match &mut self.tables {
            Tables::Tags(tags) => return tags[handle.slot() as usize % MOST_TAGGED] = tag(hash),
            Tables::One(table) => table,
            Tables::Many(many) => many.table_mut(route(hash)),
        };
        table.insert_unique(hash as u64, handle, no_rehash);
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
        let table = match &mut self.tables {
            Tables::Tags(tags) => {
                // Do not call `find` here: it calls `find_tagged`, which would force `is_same` into
                // memory and make bulk construction a tenth slower.
                let is_new = !handles_with_tag(*tags, self.len, tag(hash)).any(is_same);
                if is_new {
                    self.insert(hash, handle);
                }
                return Ok(is_new);
            }
            Tables::One(table) => table,
            Tables::Many(many) => many.table_mut(route(hash)),
        };
        match table.entry(hash as u64, |&other| is_same(other), no_rehash) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(entry) => {
                entry.insert(handle);
                self.len += 1;
                Ok(true)
            }
        }
    }

    /// Replaces a handle with another. Without a table, both must be in the only leaf.
    #[inline]
    pub(crate) fn replace(&mut self, hash: usize, from: Handle, to: Handle) {
        let table = match &mut self.tables {
            Tables::Tags(tags) => {
                let [from, to] = [from, to].map(|handle| handle.slot() as usize % MOST_TAGGED);
                tags[to] = tags[from];
                return;
            }
            Tables::One(table) => table,
            Tables::Many(many) => many.table_mut(route(hash)),
        };
        if let Some(handle) = table.find_mut(hash as u64, |&handle| handle == from) {
            *handle = to;
        }
    }

    /// Removes a handle. Without a table, the element of the last slot must then move to the
    /// vacated slot.
    #[inline]
    pub(crate) fn remove(&mut self, hash: usize, handle: Handle) {
        let table = match &mut self.tables {
            Tables::Tags(_) => {
                self.len -= 1;
                return;
            }
            Tables::One(table) => table,
            Tables::Many(many) => many.table_mut(route(hash)),
        };
        if let Ok(entry) = table.find_entry(hash as u64, |&other| other == handle) {
            entry.remove();
            self.len -= 1;
        }
    }

    /// Returns the number of handles for which the dict has memory, including those stored.
    pub(crate) fn capacity(&self) -> usize {
        match &self.tables {
            Tables::Tags(_) => MOST_TAGGED,
            _ => self.all_tables().iter().map(|table| capacity(table.num_buckets())).sum(),
        }
    }

    /// Returns the number of bytes the dict has allocated.
    pub(crate) fn allocation_size(&self) -> usize {
        let tables = self.all_tables().iter().map(Table::allocation_size).sum();
        match &self.tables {
            Tables::Many(many) => {
                let directory = size_of_val(&*many.directory);
                tables + directory + many.tables.capacity() * size_of::<Table>()
            }
            _ => tables,
        }
    }

    pub(crate) fn has_table(&self) -> bool {
        !matches!(self.tables, Tables::Tags(_))
    }

    fn all_tables(&self) -> &[Table] {
        match &self.tables {
            Tables::Tags(_) => &[],
            Tables::One(table) => core::slice::from_ref(table),
            Tables::Many(many) => &many.tables,
        }
    }

    /// Returns all handles of a dict without a table, and none if there is one.
    fn all_tagged(&self) -> impl Iterator<Item = Handle> + use<> {
        let len = if let Tables::Tags(_) = self.tables { self.len } else { 0 };
        (0..len).map(tagged)
    }

    #[cfg(feature = "unstable-internals")]
    pub(crate) fn layout(&self) -> crate::layout::DictLayout {
        let directory = if let Tables::Many(many) = &self.tables { &*many.directory } else { &[] };
        crate::layout::DictLayout {
            len: self.len,
            tables: self.all_tables().len(),
            directory: directory.len(),
            buckets: self.all_tables().iter().map(Table::num_buckets).sum(),
            allocation_size: self.allocation_size(),
        }
    }

    /// Panics if an invariant of the dict is violated, or if `hash_of` disagrees with it.
    pub(crate) fn check(&self, hash_of: impl Fn(Handle) -> usize) {
        if let Tables::Tags(tags) = &self.tables {
            assert!(self.len <= MOST_TAGGED, "{} handles without a table", self.len);
            for handle in self.all_tagged() {
                let found = tags[handle.slot() as usize];
                assert_eq!(found, tag(hash_of(handle)), "the tag of {handle:?}");
            }
            return;
        }
        if let Tables::Many(many) = &self.tables {
            many.check();
        }
        let mut len = 0;
        for table in self.all_tables() {
            for handle in table.iter().copied() {
                let hash = hash_of(handle);
                let is_there = self.table(hash).is_some_and(|found| core::ptr::eq(found, table));
                assert!(is_there, "{handle:?} is in the wrong table");
                let found = self.find(hash, |other| (other == handle).then_some(()));
                assert!(found.is_some(), "a handle is not found by its hash");
            }
            len += table.len();
        }
        assert_eq!(len, self.len, "the tables hold a different number of handles");
    }
}

/// Growing: rebuilding or splitting one table at a time, and removing tombstones. After an error,
/// or a panic in `hash_of`, every handle can still be found.
impl Dict {
    /// Creates a dict with one table for this many handles.
    pub(crate) fn try_with_table(capacity: usize) -> Result<Self, TryReserveError> {
        Ok(Dict { tables: Tables::One(try_table(capacity)?), len: 0 })
    }

    /// Creates the dict of full leaves, whose ids ascend from 0, given the hashes of their keys in
    /// order.
    pub(crate) fn try_of_full_leaves(hashes: &[usize]) -> Result<Self, TryReserveError> {
        let mut dict = Dict::new();
        let hash_of = |handle: Handle| {
            hashes[handle.leaf() as usize * LEAF_CAPACITY + handle.slot() as usize]
        };
        dict.try_reserve(hashes.len(), hash_of)?;
        for (rank, &hash) in hashes.iter().enumerate() {
            dict.try_reserve_one(hash, hash_of)?;
            let (leaf, slot) = (rank / LEAF_CAPACITY, rank % LEAF_CAPACITY);
            dict.insert(hash, Handle::new(leaf as u32, slot as u8));
        }
        Ok(dict)
    }

    /// Returns whether there is room for one more handle with this hash.
    #[inline]
    pub(crate) fn has_room(&self, hash: usize) -> bool {
        match self.table(hash) {
            None => self.len < MOST_TAGGED,
            Some(table) => table.len() < table.capacity(),
        }
    }

    /// Reserves room for one handle with this hash.
    #[inline]
    pub(crate) fn try_reserve_one(
        &mut self,
        hash: usize,
        hash_of: impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        while !self.has_room(hash) {
            self.grow(route(hash), &hash_of)?;
        }
        Ok(())
    }

    /// Returns whether there is a single table, which is too small to split.
    fn has_small_table(&self) -> bool {
        matches!(&self.tables, Tables::One(table) if !is_whole(table, FIRST_BUCKETS))
    }

    /// Rebuilds or splits the table for a route, because the table has no room.
    #[cold]
    fn grow(
        &mut self,
        route: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        match &mut self.tables {
            // The new table has 64 buckets for 16 handles. With 32 buckets, it would soon have to
            // be rebuilt.
            Tables::Tags(_) => self.try_make_table(2 * self.len, hash_of)?,
            Tables::One(table) if is_whole(table, FIRST_BUCKETS) => {
                self.tables = Tables::Many(Segments::try_split_off(table, hash_of)?);
            }
            Tables::One(table) => rebuild(table, hash_of)?,
            Tables::Many(many) => {
                let is_whole = is_whole(many.table(route), SEGMENT_BUCKETS);
                if is_whole && many.may_split(route, self.len) {
                    many.split(route, hash_of)?;
                } else {
                    rebuild(many.table_mut(route), hash_of)?;
                }
            }
        }
        Ok(())
    }

    /// Moves the handles of a dict without a table to a new table.
    fn try_make_table(
        &mut self,
        capacity: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let mut table = try_table(capacity)?;
        for handle in self.all_tagged() {
            table.insert_unique(hash_of(handle) as u64, handle, no_rehash);
        }
        self.tables = Tables::One(table);
        Ok(())
    }

    /// Reserves room for `additional` more handles. Splits tables until each has room for its
    /// share, and for at least one handle.
    pub(crate) fn try_reserve(
        &mut self,
        additional: usize,
        hash_of: impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let wanted = self.len.saturating_add(additional);
        if wanted > MAX_HANDLES {
            return Err(TryReserveError::CapacityOverflow);
        }
        if let Tables::Tags(_) = self.tables {
            if wanted <= MOST_TAGGED {
                return Ok(());
            }
            self.try_make_table(wanted.min(capacity(FIRST_BUCKETS)), &hash_of)?;
        }
        if let Tables::One(table) = &mut self.tables {
            if wanted <= table.capacity() {
                return Ok(());
            }
            if wanted <= capacity(FIRST_BUCKETS) {
                return rebuild_for(table, wanted, &hash_of);
            }
            self.tables = Tables::Many(Segments::try_split_off(table, &hash_of)?);
        }
        if let Tables::Many(many) = &mut self.tables {
            many.try_reserve(wanted, &hash_of)?;
        }
        Ok(())
    }
}

impl Segments {
    #[inline]
    fn table(&self, route: usize) -> &Table {
        &self.tables[self.directory[route >> self.shift] as usize]
    }

    #[inline]
    fn table_mut(&mut self, route: usize) -> &mut Table {
        &mut self.tables[self.directory[route >> self.shift] as usize]
    }

    /// Returns the directory entries that lead to the same segment as this one.
    fn extent(&self, entry: usize) -> Range<usize> {
        let directory = &*self.directory;
        let mut size = 1;
        // The loop ends, because there are several segments.
        while directory[entry ^ size] == directory[entry] {
            size *= 2;
        }
        let start = entry & !(size - 1);
        start..start + size
    }

    /// Returns the first route of the next segment, or `None` after the last one.
    fn next_segment(&self, route: usize) -> Option<usize> {
        let end = self.extent(route >> self.shift).end;
        (end < self.directory.len()).then(|| end << self.shift)
    }

    /// Returns the bit of a route by which its segment splits next.
    fn next_bit(&self, route: usize) -> u32 {
        self.shift + self.extent(route >> self.shift).len().trailing_zeros() - 1
    }

    /// Returns whether a segment of a dict of `len` handles can split without the directory
    /// becoming too large.
    fn may_split(&self, route: usize, len: usize) -> bool {
        let doubled = 2 * self.directory.len();
        self.next_bit(route) >= self.shift || len >= LEAST_LOAD * doubled
    }

    /// Splits the only table into segments.
    fn try_split_off(
        table: &Table,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<Segments, TryReserveError> {
        let (count, shift) = (1 << FIRST_BITS, usize::BITS - FIRST_BITS);
        let mut tables = Vec::new();
        tables.try_reserve_exact(count)?;
        for _ in 0..count {
            push_reserved(&mut tables, try_table(SEGMENT_CAPACITY)?);
        }
        try_split(table, shift, &mut tables, hash_of)?;
        Ok(Segments { directory: try_directory(0..count as u32)?, tables, shift })
    }

    /// Splits the segment for a route in two.
    fn split(
        &mut self,
        route: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        let bit = self.next_bit(route);
        let mut parts = [try_table(SEGMENT_CAPACITY)?, try_table(SEGMENT_CAPACITY)?];
        try_split(self.table(route), bit, &mut parts, hash_of)?;
        self.tables.try_reserve(1)?;
        if bit < self.shift {
            // Double the directory by repeating each entry.
            let entries = 0..2 * self.directory.len();
            self.directory = try_directory(entries.map(|entry| self.directory[entry / 2]))?;
            self.shift -= 1;
        }

        let Range { start, end } = self.extent(route >> self.shift);
        let new = self.tables.len() as u32;
        self.directory[usize::midpoint(start, end)..end].fill(new);
        let [first, second] = parts;
        self.tables[self.directory[start] as usize] = first;
        push_reserved(&mut self.tables, second);
        Ok(())
    }

    /// Splits segments until each has room for its share of `wanted` handles, and for at least one
    /// more.
    fn try_reserve(
        &mut self,
        wanted: usize,
        hash_of: &impl Fn(Handle) -> usize,
    ) -> Result<(), TryReserveError> {
        // The limit is a few standard deviations below the capacity, because hashes are not
        // perfectly evenly distributed.
        let per_segment = SEGMENT_CAPACITY / 16 * 15;
        let (mut share, mut last_bit) = (wanted, usize::BITS);
        while share > per_segment {
            (share, last_bit) = (share.div_ceil(2), last_bit - 1);
        }
        let mut next = Some(0);
        while let Some(route) = next {
            while self.next_bit(route) >= last_bit {
                self.split(route, hash_of)?;
            }
            let table = self.table_mut(route);
            if table.len() == table.capacity() {
                rebuild(table, hash_of)?;
            }
            next = self.next_segment(route);
        }
        // There are enough segments now, but tombstones may take up some of their room.
        let room: usize = self.tables.iter().map(Table::capacity).sum();
        if room < wanted {
            for table in &mut self.tables {
                if table.capacity() < SEGMENT_CAPACITY {
                    rebuild_for(table, SEGMENT_CAPACITY, hash_of)?;
                }
            }
        }
        Ok(())
    }

    fn check(&self) {
        let (directory, entries) = (&*self.directory, self.directory.len());
        assert!(entries.is_power_of_two() && entries > 1, "{entries} entries");
        let shift = usize::BITS - entries.trailing_zeros();
        assert_eq!(self.shift, shift, "the shift does not match the directory");
        let mut seen = alloc::vec![false; self.tables.len()];
        let mut entry = 0;
        while entry < entries {
            let extent = self.extent(entry);
            let id = directory[entry] as usize;
            assert_eq!(extent.start, entry, "the entries of segment {id} are not aligned");
            assert!(directory[extent.clone()].iter().all(|&other| other as usize == id));
            assert!(!mem::replace(&mut seen[id], true), "segment {id} is in two places");
            entry = extent.end;
        }
        assert!(seen.into_iter().all(|seen| seen), "a segment has no entry");
    }
}

/// Returns whether a table without room is full of handles rather than tombstones, and has at least
/// `most_buckets` buckets.
fn is_whole(table: &Table, most_buckets: usize) -> bool {
    let buckets = table.num_buckets();
    buckets >= most_buckets && table.len() >= capacity(buckets) / 4 * 3
}

/// Allocates a table for this many handles.
fn try_table(capacity: usize) -> Result<Table, TryReserveError> {
    let mut table = Table::new();
    table.try_reserve(capacity, no_rehash).map_err(table_error)?;
    Ok(table)
}

fn try_directory(
    entries: impl ExactSizeIterator<Item = u32>,
) -> Result<Box<[u32]>, TryReserveError> {
    let mut directory = Vec::new();
    directory.try_reserve_exact(entries.len())?;
    entries.for_each(|entry| push_reserved(&mut directory, entry));
    Ok(directory.into_boxed_slice())
}

/// Copies the handles of a table to the parts that it splits into. The bits of a handle's route
/// from `bit` up select its part.
fn try_split(
    table: &Table,
    bit: u32,
    parts: &mut [Table],
    hash_of: &impl Fn(Handle) -> usize,
) -> Result<(), TryReserveError> {
    let mask = parts.len() - 1;
    let mut handles = table.iter();
    loop {
        // Hash a batch of keys first: they are scattered in memory, and in a loop that only hashes,
        // their cache misses overlap.
        let batch: ArrayVec<(usize, Handle), HASH_BATCH> =
            handles.by_ref().take(HASH_BATCH).map(|&handle| (hash_of(handle), handle)).collect();
        if batch.is_empty() {
            return Ok(());
        }
        for &(hash, handle) in &batch {
            let part = &mut parts[route(hash) >> bit & mask];
            if part.len() == part.capacity() {
                // The hashes may be unevenly distributed: if many share these bits, one part gets
                // most handles.
                rebuild(part, hash_of)?;
            }
            part.insert_unique(hash as u64, handle, no_rehash);
        }
    }
}

/// Moves the handles of a table without room to a new table.
fn rebuild(table: &mut Table, hash_of: &impl Fn(Handle) -> usize) -> Result<(), TryReserveError> {
    rebuild_for(table, rebuilt_capacity(table.len()), hash_of)
}

/// Returns the capacity of the table that replaces a table of `len` handles without room. It has
/// the same size if the old one is full of tombstones, otherwise twice the size.
fn rebuilt_capacity(len: usize) -> usize {
    len + len / 3 + 1
}

/// Moves the handles of a table to a new table for this many handles.
///
/// hashbrown's own `reserve` may rehash in place, which would lose handles if the user's hash
/// panics.
fn rebuild_for(
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
