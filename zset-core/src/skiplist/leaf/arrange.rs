//! Arranging a leaf that will be emptied from one end, so that each pop removes the last slot.

use super::{Column, Leaf, NO_SLOT};
use crate::handle::LEAF_CAPACITY;
use crate::small::{copy_within, swap};

/// An end of the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    First,
    Last,
}

impl<L, A, B> Leaf<L, A, B> {
    /// Reorders the slots so that the element at this end is in the last slot, the next one in the slot
    /// before it, and so on.
    pub(crate) fn arrange<M, S>(&mut self, end: End)
    where
        A: Column<S>,
        B: Column<M>,
    {
        let len = self.len;
        let slot_at = |index: u8| match end {
            End::First => len - 1 - index,
            End::Last => index,
        };
        // The destination of the element in each slot.
        let mut goals = [0; LEAF_CAPACITY];
        for (index, slot) in (0..len).zip(&mut self.order) {
            goals[*slot as usize] = slot_at(index);
            *slot = slot_at(index);
        }
        for slot in 0..len as usize {
            // Each swap brings one element to its destination.
            while goals[slot] as usize != slot {
                let goal = goals[slot] as usize;
                swap(&mut self.members, slot, goal);
                swap(&mut self.scores, slot, goal);
                goals.swap(slot, goal);
            }
        }
    }

    /// Removes the element at the end for which the leaf is arranged. The leaf must not be empty.
    #[inline]
    pub(crate) fn pop_arranged<M, S>(&mut self, end: End) -> (M, S)
    where
        A: Column<S>,
        B: Column<M>,
    {
        self.len -= 1;
        match end {
            // The last entry is always `NO_SLOT`.
            End::First => copy_within(&mut self.order, 1..LEAF_CAPACITY + 1, 0),
            End::Last => self.order[self.len as usize] = NO_SLOT,
        }
        let last = self.len as usize;
        (self.members.swap_remove(last), self.scores.swap_remove(last))
    }
}
