//! [`Arena`]: nodes with `u32` ids in chunks that never move, with a free list.
//!
//! ```text
//! id     chunk | index in the chunk
//!
//! chunk 0  [ 0  1 ]        made for two nodes
//! chunk 1  [ 32 ]          for one: an arena grows by an eighth, at least by one node
//! chunk 2  [ 64 65 ]
//! ```
//!
//! A chunk has up to `CHUNK` nodes. The first ones are smaller, and ids without a node are never
//! issued. So a node is found in the same way in arenas of all sizes, by a shift and a mask, growth
//! never copies a node, and a small arena allocates little at a time.
//!
//! Nodes are created, filled and emptied in place: a node is larger than the stack of a small
//! target allows.
//!
//! Invariants:
//! - Chunks before `filling` are full, and those after it are empty.
//! - Vacant nodes are empty.
//! - The free list is threaded through the vacant nodes themselves, so freeing never allocates.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem;

use crate::TryReserveError;
use crate::reserve::push_reserved;

/// An id that no node has.
pub(crate) const NONE: u32 = u32::MAX;

/// The requirements of an arena on its nodes.
pub(crate) trait ArenaNode {
    /// The number of ids; an id must be lower.
    const MAX_IDS: usize;

    /// Creates a node without contents, which `blank` completes.
    fn empty() -> Self;
    /// Completes a new node in place. If `empty` did that, it would copy a constant, which takes
    /// flash.
    fn blank(&mut self) {}
    /// Links this vacant node to the next vacant one.
    fn set_next_vacant(&mut self, next: u32);
    /// Returns the vacant node after this vacant one.
    fn next_vacant(&self) -> u32;
}

/// A small arena allocates at most this many bytes at once.
const SMALL_CHUNK_BYTES: usize = 4 << 10;

/// A new chunk has room for this share of the nodes in all others, up to the capacity of a chunk.
const GROWTH: usize = 8;

pub(crate) struct Arena<T> {
    chunks: Vec<Vec<T>>,
    /// The chunk with the last id issued.
    filling: u32,
    /// The first vacant node, or `NONE`.
    vacant: u32,
    /// The number of nodes that fit in the allocated memory in addition to those in use.
    room: usize,
    /// The maximum number of nodes, so that tests can reach it.
    #[cfg(test)]
    limit: usize,
}

impl<T: ArenaNode> Arena<T> {
    /// The number of ids of a chunk: a power of two. That many nodes take about 32 KiB.
    const CHUNK: usize = fitting(32 << 10, size_of::<T>());
    const SHIFT: u32 = Self::CHUNK.trailing_zeros();
    const MASK: usize = Self::CHUNK - 1;

    /// The number of nodes in a chunk of a small arena.
    const SMALL_CHUNK: usize = match SMALL_CHUNK_BYTES / size_of::<T>() {
        0 => 1,
        nodes if nodes < Self::CHUNK => nodes,
        _ => Self::CHUNK,
    };

    pub(crate) const fn new() -> Self {
        Arena {
            chunks: Vec::new(),
            filling: 0,
            vacant: NONE,
            room: 0,
            #[cfg(test)]
            limit: usize::MAX,
        }
    }

    /// Returns the number of nodes in use. **O(chunks)**.
    pub(crate) fn len(&self) -> usize {
        self.capacity() - self.room
    }

    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn get(&self, id: u32) -> &T {
        #[cfg(test)]
        visits::count();
        &self.chunks[id as usize >> Self::SHIFT][id as usize & Self::MASK]
    }

    /// Returns the node with this id, if there is one.
    #[inline]
    pub(crate) fn try_get(&self, id: u32) -> Option<&T> {
        self.chunks.get(id as usize >> Self::SHIFT)?.get(id as usize & Self::MASK)
    }

    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn get_mut(&mut self, id: u32) -> &mut T {
        #[cfg(test)]
        visits::count();
        &mut self.chunks[id as usize >> Self::SHIFT][id as usize & Self::MASK]
    }

    /// Returns two different nodes.
    pub(crate) fn get_two_mut(&mut self, a: u32, b: u32) -> (&mut T, &mut T) {
        let place = |id: u32| (id as usize >> Self::SHIFT, id as usize & Self::MASK);
        let ((low_chunk, low), (high_chunk, high)) = (place(a.min(b)), place(a.max(b)));
        let (before, from) = self.chunks.split_at_mut(high_chunk);
        let (low, high) = if let Some(chunk) = before.get_mut(low_chunk) {
            (&mut chunk[low], &mut from[0][high])
        } else {
            let (before, from) = from[0].split_at_mut(high);
            (&mut before[low], &mut from[0])
        };
        if a < b { (low, high) } else { (high, low) }
    }

    /// Returns the nodes, to take mutable references to several of them.
    pub(crate) fn disjoint(&mut self) -> Disjoint<'_, T> {
        Disjoint { chunks: BTreeMap::from([(0, &mut self.chunks[..])]), nodes: BTreeMap::new() }
    }

    /// Returns the nodes, to take mutable references to several of them in ascending order.
    pub(crate) fn ascending(&mut self) -> Ascending<'_, T> {
        Ascending { chunks: Suffix::new(0, &mut self.chunks), nodes: Suffix::default() }
    }

    /// Reserves memory so that the next `additional` calls of `insert` allocate nothing.
    #[inline]
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        match additional.checked_sub(self.room) {
            None | Some(0) => Ok(()),
            Some(missing) => self.try_grow(missing),
        }
    }

    /// Reserves memory for this many more nodes.
    #[cold]
    fn try_grow(&mut self, mut missing: usize) -> Result<(), TryReserveError> {
        let mut nodes = self.capacity();
        #[cfg(test)]
        if nodes.saturating_add(missing) > self.limit {
            return Err(TryReserveError::CapacityOverflow);
        }
        // Before anything is allocated.
        if missing > T::MAX_IDS.saturating_sub(self.chunks.len() << Self::SHIFT) {
            return Err(TryReserveError::CapacityOverflow);
        }
        while missing > 0 {
            if (self.chunks.len() + 1) << Self::SHIFT > T::MAX_IDS {
                return Err(TryReserveError::CapacityOverflow);
            }
            if self.chunks.len() == self.chunks.capacity() {
                self.chunks.try_reserve_exact(1 + self.chunks.len() / 4)?;
            }
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(Self::next_chunk(nodes, missing))?;
            let room = Self::nodes(&chunk);
            push_reserved(&mut self.chunks, chunk);
            self.room += room;
            nodes += room;
            missing = missing.saturating_sub(room);
        }
        Ok(())
    }

    /// Returns the capacity of the next chunk, if there is memory for `nodes` and `missing` more
    /// are needed.
    fn next_chunk(nodes: usize, missing: usize) -> usize {
        (nodes / GROWTH).max(missing.min(Self::SMALL_CHUNK)).min(Self::CHUNK)
    }

    /// Returns the number of nodes for which a chunk has memory.
    fn nodes(chunk: &Vec<T>) -> usize {
        chunk.capacity().min(Self::CHUNK)
    }

    /// Returns the ids of the first `len` nodes of an arena, in ascending order, if memory for all
    /// of them is reserved at once.
    pub(crate) fn first_ids(len: usize) -> impl Iterator<Item = u32> {
        let (mut nodes, mut chunk, mut index, mut capacity) = (0, 0, 0, Self::next_chunk(0, len));
        core::iter::repeat_with(move || {
            if index == capacity {
                nodes += capacity;
                (chunk, index, capacity) = (chunk + 1, 0, Self::next_chunk(nodes, len - nodes));
            }
            index += 1;
            (chunk << Self::SHIFT | (index - 1)) as u32
        })
        .take(len)
    }

    /// Adds a node without contents and returns its id. The links of a reused node are stale. The
    /// memory must have been reserved with `try_reserve`.
    pub(crate) fn insert(&mut self) -> u32 {
        self.room -= 1;
        if self.vacant != NONE {
            let id = self.vacant;
            self.vacant = self.get(id).next_vacant();
            return id;
        }
        let mut filling = self.filling as usize;
        let chunk = loop {
            let chunk = &mut self.chunks[filling];
            if chunk.len() < Self::nodes(chunk) {
                break chunk;
            }
            filling += 1;
        };
        self.filling = filling as u32;
        push_reserved(chunk, T::empty());
        let id = (filling << Self::SHIFT | (chunk.len() - 1)) as u32;
        self.get_mut(id).blank();
        id
    }

    /// Adds a node, which must be empty, to the free list.
    pub(crate) fn remove(&mut self, id: u32) {
        let next = self.vacant;
        self.get_mut(id).set_next_vacant(next);
        self.vacant = id;
        self.room += 1;
    }

    /// Returns the number of nodes for which memory is allocated, including those in use.
    /// **O(chunks)**.
    pub(crate) fn capacity(&self) -> usize {
        self.chunks.iter().map(Self::nodes).sum()
    }

    /// Returns the number of bytes allocated for the chunks.
    pub(crate) fn allocation_size(&self) -> usize {
        let nodes: usize = self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum();
        nodes + self.chunks.capacity() * size_of::<Vec<T>>()
    }

    /// Lowers the maximum number of nodes, so that tests can reach it.
    #[cfg(test)]
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Panics if an invariant is violated, or unless `is_vacant` accepts all nodes in the free
    /// list.
    pub(crate) fn check(&self, what: &str, is_vacant: impl Fn(&T) -> bool) {
        let filling = self.filling as usize;
        let is_full = |chunk: &Vec<T>| chunk.len() == Self::nodes(chunk);
        assert!(self.chunks.iter().take(filling).all(is_full), "{what}: a chunk is not full");
        assert!(self.chunks.iter().skip(filling + 1).all(Vec::is_empty), "{what}: a chunk is used");
        let stored: usize = self.chunks.iter().map(Vec::len).sum();
        let mut vacant = self.vacant;
        for _ in 0..(self.room + stored).saturating_sub(self.capacity()) {
            assert_ne!(vacant, NONE, "{what}: the free list is shorter than counted");
            let node = self.get(vacant);
            assert!(is_vacant(node), "{what}: node {vacant} is in the free list and in use");
            vacant = node.next_vacant();
        }
        assert_eq!(vacant, NONE, "{what}: the free list is longer than counted");
    }
}

/// Returns how many nodes of this size fit in this many bytes: a power of two, at least 1.
const fn fitting(bytes: usize, node: usize) -> usize {
    let fitting = bytes / if node == 0 { 1 } else { node };
    if fitting < 2 { 1 } else { 1 << fitting.ilog2() }
}

impl<T: Clone> Clone for Arena<T> {
    /// The clone's chunks have the same capacity, so reserved memory stays reserved.
    fn clone(&self) -> Self {
        let chunks = self.chunks.iter().map(|chunk| {
            let mut clone = Vec::with_capacity(chunk.capacity());
            clone.extend_from_slice(chunk);
            clone
        });
        Arena { chunks: chunks.collect(), ..*self }
    }
}

/// The nodes of an arena to which no mutable reference has been taken yet.
///
/// They are slices, by the index of the first value of each. Taking a value splits its slice in
/// two, so there is at most one slice more for each value taken: **O(log n)** for the n-th.
pub(crate) struct Disjoint<'a, T> {
    chunks: BTreeMap<usize, &'a mut [Vec<T>]>,
    /// The nodes of the chunks from which a node has been taken, by id.
    nodes: BTreeMap<usize, &'a mut [T]>,
}

impl<'a, T: ArenaNode> Disjoint<'a, T> {
    /// Returns the node with this id, if there is one and it has not been taken.
    pub(crate) fn take(&mut self, id: u32) -> Option<&'a mut T> {
        let chunk = id as usize >> Arena::<T>::SHIFT;
        if let Some(nodes) = take(&mut self.chunks, chunk) {
            self.nodes.insert(chunk << Arena::<T>::SHIFT, nodes);
        }
        take(&mut self.nodes, id as usize)
    }

    /// Like `take`, without taking it.
    pub(crate) fn get(&self, id: u32) -> Option<&T> {
        let (chunk, index) = (id as usize >> Arena::<T>::SHIFT, id as usize & Arena::<T>::MASK);
        let chunk = get(&self.chunks, chunk).and_then(|chunk| chunk.get(index));
        chunk.or_else(|| get(&self.nodes, id as usize))
    }
}

impl<T> Default for Disjoint<'_, T> {
    fn default() -> Self {
        Disjoint { chunks: BTreeMap::new(), nodes: BTreeMap::new() }
    }
}

/// Takes the value at `index` out of the slice that contains it.
fn take<'a, T>(slices: &mut BTreeMap<usize, &'a mut [T]>, index: usize) -> Option<&'a mut T> {
    let (&first, slice) = slices.range_mut(..=index).next_back()?;
    if index - first >= slice.len() {
        return None;
    }
    let (before, from) = mem::take(slice).split_at_mut(index - first);
    let (value, after) = from.split_first_mut()?;
    *slice = before;
    if slice.is_empty() {
        slices.remove(&first);
    }
    if !after.is_empty() {
        slices.insert(index + 1, after);
    }
    Some(value)
}

/// Returns the value at `index`.
fn get<'s, T>(slices: &'s BTreeMap<usize, &mut [T]>, index: usize) -> Option<&'s T> {
    let (first, slice) = slices.range(..=index).next_back()?;
    slice.get(index - first)
}

/// The nodes of an arena after the last one to which a mutable reference was taken.
pub(crate) struct Ascending<'a, T> {
    chunks: Suffix<'a, Vec<T>>,
    nodes: Suffix<'a, T>,
}

impl<'a, T: ArenaNode> Ascending<'a, T> {
    /// Returns the node with this id, if there is one and only lower ids have been taken.
    pub(crate) fn take(&mut self, id: u32) -> Option<&'a mut T> {
        let chunk = id as usize >> Arena::<T>::SHIFT;
        if let Some(nodes) = self.chunks.take(chunk) {
            self.nodes = Suffix::new(chunk << Arena::<T>::SHIFT, nodes);
        }
        self.nodes.take(id as usize)
    }
}

impl<T> Default for Ascending<'_, T> {
    fn default() -> Self {
        Ascending { chunks: Suffix::default(), nodes: Suffix::default() }
    }
}

/// The rest of a slice.
pub(crate) struct Suffix<'a, T> {
    /// The index of the first value.
    first: usize,
    values: &'a mut [T],
}

impl<'a, T> Suffix<'a, T> {
    /// Creates a suffix whose first value has this index.
    pub(crate) fn new(first: usize, values: &'a mut [T]) -> Self {
        Suffix { first, values }
    }

    /// Takes the value at `index`, and drops the values before it.
    pub(crate) fn take(&mut self, index: usize) -> Option<&'a mut T> {
        let offset = index.checked_sub(self.first)?;
        let (value, after) = mem::take(&mut self.values).get_mut(offset..)?.split_first_mut()?;
        *self = Suffix::new(index + 1, after);
        Some(value)
    }
}

impl<T> Default for Suffix<'_, T> {
    fn default() -> Self {
        Suffix::new(0, &mut [])
    }
}

/// Counts the nodes that an operation visits, for tests that bound their number.
#[cfg(test)]
pub(crate) mod visits {
    use std::cell::Cell;

    std::thread_local! {
        static VISITS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts a visit to a node.
    pub(crate) fn count() {
        VISITS.set(VISITS.get() + 1);
    }

    /// Returns how many nodes `operation` visits.
    pub(crate) fn during(operation: impl FnOnce()) -> usize {
        let before = VISITS.get();
        operation();
        VISITS.get() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    impl ArenaNode for [u64; 140] {
        const MAX_IDS: usize = 1 << 20;

        fn empty() -> Self {
            [0; 140]
        }
        fn set_next_vacant(&mut self, next: u32) {
            self[0] = u64::from(next);
        }
        fn next_vacant(&self) -> u32 {
            self[0] as u32
        }
    }

    impl ArenaNode for u64 {
        const MAX_IDS: usize = 1 << 20;

        fn empty() -> Self {
            0
        }
        fn set_next_vacant(&mut self, next: u32) {
            *self = u64::from(next);
        }
        fn next_vacant(&self) -> u32 {
            *self as u32
        }
    }

    #[test]
    fn vacant_ids_are_reused_before_new_ones() {
        let mut arena = Arena::<u64>::new();
        arena.try_reserve(4).unwrap();
        let ids: Vec<u32> = (0..4).map(|_| arena.insert()).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        arena.remove(1);
        arena.remove(2);
        assert_eq!(arena.len(), 2);
        arena.check("test", |_| true);
        arena.try_reserve(2).unwrap();
        assert_eq!((arena.insert(), arena.insert()), (2, 1));
        arena.check("test", |_| true);
    }

    #[test]
    fn two_nodes_are_returned_in_the_order_of_their_ids_in_one_chunk_and_in_two() {
        let mut arena = Large::new();
        let mut ids = Vec::new();
        for i in 0..40 {
            arena.try_reserve(1).unwrap();
            ids.push(arena.insert());
            arena.get_mut(ids[i])[1] = i as u64;
        }
        for (i, &a) in ids.iter().enumerate() {
            for (j, &b) in ids.iter().enumerate().filter(|&(j, _)| i != j) {
                let (a, b) = arena.get_two_mut(a, b);
                assert_eq!((a[1], b[1]), (i as u64, j as u64));
            }
        }
    }

    #[test]
    fn each_node_is_taken_once_in_any_order() {
        let mut arena = Large::new();
        let ids: Vec<u32> = (0..50)
            .map(|i| {
                arena.try_reserve(1).unwrap();
                let id = arena.insert();
                arena.get_mut(id)[1] = i;
                id
            })
            .collect();
        let mut disjoint = arena.disjoint();
        // Steps of 7 reach each of the 50 values once.
        let mut taken: Vec<&mut [u64; 140]> = Vec::new();
        for i in (0..50).map(|i| 7 * i % 50) {
            assert_eq!(disjoint.get(ids[i]).map(|node| node[1]), Some(i as u64));
            taken.push(disjoint.take(ids[i]).unwrap());
            assert!(disjoint.take(ids[i]).is_none() && disjoint.get(ids[i]).is_none());
        }
        assert!(disjoint.take(NONE).is_none() && disjoint.take(ids[49] + 1).is_none());
        assert!(disjoint.chunks.is_empty() && disjoint.nodes.is_empty());
        for node in taken {
            node[1] += 100;
        }
        let mut ascending = arena.ascending();
        for i in (0..50).step_by(3) {
            assert_eq!(ascending.take(ids[i]).map(|node| node[1]), Some(100 + i as u64));
            assert!(ascending.take(ids[i]).is_none());
        }
        assert!(ascending.take(NONE).is_none());
    }

    #[test]
    fn the_limit_is_an_error_and_changes_nothing() {
        let mut arena = Arena::<u64>::new();
        arena.set_limit(3);
        arena.try_reserve(3).unwrap();
        (0..3).for_each(|i| assert_eq!(arena.insert(), i));
        assert_eq!(arena.try_reserve(1), Err(TryReserveError::CapacityOverflow));
        arena.remove(0);
        assert_eq!(arena.try_reserve(1), Ok(()));
        assert_eq!(arena.try_reserve(usize::MAX), Err(TryReserveError::CapacityOverflow));
    }

    /// Nodes as large as a leaf, up to 16 to a chunk.
    type Large = Arena<[u64; 140]>;

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn at_most_an_eighth_of_an_arena_is_unused() {
        let mut arena = Large::new();
        for len in 1..=500 {
            arena.try_reserve(1).unwrap();
            arena.insert();
            let capacity = arena.capacity();
            assert!(8 * capacity <= 9 * len, "{capacity} for {len}");
            let bytes = arena.allocation_size() - capacity * size_of::<[u64; 140]>();
            assert!(bytes <= 50 + 30 * len, "{bytes} for the vector of chunks for {len}");
        }
        arena.check("test", |_| true);
        assert_eq!(arena.len(), 500);
        assert!(arena.chunks.iter().skip(40).all(|chunk| chunk.capacity() == Large::CHUNK));
    }

    #[test]
    fn a_tiny_arena_allocates_exactly_its_nodes() {
        for len in 1..=3 {
            let mut arena = Large::new();
            arena.try_reserve(len).unwrap();
            assert_eq!(arena.capacity(), len);
            let nodes = len * size_of::<[u64; 140]>();
            assert!((nodes..nodes + 100).contains(&arena.allocation_size()));
        }
    }

    #[test]
    fn a_small_arena_allocates_at_most_4_kib_at_once() {
        let mut arena = Large::new();
        arena.try_reserve(30).unwrap();
        let most = arena.chunks.iter().map(Vec::capacity).max().unwrap();
        assert!(most * size_of::<[u64; 140]>() <= SMALL_CHUNK_BYTES);
    }

    #[test]
    fn the_ids_of_reserved_nodes_are_known_beforehand() {
        for len in [0, 1, 2, 3, 4, 9, 100, 777] {
            let mut arena = Large::new();
            arena.try_reserve(len).unwrap();
            let ids: Vec<u32> = (0..len).map(|_| arena.insert()).collect();
            assert!(ids.is_sorted());
            assert!(Large::first_ids(len).eq(ids));
            arena.check("test", |_| true);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn growth_never_moves_nodes_and_ends_in_whole_chunks() {
        let mut arena = Arena::<u64>::new();
        let mut ids = Vec::new();
        let mut addresses = Vec::new();
        for i in 0..100_000 {
            arena.try_reserve(1).unwrap();
            ids.push(arena.insert());
            *arena.get_mut(ids[i as usize]) = i;
            addresses.push(core::ptr::from_ref(arena.get(ids[i as usize])));
        }
        assert!((0..100_000).all(|i| *arena.get(ids[i]) == i as u64));
        assert!((0..100_000).all(|i| core::ptr::eq(arena.get(ids[i]), addresses[i])));
        assert_eq!(arena.chunks.last().unwrap().capacity(), Arena::<u64>::CHUNK);
        arena.check("test", |_| true);
    }
}
