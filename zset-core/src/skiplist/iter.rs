//! Iterators over a list.

use core::fmt;
use core::iter::FusedIterator;

use super::SkipList;
use super::leaf::LeafRef;
use super::range::Run;

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**; `nth` and `nth_back`, and so `skip` and
/// `step_by`, are **O(log n)**; `count` and `last` are **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let set: SortedSet<u32, u32> = (0..10_000).map(|i| (i, i)).collect();
/// // In O(log n), not by 9,000 steps.
/// let page: Vec<_> = set.iter().skip(9_000).take(2).collect();
/// assert_eq!(page, [(&9_000, 9_000), (&9_001, 9_001)]);
/// ```
pub struct Iter<'a, M, S> {
    list: &'a SkipList<M, S>,
    front: LeafRef<'a, M, S>,
    /// Where the next element from the front is, if it is not in the next leaf.
    front_position: usize,
    back: LeafRef<'a, M, S>,
    /// After the next element from the back, unless that is in the leaf before.
    back_position: usize,
    /// The number of elements of the list before `back_position`.
    back_rank: usize,
    remaining: usize,
}

impl<'a, M, S: Copy> Iter<'a, M, S> {
    /// Makes the iterator over the elements of a run.
    #[inline]
    pub(crate) fn new(list: &'a SkipList<M, S>, run: Run) -> Self {
        Iter {
            list,
            front: list.leaf(run.start.leaf),
            front_position: run.start.position,
            back: list.leaf(run.end.leaf),
            back_position: run.end.position,
            back_rank: run.start_rank + run.len,
            remaining: run.len,
        }
    }
}

/// Goes to another leaf. The few instructions that are left are inlined into the caller's loop, which
/// then has the iterator in registers.
#[cold]
#[inline(never)]
fn leaf<M, S: Copy>(list: &SkipList<M, S>, id: u32) -> LeafRef<'_, M, S> {
    list.leaf(id)
}

impl<'a, M, S: Copy> Iterator for Iter<'a, M, S> {
    type Item = (&'a M, S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        if self.front_position == self.front.len() {
            self.front = leaf(self.list, self.front.forward);
            self.front_position = 0;
        }
        self.front_position += 1;
        Some(self.front.at(self.front_position - 1))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    #[inline]
    fn count(self) -> usize {
        self.remaining
    }

    #[inline]
    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        let n = n.min(self.remaining);
        if n > self.front.len() - self.front_position {
            let place = self.list.place_at(self.back_rank - self.remaining + n);
            (self.front, self.front_position) = (self.list.leaf(place.leaf), place.position);
        } else {
            self.front_position += n;
        }
        self.remaining -= n;
        self.next()
    }

    /// A loop over each leaf: what goes over all elements goes this way.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut combine: F) -> B {
        let Iter { list, mut front, front_position, mut remaining, .. } = self;
        let (mut combined, mut position) = (init, front_position);
        while remaining > 0 {
            let slots = front.order().iter().skip(position).take(remaining);
            remaining -= slots.len();
            combined = slots.fold(combined, |combined, &slot| {
                combine(combined, (&front.members[slot as usize], front.scores[slot as usize]))
            });
            if remaining > 0 {
                (front, position) = (leaf(list, front.forward), 0);
            }
        }
        combined
    }
}

impl<M, S: Copy> DoubleEndedIterator for Iter<'_, M, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.remaining = self.remaining.checked_sub(1)?;
        if self.back_position == 0 {
            self.back = leaf(self.list, self.back.backward);
            self.back_position = self.back.len();
        }
        self.back_position -= 1;
        self.back_rank -= 1;
        Some(self.back.at(self.back_position))
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        let n = n.min(self.remaining);
        self.back_rank -= n;
        if n > self.back_position {
            let place = self.list.place_at(self.back_rank);
            (self.back, self.back_position) = (self.list.leaf(place.leaf), place.position);
        } else {
            self.back_position -= n;
        }
        self.remaining -= n;
        self.next_back()
    }
}

impl<M, S: Copy> ExactSizeIterator for Iter<'_, M, S> {}

impl<M, S: Copy> FusedIterator for Iter<'_, M, S> {}

impl<M, S> Clone for Iter<'_, M, S> {
    fn clone(&self) -> Self {
        Iter { ..*self }
    }
}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for Iter<'_, M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
