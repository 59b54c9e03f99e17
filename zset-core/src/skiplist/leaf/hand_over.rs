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

use core::ops::Range;

use super::{BlockLeaf, NO_SLOT};
use crate::handle::LEAF_CAPACITY;

/// Which elements a handover moves.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// The slots of departing elements, a bit each.
    departing: u64,
    /// The slots of fillers.
    fillers: u64,
    /// The number of elements afterwards.
    rest: u8,
}

/// A step of a handover: moves one element.
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl Plan {
    /// Plans a handover of the elements at these indexes of a leaf, given its slots in order.
    pub(crate) fn new(order: &[u8], departing: &Range<usize>) -> Plan {
        let (len, rest) = (order.len() as u8, (order.len() - departing.len()) as u8);
        let departing = order[departing.clone()].iter().fold(0u64, |bits, slot| bits | 1 << slot);
        let lowest = |slots: u8| u64::MAX.checked_shr(u64::BITS - u32::from(slots)).unwrap_or(0);
        let fillers = !departing & lowest(len) & !lowest(rest);
        Plan { departing, fillers, rest }
    }

    /// Visits all steps. Each element moves at most once, and none into an occupied slot.
    #[inline]
    pub(crate) fn for_each_move(mut self, mut visit: impl FnMut(Move)) {
        while let Some(gap) = take_lowest(&mut self.departing) {
            // Below `rest`, there are as many gaps as fillers.
            let filler = if gap < self.rest { take_lowest(&mut self.fillers) } else { None };
            visit(Move { from: gap, to: filler.unwrap_or(gap) - self.rest, departs: true });
            if let Some(filler) = filler {
                visit(Move { from: filler, to: gap, departs: false });
            }
        }
    }
}

impl<M, S: Copy> BlockLeaf<M, S> {
    /// Carries out the plan for the elements at the indexes `departing`: moves them to another leaf with
    /// room for them, `before` all its elements or after them.
    pub(crate) fn hand_over(
        &mut self,
        departing: &Range<usize>,
        plan: Plan,
        to: &mut Self,
        before: bool,
    ) {
        let (len, more, to_len) = (self.len as usize, departing.len(), to.len as usize);
        let rest = len - more;
        (self.len, to.len) = (rest as u8, (to_len + more) as u8);
        let mut slots = [0; LEAF_CAPACITY];
        (0..).zip(&mut slots).for_each(|(slot, new)| *new = slot);
        plan.for_each_move(|step| {
            slots[step.from as usize] = step.to;
            if !step.departs {
                self.members.swap(step.from as usize, step.to as usize);
                self.scores.swap(step.from as usize, step.to as usize);
            }
        });
        to.members.extend(self.members.drain(rest..));
        to.scores.extend(self.scores.drain(rest..));
        // Every slot is below the capacity; the remainder only elides a bounds check.
        let new_slot = |slot: u8| slots[slot as usize % LEAF_CAPACITY];
        let start = if before { 0 } else { to_len };
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
        fn a_handover_moves_each_element_once_and_keeps_the_order(
            order in Just((0..64u8).collect::<std::vec::Vec<_>>()).prop_shuffle(),
            at in 0..=64usize,
            from_front in proptest::bool::ANY,
        ) {
            let (mut leaf, mut new) = (BlockLeaf::<u8, u8>::empty(), BlockLeaf::empty());
            for &score in &order {
                // The element in slot i has the score order[i].
                let here = (0..leaf.len as usize).filter(|&i| leaf.as_ref().at(i).1 < score).count();
                leaf.insert(here, score, score);
            }
            let (departing, staying) = if from_front { (0..at, at..64) } else { (at..64, 0..at) };
            let plan = Plan::new(leaf.as_ref::<u8, u8>().order(), &departing);
            // Replays the plan on a map of slots, to check that no occupied slot is filled.
            let mut slots: std::vec::Vec<Option<u8>> = order.iter().copied().map(Some).collect();
            let mut new_slots = [None; 64];
            let mut steps = std::vec::Vec::new();
            plan.for_each_move(|step| steps.push(step));
            for step in &steps {
                let element = slots[step.from as usize].take();
                prop_assert!(element.is_some());
                let to = if step.departs { &mut new_slots } else { &mut slots[..] };
                prop_assert!(to[step.to as usize].is_none());
                to[step.to as usize] = element;
            }
            leaf.hand_over(&departing, plan, &mut new, from_front);
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
            let stayed = steps.iter().filter(|step| !step.departs).count();
            prop_assert!(stayed <= at.min(64 - at));
        }
    }
}
