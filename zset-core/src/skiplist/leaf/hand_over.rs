//! Handing elements at one end of a leaf over to another leaf.
//!
//! The remaining slots must be dense again: an element that remains but is in a slot beyond the new
//! length, a filler, swaps with a departing one in a lower slot, a gap.
//!
//! ```text
//! slots   a [b] c  d [e] f [g]      [x] departs
//!         a  f  c  d [e][b][g]      b is in a gap and f a filler
//!         a  f  c  d                e, b and g are in the next three slots of the other leaf
//! ```

use arrayvec::ArrayVec;
use core::ops::Range;

use super::{BlockLeaf, End, NO_SLOT};
use crate::handle::LEAF_CAPACITY;

/// The most elements that are hashed or handed over at once. Their hashes and moves are on the stack, which is
/// small on microcontrollers.
pub(crate) const AT_ONCE: usize = if cfg!(target_pointer_width = "32") { 8 } else { LEAF_CAPACITY };

/// The most moves at once: an element that departs may leave a gap to a filler.
pub(crate) const MAX_MOVES: usize =
    if 2 * AT_ONCE < LEAF_CAPACITY { 2 * AT_ONCE } else { LEAF_CAPACITY };

/// The move of one element.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    pub(crate) from: u8,
    /// The slot; in the other leaf, counted from its first vacant slot.
    pub(crate) to: u8,
    /// Whether it moves to the other leaf, rather than to a gap.
    pub(crate) departs: bool,
}

/// Removes the lowest bit that is set and returns its number.
fn take_lowest(bits: &mut u64) -> Option<u8> {
    let lowest = bits.trailing_zeros() as u8;
    *bits &= bits.checked_sub(1)?;
    Some(lowest)
}

/// Plans a handover of up to [`AT_ONCE`] elements at these indexes of a leaf, given its slots in order. Each
/// element moves at most once, and none into an occupied slot.
pub(crate) fn plan(order: &[u8], departing: &Range<usize>) -> ArrayVec<Move, MAX_MOVES> {
    let (len, rest) = (order.len() as u8, (order.len() - departing.len()) as u8);
    // Slots, a bit each.
    let mut departing = order[departing.clone()].iter().fold(0u64, |bits, slot| bits | 1 << slot);
    let lowest = |slots: u8| u64::MAX.checked_shr(u64::BITS - u32::from(slots)).unwrap_or(0);
    let mut fillers = !departing & lowest(len) & !lowest(rest);
    let mut moves = ArrayVec::new();
    while let Some(gap) = take_lowest(&mut departing) {
        // Below `rest`, there are as many gaps as fillers.
        let filler = if gap < rest { take_lowest(&mut fillers) } else { None };
        moves.push(Move { from: gap, to: filler.unwrap_or(gap) - rest, departs: true });
        if let Some(filler) = filler {
            moves.push(Move { from: filler, to: gap, departs: false });
        }
    }
    moves
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Carries out the plan for the elements at the indexes `departing`: moves them to this end of another
    /// leaf, which must have room for them.
    pub(crate) fn hand_over(
        &mut self,
        departing: &Range<usize>,
        plan: &[Move],
        to: &mut Self,
        end: End,
    ) {
        let (len, more, to_len) = (self.len as usize, departing.len(), to.len as usize);
        let rest = len - more;
        (self.len, to.len) = (rest as u8, (to_len + more) as u8);
        let mut slots = [0; LEAF_CAPACITY];
        (0..).zip(&mut slots).for_each(|(slot, new)| *new = slot);
        for step in plan {
            slots[step.from as usize] = step.to;
            if !step.departs {
                self.members.swap(step.from as usize, step.to as usize);
                self.scores.swap(step.from as usize, step.to as usize);
            }
        }
        to.members.extend(self.members.drain(rest..));
        to.scores.extend(self.scores.drain(rest..));
        // Every slot is below the capacity; the remainder only elides a bounds check.
        let new_slot = |slot: u8| slots[slot as usize % LEAF_CAPACITY];
        let start = match end {
            End::First => 0,
            End::Last => to_len,
        };
        to.order.copy_within(start..to_len, start + more);
        for (to, &slot) in
            to.order[start..start + more].iter_mut().zip(&self.order[departing.clone()])
        {
            *to = new_slot(slot) + to_len as u8;
        }
        self.order.copy_within(departing.end..len, departing.start);
        self.order[rest..len].fill(NO_SLOT);
        self.order[..rest].iter_mut().for_each(|slot| *slot = new_slot(*slot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Node;
    use crate::skiplist::LeafRef;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn in_order<M: Clone, S: Copy>(leaf: LeafRef<'_, M, S>) -> Vec<(M, S)> {
        (0..leaf.len()).map(|i| leaf.at(i)).map(|(m, s)| (m.clone(), s)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: if cfg!(miri) { 4 } else { 256 },
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_handover_moves_each_element_once_and_keeps_the_order(
            order in (0..=64u8).prop_flat_map(|len| Just((0..len).collect::<Vec<_>>()).prop_shuffle()),
            departing_64ths in 0..=64usize,
            room_64ths in 0..=64usize,
            is_first in proptest::bool::ANY,
        ) {
            let len = order.len();
            let count = (len * departing_64ths / 64).min(AT_ONCE);
            let to_len = (64 - count) * room_64ths / 64;
            // The elements of the other leaf come before all of this one, or after them.
            let (departing, staying, end, others) = if is_first {
                (0..count, count..len, End::Last, 0..to_len)
            } else {
                (len - count..len, 0..len - count, End::First, 200..200 + to_len)
            };
            let element = |index: usize| (100 + index as u8, 100 + index as u8);
            let other = |index: usize| (index as u8, index as u8);

            let (mut leaf, mut to) = (BlockLeaf::<u8, u8>::empty(), BlockLeaf::empty());
            for &index in &order {
                // The element in slot i has the index order[i].
                let (member, score) = element(index.into());
                let here = leaf.scores.iter().filter(|&&other| other < score).count();
                leaf.insert(here, member, score);
            }
            to.extend_sorted(others.clone().map(other));
            let plan = plan(leaf.as_ref::<u8, u8>().order(), &departing);
            // Replays the plan on a map of slots, to check that no occupied slot is filled.
            let mut slots: Vec<Option<u8>> = leaf.members.iter().copied().map(Some).collect();
            let mut new_slots = [None; 64];
            let mut stayed = 0;
            for step in &plan {
                let element = slots[step.from as usize].take();
                assert!(element.is_some());
                let to = if step.departs { &mut new_slots } else { &mut slots[..] };
                assert!(to[step.to as usize].is_none());
                to[step.to as usize] = element;
                stayed += usize::from(!step.departs);
            }
            prop_assert!(stayed <= count.min(len - count));

            leaf.hand_over(&departing, &plan, &mut to, end);
            let moved = departing.map(element);
            let expected: Vec<_> = match end {
                End::First => moved.chain(others.map(other)).collect(),
                End::Last => others.map(other).chain(moved).collect(),
            };
            prop_assert_eq!(in_order(to.as_ref()), expected);
            prop_assert_eq!(in_order(leaf.as_ref()), staying.map(element).collect::<Vec<_>>());
            for (slot, member) in leaf.members.iter().enumerate() {
                prop_assert_eq!(slots[slot], Some(*member));
            }
            for (slot, member) in to.members[to_len..].iter().enumerate() {
                prop_assert_eq!(new_slots[slot], Some(*member));
            }
        }
    }
}
