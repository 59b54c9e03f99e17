//! The leaves. Each contains up to [`LEAF_CAPACITY`] elements in dense, unsorted slots, and the
//! permutation that sorts the slots.
//!
//! ```text
//! slot     0    1    2    3          order  1 3 0 2
//! scores   7.0  1.0  9.0  4.0        so the elements in order are 1.0 4.0 7.0 9.0
//! pairs    g    a    k    d                                      a   d   g   k
//! ```
//!
//! A pair is a key and its value. In a set, the value is `()`, which takes no space.
//!
//! Invariants: `scores` and `pairs` have length `len`, at most `LEAF_CAPACITY`; `order` is a
//! permutation of `0..len` followed by `NO_SLOT`; the elements are sorted by `(score, key)` when
//! read through `order`.
//!
//! An insertion puts the element into the first unused slot, and shifts only bytes of `order`. A
//! removal moves the element of the last slot into the vacated slot. No other element moves.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::fmt;
use core::mem;
use core::ops::DerefMut;

use super::Nodes;
use super::arena::{Arena, ArenaNode, NONE};
use crate::TryReserveError;
use crate::reserve::push_reserved;

/// The maximum number of elements in a leaf.
pub(crate) const LEAF_CAPACITY: usize = 64;

/// The number of bits that a slot occupies in a handle.
const SLOT_BITS: u32 = LEAF_CAPACITY.trailing_zeros();

const _: () = assert!(
    LEAF_CAPACITY.is_power_of_two() && LEAF_CAPACITY < NO_SLOT as usize,
    "slots take whole bits of a handle, and a byte of an order"
);

/// The maximum number of leaves in a core. The highest id that fits in a handle is not used, so
/// that [`Handle::NONE`] refers to no leaf.
pub(crate) const MAX_LEAVES: usize = (1 << (u32::BITS - SLOT_BITS)) - 1;

/// The number of handles in a core of full leaves.
pub(crate) const MAX_HANDLES: usize = MAX_LEAVES * LEAF_CAPACITY;

/// The location of an element: `leaf id << SLOT_BITS | slot`.
///
/// Valid until the element moves; moves are reported to the dict.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle(u32);

impl Handle {
    /// The handle of no element, or of an element that is temporarily in no leaf.
    pub(crate) const NONE: Handle = Handle(u32::MAX);

    #[inline]
    pub(crate) fn new(leaf: u32, slot: u8) -> Handle {
        Handle(leaf << SLOT_BITS | u32::from(slot))
    }

    #[inline]
    pub(crate) fn leaf(self) -> u32 {
        self.0 >> SLOT_BITS
    }

    #[inline]
    pub(crate) fn slot(self) -> u8 {
        self.0 as u8 & (LEAF_CAPACITY as u8 - 1)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "leaf {} slot {}", self.leaf(), self.slot())
    }
}

/// A column of a leaf: a growable vector (in a `SmallLeaf`) or an inline array (in a `BlockLeaf`).
pub(crate) trait Column<T>: Default + DerefMut<Target = [T]> {
    fn push(&mut self, value: T);

    /// Removes the value at `index`, and moves the last value there.
    fn swap_remove(&mut self, index: usize) -> T;
}

impl<T> Column<T> for Vec<T> {
    #[inline]
    fn push(&mut self, value: T) {
        push_reserved(self, value);
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

/// Not a slot, but the value of the unused entries of `order`.
pub(crate) const NO_SLOT: u8 = u8::MAX;

/// The slots in order, then `NO_SLOT`. Loops over the whole array need no length, and the last
/// entry is always `NO_SLOT`, so every used entry has a successor.
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
    /// The links of the only leaf of a core.
    const NONE: Links = Links { parent: NONE, forward: NONE, backward: NONE };
}

/// The only leaf of a small core stores no links.
impl From<()> for Links {
    #[inline]
    fn from((): ()) -> Self {
        Links::NONE
    }
}

/// A leaf with two columns.
///
/// Fields are in the order in which a search reads them: the length and the order share the first
/// cache lines, so they are fetched together, in parallel with the scores.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Leaf<L, A, B> {
    /// `Links`, or `()` in the only leaf of a small core.
    pub(crate) links: L,
    /// The number of elements.
    pub(super) len: u8,
    /// The slots in order, then `NO_SLOT`.
    pub(super) order: Order,
    pub(crate) scores: A,
    pub(crate) pairs: B,
}

/// The only leaf of a small core. Its columns grow as needed.
pub(crate) type SmallLeaf<P, S> = Leaf<(), Vec<S>, Vec<P>>;

/// A leaf in the arena of a larger core. Its links and columns are in one allocation.
pub(crate) type BlockLeaf<P, S> =
    Leaf<Links, ArrayVec<S, LEAF_CAPACITY>, ArrayVec<P, LEAF_CAPACITY>>;

/// A read-only view of a leaf of either kind.
pub(crate) struct LeafRef<'a, P, S> {
    len: u8,
    order: &'a Order,
    pub(crate) scores: &'a [S],
    pub(crate) pairs: &'a [P],
    pub(crate) forward: u32,
    pub(crate) backward: u32,
    pub(crate) parent: u32,
}

impl<P, S> Clone for LeafRef<'_, P, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, S> Copy for LeafRef<'_, P, S> {}

impl<'a, P, S> LeafRef<'a, P, S> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns the slots in order.
    #[inline]
    pub(crate) fn order(&self) -> &'a [u8] {
        // Indexing could panic, but the `enter` of iterators, which calls this method, must not.
        self.order.get(..self.len()).unwrap_or_default()
    }

    /// Returns the slot at `index` in order, or `NO_SLOT` if `index` is the length.
    #[inline]
    pub(crate) fn slot_at(&self, index: usize) -> u8 {
        self.order[index]
    }

    /// Returns the element at `index` in order.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> (&'a P, &'a S) {
        let slot = self.order[index] as usize;
        (&self.pairs[slot], &self.scores[slot])
    }

    /// Returns whether the order has no elements, as in a new leaf.
    pub(crate) fn is_blank(&self) -> bool {
        self.len == 0 && self.order.iter().all(|&slot| slot == NO_SLOT)
    }

    /// Returns the first pair in order.
    #[inline]
    pub(crate) fn first_pair(&self) -> &'a P {
        &self.pairs[self.order[0] as usize]
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
    // The loop has no early exit, and its counter has the size of a slot, so it compiles to SIMD
    // comparisons.
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
    const fn of_columns(links: L, scores: A, pairs: B) -> Self {
        Leaf { links, len: 0, order: [NO_SLOT; LEAF_CAPACITY + 1], scores, pairs }
    }

    #[inline]
    pub(crate) fn as_ref<P, S>(&self) -> LeafRef<'_, P, S>
    where
        L: Copy + Into<Links>,
        A: Column<S>,
        B: Column<P>,
    {
        let Links { parent, forward, backward } = self.links.into();
        LeafRef {
            len: self.len,
            order: &self.order,
            scores: &self.scores,
            pairs: &self.pairs,
            forward,
            backward,
            parent,
        }
    }

    /// Inserts an element at `index` in order and returns its slot. The leaf must have room.
    #[inline]
    pub(crate) fn insert<P, S>(&mut self, index: usize, pair: P, score: S) -> u8
    where
        A: Column<S>,
        B: Column<P>,
    {
        let slot = self.len as usize;
        self.len += 1;
        self.order.copy_within(index..slot, index + 1);
        self.order[index] = slot as u8;
        self.scores.push(score);
        self.pairs.push(pair);
        slot as u8
    }

    /// Adds sorted elements to an empty leaf, which must have room for them. The slot of each is
    /// its index.
    #[inline]
    pub(super) fn extend_sorted<P, S>(&mut self, elements: impl Iterator<Item = (P, S)>)
    where
        A: Column<S>,
        B: Column<P>,
    {
        for (pair, score) in elements {
            self.order[self.len as usize] = self.len;
            self.len += 1;
            self.scores.push(score);
            self.pairs.push(pair);
        }
    }

    /// Removes the element at `index` in order. The element of the last slot moves into the vacated
    /// slot.
    #[expect(clippy::inline_always, reason = "a call takes 4 % of a removal")]
    #[inline(always)]
    pub(crate) fn remove<P, S>(&mut self, index: usize) -> (P, S)
    where
        A: Column<S>,
        B: Column<P>,
    {
        let slot = self.order[index];
        let last = self.len as usize - 1;
        let index_of_last = index_of(&self.order, last as u8);
        self.len -= 1;
        // Shift the entries first, and then rename the entry of the last slot. In the opposite
        // order, the copy would have to wait for a byte just written.
        self.order.copy_within(index + 1.., index);
        if slot != last as u8 {
            self.order[index_of_last - usize::from(index_of_last > index)] = slot;
        }
        (self.pairs.swap_remove(slot as usize), self.scores.swap_remove(slot as usize))
    }

    /// Swaps the slots of two elements.
    pub(crate) fn swap_slots<P, S>(&mut self, a: u8, b: u8)
    where
        A: Column<S>,
        B: Column<P>,
    {
        let [a_index, b_index] = [a, b].map(|slot| index_of(&self.order, slot));
        self.order.swap(a_index, b_index);
        self.pairs.swap(a as usize, b as usize);
        self.scores.swap(a as usize, b as usize);
    }

    /// Moves the element at index `from` in order to index `to`, with a new score; returns the old
    /// one.
    #[inline]
    pub(crate) fn reorder<S>(&mut self, from: usize, to: usize, score: S) -> S
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
        mem::replace(&mut self.scores[slot as usize], score)
    }
}

impl<P, S> SmallLeaf<P, S> {
    /// Creates an empty leaf without allocating.
    pub(crate) const fn empty() -> Self {
        Self::of_columns((), Vec::new(), Vec::new())
    }

    /// Returns the number of elements for which the columns have memory.
    pub(crate) fn capacity(&self) -> usize {
        self.scores.capacity().min(self.pairs.capacity()).min(LEAF_CAPACITY)
    }

    /// Reserves memory for `additional` more elements. A column grows by at least half its capacity
    /// plus four, up to the capacity of a leaf.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let wanted = (self.len as usize).saturating_add(additional).min(LEAF_CAPACITY);
        try_grow(&mut self.scores, wanted)?;
        try_grow(&mut self.pairs, wanted)
    }

    pub(crate) fn allocation_size(&self) -> usize {
        self.scores.capacity() * size_of::<S>() + self.pairs.capacity() * size_of::<P>()
    }
}

/// Reserves memory for `wanted` elements in total, at most `LEAF_CAPACITY`. `Vec` would double its
/// capacity, for example from 40 to 80, which exceeds the capacity of a leaf.
#[inline]
fn try_grow<T>(column: &mut Vec<T>, wanted: usize) -> Result<(), TryReserveError> {
    if wanted > column.capacity() {
        let grown = column.capacity() + column.capacity() / 2 + 4;
        let capacity = grown.clamp(wanted, LEAF_CAPACITY);
        column.try_reserve_exact(capacity - column.len())?;
    }
    Ok(())
}

impl<P, S> BlockLeaf<P, S> {
    /// Moves the elements of the only leaf of a small core to this empty leaf. Every element keeps
    /// its slot.
    pub(crate) fn take_small(&mut self, small: &mut SmallLeaf<P, S>) {
        (self.len, self.order) = (small.len, small.order);
        take_all(&mut self.scores, &mut small.scores);
        take_all(&mut self.pairs, &mut small.pairs);
    }
}

/// Moves all values to an empty column, in the same order.
fn take_all<T>(to: &mut ArrayVec<T, LEAF_CAPACITY>, from: &mut Vec<T>) {
    to.extend(mem::take(from));
}

impl<P, S> ArenaNode for BlockLeaf<P, S> {
    const MAX_IDS: usize = MAX_LEAVES;

    fn empty() -> Self {
        Self::of_columns(Links::NONE, ArrayVec::new(), ArrayVec::new())
    }

    fn clear(&mut self) {
        self.scores.clear();
        self.pairs.clear();
        (self.links, self.len, self.order) = (Links::NONE, 0, [NO_SLOT; LEAF_CAPACITY + 1]);
    }

    fn set_next_vacant(&mut self, next: u32) {
        self.links.forward = next;
    }

    fn next_vacant(&self) -> u32 {
        self.links.forward
    }
}

/// Either end of the order of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    First,
    Last,
}

impl<L, A, B> Leaf<L, A, B> {
    /// Reorders the slots so that the element at this end is in the last slot, the next one in the
    /// slot before it, and so on.
    pub(crate) fn arrange<P, S>(&mut self, end: End)
    where
        A: Column<S>,
        B: Column<P>,
    {
        let len = self.len;
        let slot_at = |index: u8| match end {
            End::First => len - 1 - index,
            End::Last => index,
        };
        // For each slot, the slot to which its element moves.
        let mut goals = [0; LEAF_CAPACITY];
        for (index, slot) in (0..len).zip(&mut self.order) {
            goals[*slot as usize] = slot_at(index);
            *slot = slot_at(index);
        }
        for slot in 0..len as usize {
            // Each swap brings one element to its destination.
            while goals[slot] as usize != slot {
                let goal = goals[slot] as usize;
                self.pairs.swap(slot, goal);
                self.scores.swap(slot, goal);
                goals.swap(slot, goal);
            }
        }
    }

    /// Removes the element at the end for which the leaf is arranged. The leaf must not be empty.
    #[inline]
    pub(crate) fn pop_arranged<P, S>(&mut self, end: End) -> (P, S)
    where
        A: Column<S>,
        B: Column<P>,
    {
        self.len -= 1;
        match end {
            // The array always ends with `NO_SLOT`, so the shift resets the freed entry.
            End::First => self.order.copy_within(1.., 0),
            End::Last => self.order[self.len as usize] = NO_SLOT,
        }
        let last = self.len as usize;
        (self.pairs.swap_remove(last), self.scores.swap_remove(last))
    }
}

/// The leaves of a core: one growable leaf while there are few elements, then an arena of
/// `BlockLeaf`s.
#[derive(Clone)]
pub(crate) enum Leaves<P, S> {
    /// The only leaf, with id 0 and growable columns.
    Small(SmallLeaf<P, S>),
    Blocks(Arena<BlockLeaf<P, S>>),
}

/// Evaluates an expression on a leaf of either kind.
macro_rules! with_leaf {
    ($leaves:expr, $id:expr, $leaf:ident => $body:expr) => {
        match $leaves {
            Leaves::Small($leaf) => $body,
            Leaves::Blocks(arena) => {
                let $leaf = arena.get_mut($id);
                $body
            }
        }
    };
}

impl<P, S> Leaves<P, S> {
    pub(crate) const fn new() -> Self {
        Leaves::Small(SmallLeaf::empty())
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> LeafRef<'_, P, S> {
        match self {
            Leaves::Small(leaf) => leaf.as_ref(),
            Leaves::Blocks(arena) => arena.get(id).as_ref(),
        }
    }

    /// Returns the pairs and the scores of a leaf, by slot.
    #[inline]
    pub(crate) fn columns(&self, id: u32) -> (&[P], &[S]) {
        match self {
            Leaves::Small(leaf) => (&leaf.pairs, &leaf.scores),
            Leaves::Blocks(arena) => {
                let leaf = arena.get(id);
                (&leaf.pairs, &leaf.scores)
            }
        }
    }

    /// Returns the leaf with this id, if it exists.
    pub(crate) fn try_get(&self, id: u32) -> Option<LeafRef<'_, P, S>> {
        match self {
            Leaves::Small(leaf) => Some(leaf.as_ref()),
            Leaves::Blocks(arena) => arena.try_get(id).map(BlockLeaf::as_ref),
        }
    }

    #[expect(clippy::inline_always, reason = "a call takes 2 % of a change of a score")]
    #[inline(always)]
    pub(crate) fn insert(&mut self, id: u32, index: usize, pair: P, score: S) -> u8 {
        with_leaf!(self, id, leaf => leaf.insert(index, pair, score))
    }

    /// Adds sorted elements to an empty leaf, which must have room for them. The slot of each is
    /// its index.
    #[inline]
    pub(crate) fn extend_sorted(&mut self, id: u32, elements: impl Iterator<Item = (P, S)>) {
        with_leaf!(self, id, leaf => leaf.extend_sorted(elements));
    }

    /// Removes an element; returns it, the number of elements left in the leaf, and its parent.
    #[expect(clippy::inline_always, reason = "a call takes 4 % of a removal")]
    #[inline(always)]
    pub(crate) fn remove(&mut self, id: u32, index: usize) -> ((P, S), u8, u32) {
        with_leaf!(self, id, leaf => {
            let element = leaf.remove(index);
            (element, leaf.len, leaf.as_ref::<P, S>().parent)
        })
    }

    pub(crate) fn swap_slots(&mut self, id: u32, a: u8, b: u8) {
        with_leaf!(self, id, leaf => leaf.swap_slots(a, b));
    }

    #[inline]
    pub(crate) fn reorder(&mut self, id: u32, from: usize, to: usize, score: S) -> S {
        with_leaf!(self, id, leaf => leaf.reorder(from, to, score))
    }

    /// Returns the score in a slot. A change to it must not affect the order of the elements.
    #[inline]
    pub(crate) fn score_mut(&mut self, id: u32, slot: usize) -> &mut S {
        with_leaf!(self, id, leaf => &mut leaf.scores[slot])
    }

    pub(crate) fn arrange(&mut self, id: u32, end: End) {
        with_leaf!(self, id, leaf => leaf.arrange(end));
    }

    #[inline]
    pub(crate) fn pop_arranged(&mut self, id: u32, end: End) -> (P, S) {
        with_leaf!(self, id, leaf => leaf.pop_arranged(end))
    }

    pub(crate) fn set_parent(&mut self, id: u32, parent: u32) {
        self.blocks().get_mut(id).links.parent = parent;
    }

    /// Sets the forward pointer of a leaf. A no-op if `id` is `NONE`.
    pub(crate) fn set_forward(&mut self, id: u32, forward: u32) {
        if id != NONE {
            self.blocks().get_mut(id).links.forward = forward;
        }
    }

    /// Sets the backward pointer of a leaf. A no-op if `id` is `NONE`.
    pub(crate) fn set_backward(&mut self, id: u32, backward: u32) {
        if id != NONE {
            self.blocks().get_mut(id).links.backward = backward;
        }
    }

    /// Returns the element at a handle, with a mutable reference to its pair.
    #[inline]
    pub(crate) fn element_mut(&mut self, handle: Handle) -> (&mut P, &S) {
        let slot = handle.slot() as usize;
        with_leaf!(self, handle.leaf(), leaf => (&mut leaf.pairs[slot], &leaf.scores[slot]))
    }

    /// Reserves memory for `additional` more elements in the leaf of a small core. A no-op in a
    /// larger one.
    pub(crate) fn try_reserve_small(&mut self, additional: usize) -> Result<(), TryReserveError> {
        match self {
            Leaves::Small(leaf) => leaf.try_reserve(additional),
            Leaves::Blocks(_) => Ok(()),
        }
    }

    /// Returns the arena with room for `additional` more leaves. Converts a small core first.
    pub(crate) fn try_blocks(
        &mut self,
        additional: usize,
    ) -> Result<&mut Arena<BlockLeaf<P, S>>, TryReserveError> {
        if let Leaves::Small(leaf) = self {
            let mut arena: Arena<BlockLeaf<P, S>> = Arena::new();
            arena.try_reserve(1 + additional)?;
            let id = arena.insert();
            arena.get_mut(id).take_small(leaf);
            *self = Leaves::Blocks(arena);
        }
        let Leaves::Blocks(arena) = self else { unreachable!("made above") };
        arena.try_reserve(additional)?;
        Ok(arena)
    }

    /// Drops all elements, and keeps the memory and one empty leaf, with id 0. If this panics, the
    /// leaves can only be dropped.
    pub(crate) fn clear(&mut self) {
        match self {
            Leaves::Small(leaf) => {
                leaf.scores.clear();
                leaf.pairs.clear();
                (leaf.len, leaf.order) = (0, [NO_SLOT; LEAF_CAPACITY + 1]);
            }
            Leaves::Blocks(arena) => {
                arena.clear();
                arena.insert();
            }
        }
    }

    /// Returns the arena of a core that is not small.
    pub(crate) fn blocks(&mut self) -> &mut Arena<BlockLeaf<P, S>> {
        match self {
            Leaves::Blocks(arena) => arena,
            Leaves::Small(_) => unreachable!("a small core has one leaf"),
        }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Leaves::Small(_) => 1,
            Leaves::Blocks(arena) => arena.len(),
        }
    }

    /// Returns the number of elements for which the leaves have memory.
    pub(crate) fn capacity(&self) -> usize {
        match self {
            Leaves::Small(leaf) => leaf.capacity(),
            Leaves::Blocks(arena) => arena.capacity() * LEAF_CAPACITY,
        }
    }

    pub(crate) fn allocation_size(&self) -> usize {
        match self {
            Leaves::Small(leaf) => leaf.allocation_size(),
            Leaves::Blocks(arena) => arena.allocation_size(),
        }
    }
}

/// Access to leaves by their ids, and to elements by their handles.
impl<K, V, S> Nodes<K, V, S> {
    #[inline]
    pub(crate) fn leaf(&self, id: u32) -> LeafRef<'_, (K, V), S> {
        self.leaves.get(id)
    }

    #[inline]
    pub(crate) fn element_at(&self, handle: Handle) -> (&(K, V), &S) {
        let leaf = self.leaf(handle.leaf());
        (&leaf.pairs[handle.slot() as usize], &leaf.scores[handle.slot() as usize])
    }

    /// Returns the key at a handle, or `None` if its slot is vacant.
    #[inline]
    pub(crate) fn key(&self, handle: Handle) -> Option<&K> {
        let (pairs, _) = self.leaves.columns(handle.leaf());
        pairs.get(handle.slot() as usize).map(|(key, _)| key)
    }

    /// Calls `visit` with the handle and the key of every element, leaf by leaf, in the order of
    /// the slots.
    pub(crate) fn for_each_key(&self, mut visit: impl FnMut(Handle, &K)) {
        let mut id = self.head;
        while id != NONE {
            let leaf = self.leaf(id);
            for (slot, (key, _)) in (0..).zip(leaf.pairs) {
                visit(Handle::new(id, slot), key);
            }
            id = leaf.forward;
        }
    }

    /// Returns the element at a handle, with a mutable reference to its pair. The order and the
    /// hash of the key must not change.
    #[inline]
    pub(crate) fn element_mut(&mut self, handle: Handle) -> (&mut (K, V), &S) {
        self.leaves.element_mut(handle)
    }

    #[inline]
    pub(crate) fn score(&self, handle: Handle) -> &S {
        &self.leaf(handle.leaf()).scores[handle.slot() as usize]
    }
}
