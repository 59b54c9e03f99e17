//! Handing elements at one end of a leaf over to another leaf.

use arrayvec::ArrayVec;
use core::ops::Range;

use super::leaf::{End, Plan};
use super::{Handle, NONE, Relocate, SkipList};
use crate::handle::LEAF_CAPACITY;

impl<M, S: Copy> SkipList<M, S> {
    /// Moves the elements at these indexes, at one end of a leaf, to the adjacent end of the leaf `to`,
    /// which must have room for them, and returns `to`. If `to` is `NONE`, creates a leaf; its memory must be
    /// reserved. The index, and the links of a new leaf, are not updated.
    ///
    /// If `relocate.token` panics, the list is unchanged.
    pub(super) fn hand_over<R: Relocate<M>>(
        &mut self,
        from: u32,
        departing: Range<usize>,
        mut to: u32,
        end: End,
        relocate: &mut R,
    ) -> u32 {
        let leaf = self.leaf(from);
        let plan = Plan::new(leaf.order(), &departing);
        // The tokens' stack space is used again below.
        {
            // One for each element that moves.
            let mut tokens = ArrayVec::<R::Token, LEAF_CAPACITY>::new();
            plan.for_each_move(|step| {
                tokens.push(relocate.token(&leaf.members[step.from as usize]));
            });
            if to == NONE {
                to = self.leaves.blocks().insert();
            }
            let first_slot = self.leaf(to).len() as u8;
            let mut tokens = tokens.iter();
            plan.for_each_move(|step| {
                let new = if step.departs {
                    Handle::new(to, first_slot + step.to)
                } else {
                    Handle::new(from, step.to)
                };
                if let Some(&token) = tokens.next() {
                    relocate.relocate(token, Handle::new(from, step.from), new);
                }
            });
        }
        let (giver, taker) = self.leaves.blocks().get_two_mut(from, to);
        giver.hand_over(&departing, plan, taker, end);
        to
    }
}
