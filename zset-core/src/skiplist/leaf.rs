//! A leaf: up to 64 elements in dense, unsorted slots, and the permutation that sorts them.
//!
//! ```text
//! slot     0    1    2    3          order  1 3 0 2
//! scores   7.0  1.0  9.0  4.0        so the elements in order are 1.0 4.0 7.0 9.0
//! members  g    a    k    d                                      a   d   g   k
//! ```
//!
//! Invariants: `scores` and `members` have length `len`, at most 64; `order` is a permutation of
//! `0..len` followed by `NO_SLOT`; the elements are sorted by `(score, member)` when read through
//! `order`.
//!
//! An insertion pushes to the next slot and shifts only bytes of `order`. A removal moves the element
//! of the last slot into the vacated slot; no other element moves.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::mem;
use core::ops::DerefMut;

use crate::TryReserveError;
use crate::arena::{NONE, Node};
use crate::handle::{LEAF_CAPACITY, MAX_LEAVES};
use crate::reserve::push_reserved;
use crate::small::{copy_within, swap};

mod arrange;
mod hand_over;

pub(crate) use arrange::End;
pub(crate) use hand_over::{AT_ONCE, MAX_MOVES, Plan};

/// A column of a leaf: a growable vector (in a small list) or an inline array (in a block).
pub(crate) trait Column<T>: Default + DerefMut<Target = [T]> {
    fn push(&mut self, value: T);
    fn pop(&mut self) -> Option<T>;

    /// Removes a value. The last one takes its place.
    #[inline]
    fn swap_remove(&mut self, index: usize) -> T {
        // The method of `Vec` would link `memmove` on a Cortex-M if values are large.
        let last = self.len() - 1;
        swap(self, index, last);
        self.pop().expect("there is a last value")
    }
}

impl<T> Column<T> for Vec<T> {
    #[inline]
    fn push(&mut self, value: T) {
        push_reserved(self, value);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.pop()
    }
}

impl<T> Column<T> for ArrayVec<T, LEAF_CAPACITY> {
    #[inline]
    fn push(&mut self, value: T) {
        self.push(value);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.pop()
    }
}

/// Not a slot: fills the unused entries of `order`.
const NO_SLOT: u8 = u8::MAX;

/// The slots in order, then `NO_SLOT`. Loops over the whole array need no length, and the last entry is
/// always `NO_SLOT`, so every used entry has a successor.
type Order = [u8; LEAF_CAPACITY + 1];

/// The ids of the nodes to which a leaf is linked.
#[derive(Clone, Copy)]
pub(crate) struct Links {
    /// The level-1 index block above, or `NONE` if there is no index.
    pub(crate) parent: u32,
    /// The next leaf in order, or `NONE`; in a vacant leaf, the next vacant one.
    pub(crate) forward: u32,
    /// The previous leaf in order, or `NONE`.
    pub(crate) backward: u32,
}

impl Links {
    /// The links of the only leaf of a list.
    const NONE: Links = Links { parent: NONE, forward: NONE, backward: NONE };
}

/// The only leaf of a small list stores no links.
impl From<()> for Links {
    #[inline]
    fn from((): ()) -> Self {
        Links::NONE
    }
}

/// A leaf with two columns.
///
/// Fields are in the order in which a search reads them: the length and the order share the first cache
/// lines, so they are fetched together, in parallel with the scores.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Leaf<L, A, B> {
    /// `Links`, or nothing in the only leaf of a small list.
    pub(crate) links: L,
    /// The number of elements.
    len: u8,
    /// The slots in order, then `NO_SLOT`.
    order: Order,
    pub(super) scores: A,
    pub(super) members: B,
}

/// The only leaf of a small list. Its columns grow as needed.
pub(crate) type SmallLeaf<M, S> = Leaf<(), Vec<S>, Vec<M>>;

/// A leaf of a list with more than one, in one block of memory.
pub(crate) type BlockLeaf<M, S> =
    Leaf<Links, ArrayVec<S, LEAF_CAPACITY>, ArrayVec<M, LEAF_CAPACITY>>;

/// A read-only view of a leaf with either kind of columns.
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
    #[cfg_attr(not(target_os = "none"), inline)]
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn order(&self) -> &'a [u8] {
        // Cannot panic: `Iter` enters leaves in a function that must not contain a panic.
        self.order.get(..self.len()).unwrap_or_default()
    }

    /// Returns the element at `index` in order.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn at(&self, index: usize) -> (&'a M, S) {
        let slot = self.order[index] as usize;
        (&self.members[slot], self.scores[slot])
    }

    /// Returns whether the order has no elements, as in a new leaf.
    pub(crate) fn is_blank(&self) -> bool {
        self.len == 0 && self.order.iter().all(|&slot| slot == NO_SLOT)
    }

    /// Returns the first member in order.
    #[inline]
    pub(crate) fn first_member(&self) -> &'a M {
        &self.members[self.order[0] as usize]
    }

    /// Returns the index in order of the element in `slot`.
    #[inline]
    pub(crate) fn index_of(&self, slot: u8) -> usize {
        index_of(self.order, slot)
    }
}

/// Returns the index of a slot in the order.
#[inline]
fn index_of(order: &Order, slot: u8) -> usize {
    if cfg!(target_os = "none") {
        return order.iter().position(|other| *other == slot).unwrap_or_default();
    }
    // Visits the whole array without an early exit, with a slot-sized counter, to compile to packed
    // compares.
    let (mut index, mut i) = (0, 0u8);
    for &other in &order[..LEAF_CAPACITY] {
        index |= if other == slot { i } else { 0 };
        i += 1;
    }
    index as usize
}

impl<L, A, B> Leaf<L, A, B> {
    /// Creates an empty leaf from empty columns.
    #[inline]
    const fn of_columns(links: L, scores: A, members: B) -> Self {
        Leaf { links, len: 0, order: [NO_SLOT; LEAF_CAPACITY + 1], scores, members }
    }

    #[inline]
    pub(crate) fn as_ref<M, S>(&self) -> LeafRef<'_, M, S>
    where
        L: Copy + Into<Links>,
        A: Column<S>,
        B: Column<M>,
    {
        let Links { parent, forward, backward } = self.links.into();
        LeafRef {
            len: self.len,
            order: &self.order,
            scores: &self.scores,
            members: &self.members,
            forward,
            backward,
            parent,
        }
    }

    /// Inserts an element at `index` in order and returns its slot. The leaf must have room.
    #[inline]
    pub(crate) fn insert<M, S>(&mut self, index: usize, member: M, score: S) -> u8
    where
        A: Column<S>,
        B: Column<M>,
    {
        let slot = self.len as usize;
        self.len += 1;
        copy_within(&mut self.order, index..slot, index + 1);
        self.order[index] = slot as u8;
        self.scores.push(score);
        self.members.push(member);
        slot as u8
    }

    /// Removes the element at `index` in order. The element of the last slot moves into its slot.
    #[inline]
    pub(crate) fn remove<M, S>(&mut self, index: usize) -> (M, S)
    where
        A: Column<S>,
        B: Column<M>,
    {
        let slot = self.order[index];
        let last = self.len as usize - 1;
        let index_of_last = index_of(&self.order, last as u8);
        self.len -= 1;
        // Renames the last slot only after the entries have shifted, since the shift may move its
        // entry. (The other way round, the copy would have to wait for a byte just written.)
        copy_within(&mut self.order, index + 1..last + 2, index);
        if slot != last as u8 {
            self.order[index_of_last - usize::from(index_of_last > index)] = slot;
        }
        (self.members.swap_remove(slot as usize), self.scores.swap_remove(slot as usize))
    }

    /// Swaps the slots of two elements.
    pub(crate) fn swap_slots<M, S>(&mut self, a: u8, b: u8)
    where
        A: Column<S>,
        B: Column<M>,
    {
        let [a_index, b_index] = [a, b].map(|slot| index_of(&self.order, slot));
        swap(&mut self.order, a_index, b_index);
        swap(&mut self.members, a as usize, b as usize);
        swap(&mut self.scores, a as usize, b as usize);
    }

    /// Moves the element at index `from` in order to index `to`, with a new score.
    #[inline]
    pub(crate) fn reorder<S>(&mut self, from: usize, to: usize, score: S)
    where
        A: Column<S>,
    {
        let slot = self.order[from];
        if from < to {
            copy_within(&mut self.order, from + 1..to + 1, from);
        } else {
            copy_within(&mut self.order, to..from, to + 1);
        }
        self.order[to] = slot;
        self.scores[slot as usize] = score;
    }
}

impl<M, S> SmallLeaf<M, S> {
    /// Creates an empty leaf without allocating.
    pub(crate) const fn empty() -> Self {
        Self::of_columns((), Vec::new(), Vec::new())
    }

    /// Returns the number of elements for which the columns have memory.
    pub(crate) fn capacity(&self) -> usize {
        self.scores.capacity().min(self.members.capacity()).min(LEAF_CAPACITY)
    }

    /// Reserves memory for more elements, for half as many more as there are, up to the capacity of a leaf.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let wanted = (self.len as usize).saturating_add(additional).min(LEAF_CAPACITY);
        try_grow(&mut self.scores, wanted)?;
        try_grow(&mut self.members, wanted)
    }

    pub(crate) fn allocation_size(&self) -> usize {
        self.scores.capacity() * size_of::<S>() + self.members.capacity() * size_of::<M>()
    }
}

/// Reserves memory for `wanted` elements in total, at most `LEAF_CAPACITY`. `Vec` alone would grow from
/// 40 to 80.
#[inline]
fn try_grow<T>(column: &mut Vec<T>, wanted: usize) -> Result<(), TryReserveError> {
    if wanted > column.capacity() {
        let grown = column.capacity() + (column.capacity() / 2).max(4);
        let capacity = grown.clamp(wanted, LEAF_CAPACITY);
        column.try_reserve_exact(capacity - column.len())?;
    }
    Ok(())
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Adds elements in order to an empty leaf, in slots of the same order.
    #[inline]
    pub(crate) fn extend_sorted(&mut self, elements: impl Iterator<Item = (M, S)>) {
        for (member, score) in elements {
            self.order[self.len as usize] = self.len;
            self.len += 1;
            self.scores.push(score);
            self.members.push(member);
        }
    }

    /// Moves the elements of the only leaf of a small list to this empty leaf. Every element keeps its
    /// slot.
    pub(crate) fn take_small(&mut self, small: &mut SmallLeaf<M, S>) {
        (self.len, self.order) = (small.len, small.order);
        take_all(&mut self.scores, &mut small.scores);
        take_all(&mut self.members, &mut small.members);
    }
}

/// Moves all values to an empty column, in their order.
fn take_all<T>(to: &mut ArrayVec<T, LEAF_CAPACITY>, from: &mut Vec<T>) {
    let mut from = mem::take(from);
    // An iterator over a vector would link a division on a Cortex-M.
    from.reverse();
    while let Some(value) = from.pop() {
        to.push(value);
    }
}

impl<M, S> Node for BlockLeaf<M, S> {
    const MAX_IDS: usize = MAX_LEAVES;

    #[inline]
    fn empty() -> Self {
        Self::of_columns(Links::NONE, ArrayVec::new(), ArrayVec::new())
    }

    fn set_next_vacant(&mut self, next: u32) {
        self.links.forward = next;
    }

    fn next_vacant(&self) -> u32 {
        self.links.forward
    }
}
