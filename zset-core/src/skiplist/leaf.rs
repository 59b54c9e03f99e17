//! A leaf: up to 64 elements in dense, unsorted slots, and the permutation that sorts them.
//!
//! ```text
//! slot     0    1    2    3          order  1 3 0 2
//! scores   7.0  1.0  9.0  4.0        so the elements in order are 1.0 4.0 7.0 9.0
//! members  g    a    k    d                                      a   d   g   k
//! ```
//!
//! Invariants: `scores` and `members` have the length `len`, at most 64; `order` is a permutation of
//! `0..len`, then `NO_SLOT`; the elements read through it are sorted by `(score, member)`.
//!
//! An insertion pushes into the next slot and shifts bytes of `order` only. A removal fills its slot
//! with the element of the last slot, which so moves; no other element does.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::ops::DerefMut;

use super::Element;
use crate::TryReserveError;
use crate::arena::{NONE, Node};
use crate::handle::{Handle, LEAF_CAPACITY};

mod arrange;
mod split;

pub(crate) use arrange::End;
pub(crate) use split::Move;

/// A column of a leaf: a vector that grows (the leaf of a small list) or an inline array (a block).
pub(crate) trait Column<T>: Default + DerefMut<Target = [T]> {
    fn push(&mut self, value: T);
    fn swap_remove(&mut self, index: usize) -> T;
}

impl<T> Column<T> for Vec<T> {
    #[inline]
    fn push(&mut self, value: T) {
        self.push(value);
    }

    #[inline]
    fn swap_remove(&mut self, index: usize) -> T {
        self.swap_remove(index)
    }
}

impl<T> Column<T> for ArrayVec<T, LEAF_CAPACITY> {
    #[inline]
    fn push(&mut self, value: T) {
        self.push(value);
    }

    #[inline]
    fn swap_remove(&mut self, index: usize) -> T {
        self.swap_remove(index)
    }
}

/// The number of no slot: what stands in `order` behind the last element.
const NO_SLOT: u8 = u8::MAX;

/// Loops over it need no length; the last is always `NO_SLOT`, so that each entry has a next.
type Order = [u8; LEAF_CAPACITY + 1];

/// A leaf over two columns.
///
/// The fields lie in the order in which a search reads them: the length and the order share the
/// first cache lines, so that they arrive together, and at the same time as the scores.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Leaf<A, B> {
    /// The index block of level 1 above, or `NONE` if there is no index.
    pub(crate) parent: u32,
    /// The next leaf in order, or `NONE`; in a vacant leaf the next vacant one.
    pub(crate) forward: u32,
    /// The leaf before in order, or `NONE`.
    pub(crate) backward: u32,
    /// The number of elements.
    len: u8,
    /// The slots in order, then `NO_SLOT` to the end.
    order: Order,
    pub(super) scores: A,
    pub(super) members: B,
}

/// The only leaf of a small list; its columns grow as needed.
pub(crate) type SmallLeaf<M, S> = Leaf<Vec<S>, Vec<M>>;

/// A leaf of a list with more than one: one block of memory.
pub(crate) type BlockLeaf<M, S> = Leaf<ArrayVec<S, LEAF_CAPACITY>, ArrayVec<M, LEAF_CAPACITY>>;

/// A leaf to read, whichever its columns are.
pub(crate) struct LeafRef<'a, M, S> {
    len: u8,
    order: &'a Order,
    pub(crate) scores: &'a [S],
    pub(crate) members: &'a [M],
    pub(crate) forward: u32,
    pub(crate) backward: u32,
    pub(crate) parent: u32,
}

impl<M, S> Clone for LeafRef<'_, M, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, S> Copy for LeafRef<'_, M, S> {}

impl<'a, M, S: Copy> LeafRef<'a, M, S> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns the slots in order.
    #[inline]
    pub(crate) fn order(&self) -> &'a [u8] {
        // Without a panic, because `Iter` enters leaves in a function that must not have one.
        self.order.get(..self.len()).unwrap_or_default()
    }

    /// Returns the element at `position` in order.
    #[inline]
    pub(crate) fn at(&self, position: usize) -> (&'a M, S) {
        let slot = self.order[position] as usize;
        (&self.members[slot], self.scores[slot])
    }

    /// Returns the first member in order.
    #[inline]
    pub(crate) fn first_member(&self) -> &'a M {
        &self.members[self.order[0] as usize]
    }

    /// Returns the position in order of the element in `slot`.
    #[inline]
    pub(crate) fn position_of(&self, slot: u8) -> usize {
        position_of(self.order, slot)
    }
}

/// Returns where a slot stands in the order.
#[inline]
fn position_of(order: &Order, slot: u8) -> usize {
    // Over the whole array, no early exit, a counter as wide as a slot: packed compares.
    let (mut position, mut i) = (0, 0u8);
    for &other in &order[..LEAF_CAPACITY] {
        position |= if other == slot { i } else { 0 };
        i += 1;
    }
    position as usize
}

impl<A, B> Leaf<A, B> {
    pub(crate) fn new<M, S>() -> Self
    where
        A: Column<S>,
        B: Column<M>,
    {
        Self::of_columns(A::default(), B::default())
    }

    /// Makes an empty leaf of empty columns.
    const fn of_columns(scores: A, members: B) -> Self {
        let order = [NO_SLOT; LEAF_CAPACITY + 1];
        Leaf { parent: NONE, forward: NONE, backward: NONE, len: 0, order, scores, members }
    }

    #[inline]
    pub(crate) fn as_ref<M, S>(&self) -> LeafRef<'_, M, S>
    where
        A: Column<S>,
        B: Column<M>,
    {
        LeafRef {
            len: self.len,
            order: &self.order,
            scores: &self.scores,
            members: &self.members,
            forward: self.forward,
            backward: self.backward,
            parent: self.parent,
        }
    }

    /// Returns the element that a handle names, if there is one and `is_sought` accepts its member.
    #[inline]
    pub(crate) fn element<M, S: Copy>(
        &self,
        handle: Handle,
        is_sought: impl Fn(&M) -> bool,
    ) -> Option<Element<'_, M, S>>
    where
        A: Column<S>,
        B: Column<M>,
    {
        let slot = handle.slot() as usize;
        let member = self.members.get(slot).filter(|member| is_sought(member))?;
        Some(Element { handle, member, score: *self.scores.get(slot)? })
    }

    /// Puts an element at `position` in order and returns its slot; the leaf has room.
    #[inline]
    pub(crate) fn insert<M, S>(&mut self, position: usize, member: M, score: S) -> u8
    where
        A: Column<S>,
        B: Column<M>,
    {
        let slot = self.len as usize;
        self.len += 1;
        self.order.copy_within(position..slot, position + 1);
        self.order[position] = slot as u8;
        self.scores.push(score);
        self.members.push(member);
        slot as u8
    }

    /// Takes out the element at `position` in order; the element of the last slot fills its slot.
    #[inline]
    pub(crate) fn remove<M, S>(&mut self, position: usize) -> (M, S)
    where
        A: Column<S>,
        B: Column<M>,
    {
        let slot = self.order[position];
        let last = self.len as usize - 1;
        let position_of_last = position_of(&self.order, last as u8);
        self.len -= 1;
        // The entry of the last slot gets the new name after the others have moved up over the
        // removed one, itself too if it lies behind. (Before it, the move would have to wait for a
        // byte just written.)
        self.order.copy_within(position + 1..=last + 1, position);
        if slot != last as u8 {
            self.order[position_of_last - usize::from(position_of_last > position)] = slot;
        }
        (self.members.swap_remove(slot as usize), self.scores.swap_remove(slot as usize))
    }

    /// Gives the element at position `from` a new score and the position `to`.
    #[inline]
    pub(crate) fn reorder<S>(&mut self, from: usize, to: usize, score: S)
    where
        A: Column<S>,
    {
        let slot = self.order[from];
        if from < to {
            self.order.copy_within(from + 1..=to, from);
        } else {
            self.order.copy_within(to..from, to + 1);
        }
        self.order[to] = slot;
        self.scores[slot as usize] = score;
    }
}

impl<M, S> SmallLeaf<M, S> {
    /// Makes an empty leaf, which allocates nothing.
    pub(crate) const fn empty() -> Self {
        Self::of_columns(Vec::new(), Vec::new())
    }

    /// Returns how many elements the columns have memory for.
    pub(crate) fn capacity(&self) -> usize {
        self.scores.capacity().min(self.members.capacity()).min(LEAF_CAPACITY)
    }

    /// Makes room for more elements, by doubling, up to what a leaf may hold.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let wanted = (self.len as usize).saturating_add(additional).min(LEAF_CAPACITY);
        try_grow(&mut self.scores, wanted)?;
        try_grow(&mut self.members, wanted)
    }

    pub(crate) fn allocation_size(&self) -> usize {
        self.scores.capacity() * size_of::<S>() + self.members.capacity() * size_of::<M>()
    }
}

/// Makes room for this many in all. `Vec` alone would double the 40 of a set made at once to 80.
#[inline]
fn try_grow<T>(column: &mut Vec<T>, wanted: usize) -> Result<(), TryReserveError> {
    if wanted > column.capacity() {
        let capacity = (2 * column.capacity()).max(4).clamp(wanted, LEAF_CAPACITY);
        column.try_reserve_exact(capacity - column.len())?;
    }
    Ok(())
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Makes a leaf of elements that are in order, in slots in that order.
    pub(crate) fn from_sorted(elements: impl Iterator<Item = (M, S)>) -> Self {
        let mut leaf = Self::new();
        for (slot, (member, score)) in elements.enumerate() {
            leaf.order[slot] = slot as u8;
            leaf.scores.push(score);
            leaf.members.push(member);
        }
        leaf.len = leaf.members.len() as u8;
        leaf
    }

    /// Turns the full leaf of a small list into a block; every element keeps its slot.
    pub(crate) fn from_small(small: SmallLeaf<M, S>) -> Self {
        Leaf {
            len: small.len,
            order: small.order,
            scores: small.scores.into_iter().collect(),
            members: small.members.into_iter().collect(),
            ..Leaf::new()
        }
    }
}

impl<M, S> Node for BlockLeaf<M, S> {
    fn set_next_vacant(&mut self, next: u32) {
        self.forward = next;
    }

    fn next_vacant(&self) -> u32 {
        self.forward
    }
}
