//! Handing elements at one end of a leaf over to another leaf.
//!
//! The remaining slots must be dense again: an element that remains but is in a slot beyond the new
//! length, a filler, swaps with a departing one in a lower slot, a gap.
//!
//! ```text
//! slots   a [b] c  d [e] f [g]      [x] departs
//!         a  f  c  d [e][b][g]      b is in a gap and f a filler
//!         a  f  c  d                g, b and e are in the next three slots of the other leaf
//! ```

use arrayvec::ArrayVec;
use core::ops::Range;

use super::{BlockLeaf, End, NO_SLOT};
use crate::handle::LEAF_CAPACITY;
use crate::small::{copy_within, swap};

/// The most elements that are hashed or handed over at once. Their hashes and moves are on the stack, which is
/// small on microcontrollers.
pub(crate) const AT_ONCE: usize = if cfg!(target_pointer_width = "32") { 8 } else { LEAF_CAPACITY };

/// The most moves at once: an element that departs may leave a gap to a filler.
pub(crate) const MAX_MOVES: usize =
    if 2 * AT_ONCE < LEAF_CAPACITY { 2 * AT_ONCE } else { LEAF_CAPACITY };

/// Where the elements of a leaf go in a handover. Each moves at most once.
pub(crate) struct Plan {
    /// The slots whose elements move, a bit each.
    moving: u64,
    /// Those whose elements move to the other leaf.
    departing: u64,
    /// The new slot of the element in each slot. Those in the other leaf are counted from its first vacant
    /// slot.
    slots: [u8; LEAF_CAPACITY],
}

impl Plan {
    /// Plans the departure of the elements at these indexes of a leaf, given its slots in order.
    pub(crate) fn new(order: &[u8], departing: &Range<usize>) -> Self {
        let (len, rest) = (order.len() as u8, (order.len() - departing.len()) as u8);
        let departing = order[departing.clone()].iter().fold(0u64, |bits, slot| bits | 1 << slot);
        let lowest = |slots: u8| u64::MAX.checked_shr(u64::BITS - u32::from(slots)).unwrap_or(0);
        let fillers = !departing & lowest(len) & !lowest(rest);
        let mut slots = core::array::from_fn(|slot| slot as u8);
        // Departing elements are removed from the last slot on. Below `rest`, there are as many gaps as fillers.
        let last = len.saturating_sub(1);
        let gaps = departing & lowest(rest);
        for (gap, filler) in ones(gaps).zip(ones(fillers)) {
            slots[gap as usize] = last - filler;
            slots[filler as usize] = gap;
        }
        for slot in ones(departing & !gaps) {
            slots[slot as usize] = last - slot;
        }
        Plan { moving: departing | fillers, departing, slots }
    }

    /// Returns the slots whose elements move. In this order, none moves into an occupied slot: a gap comes
    /// before its filler.
    pub(crate) fn moving(&self) -> impl Iterator<Item = u8> + use<> {
        ones(self.moving)
    }

    /// Returns the slots whose elements move to another slot of the same leaf.
    pub(crate) fn fillers(&self) -> impl Iterator<Item = u8> + use<> {
        ones(self.moving & !self.departing)
    }

    /// Returns whether the element of a slot moves to the other leaf.
    pub(crate) fn departs(&self, slot: u8) -> bool {
        self.departing >> slot & 1 == 1
    }

    /// Returns the new slot of the element in a slot.
    #[inline]
    pub(crate) fn new_slot(&self, slot: u8) -> u8 {
        // Every slot is below the capacity; the remainder only elides a bounds check.
        self.slots[slot as usize % LEAF_CAPACITY]
    }
}

/// Returns the numbers of the bits that are set, in ascending order.
fn ones(mut bits: u64) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || take_lowest(&mut bits))
}

/// Clears the lowest bit that is set, and returns its number.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
fn take_lowest(bits: &mut u64) -> Option<u8> {
    let lowest = bits.trailing_zeros() as u8;
    *bits &= bits.checked_sub(1)?;
    Some(lowest)
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Carries out the plan for the elements at the indexes `departing`: moves them to this end of another
    /// leaf, which must have room for them.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn hand_over(
        &mut self,
        departing: &Range<usize>,
        plan: &Plan,
        to: &mut Self,
        end: End,
    ) {
        let (len, more, to_len) = (self.len as usize, departing.len(), to.len as usize);
        let rest = len - more;
        (self.len, to.len) = (rest as u8, (to_len + more) as u8);
        for filler in plan.fillers() {
            let (filler, gap) = (filler as usize, plan.new_slot(filler) as usize);
            swap(&mut self.members, filler, gap);
            swap(&mut self.scores, filler, gap);
        }
        move_end(&mut self.members, rest, &mut to.members);
        move_end(&mut self.scores, rest, &mut to.scores);
        let start = match end {
            End::First => 0,
            End::Last => to_len,
        };
        copy_within(&mut to.order, start..to_len, start + more);
        for (to, &slot) in
            to.order[start..start + more].iter_mut().zip(&self.order[departing.clone()])
        {
            *to = plan.new_slot(slot) + to_len as u8;
        }
        let staying = match end {
            End::First => 0,
            End::Last => more,
        };
        for index in 0..rest {
            self.order[index] = plan.new_slot(self.order[index + staying]);
        }
        self.order[rest..len].fill(NO_SLOT);
    }
}

/// Moves the values from an index on to the end of another column, the last one first.
///
/// On microcontrollers, it is not inlined, so that its stack space is free while others copy.
#[cfg_attr(target_os = "none", inline(never))]
fn move_end<T>(
    from: &mut ArrayVec<T, LEAF_CAPACITY>,
    start: usize,
    to: &mut ArrayVec<T, LEAF_CAPACITY>,
) {
    if cfg!(target_os = "none") {
        // Without the code of `Drain`, which moves what follows it.
        while from.len() > start {
            to.extend(from.pop());
        }
    } else {
        to.extend(from.drain(start..).rev());
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
            let plan = Plan::new(leaf.as_ref::<u8, u8>().order(), &departing);
            // Replays the plan on a map of slots, to check that no occupied slot is filled.
            let mut slots: Vec<Option<u8>> = leaf.members.iter().copied().map(Some).collect();
            let mut new_slots = [None; 64];
            let mut stayed = 0;
            for slot in plan.moving() {
                let element = slots[slot as usize].take();
                assert!(element.is_some());
                let to = if plan.departs(slot) { &mut new_slots } else { &mut slots[..] };
                let new = plan.new_slot(slot) as usize;
                assert!(to[new].is_none());
                to[new] = element;
                stayed += usize::from(!plan.departs(slot));
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
