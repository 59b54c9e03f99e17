//! Iterators that borrow elements, borrow them with mutable values, or remove them from the core.
//!
//! The collections wrap these iterators in their own types. The macros of [`front`](super::front)
//! implement the traits of those types.

use alloc::vec::{self, Vec};
use core::hint::black_box;
use core::iter::{FusedIterator, successors};
use core::ops::Range;
use core::{array, mem, slice};

use super::Nodes;
use super::arena::{Ascending, NONE};
use super::find::{Position, RankedRange};
use super::leaf::{BlockLeaf, Column, End, Handle, LEAF_CAPACITY, Leaf, LeafRef, Leaves};

/// An iterator over elements in order: all of them or a range.
pub(crate) struct Iter<'a, K, V, S> {
    nodes: &'a Nodes<K, V, S>,
    /// The remaining elements of the first leaf.
    front: Rest<'a, (K, V), S>,
    /// The remaining elements of the last leaf. If both ends are in the same leaf, either `front`
    /// or `back` has all its remaining elements, and the other is empty.
    back: Rest<'a, (K, V), S>,
    /// The ranks of the elements in the leaves between the first and the last, computed on demand.
    between: Option<Range<usize>>,
}

/// The elements of a leaf that have not been returned yet.
struct Rest<'a, P, S> {
    leaf: u32,
    /// The leaf to enter next, or this leaf itself if the other end is in it too.
    next: u32,
    slots: slice::Iter<'a, u8>,
    scores: &'a [S],
    pairs: &'a [P],
}

impl<'a, P, S> Rest<'a, P, S> {
    #[inline]
    fn new(id: u32, next: u32, leaf: LeafRef<'a, P, S>, slots: slice::Iter<'a, u8>) -> Self {
        Rest { leaf: id, next, slots, scores: leaf.scores, pairs: leaf.pairs }
    }

    /// Returns the element in a slot.
    #[inline]
    fn at(&self, slot: u8) -> (&'a P, &'a S) {
        (&self.pairs[slot as usize], &self.scores[slot as usize])
    }

    /// Rebuilds the value field by field, with slices of equal length.
    ///
    /// This makes the compiler keep the fields in registers instead of copying a block of memory.
    #[inline]
    fn in_registers(self) -> Self {
        let Rest { leaf, next, slots, scores, pairs } = self;
        Rest { leaf, next, slots, scores, pairs: &pairs[..scores.len()] }
    }
}

impl<P, S> Clone for Rest<'_, P, S> {
    #[inline]
    fn clone(&self) -> Self {
        Rest { slots: self.slots.clone(), ..*self }
    }
}

/// Returns the elements of the first and of the last leaf between the two positions that `find`
/// returns, and its second result.
#[inline(never)]
fn ends<K, V, S, R>(
    nodes: &Nodes<K, V, S>,
    find: impl FnOnce() -> (Range<Position>, R),
) -> ([Rest<'_, (K, V), S>; 2], R) {
    let (Range { start, end }, ranks) = find();
    let (first, id) = (nodes.leaf(start.leaf), start.leaf);
    if id == end.leaf {
        let slots = first.order()[start.index..end.index].iter();
        return ([Rest::new(id, id, first, slots), Rest::new(id, id, first, [].iter())], ranks);
    }
    let front = Rest::new(id, first.forward, first, first.order()[start.index..].iter());
    let (end_leaf, id) = (nodes.leaf(end.leaf), end.leaf);
    let slots = end_leaf.order()[..end.index].iter();
    ([front, Rest::new(id, end_leaf.backward, end_leaf, slots)], ranks)
}

/// Enters the leaf `id`; `link` returns the id of the next leaf. If the other end of the iterator
/// is in leaf `id` too (`id == to`), only the elements in `slots` remain.
///
/// The function is not inlined, takes no reference to the iterator and cannot panic, so that the
/// compiler keeps the iterator and the accumulator of a caller's loop in registers.
#[cold]
#[inline(never)]
fn enter<'a, K, V, S>(
    nodes: &'a Nodes<K, V, S>,
    id: u32,
    to: u32,
    slots: slice::Iter<'a, u8>,
    link: impl Fn(LeafRef<'a, (K, V), S>) -> u32,
) -> Rest<'a, (K, V), S> {
    let leaf = nodes.leaves.try_get(id);
    debug_assert!(leaf.is_some(), "a leaf is linked to one that is not there");
    let Some(leaf) = leaf else {
        return Rest { leaf: to, next: to, slots: [].iter(), scores: &[], pairs: &[] };
    };
    if id == to {
        return Rest::new(id, id, leaf, slots);
    }
    let next = link(leaf);
    read_ahead(nodes, leaf, next);
    Rest::new(id, next, leaf, leaf.order().iter())
}

/// Reads the first cache line of the next leaf, only to bring it into the cache. If the next leaf
/// is under another block, does so for all leaves of that block.
#[inline]
fn read_ahead<K, V, S>(nodes: &Nodes<K, V, S>, leaf: LeafRef<'_, (K, V), S>, next: u32) {
    match nodes.leaves.try_get(next) {
        Some(ahead) if ahead.parent != leaf.parent => visit_leaves(nodes, ahead.parent),
        _ => {}
    }
}

/// Reads the first cache line of every leaf under a block.
///
/// The id of a leaf is in the leaf before it, so each step from one to the next waits for two cache
/// misses: one in the arena's table, and one in the leaf. In a block, the ids of its leaves are
/// adjacent. In a loop that only reads ahead, the misses overlap.
#[cold]
#[inline(never)]
fn visit_leaves<K, V, S>(nodes: &Nodes<K, V, S>, block: u32) {
    let Some(block) = nodes.blocks.try_get(block) else { return };
    for &id in block.children.iter().take(block.len()) {
        black_box(nodes.leaves.try_get(id).map(|leaf| leaf.len()));
    }
}

/// Returns the range of slots if they are consecutive, as in a leaf filled in order.
#[inline]
fn consecutive(slots: &[u8]) -> Option<Range<usize>> {
    let (&first, &last) = (slots.first()?, slots.last()?);
    let end = usize::from(first) + slots.len();
    // This cheap check rejects nearly all leaves whose slots are not consecutive.
    if usize::from(last) + 1 != end {
        return None;
    }
    let (mut is_consecutive, mut next) = (true, first);
    for &slot in slots {
        is_consecutive &= slot == next;
        next = next.wrapping_add(1);
    }
    is_consecutive.then_some(first.into()..end)
}

/// Returns the ranks of the elements in the leaves between `front` and `back`.
#[cold]
#[inline(never)]
fn ranks_between<K, V, S>(nodes: &Nodes<K, V, S>, front: u32, back: u32) -> Range<usize> {
    if front == back {
        return 0..0;
    }
    let start = if front == nodes.head {
        nodes.leaf(front).len()
    } else {
        nodes.rank_of(Position { leaf: front, index: nodes.leaf(front).len() })
    };
    let end = if back == nodes.tail {
        nodes.len - nodes.leaf(back).len()
    } else {
        nodes.rank_of(Position { leaf: back, index: 0 })
    };
    start..end
}

impl<'a, K, V, S> Iter<'a, K, V, S> {
    /// Creates an iterator over the elements between the positions that `find` returns.
    #[inline]
    pub(crate) fn new(nodes: &'a Nodes<K, V, S>, find: impl FnOnce() -> Range<Position>) -> Self {
        let ([front, back], ()) = ends(nodes, || (find(), ()));
        Iter { nodes, front: front.in_registers(), back: back.in_registers(), between: None }
    }

    /// Creates an iterator over the elements of the range that `find` returns. The range must not
    /// be inverted.
    #[inline]
    pub(crate) fn ranked(nodes: &'a Nodes<K, V, S>, find: impl FnOnce() -> RankedRange) -> Self {
        let ([front, back], ranks) = ends(nodes, || {
            let RankedRange { start, end, start_rank, len } = find();
            (start..end, start_rank..start_rank + len)
        });
        let between = ranks.start + front.slots.len()..ranks.end - back.slots.len();
        let (front, back) = (front.in_registers(), back.in_registers());
        Iter { nodes, front, back, between: Some(between) }
    }

    /// Returns whether there is nothing after `front`: the next leaf is that of `back`, which is
    /// empty.
    #[inline]
    fn ends_in_front(&self) -> bool {
        self.front.next == self.back.leaf && self.back.slots.len() == 0
    }

    /// Returns whether there is nothing before `back`: the next leaf is that of `front`, which is
    /// empty.
    #[inline]
    fn ends_in_back(&self) -> bool {
        self.back.next == self.front.leaf && self.front.slots.len() == 0
    }

    /// Returns the ranks of the elements in the leaves between `front` and `back`.
    #[inline]
    fn between(&self) -> Range<usize> {
        match &self.between {
            Some(between) => between.clone(),
            None => ranks_between(self.nodes, self.front.leaf, self.back.leaf),
        }
    }

    /// Moves to the next leaf at the front.
    #[cold]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would keep the iterator in memory")]
    fn advance(&mut self) {
        let slots = self.back.slots.clone();
        self.front = enter(self.nodes, self.front.next, self.back.leaf, slots, |leaf| leaf.forward)
            .in_registers();
        if self.front.leaf == self.back.leaf {
            self.back.slots = [].iter();
            self.back.next = self.front.leaf;
        } else if let Some(between) = &mut self.between {
            between.start += self.front.slots.len();
        }
    }

    /// Moves to the previous leaf at the back.
    ///
    /// Also computes the ranks, so that `len` is O(1) from then on. Adaptors such as `enumerate`
    /// call `len` at each step from the back.
    #[cold]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would keep the iterator in memory")]
    fn retreat(&mut self) {
        let mut between = self.between();
        let slots = self.front.slots.clone();
        self.back = enter(self.nodes, self.back.next, self.front.leaf, slots, |leaf| leaf.backward)
            .in_registers();
        if self.front.leaf == self.back.leaf {
            self.front.slots = [].iter();
            self.front.next = self.back.leaf;
        } else {
            between.end -= self.back.slots.len();
        }
        self.between = Some(between);
    }

    /// Skips the rest of the first leaf and the next `n` elements.
    fn leap(&mut self, n: usize) {
        let Range { start, end } = self.between();
        if n < end - start {
            let Position { leaf: id, index } = self.nodes.position_at(start + n);
            let leaf = self.nodes.leaf(id);
            self.front = Rest::new(id, leaf.forward, leaf, leaf.order()[index..].iter());
            self.between = Some(start + n + self.front.slots.len()..end);
        } else {
            let slots = mem::take(&mut self.back.slots).as_slice();
            let slots = slots.get(n - (end - start)..).unwrap_or_default().iter();
            self.back.next = self.back.leaf;
            self.front = Rest { slots, ..self.back };
            self.between = Some(end..end);
        }
    }

    /// Skips the rest of the last leaf and the previous `n` elements.
    fn leap_back(&mut self, n: usize) {
        let Range { start, end } = self.between();
        if n < end - start {
            let Position { leaf: id, index } = self.nodes.position_at(end - n);
            let leaf = self.nodes.leaf(id);
            self.back = Rest::new(id, leaf.backward, leaf, leaf.order()[..index].iter());
            self.between = Some(start..end - n - index);
        } else {
            let slots = mem::take(&mut self.front.slots).as_slice();
            let len = slots.len().saturating_sub(n - (end - start));
            self.front.next = self.front.leaf;
            self.back = Rest { slots: slots[..len].iter(), ..self.front };
            self.between = Some(start..start);
        }
    }
}

impl<'a, K, V, S> Iterator for Iter<'a, K, V, S> {
    type Item = (&'a (K, V), &'a S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let slot = if let Some(slot) = self.front.slots.next() {
            slot
        } else {
            if self.ends_in_front() {
                return None;
            }
            self.advance();
            self.front.slots.next()?
        };
        Some(self.front.at(*slot))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.front.slots.len() + self.between().len() + self.back.slots.len();
        (len, Some(len))
    }

    #[inline]
    fn count(self) -> usize {
        self.len()
    }

    #[inline]
    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        match self.front.slots.as_slice().get(n..) {
            Some(slots) => self.front.slots = slots.iter(),
            None => self.leap(n - self.front.slots.len()),
        }
        self.next()
    }

    /// Loops over each leaf in turn. Methods that visit all elements, such as `for_each`, use this
    /// one.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut combine: F) -> B {
        let mut combined = init;
        loop {
            let Rest { slots, scores, pairs, .. } = self.front.clone();
            combined = if let Some(slots) = consecutive(slots.as_slice()) {
                let elements = pairs[slots.clone()].iter().zip(&scores[slots]);
                elements.fold(combined, &mut combine)
            } else {
                slots.fold(combined, |combined, &slot| {
                    combine(combined, (&pairs[slot as usize], &scores[slot as usize]))
                })
            };
            if self.ends_in_front() {
                return combined;
            }
            self.advance();
        }
    }
}

impl<K, V, S> DoubleEndedIterator for Iter<'_, K, V, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let slot = if let Some(slot) = self.back.slots.next_back() {
            slot
        } else {
            if self.ends_in_back() {
                return None;
            }
            self.retreat();
            self.back.slots.next_back()?
        };
        Some(self.back.at(*slot))
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        let left = self.back.slots.len();
        match left.checked_sub(n) {
            Some(len) => self.back.slots = self.back.slots.as_slice()[..len].iter(),
            None => self.leap_back(n - left),
        }
        self.next_back()
    }
}

impl<K, V, S> ExactSizeIterator for Iter<'_, K, V, S> {}

impl<K, V, S> FusedIterator for Iter<'_, K, V, S> {}

impl<K, V, S> Clone for Iter<'_, K, V, S> {
    fn clone(&self) -> Self {
        Iter {
            front: self.front.clone(),
            back: self.back.clone(),
            between: self.between.clone(),
            ..*self
        }
    }
}

impl<'a, K: 'a, V: 'a, S: 'a> Iter<'a, K, V, S> {
    /// The nodes of an empty iterator.
    const NO_NODES: &'a Nodes<K, V, S> = &Nodes::new();
}

/// Returns an empty iterator.
impl<'a, K: 'a, V: 'a, S: 'a> Default for Iter<'a, K, V, S> {
    fn default() -> Self {
        Self::NO_NODES.iter()
    }
}

/// An owning iterator over elements, lowest score first.
#[derive(Clone)]
pub(crate) struct IntoIter<K, V, S>(Elements<K, V, S>);

#[allow(clippy::large_enum_variant, reason = "no iterator is stored, and a box would need memory")]
#[derive(Clone)]
enum Elements<K, V, S> {
    /// All elements of a core.
    Nodes(Nodes<K, V, S>, Emptied),
    /// One element, without nodes, which would have to be allocated.
    One(Option<((K, V), S)>),
}

/// How far nodes have been emptied from both ends. Emptied leaves lie outside `head..=tail`, but
/// are still indexed.
#[derive(Clone, Copy)]
struct Emptied {
    /// For each end, the leaf that is arranged for pops from there, or `NONE`.
    arranged: [u32; 2],
}

impl Emptied {
    const NOTHING: Emptied = Emptied { arranged: [NONE; 2] };

    /// Takes the element at this end. No element may be added to the nodes afterwards.
    #[inline]
    fn pop<K, V, S>(&mut self, nodes: &mut Nodes<K, V, S>, end: End) -> Option<((K, V), S)> {
        nodes.len = nodes.len.checked_sub(1)?;
        let id = match end {
            End::First => nodes.head,
            End::Last => nodes.tail,
        };
        if self.arranged[end as usize] != id {
            self.arrange(nodes, id, end);
        }
        let element = nodes.leaves.pop_arranged(id, end);
        let leaf = nodes.leaf(id);
        if leaf.len() == 0 {
            match end {
                End::First => nodes.head = leaf.forward,
                End::Last => nodes.tail = leaf.backward,
            }
        }
        Some(element)
    }

    #[cold]
    fn arrange<K, V, S>(&mut self, nodes: &mut Nodes<K, V, S>, id: u32, end: End) {
        nodes.leaves.arrange(id, end);
        let leaf = nodes.leaf(id);
        let next = match end {
            End::First => leaf.forward,
            End::Last => leaf.backward,
        };
        read_ahead(nodes, leaf, next);
        // If both ends are in the same leaf, the leaf is arranged for only one of them at a time.
        self.arranged = self.arranged.map(|other| if other == id { NONE } else { other });
        self.arranged[end as usize] = id;
    }
}

impl<K, V, S> Nodes<K, V, S> {
    #[inline]
    pub(crate) fn iter(&self) -> Iter<'_, K, V, S> {
        self.range_by_rank(..)
    }

    /// Takes the elements of nodes one by one, lowest score first. The nodes can then only be
    /// cleared or dropped.
    pub(crate) fn emptied(&mut self) -> impl Iterator<Item = ((K, V), S)> {
        let mut emptied = Emptied::NOTHING;
        core::iter::from_fn(move || emptied.pop(self, End::First))
    }
}

impl<K, V, S> IntoIter<K, V, S> {
    pub(crate) fn new(nodes: Nodes<K, V, S>) -> Self {
        IntoIter(Elements::Nodes(nodes, Emptied::NOTHING))
    }

    /// Creates an iterator over one element, without allocating.
    pub(crate) const fn of_one(element: ((K, V), S)) -> Self {
        IntoIter(Elements::One(Some(element)))
    }

    /// Returns the nodes with the elements not yet returned.
    pub(crate) fn nodes_mut(&mut self) -> &mut Nodes<K, V, S> {
        match &mut self.0 {
            Elements::Nodes(nodes, _) => nodes,
            Elements::One(_) => unreachable!("one element has no nodes"),
        }
    }
}

impl<K, V, S> Iterator for IntoIter<K, V, S> {
    type Item = ((K, V), S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Elements::Nodes(nodes, emptied) => emptied.pop(nodes, End::First),
            Elements::One(element) => element.take(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match &self.0 {
            Elements::Nodes(nodes, _) => nodes.len(),
            Elements::One(element) => usize::from(element.is_some()),
        };
        (len, Some(len))
    }
}

impl<K, V, S> DoubleEndedIterator for IntoIter<K, V, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Elements::Nodes(nodes, emptied) => emptied.pop(nodes, End::Last),
            Elements::One(element) => element.take(),
        }
    }
}

impl<K, V, S> ExactSizeIterator for IntoIter<K, V, S> {}

impl<K, V, S> FusedIterator for IntoIter<K, V, S> {}

impl<K, V, S> Default for IntoIter<K, V, S> {
    fn default() -> Self {
        IntoIter::new(Nodes::new())
    }
}

impl<K, V, S> IntoIter<K, V, S> {
    /// Returns references to the remaining elements.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&(K, V), &S)> {
        let (nodes, one) = match &self.0 {
            Elements::Nodes(nodes, _) => (Some(nodes.iter()), None),
            Elements::One(element) => (None, element.as_ref().map(|(pair, score)| (pair, score))),
        };
        nodes.into_iter().flatten().chain(one)
    }
}

/// An iterator over elements removed from the core, lowest score first. The core stays borrowed, as
/// by the drains of other collections.
pub(crate) struct Drain<'a, K, V, S> {
    pub(crate) elements: IntoIter<K, V, S>,
    /// The core's nodes, which are empty for now. The drain's drop gives them the memory of the
    /// drained nodes.
    drained: Option<&'a mut Nodes<K, V, S>>,
}

impl<'a, K, V, S> Drain<'a, K, V, S> {
    pub(crate) fn new(nodes: Nodes<K, V, S>, drained: Option<&'a mut Nodes<K, V, S>>) -> Self {
        Drain { elements: IntoIter::new(nodes), drained }
    }

    /// Creates a drain of one element. It has no nodes, so nothing is allocated here.
    pub(crate) fn of_one(element: ((K, V), S)) -> Self {
        Drain { elements: IntoIter::of_one(element), drained: None }
    }

    /// Returns the elements. Their memory does not return to the core.
    #[cfg(feature = "zset")]
    pub(crate) fn into_elements(mut self) -> IntoIter<K, V, S> {
        self.drained = None;
        mem::take(&mut self.elements)
    }

    /// Returns the nodes that contain the elements. Must be called before the first element is
    /// returned.
    pub(crate) fn nodes_mut(&mut self) -> &mut Nodes<K, V, S> {
        self.elements.nodes_mut()
    }
}

/// Drops the remaining elements, and returns their memory to the core.
impl<K, V, S> Drop for Drain<'_, K, V, S> {
    fn drop(&mut self) {
        if let Some(nodes) = &mut self.drained {
            let drained = self.elements.nodes_mut();
            drained.clear();
            mem::swap(*nodes, drained);
        }
    }
}

/// An iterator over elements in order, with mutable references to their pairs.
pub(crate) struct IterMut<'a, K, V, S> {
    front: RestMut<'a, (K, V), S>,
    back: RestMut<'a, (K, V), S>,
    /// The leaves that neither end has entered.
    between: vec::IntoIter<&'a mut BlockLeaf<(K, V), S>>,
    len: usize,
}

/// The elements of a leaf that have not been returned yet, with mutable references to their pairs.
struct RestMut<'a, P, S> {
    slots: slice::Iter<'a, u8>,
    scores: &'a [S],
    /// The pairs by slot. They are in an array, because the destructor of an `ArrayVec` would keep
    /// the core borrowed until the end of the iterator's scope.
    pairs: [Option<&'a mut P>; LEAF_CAPACITY],
}

impl<'a, P, S> RestMut<'a, P, S> {
    /// Creates the rest of a leaf from the elements at these indexes.
    fn new<L, A, B>(leaf: &'a mut Leaf<L, A, B>, elements: Range<usize>) -> Self
    where
        A: Column<S>,
        B: Column<P>,
    {
        let Leaf { order, scores, pairs, .. } = leaf;
        let mut pairs = pairs.iter_mut();
        RestMut { slots: order[elements].iter(), scores, pairs: array::from_fn(|_| pairs.next()) }
    }

    #[inline]
    fn take(&mut self, slot: u8) -> Option<(&'a mut P, &'a S)> {
        Some((self.pairs[slot as usize].take()?, &self.scores[slot as usize]))
    }

    fn iter(&self) -> impl Iterator<Item = (&P, &S)> {
        self.slots.clone().filter_map(|&slot| {
            Some((self.pairs[slot as usize].as_deref()?, &self.scores[slot as usize]))
        })
    }
}

impl<P, S> Default for RestMut<'_, P, S> {
    fn default() -> Self {
        RestMut { slots: [].iter(), scores: &[], pairs: [const { None }; LEAF_CAPACITY] }
    }
}

impl<K, V, S> Nodes<K, V, S> {
    pub(crate) fn iter_mut(&mut self) -> IterMut<'_, K, V, S> {
        self.range_mut(self.whole())
    }

    /// Returns an iterator over a range. Collects references to all its leaves, because they are in
    /// arbitrary order in the arena.
    pub(crate) fn range_mut(&mut self, range: RankedRange) -> IterMut<'_, K, V, S> {
        let RankedRange { start, end, len, .. } = range;
        let mut iter = IterMut { len, ..IterMut::default() };
        if len == 0 {
            // Return early, because the positions of an empty range may be inverted.
            return iter;
        }
        let is_one_leaf = start.leaf == end.leaf;
        let ids: Vec<u32> = match &self.leaves {
            Leaves::Small(_) => Vec::new(),
            Leaves::Blocks(_) => self.leaf_ids(start.leaf, end.leaf).collect(),
        };
        match &mut self.leaves {
            Leaves::Small(leaf) => iter.front = RestMut::new(leaf, start.index..end.index),
            Leaves::Blocks(arena) => {
                let mut leaves = arena.get_many_mut(&ids).into_iter();
                if let Some(leaf) = leaves.next() {
                    let last = if is_one_leaf { end.index } else { leaf.len.into() };
                    iter.front = RestMut::new(leaf, start.index..last);
                }
                if let Some(leaf) = leaves.next_back() {
                    iter.back = RestMut::new(leaf, 0..end.index);
                }
                iter.between = leaves;
            }
        }
        iter
    }

    /// Returns the ids of the leaves from one to another, in order.
    pub(super) fn leaf_ids(&self, first: u32, last: u32) -> impl Iterator<Item = u32> {
        successors(Some(first), move |&id| (id != last).then(|| self.leaf(id).forward))
    }

    /// Returns the pairs at these handles, or `None` if a handle is repeated.
    pub(crate) fn disjoint_pairs_mut<const N: usize>(
        &mut self,
        handles: [Option<Handle>; N],
    ) -> Option<[Option<&mut (K, V)>; N]> {
        let (mut leaves, mut pairs) = match &mut self.leaves {
            Leaves::Small(leaf) => (None, Ascending::new(&mut leaf.pairs[..])),
            Leaves::Blocks(arena) => (Some(arena.ascending()), Ascending::new(&mut [][..])),
        };
        let mut ascending: [usize; N] = array::from_fn(|index| index);
        ascending.sort_unstable_by_key(|&index| handles[index].map(|of| (of.leaf(), of.slot())));
        let mut found = [const { None }; N];
        for index in ascending {
            let Some(handle) = handles[index] else { continue };
            // Handles ascend. So if this leaf was already taken, it was the last one, and `pairs`
            // are its pairs.
            let leaf = leaves.as_mut().and_then(|leaves| leaves.take(handle.leaf() as usize));
            if let Some([leaf]) = leaf.map(|leaf| &mut **leaf) {
                pairs = Ascending::new(&mut leaf.pairs);
            }
            found[index] = Some(pairs.take(handle.slot().into())?);
        }
        Some(found)
    }
}

impl<K, V, S> IterMut<'_, K, V, S> {
    /// Returns references to the remaining elements.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&(K, V), &S)> {
        let leaves = self.between.as_slice().iter().map(|leaf| leaf.as_ref());
        let between = leaves.flat_map(|leaf| (0..leaf.len()).map(move |index| leaf.at(index)));
        self.front.iter().chain(between).chain(self.back.iter())
    }
}

impl<'a, K, V, S> Iterator for IterMut<'a, K, V, S> {
    type Item = (&'a mut (K, V), &'a S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.len = self.len.checked_sub(1)?;
        loop {
            if let Some(&slot) = self.front.slots.next() {
                return self.front.take(slot);
            }
            let Some(leaf) = self.between.next() else {
                let slot = *self.back.slots.next()?;
                return self.back.take(slot);
            };
            let len = leaf.len.into();
            self.front = RestMut::new(leaf, 0..len);
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<K, V, S> DoubleEndedIterator for IterMut<'_, K, V, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.len = self.len.checked_sub(1)?;
        loop {
            if let Some(&slot) = self.back.slots.next_back() {
                return self.back.take(slot);
            }
            let Some(leaf) = self.between.next_back() else {
                let slot = *self.front.slots.next_back()?;
                return self.front.take(slot);
            };
            let len = leaf.len.into();
            self.back = RestMut::new(leaf, 0..len);
        }
    }
}

impl<K, V, S> Default for IterMut<'_, K, V, S> {
    fn default() -> Self {
        IterMut {
            front: RestMut::default(),
            back: RestMut::default(),
            between: Vec::new().into_iter(),
            len: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::consecutive;

    #[test]
    fn consecutive_slots_are_a_range() {
        assert_eq!([&[3][..], &[3, 4, 5]].map(consecutive), [Some(3..4), Some(3..6)]);
        assert_eq!([&[][..], &[3, 4, 6], &[3, 4, 4, 6]].map(consecutive), [None, None, None]);
    }
}
