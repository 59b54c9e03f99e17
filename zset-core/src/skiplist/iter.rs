//! Iterators over a list.

use core::fmt;
use core::hint::black_box;
use core::iter::FusedIterator;
use core::ops::Range;
use core::{mem, slice};

use super::SkipList;
use super::leaf::LeafRef;
use super::position::Position;
use super::range::RankedRange;

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**; `nth` and `nth_back`, and so `skip` and
/// `step_by`, are **O(log n)**. `len`, `size_hint`, `count` and `last` are at most **O(log n)**.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let set: SortedSet<u32, u32> = (0..10_000).map(|i| (i, i)).collect();
/// // O(log n), rather than 9,000 steps.
/// let page: Vec<_> = set.iter().skip(9_000).take(2).collect();
/// assert_eq!(page, [(&9_000, 9_000), (&9_001, 9_001)]);
/// ```
pub struct Iter<'a, M, S> {
    list: &'a SkipList<M, S>,
    /// The remaining elements of the first leaf.
    front: Rest<'a, M, S>,
    /// The remaining elements of the last leaf. If both ends are in the same leaf, one of the two has all
    /// its remaining elements, and the other is empty.
    back: Rest<'a, M, S>,
    /// The ranks of the elements in the leaves between these two, computed on demand.
    between: Option<Range<usize>>,
}

/// The elements of a leaf that have not been returned yet.
struct Rest<'a, M, S> {
    leaf: u32,
    /// The leaf to enter next, or the same leaf if the other end is in it too.
    next: u32,
    slots: slice::Iter<'a, u8>,
    scores: &'a [S],
    members: &'a [M],
}

impl<'a, M, S: Copy> Rest<'a, M, S> {
    #[cfg_attr(not(target_os = "none"), inline)]
    #[cfg_attr(target_os = "none", inline(never))]
    fn new(id: u32, next: u32, leaf: LeafRef<'a, M, S>, slots: slice::Iter<'a, u8>) -> Self {
        Rest { leaf: id, next, slots, scores: leaf.scores, members: leaf.members }
    }

    /// Returns the element in a slot.
    #[inline]
    fn at(&self, slot: u8) -> (&'a M, S) {
        (&self.members[slot as usize], self.scores[slot as usize])
    }

    /// Rebuilds the value field by field, with slices of equal length.
    ///
    /// This makes the compiler keep the fields in registers instead of copying a block of memory.
    #[inline]
    fn in_registers(self) -> Self {
        let Rest { leaf, next, slots, scores, members } = self;
        Rest { leaf, next, slots, scores, members: &members[..scores.len()] }
    }
}

impl<M, S> Clone for Rest<'_, M, S> {
    #[inline]
    fn clone(&self) -> Self {
        Rest { slots: self.slots.clone(), ..*self }
    }
}

/// Returns the elements between two positions that are in the first and in the last leaf.
#[inline(never)]
fn ends<M, S: Copy>(
    list: &SkipList<M, S>,
    find: impl FnOnce() -> Range<Position>,
) -> (Rest<'_, M, S>, Rest<'_, M, S>) {
    let Range { start, end } = find();
    let (first, id) = (list.leaf(start.leaf), start.leaf);
    if id == end.leaf {
        let slots = first.order()[start.index..end.index].iter();
        return (Rest::new(id, id, first, slots), Rest::new(id, id, first, [].iter()));
    }
    let front = Rest::new(id, first.forward, first, first.order()[start.index..].iter());
    let (end_leaf, id) = (list.leaf(end.leaf), end.leaf);
    let slots = end_leaf.order()[..end.index].iter();
    (front, Rest::new(id, end_leaf.backward, end_leaf, slots))
}

/// Enters the leaf `id`, whose successor `link` returns. If the other end is in that leaf too (`to`),
/// only the elements in `slots` remain.
///
/// The function is not inlined, takes no reference to the iterator and cannot panic, so that the compiler
/// keeps the iterator and the accumulator of a caller's loop in registers.
#[cold]
#[inline(never)]
fn enter<'a, M, S: Copy>(
    list: &'a SkipList<M, S>,
    id: u32,
    to: u32,
    slots: slice::Iter<'a, u8>,
    link: impl Fn(LeafRef<'a, M, S>) -> u32,
) -> Rest<'a, M, S> {
    let leaf = list.leaves.try_get(id);
    debug_assert!(leaf.is_some(), "a leaf is linked to one that is not there");
    let Some(leaf) = leaf else {
        return Rest { leaf: to, next: to, slots: [].iter(), scores: &[], members: &[] };
    };
    if id == to {
        return Rest::new(id, id, leaf, slots);
    }
    let next = link(leaf);
    // Prefetches the first cache line of the next leaf.
    black_box(list.leaves.try_get(next).map(|leaf| leaf.len()));
    Rest::new(id, next, leaf, leaf.order().iter())
}

/// Returns the range of slots if they are consecutive, as in a leaf filled in order.
#[inline]
fn consecutive(slots: &[u8]) -> Option<Range<usize>> {
    let (&first, &last) = (slots.first()?, slots.last()?);
    let end = usize::from(first) + slots.len();
    // Rejects nearly all other leaves immediately.
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

/// Returns the ranks of the elements in the leaves between two others.
#[cold]
#[inline(never)]
fn ranks_between<M, S: Copy>(list: &SkipList<M, S>, front: u32, back: u32) -> Range<usize> {
    if front == back {
        return 0..0;
    }
    let start = if front == list.head {
        list.leaf(front).len()
    } else {
        list.rank_of(Position { leaf: front, index: list.leaf(front).len() })
    };
    let end = if back == list.tail {
        list.len - list.leaf(back).len()
    } else {
        list.rank_of(Position { leaf: back, index: 0 })
    };
    start..end
}

impl<'a, M, S: Copy> Iter<'a, M, S> {
    /// Creates an iterator over the elements between the positions that `find` returns.
    #[inline]
    pub(crate) fn new(list: &'a SkipList<M, S>, find: impl FnOnce() -> Range<Position>) -> Self {
        let (front, back) = ends(list, find);
        Iter { list, front: front.in_registers(), back: back.in_registers(), between: None }
    }

    /// Creates an iterator over the elements of a range, which must not be inverted.
    #[inline]
    pub(crate) fn ranked(list: &'a SkipList<M, S>, range: RankedRange) -> Self {
        let iter = Iter::new(list, || range.start..range.end);
        let start = range.start_rank + iter.front.slots.len();
        let end = range.start_rank + range.len - iter.back.slots.len();
        Iter { between: Some(start..end), ..iter }
    }

    /// Returns the ranks of the elements in the leaves between `front` and `back`.
    #[inline]
    fn between(&self) -> Range<usize> {
        match &self.between {
            Some(between) => between.clone(),
            None => ranks_between(self.list, self.front.leaf, self.back.leaf),
        }
    }

    /// Moves to the next leaf at the front.
    #[cold]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called, it would have the iterator in memory")]
    fn advance(&mut self) {
        let slots = self.back.slots.clone();
        self.front = enter(self.list, self.front.next, self.back.leaf, slots, |leaf| leaf.forward)
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
    /// It computes the ranks, so that `len` is O(1) from then on: adaptors such as `enumerate` call it
    /// at each step from the back.
    #[cold]
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called, it would have the iterator in memory")]
    fn retreat(&mut self) {
        let mut between = self.between();
        let slots = self.front.slots.clone();
        self.back = enter(self.list, self.back.next, self.front.leaf, slots, |leaf| leaf.backward)
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
            let Position { leaf: id, index } = self.list.position_at(start + n);
            let leaf = self.list.leaf(id);
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
            let Position { leaf: id, index } = self.list.position_at(end - n);
            let leaf = self.list.leaf(id);
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

impl<'a, M, S: Copy> Iterator for Iter<'a, M, S> {
    type Item = (&'a M, S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let slot = if let Some(slot) = self.front.slots.next() {
            slot
        } else {
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

    /// Loops over each leaf in turn. Everything that visits all elements uses this.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut combine: F) -> B {
        let mut combined = init;
        loop {
            let Rest { slots, scores, members, .. } = self.front.clone();
            combined = if let Some(slots) = consecutive(slots.as_slice()) {
                let elements = members[slots.clone()].iter().zip(&scores[slots]);
                elements
                    .fold(combined, |combined, (member, &score)| combine(combined, (member, score)))
            } else {
                slots.fold(combined, |combined, &slot| {
                    combine(combined, (&members[slot as usize], scores[slot as usize]))
                })
            };
            if self.front.leaf == self.back.leaf && self.back.slots.len() == 0 {
                return combined;
            }
            self.advance();
        }
    }
}

impl<M, S: Copy> DoubleEndedIterator for Iter<'_, M, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let slot = if let Some(slot) = self.back.slots.next_back() {
            slot
        } else {
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

impl<M, S: Copy> ExactSizeIterator for Iter<'_, M, S> {}

impl<M, S: Copy> FusedIterator for Iter<'_, M, S> {}

impl<M, S> Clone for Iter<'_, M, S> {
    fn clone(&self) -> Self {
        Iter {
            front: self.front.clone(),
            back: self.back.clone(),
            between: self.between.clone(),
            ..*self
        }
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for Iter<'_, M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
