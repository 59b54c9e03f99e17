//! Moving elements between leaves: splitting a full leaf, and absorbing all elements of another.

use arrayvec::ArrayVec;
use core::mem;
use core::ops::Range;

use super::{BlockLeaf, Leaf, NO_SLOT};
use crate::handle::LEAF_CAPACITY;

/// Returns the slots whose bits are set, in ascending order.
fn slots_of(mut bits: u64) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let slot = bits.trailing_zeros() as u8;
        bits &= bits.checked_sub(1)?;
        Some(slot)
    })
}

/// A step of a split: moves one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// Whether it moves to the other leaf, rather than to a lower slot of its own leaf.
    pub(crate) departs: bool,
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Plans a split in which the elements at these indexes of a full leaf move to another leaf.
    ///
    /// The remaining slots must be dense again: an element that remains but is in a slot beyond the new
    /// length swaps with a departing one in a lower slot.
    ///
    /// ```text
    /// slots   a [b] c  d [e] f [g]      [x] departs
    ///         a  f  c  d [e][b][g]      b and f are swapped
    ///         a  f  c  d                e, b and g are in slots 0, 1 and 2 of the other leaf
    /// ```
    ///
    /// Each element moves at most once. Departures come first in the plan, so no element moves into an
    /// occupied slot.
    pub(crate) fn plan_split(&self, departing: Range<usize>) -> ArrayVec<Move, LEAF_CAPACITY> {
        let rest = LEAF_CAPACITY - departing.len();
        // A bit mask of slots, to avoid branches.
        let departs = self.order[departing].iter().fold(0u64, |bits, slot| bits | 1 << slot);
        let stays = u64::MAX.checked_shr(u64::BITS - rest as u32).unwrap_or(0);
        let gaps = || slots_of(departs & stays);
        let fillers = || slots_of(!departs & !stays);
        let mut plan = ArrayVec::new();
        let depart = |(from, at): (u8, u8)| Move { from, to: at - rest as u8, departs: true };
        plan.extend(slots_of(departs & !stays).map(|slot| depart((slot, slot))));
        plan.extend(gaps().zip(fillers()).map(depart));
        plan.extend(gaps().zip(fillers()).map(|(to, from)| Move { from, to, departs: false }));
        plan
    }

    /// Carries out the plan of `plan_split(departing)` and returns the departing elements as a new
    /// leaf.
    pub(crate) fn split(&mut self, departing: Range<usize>, plan: &[Move]) -> Self {
        let (len, more) = (self.len as usize, departing.len());
        let rest = len - more;
        let mut new = Self::new();
        (self.len, new.len) = (rest as u8, more as u8);
        let mut slots: [u8; LEAF_CAPACITY] = core::array::from_fn(|slot| slot as u8);
        for step in plan {
            slots[step.from as usize] = step.to;
            if !step.departs {
                self.members.swap(step.from as usize, step.to as usize);
                self.scores.swap(step.from as usize, step.to as usize);
            }
        }
        new.members.extend(self.members.drain(rest..));
        new.scores.extend(self.scores.drain(rest..));
        new.order[..more].copy_from_slice(&self.order[departing.clone()]);
        self.order.copy_within(departing.end..len, departing.start);
        self.order[rest..].fill(NO_SLOT);
        for order in [&mut self.order[..rest], &mut new.order[..more]] {
            for slot in order {
                // Every slot is below the capacity; the remainder only elides a bounds check.
                *slot = slots[*slot as usize % LEAF_CAPACITY];
            }
        }
        new
    }

    /// Removes and returns all elements. The links are unchanged.
    pub(crate) fn take_elements(&mut self) -> Self {
        Leaf {
            len: mem::take(&mut self.len),
            order: mem::replace(&mut self.order, [NO_SLOT; LEAF_CAPACITY + 1]),
            scores: self.scores.take(),
            members: self.members.take(),
            ..Leaf::new()
        }
    }

    /// Absorbs all elements of `other`, which come before or after all elements of this leaf.
    ///
    /// The element of slot `i` moves to slot `len + i`.
    pub(crate) fn absorb(&mut self, other: Self, before: bool) {
        let (len, more) = (self.len as usize, other.len as usize);
        self.len += other.len;
        let start = if before {
            self.order.copy_within(..len, more);
            0
        } else {
            len
        };
        for (to, slot) in self.order[start..start + more].iter_mut().zip(other.order) {
            *to = slot + len as u8;
        }
        self.scores.extend(other.scores);
        self.members.extend(other.members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skiplist::leaf::LeafRef;
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
            from_front in proptest::bool::ANY,
        ) {
            let mut leaf = BlockLeaf::<u8, u8>::new();
            for &score in &order {
                // The element in slot i has the score order[i].
                let here = (0..leaf.len as usize).filter(|&i| leaf.as_ref().at(i).1 < score).count();
                leaf.insert(here, score, score);
            }
            let (departing, staying) = if from_front { (0..at, at..64) } else { (at..64, 0..at) };
            let plan = leaf.plan_split(departing.clone());
            // Replays the plan on a map of slots, to check that no occupied slot is filled.
            let mut slots: std::vec::Vec<Option<u8>> = order.iter().copied().map(Some).collect();
            let mut new_slots = [None; 64];
            for step in &plan {
                let element = slots[step.from as usize].take();
                prop_assert!(element.is_some());
                let to = if step.departs { &mut new_slots } else { &mut slots[..] };
                prop_assert!(to[step.to as usize].is_none());
                to[step.to as usize] = element;
            }
            let new = leaf.split(departing.clone(), &plan);
            for (leaf, indexes) in [(&leaf, staying), (&new, departing)] {
                let expected = indexes.map(|i| (i as u8, i as u8)).collect::<std::vec::Vec<_>>();
                prop_assert_eq!(in_order(leaf.as_ref()), expected);
            }
            for (slot, member) in leaf.members.iter().enumerate() {
                prop_assert_eq!(slots[slot], Some(*member));
            }
            for (slot, member) in new.members.iter().enumerate() {
                prop_assert_eq!(new_slots[slot], Some(*member));
            }
            prop_assert!(plan.iter().filter(|step| !step.departs).count() <= at.min(64 - at));
        }
    }
}
