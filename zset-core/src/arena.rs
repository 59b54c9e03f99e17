//! [`Arena`]: nodes with `u32` ids in fixed-size chunks, with a free list.
//!
//! Invariants:
//! - Ids are dense: id `i` is at offset `i % CHUNK` of chunk `i / CHUNK`. Growing therefore never moves
//!   a node, with one exception: while there are few chunks, the last one starts small and grows by
//!   reallocation, so that a small list uses little memory.
//! - The free list is threaded through the vacant nodes themselves, so freeing never allocates.

use alloc::vec::Vec;

use crate::TryReserveError;

/// An id that no node has.
pub(crate) const NONE: u32 = u32::MAX;

/// A node that can be linked into the free list.
pub(crate) trait Node {
    /// Links this vacant node to the next vacant one.
    fn set_next_vacant(&mut self, next: u32);
    /// Returns the vacant node after this vacant one.
    fn next_vacant(&self) -> u32;
}

/// The number of chunks that start small and grow to full size. Later chunks are allocated at full
/// size, which leaves less than an eighth of all nodes unused.
const GROWN_CHUNKS: usize = 8;

pub(crate) struct Arena<T> {
    chunks: Vec<Vec<T>>,
    /// The number of ids issued, including those of vacant nodes.
    ids: usize,
    /// The first vacant node, or `NONE`.
    vacant: u32,
    /// The number of nodes in the free list.
    vacant_len: usize,
    /// The maximum number of ids.
    limit: usize,
}

impl<T: Node> Arena<T> {
    /// The number of nodes in a chunk: a power of two, about 32 KiB in total.
    const CHUNK: usize = {
        let node = if size_of::<T>() == 0 { 1 } else { size_of::<T>() };
        let fitting = (32 << 10) / node;
        if fitting < 2 { 1 } else { 1 << fitting.ilog2() }
    };
    const SHIFT: u32 = Self::CHUNK.trailing_zeros();
    const MASK: usize = Self::CHUNK - 1;

    pub(crate) const fn new(limit: usize) -> Self {
        Arena { chunks: Vec::new(), ids: 0, vacant: NONE, vacant_len: 0, limit }
    }

    /// Returns the number of nodes in use.
    pub(crate) fn len(&self) -> usize {
        self.ids - self.vacant_len
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &T {
        #[cfg(test)]
        crate::visits::count();
        &self.chunks[id as usize >> Self::SHIFT][id as usize & Self::MASK]
    }

    /// Returns the node with this id, if there is one.
    #[inline]
    pub(crate) fn try_get(&self, id: u32) -> Option<&T> {
        self.chunks.get(id as usize >> Self::SHIFT)?.get(id as usize & Self::MASK)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u32) -> &mut T {
        #[cfg(test)]
        crate::visits::count();
        &mut self.chunks[id as usize >> Self::SHIFT][id as usize & Self::MASK]
    }

    /// Returns the chunks, including their vacant nodes.
    pub(crate) fn chunks_mut(&mut self) -> &mut [Vec<T>] {
        &mut self.chunks
    }

    /// Reserves memory so that the next `additional` calls of `insert` allocate nothing.
    #[inline]
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        if self.vacant_len >= additional {
            return Ok(());
        }
        self.try_grow(self.ids.saturating_add(additional - self.vacant_len))
    }

    /// Reserves memory for `wanted` ids in total.
    fn try_grow(&mut self, wanted: usize) -> Result<(), TryReserveError> {
        if wanted > self.limit {
            return Err(TryReserveError::CapacityOverflow);
        }
        loop {
            let chunks = self.chunks.len();
            match self.chunks.last_mut() {
                Some(last) if last.capacity() < Self::CHUNK => {
                    let missing = wanted.saturating_sub((chunks - 1) * Self::CHUNK);
                    if missing <= last.capacity() {
                        break;
                    }
                    let capacity = missing.max(2 * last.capacity()).min(Self::CHUNK);
                    last.try_reserve_exact(capacity - last.len())?;
                }
                _ if wanted <= chunks * Self::CHUNK => break,
                _ => {
                    let least = match chunks {
                        0 => 1,
                        1..GROWN_CHUNKS => (Self::CHUNK / 4).max(1),
                        _ => Self::CHUNK,
                    };
                    let mut chunk = Vec::new();
                    let missing = wanted - chunks * Self::CHUNK;
                    chunk.try_reserve_exact(missing.clamp(least, Self::CHUNK))?;
                    self.chunks.try_reserve(1)?;
                    self.chunks.push(chunk);
                }
            }
        }
        Ok(())
    }

    /// Stores `node` and returns its id. The memory must have been reserved with `try_reserve`.
    pub(crate) fn insert(&mut self, node: T) -> u32 {
        if self.vacant != NONE {
            let id = self.vacant;
            let place = self.get_mut(id);
            let next = place.next_vacant();
            *place = node;
            self.vacant = next;
            self.vacant_len -= 1;
            return id;
        }
        let id = self.ids;
        self.chunks[id >> Self::SHIFT].push(node);
        self.ids += 1;
        id as u32
    }

    /// Adds a node to the free list. Its contents are no longer needed.
    pub(crate) fn remove(&mut self, id: u32) {
        let next = self.vacant;
        self.get_mut(id).set_next_vacant(next);
        self.vacant = id;
        self.vacant_len += 1;
    }

    /// Returns the number of nodes for which memory is allocated, including those in use.
    pub(crate) fn capacity(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum::<usize>().min(self.limit)
    }

    /// Returns the number of bytes allocated for the chunks.
    pub(crate) fn allocation_size(&self) -> usize {
        let nodes: usize = self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum();
        nodes + self.chunks.capacity() * size_of::<Vec<T>>()
    }

    /// Lowers the maximum number of ids, so that tests can reach it.
    #[cfg(test)]
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Panics unless the free list consists of exactly as many nodes as counted, all accepted by
    /// `is_vacant`.
    pub(crate) fn check(&self, what: &str, is_vacant: impl Fn(&T) -> bool) {
        let stored: usize = self.chunks.iter().map(Vec::len).sum();
        assert_eq!(stored, self.ids, "{what}: allocated ids and stored nodes differ");
        let mut vacant = self.vacant;
        for _ in 0..self.vacant_len {
            assert_ne!(vacant, NONE, "{what}: the free list is shorter than counted");
            let node = self.get(vacant);
            assert!(is_vacant(node), "{what}: node {vacant} is in the free list and in use");
            vacant = node.next_vacant();
        }
        assert_eq!(vacant, NONE, "{what}: the free list is longer than counted");
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    impl Node for [u64; 140] {
        fn set_next_vacant(&mut self, next: u32) {
            self[0] = u64::from(next);
        }
        fn next_vacant(&self) -> u32 {
            self[0] as u32
        }
    }

    impl Node for u64 {
        fn set_next_vacant(&mut self, next: u32) {
            *self = u64::from(next);
        }
        fn next_vacant(&self) -> u32 {
            *self as u32
        }
    }

    #[test]
    fn vacant_ids_are_reused_before_new_ones() {
        let mut arena = Arena::<u64>::new(10);
        let ids: Vec<u32> = (0..4)
            .map(|i| {
                arena.try_reserve(1).unwrap();
                arena.insert(100 + i)
            })
            .collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        arena.remove(1);
        arena.remove(2);
        assert_eq!(arena.len(), 2);
        arena.check("test", |_| true);
        arena.try_reserve(2).unwrap();
        assert_eq!((arena.insert(7), arena.insert(8)), (2, 1));
        assert_eq!(*arena.get(2), 7);
        arena.check("test", |_| true);
    }

    #[test]
    fn the_limit_is_an_error_and_changes_nothing() {
        let mut arena = Arena::<u64>::new(3);
        arena.try_reserve(3).unwrap();
        (0..3).for_each(|i| assert_eq!(arena.insert(i), i as u32));
        assert_eq!(arena.try_reserve(1), Err(TryReserveError::CapacityOverflow));
        arena.remove(0);
        assert_eq!(arena.try_reserve(1), Ok(()));
        assert_eq!(arena.try_reserve(usize::MAX), Err(TryReserveError::CapacityOverflow));
    }

    #[test]
    fn at_most_a_quarter_of_a_small_arena_is_unused() {
        // Nodes as large as a leaf, 16 to a chunk.
        let mut arena = Arena::<[u64; 140]>::new(1 << 20);
        for len in 1..=200 {
            arena.try_reserve(1).unwrap();
            arena.insert([0; 140]);
            let capacity: usize = arena.chunks.iter().map(Vec::capacity).sum();
            assert!(len < 8 || 3 * capacity <= 4 * len + 16, "{capacity} for {len}");
            assert!(arena.chunks.iter().rev().skip(1).all(|c| c.capacity() == 16));
        }
    }

    #[test]
    fn a_tiny_arena_allocates_exactly_its_nodes() {
        for len in 1..=3 {
            let mut arena = Arena::<[u64; 140]>::new(1 << 20);
            arena.try_reserve(len).unwrap();
            assert_eq!(arena.chunks[0].capacity(), len);
            let nodes = len * size_of::<[u64; 140]>();
            assert!((nodes..nodes + 200).contains(&arena.allocation_size()));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes under Miri")]
    fn growth_allocates_whole_chunks_and_never_moves_them() {
        let mut arena = Arena::<u64>::new(1 << 20);
        for i in 0..=GROWN_CHUNKS as u64 * Arena::<u64>::CHUNK as u64 {
            arena.try_reserve(1).unwrap();
            arena.insert(i);
        }
        assert_eq!(arena.chunks.len(), GROWN_CHUNKS + 1);
        assert!(arena.chunks.iter().all(|c| c.capacity() == Arena::<u64>::CHUNK));
        let first = arena.chunks[0].as_ptr();
        arena.try_reserve(10 * Arena::<u64>::CHUNK).unwrap();
        assert_eq!(arena.chunks[0].as_ptr(), first);
        assert!((0..arena.ids as u32).all(|id| *arena.get(id) == u64::from(id)));
    }
}
