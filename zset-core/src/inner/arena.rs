//! [`Arena`]: boxed nodes with `u32` ids, and a free list.
//!
//! Nodes never move: growth moves only the pointers to them. A vacant node keeps its memory, which
//! a later insertion reuses.
//!
//! ```text
//! nodes    [ 0 ]  [ 1 ]  [ 2 ]  [ 3 ]  [ 4 ]      each in a box of its own
//!                 vacant         vacant  new       vacant: 3 -> 1, fresh: 4
//! ```
//!
//! Invariants:
//! - Nodes with ids from `fresh` on are new: they have not been in use since the arena was created
//!   or cleared.
//! - Vacant and new nodes are empty.
//! - The free list is threaded through the vacant nodes themselves, so freeing never allocates.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use crate::TryReserveError;
use crate::reserve::{push_reserved, try_box_with};

/// An id that no node has.
pub(crate) const NONE: u32 = u32::MAX;

/// The requirements of an arena on its nodes.
pub(crate) trait ArenaNode {
    /// The number of ids. All ids are lower than this.
    const MAX_IDS: usize;

    /// The maximum number of nodes that a large arena allocates ahead of use. Nodes allocated
    /// together are probably adjacent in memory.
    const MOST_AHEAD: usize = 1;

    /// Creates a node without contents.
    fn empty() -> Self;
    /// Drops the contents of this node, and makes it like a new one.
    fn clear(&mut self);
    /// Links this vacant node to the next vacant one.
    fn set_next_vacant(&mut self, next: u32);
    /// Returns the vacant node after this vacant one.
    fn next_vacant(&self) -> u32;
}

#[derive(Clone)]
pub(crate) struct Arena<T> {
    /// The nodes by id. Each is boxed as an array, which can be allocated fallibly through a
    /// vector.
    nodes: Vec<Box<[T; 1]>>,
    /// The number of nodes in use.
    len: usize,
    /// The lowest id that has not been in use.
    fresh: u32,
    /// The first vacant node, or `NONE`.
    vacant: u32,
    /// The maximum number of nodes. Tests lower it so that they can reach it.
    #[cfg(test)]
    limit: usize,
}

impl<T: ArenaNode> Arena<T> {
    pub(crate) const fn new() -> Self {
        Arena {
            nodes: Vec::new(),
            len: 0,
            fresh: 0,
            vacant: NONE,
            #[cfg(test)]
            limit: usize::MAX,
        }
    }

    /// Returns the number of nodes in use.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &T {
        #[cfg(test)]
        visits::count();
        &self.nodes[id as usize][0]
    }

    /// Returns the node with this id, if there is one.
    #[inline]
    pub(crate) fn try_get(&self, id: u32) -> Option<&T> {
        self.nodes.get(id as usize).map(|node| &node[0])
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u32) -> &mut T {
        #[cfg(test)]
        visits::count();
        &mut self.nodes[id as usize][0]
    }

    /// Returns mutable references to two different nodes.
    pub(crate) fn get_two_mut(&mut self, a: u32, b: u32) -> (&mut T, &mut T) {
        let (before, from) = self.nodes.split_at_mut(a.max(b) as usize);
        let (low, high) = (&mut before[a.min(b) as usize][0], &mut from[0][0]);
        if a < b { (low, high) } else { (high, low) }
    }

    /// Returns mutable references to the nodes with these ids, in the order of the slice. No id may
    /// be repeated. **O(n log n)** for n ids.
    pub(crate) fn get_many_mut(&mut self, ids: &[u32]) -> Vec<&mut T> {
        let mut ascending: Vec<usize> = (0..ids.len()).collect();
        ascending.sort_unstable_by_key(|&index| ids[index]);
        let mut nodes = Ascending::new(&mut self.nodes);
        let mut found: Vec<Option<&mut T>> = ids.iter().map(|_| None).collect();
        for index in ascending {
            found[index] = nodes.take(ids[index] as usize).map(|node| &mut node[0]);
        }
        found.into_iter().flatten().collect()
    }

    /// Returns a view from which several nodes can be borrowed mutably, in ascending order of their
    /// ids.
    pub(crate) fn ascending(&mut self) -> Ascending<'_, Box<[T; 1]>> {
        Ascending::new(&mut self.nodes)
    }

    /// Reserves memory so that the next `additional` calls of `insert` allocate nothing.
    #[inline]
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        match additional.checked_sub(self.nodes.len() - self.len) {
            None | Some(0) => Ok(()),
            Some(missing) => self.try_grow(missing),
        }
    }

    /// Allocates `missing` nodes, or more in a large arena. If an allocation fails, the nodes
    /// allocated before it are kept.
    #[cold]
    fn try_grow(&mut self, missing: usize) -> Result<(), TryReserveError> {
        let most = T::MAX_IDS;
        #[cfg(test)]
        let most = most.min(self.limit);
        if missing > most.saturating_sub(self.nodes.len()) {
            return Err(TryReserveError::CapacityOverflow);
        }
        let more = (self.nodes.len() / 8).min(T::MOST_AHEAD).min(most - self.nodes.len());
        self.nodes.try_reserve(missing.max(more))?;
        for _ in 0..missing.max(more) {
            push_reserved(&mut self.nodes, try_box_with(T::empty)?);
        }
        Ok(())
    }

    /// Adds a node without contents and returns its id. The links of a reused node are stale. The
    /// memory must have been reserved with `try_reserve`. New ids are issued in ascending order.
    pub(crate) fn insert(&mut self) -> u32 {
        self.len += 1;
        if self.vacant == NONE {
            self.fresh += 1;
            self.fresh - 1
        } else {
            let next = self.get(self.vacant).next_vacant();
            mem::replace(&mut self.vacant, next)
        }
    }

    /// Adds a node, which must be empty, to the free list.
    pub(crate) fn remove(&mut self, id: u32) {
        let next = mem::replace(&mut self.vacant, id);
        self.get_mut(id).set_next_vacant(next);
        self.len -= 1;
    }

    /// Drops the contents of all nodes, and keeps their memory. If this panics, the arena can only
    /// be dropped.
    pub(crate) fn clear(&mut self) {
        self.nodes[..self.fresh as usize].iter_mut().for_each(|node| node[0].clear());
        (self.len, self.fresh, self.vacant) = (0, 0, NONE);
    }

    /// Returns the number of nodes for which memory is allocated, including those in use.
    pub(crate) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of bytes allocated for the nodes.
    pub(crate) fn allocation_size(&self) -> usize {
        self.nodes.len() * size_of::<T>() + self.nodes.capacity() * size_of::<Box<[T; 1]>>()
    }

    /// Lowers the maximum number of nodes, so that tests can reach it.
    #[cfg(test)]
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Panics if an invariant is violated, or if `is_vacant` rejects a node that is not in use.
    pub(crate) fn check(&self, what: &str, is_vacant: impl Fn(&T) -> bool) {
        let fresh = self.fresh as usize;
        let new = self.nodes.iter().skip(fresh).map(|node| &node[0]);
        assert!(new.into_iter().all(&is_vacant), "{what}: a new node is not empty");
        let mut vacant = self.vacant;
        for _ in self.len..fresh {
            assert_ne!(vacant, NONE, "{what}: the free list is shorter than counted");
            let node = self.get(vacant);
            assert!(is_vacant(node), "{what}: node {vacant} is in the free list and in use");
            vacant = node.next_vacant();
        }
        assert_eq!(vacant, NONE, "{what}: the free list is longer than counted");
    }
}

/// The remaining values of a slice, which are taken in ascending order of their indexes.
pub(crate) struct Ascending<'a, T> {
    /// The index in the slice of the first remaining value.
    first: usize,
    values: &'a mut [T],
}

impl<'a, T> Ascending<'a, T> {
    pub(crate) fn new(values: &'a mut [T]) -> Self {
        Ascending { first: 0, values }
    }

    /// Takes the value at `index`, and skips the values before it. Returns `None` if there is no
    /// such value, or if it was already taken or skipped.
    pub(crate) fn take(&mut self, index: usize) -> Option<&'a mut T> {
        let offset = index.checked_sub(self.first)?;
        let (value, after) = mem::take(&mut self.values).get_mut(offset..)?.split_first_mut()?;
        (self.first, self.values) = (index + 1, after);
        Some(value)
    }
}

/// Counts the nodes that an operation visits, for tests that bound their number.
#[cfg(test)]
pub(crate) mod visits {
    use std::cell::Cell;

    std::thread_local! {
        static VISITS: Cell<usize> = const { Cell::new(0) };
    }

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

    impl ArenaNode for u64 {
        const MAX_IDS: usize = 1 << 20;
        const MOST_AHEAD: usize = 4;

        fn empty() -> Self {
            0
        }
        fn clear(&mut self) {
            *self = 0;
        }
        fn set_next_vacant(&mut self, next: u32) {
            *self = u64::from(next);
        }
        fn next_vacant(&self) -> u32 {
            *self as u32
        }
    }

    /// Creates an arena of nodes that contain their ids.
    fn with_nodes(len: u32) -> Arena<u64> {
        let mut arena = Arena::new();
        for i in 0..len {
            arena.try_reserve(1).unwrap();
            assert_eq!(arena.insert(), i);
            *arena.get_mut(i) = i.into();
        }
        arena
    }

    #[test]
    fn vacant_ids_are_reused_before_new_ones() {
        let mut arena = with_nodes(4);
        arena.remove(1);
        arena.remove(2);
        assert_eq!(arena.len(), 2);
        arena.check("test", |_| true);
        arena.try_reserve(3).unwrap();
        assert_eq!([(); 3].map(|()| arena.insert()), [2, 1, 4]);
        assert_eq!((arena.len(), arena.capacity()), (5, 5));
        arena.check("test", |_| true);
    }

    #[test]
    fn two_nodes_are_returned_in_the_order_of_their_ids() {
        let mut arena = with_nodes(5);
        for (a, b) in (0..25).map(|i| (i % 5, i / 5)).filter(|(a, b)| a != b) {
            let (first, second) = arena.get_two_mut(a, b);
            assert_eq!((*first, *second), (a.into(), b.into()));
        }
    }

    #[test]
    fn many_nodes_are_returned_in_the_order_of_their_ids() {
        let mut arena = with_nodes(50);
        // 7 is coprime to 50, so each of the 50 ids occurs once.
        let ids: Vec<u32> = (0..50).map(|i| 7 * i % 50).collect();
        for ids in [&[][..], &ids[..1], &ids[..20], &ids] {
            let nodes = arena.get_many_mut(ids);
            assert!(nodes.iter().map(|node| **node as u32).eq(ids.iter().copied()));
        }
    }

    #[test]
    fn values_are_taken_once_and_in_ascending_order() {
        let mut values = [10, 11, 12, 13];
        let mut rest = Ascending::new(&mut values);
        assert_eq!(rest.take(1), Some(&mut 11));
        assert_eq!((rest.take(1), rest.take(0)), (None, None));
        assert_eq!(rest.take(3), Some(&mut 13));
        assert_eq!((rest.take(4), rest.take(usize::MAX)), (None, None));
    }

    #[test]
    fn ids_ascend_again_after_clearing_and_no_memory_is_freed() {
        let mut arena = with_nodes(4);
        arena.remove(2);
        arena.clear();
        arena.check("test", |node| *node == 0);
        assert_eq!((arena.len(), arena.capacity()), (0, 4));
        arena.try_reserve(4).unwrap();
        assert_eq!([(); 4].map(|()| arena.insert()), [0, 1, 2, 3]);
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

    #[test]
    fn a_large_arena_allocates_nodes_ahead_within_the_limit() {
        let capacities = [16, 17, 25, 42].map(|len| with_nodes(len).capacity());
        assert_eq!(capacities, [16, 18, 27, 45]);
        let mut arena = with_nodes(16);
        arena.set_limit(17);
        arena.try_reserve(1).unwrap();
        assert_eq!(arena.capacity(), 17);
    }

    #[test]
    fn nodes_stay_where_they_are_while_the_arena_grows() {
        let mut arena = with_nodes(1);
        let address = core::ptr::from_ref(arena.get(0));
        arena.try_reserve(1_000).unwrap();
        assert_eq!(core::ptr::from_ref(arena.get(0)), address);
        assert_eq!(arena.capacity(), 1_001);
    }
}
