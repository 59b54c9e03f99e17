//! Handing elements at one end of a leaf over to another leaf.

use arrayvec::ArrayVec;

use super::leaf::{AT_ONCE, End, MAX_MOVES, Plan};
use super::{Handle, NONE, Relocate, SkipList};

impl<M, S: Copy> SkipList<M, S> {
    /// Moves `count` elements from a leaf to this end of an adjacent leaf, which must have room for them.
    ///
    /// If `relocate.token` panics, the list has the same elements in the same order.
    pub(super) fn hand_over<R: Relocate<M>>(
        &mut self,
        from: u32,
        count: usize,
        to: u32,
        end: End,
        relocate: &mut R,
    ) {
        let mut remaining = count;
        while remaining > 0 {
            let count = remaining.min(AT_ONCE);
            self.hand_over_at_once(from, count, to, end, relocate);
            self.update_both(from, count as u32, to, end);
            remaining -= count;
        }
    }

    /// Moves up to [`AT_ONCE`] elements from the end of a leaf to a new one, whose memory must be
    /// reserved; returns its id and how many moved. The new leaf is not linked.
    ///
    /// If `relocate.token` panics, the list is unchanged.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(super) fn hand_over_to_new<R: Relocate<M>>(
        &mut self,
        from: u32,
        count: usize,
        relocate: &mut R,
    ) -> (u32, usize) {
        let count = count.min(AT_ONCE);
        (self.hand_over_at_once(from, count, NONE, End::First, relocate), count)
    }

    /// Hands over to the leaf `to`, or if that is `NONE`, to a new leaf; returns it. The index and the links
    /// of a new leaf are not updated.
    ///
    /// If `relocate.token` panics, the list is unchanged.
    #[expect(clippy::inline_always, reason = "a call takes 48 bytes of stack on microcontrollers")]
    #[inline(always)]
    fn hand_over_at_once<R: Relocate<M>>(
        &mut self,
        from: u32,
        count: usize,
        to: u32,
        end: End,
        relocate: &mut R,
    ) -> u32 {
        let leaf = self.leaves.block(from);
        let departing = match end {
            End::First => leaf.len() - count..leaf.len(),
            End::Last => 0..count,
        };
        let plan = Plan::new(leaf.order(), &departing);
        let to = self.relocate_all(from, &plan, to, relocate);
        let (giver, taker) = self.leaves.blocks().get_two_mut(from, to);
        giver.hand_over(&departing, &plan, taker, end);
        to
    }

    /// Reports all moves to the leaf `to`, or if that is `NONE`, to a new leaf; returns it.
    ///
    /// If `relocate.token` panics, nothing is reported and the list is unchanged.
    #[cfg_attr(target_os = "none", inline(never))]
    fn relocate_all<R: Relocate<M>>(
        &mut self,
        from: u32,
        plan: &Plan,
        mut to: u32,
        relocate: &mut R,
    ) -> u32 {
        let leaf = self.leaves.block(from);
        let mut tokens = ArrayVec::<R::Token, MAX_MOVES>::new();
        for slot in plan.moving() {
            tokens.push(relocate.token(&leaf.members[slot as usize]));
        }
        if to == NONE {
            to = self.leaves.blocks().insert();
        }
        let first_slot = self.leaves.block(to).len() as u8;
        for (slot, &token) in plan.moving().zip(&tokens) {
            let new = if plan.departs(slot) {
                Handle::new(to, first_slot + plan.new_slot(slot))
            } else {
                Handle::new(from, plan.new_slot(slot))
            };
            relocate.relocate(token, Handle::new(from, slot), new);
        }
        to
    }

    /// Updates the index after `count` elements have moved from one leaf to this end of another.
    ///
    /// Not inlined, so that its stack space is free while elements move.
    #[inline(never)]
    fn update_both(&mut self, from: u32, count: u32, to: u32, end: End) {
        // Only the right leaf has a new first element, if it has any.
        let right = match end {
            End::First => to,
            End::Last => from,
        };
        let leaf = self.leaves.block(right);
        let first = (leaf.len() > 0).then(|| leaf.at(0).1);
        let parent = self.leaves.block(from).parent;
        // Below one parent, one block changes instead of two paths to the top. That takes more code.
        let is_short = cfg!(not(target_os = "none")) && parent == self.leaves.block(to).parent;
        if is_short {
            let block = self.blocks.get_mut(parent);
            let (from, to) = (block.index_of(from), block.index_of(to));
            block.spans[from] -= count;
            block.spans[to] += count;
            if let Some(first) = first {
                block.firsts[from.max(to)] = first;
            }
        } else {
            let by = i32::from(count as u8);
            self.update_spans(from, -by, first.filter(|_| right == from));
            self.update_spans(to, by, first.filter(|_| right == to));
        }
    }
}
