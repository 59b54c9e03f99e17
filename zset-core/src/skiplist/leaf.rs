//! A leaf: up to 64 elements in dense, unsorted slots, and the permutation that sorts them.
//!
//! ```text
//! slot     0    1    2    3          order  1 3 0 2
//! scores   7.0  1.0  9.0  4.0        so the elements in order are 1.0 4.0 7.0 9.0
//! members  g    a    k    d                                      a   d   g   k
//! ```
//!
//! Invariants: `scores`, `members` and `order` have the same length, at most 64; `order` is a
//! permutation of `0..len`; the elements read through it are sorted by `(score, member)`.
//!
//! An insertion pushes into the next slot and shifts bytes of `order` only. A removal fills its slot
//! with the element of the last slot, which so moves; no other element does.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::ops::DerefMut;

use crate::TryReserveError;
use crate::arena::{NONE, Node};
use crate::handle::LEAF_CAPACITY;

/// A column of a leaf: a vector that grows (the leaf of a small list) or an inline array (a block).
pub(crate) trait Column<T>: Default + DerefMut<Target = [T]> {
    fn push(&mut self, value: T);
    fn swap_remove(&mut self, index: usize) -> T;
}

impl<T> Column<T> for Vec<T> {
    fn push(&mut self, value: T) {
        self.push(value);
    }
    fn swap_remove(&mut self, index: usize) -> T {
        self.swap_remove(index)
    }
}

impl<T> Column<T> for ArrayVec<T, LEAF_CAPACITY> {
    fn push(&mut self, value: T) {
        self.push(value);
    }
    fn swap_remove(&mut self, index: usize) -> T {
        self.swap_remove(index)
    }
}

/// A leaf over three columns.
#[derive(Clone)]
pub(crate) struct Leaf<O, A, B> {
    order: O,
    /// The next leaf in order, or `NONE`; in a vacant leaf the next vacant one.
    pub(crate) forward: u32,
    /// The leaf before in order, or `NONE`.
    pub(crate) backward: u32,
    /// The index block of level 1 above, or `NONE` if there is no index.
    pub(crate) parent: u32,
    scores: A,
    members: B,
}

/// The only leaf of a small list; its columns grow as needed.
pub(crate) type SmallLeaf<M, S> = Leaf<Vec<u8>, Vec<S>, Vec<M>>;

/// A leaf of a list with more than one: one block of memory.
pub(crate) type BlockLeaf<M, S> =
    Leaf<ArrayVec<u8, LEAF_CAPACITY>, ArrayVec<S, LEAF_CAPACITY>, ArrayVec<M, LEAF_CAPACITY>>;

/// A leaf to read, whichever its columns are.
pub(crate) struct LeafRef<'a, M, S> {
    pub(crate) order: &'a [u8],
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
        self.order.len()
    }

    /// Returns the element at `position` in order.
    #[inline]
    pub(crate) fn at(&self, position: usize) -> (&'a M, S) {
        let slot = self.order[position] as usize;
        (&self.members[slot], self.scores[slot])
    }

    /// Returns the position in order of the element in `slot`.
    #[inline]
    pub(crate) fn position_of(&self, slot: u8) -> usize {
        // No early exit: the loop compiles to packed compares.
        let mut position = 0;
        for (i, &s) in self.order.iter().enumerate() {
            position |= if s == slot { i as u8 } else { 0 };
        }
        position as usize
    }
}

impl<O: Column<u8>, A, B> Leaf<O, A, B> {
    pub(crate) fn new<M, S>() -> Self
    where
        A: Column<S>,
        B: Column<M>,
    {
        let (order, scores, members) = (O::default(), A::default(), B::default());
        Leaf { order, forward: NONE, backward: NONE, parent: NONE, scores, members }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    #[inline]
    pub(crate) fn as_ref<M, S>(&self) -> LeafRef<'_, M, S>
    where
        A: Column<S>,
        B: Column<M>,
    {
        LeafRef {
            order: &self.order,
            scores: &self.scores,
            members: &self.members,
            forward: self.forward,
            backward: self.backward,
            parent: self.parent,
        }
    }

    /// Puts an element at `position` in order and returns its slot; the leaf has room.
    #[inline]
    pub(crate) fn insert<M, S>(&mut self, position: usize, member: M, score: S) -> u8
    where
        A: Column<S>,
        B: Column<M>,
    {
        let slot = self.order.len();
        self.order.push(slot as u8);
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
        let last = self.order.len() - 1;
        self.order.copy_within(position + 1.., position);
        self.order.swap_remove(last);
        // Renames the last slot; if it is the one removed, no entry has its number any more.
        for s in &mut self.order[..] {
            *s = if *s == last as u8 { slot } else { *s };
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
    /// Makes room for more elements, by doubling, up to what a leaf may hold.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let additional = additional.min(LEAF_CAPACITY - self.order.len());
        self.order.try_reserve(additional)?;
        self.scores.try_reserve(additional)?;
        Ok(self.members.try_reserve(additional)?)
    }

    pub(crate) fn allocation_size(&self) -> usize {
        self.order.capacity()
            + self.scores.capacity() * size_of::<S>()
            + self.members.capacity() * size_of::<M>()
    }
}

/// One element's way in a split, in the order in which the elements leave their slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// Whether it goes to the new leaf, or to a lower slot of its own.
    pub(crate) to_new_leaf: bool,
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Turns the full leaf of a small list into a block; every element keeps its slot.
    pub(crate) fn from_small(small: SmallLeaf<M, S>) -> Self {
        Leaf {
            order: small.order.into_iter().collect(),
            scores: small.scores.into_iter().collect(),
            members: small.members.into_iter().collect(),
            ..Leaf::new()
        }
    }

    /// Plans the split at position `at`: what lies there or behind goes to a new leaf.
    ///
    /// The slots that stay must become dense again. Going up through the slots, each that is left
    /// empty is filled from the end, after all at the end that leave too have left:
    ///
    /// ```text
    /// slots   a [b] c  d [e] f [g]      [x] leaves
    ///         a  .  c  d [e] f  .       g leaves from the end, b leaves its slot
    ///         a  f  c  d [e] .          f fills it
    ///         a  f  c  d                e leaves
    /// ```
    ///
    /// So each element moves at most once, and none into a slot that is still taken.
    pub(crate) fn plan_split(&self, at: usize) -> ArrayVec<Move, LEAF_CAPACITY> {
        let mut leaves = [false; LEAF_CAPACITY];
        self.order[at..].iter().for_each(|&slot| leaves[slot as usize] = true);
        let mut plan = ArrayVec::new();
        let mut new_len = 0;
        let mut depart = |plan: &mut ArrayVec<Move, LEAF_CAPACITY>, from: usize| {
            plan.push(Move { from: from as u8, to: new_len, to_new_leaf: true });
            new_len += 1;
        };
        let (mut slot, mut len) = (0, self.len());
        while slot < len {
            if leaves[slot] {
                while len - 1 > slot && leaves[len - 1] {
                    len -= 1;
                    depart(&mut plan, len);
                }
                depart(&mut plan, slot);
                len -= 1;
                if slot < len {
                    plan.push(Move { from: len as u8, to: slot as u8, to_new_leaf: false });
                }
            }
            slot += 1;
        }
        plan
    }

    /// Carries out a plan of `plan_split(at)` and returns the new leaf.
    pub(crate) fn split(&mut self, at: usize, plan: &[Move]) -> Self {
        let mut new = Self::new();
        let mut slots: [u8; LEAF_CAPACITY] = core::array::from_fn(|slot| slot as u8);
        for step in plan {
            slots[step.from as usize] = step.to;
            if step.to_new_leaf {
                // This also carries out the next step, if that fills the slot.
                new.members.push(self.members.swap_remove(step.from as usize));
                new.scores.push(self.scores.swap_remove(step.from as usize));
            }
        }
        new.order.extend(self.order.drain(at..));
        let renamed = self.order.iter_mut().chain(&mut new.order);
        renamed.for_each(|slot| *slot = slots[*slot as usize]);
        new
    }

    /// Takes all elements out, and leaves the links.
    pub(crate) fn take_elements(&mut self) -> Self {
        Leaf {
            order: self.order.take(),
            scores: self.scores.take(),
            members: self.members.take(),
            ..Leaf::new()
        }
    }

    /// Takes in all elements of `other`, which in order come before or after all of this leaf's.
    ///
    /// The element of slot `i` goes to slot `len + i`.
    pub(crate) fn absorb(&mut self, other: Self, before: bool) {
        let len = self.len();
        self.order.extend(other.order.iter().map(|slot| slot + len as u8));
        if before {
            self.order.rotate_left(len);
        }
        self.scores.extend(other.scores);
        self.members.extend(other.members);
    }
}

impl<M, S: Copy> Node for BlockLeaf<M, S> {
    fn vacant(next: u32) -> Self {
        Leaf { forward: next, ..Leaf::new() }
    }

    fn next_vacant(&self) -> u32 {
        self.forward
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_order<M: Clone, S: Copy>(leaf: LeafRef<'_, M, S>) -> std::vec::Vec<(M, S)> {
        (0..leaf.len()).map(|i| leaf.at(i)).map(|(m, s)| (m.clone(), s)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: if cfg!(miri) { 4 } else { 256 },
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_split_moves_each_element_once_and_keeps_the_order(
            order in Just((0..64u8).collect::<std::vec::Vec<_>>()).prop_shuffle(),
            at in 0..=64usize,
        ) {
            let mut leaf = BlockLeaf::<u8, u8>::new();
            for &position in &order {
                // Slot i gets the score order[i].
                let here = (0..leaf.len()).filter(|&i| leaf.as_ref().at(i).1 < position).count();
                leaf.insert(here, position, position);
            }
            let plan = leaf.plan_split(at);
            // Replays the plan on a map of slots: no slot is filled before it is empty.
            let mut slots: std::vec::Vec<Option<u8>> = order.iter().copied().map(Some).collect();
            let mut new_slots = [None; 64];
            for step in &plan {
                let element = slots[step.from as usize].take();
                prop_assert!(element.is_some());
                let to = if step.to_new_leaf { &mut new_slots } else { &mut slots[..] };
                prop_assert!(to[step.to as usize].is_none());
                to[step.to as usize] = element;
            }
            let new = leaf.split(at, &plan);
            prop_assert_eq!(in_order(leaf.as_ref()), (0..at as u8).map(|i| (i, i)).collect::<std::vec::Vec<_>>());
            prop_assert_eq!(in_order(new.as_ref()), (at as u8..64).map(|i| (i, i)).collect::<std::vec::Vec<_>>());
            for (slot, member) in leaf.members.iter().enumerate() {
                prop_assert_eq!(slots[slot], Some(*member));
            }
            for (slot, member) in new.members.iter().enumerate() {
                prop_assert_eq!(new_slots[slot], Some(*member));
            }
            prop_assert!(plan.iter().filter(|step| !step.to_new_leaf).count() <= at.min(64 - at));
        }
    }
}
