//! Elements that move from one leaf to another: when a leaf splits, shares with a neighbour, merges
//! with one, or, without memory, cascades an element.
//!
//! A *handover* moves elements at one end of a leaf to the adjacent end of another. It is planned
//! first: each element moves at most once, and every move is known before any. The dict is then
//! updated, and last the elements move, without running user code.
//!
//! If hashing a key panics, the nodes have the same elements in the same order.

use arrayvec::ArrayVec;
use core::ops::Range;

use super::arena::NONE;
use super::edit::Removal;
use super::leaf::{BlockLeaf, End, Handle, LEAF_CAPACITY, NO_SLOT};
use super::search::Position;
use super::{Core, Lookup, Nodes};
use crate::small::{IS_SMALL, copy_within, swap};

/// The maximum number of elements that are hashed or handed over at once. Their hashes and moves
/// are on the stack, which is small on microcontrollers.
pub(crate) const AT_ONCE: usize = if cfg!(target_pointer_width = "32") { 8 } else { LEAF_CAPACITY };

/// The maximum number of moves at once: an element that departs may leave a gap for a filler.
pub(crate) const MAX_MOVES: usize =
    if 2 * AT_ONCE < LEAF_CAPACITY { 2 * AT_ONCE } else { LEAF_CAPACITY };

/// The destinations of the elements of a leaf in a handover. Each moves at most once.
pub(crate) struct Plan {
    /// The slots whose elements move, one bit each.
    moving: u64,
    /// Those whose elements move to the other leaf.
    departing: u64,
    /// The new slot of the element in each slot. Those in the other leaf are counted from its first
    /// vacant slot.
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
        // Departing elements are removed from the last slot on. Below `rest`, there are as many
        // gaps as fillers.
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

    /// Returns the slots whose elements move. In this order, none moves into an occupied slot: a
    /// gap comes before its filler.
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
#[inline]
fn take_lowest(bits: &mut u64) -> Option<u8> {
    let lowest = bits.trailing_zeros() as u8;
    *bits &= bits.checked_sub(1)?;
    Some(lowest)
}

impl<P, S: Copy> BlockLeaf<P, S> {
    /// Carries out the plan for the elements at the indexes `departing`: moves them to this end of
    /// another leaf, which must have room for them.
    #[inline(never)]
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
            swap(&mut self.pairs, filler, gap);
            swap(&mut self.scores, filler, gap);
        }
        move_end(&mut self.pairs, rest, &mut to.pairs);
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
#[inline(never)]
fn move_end<T>(
    from: &mut ArrayVec<T, LEAF_CAPACITY>,
    start: usize,
    to: &mut ArrayVec<T, LEAF_CAPACITY>,
) {
    if IS_SMALL {
        // Without the code of `Drain`, which moves the values after it.
        while from.len() > start {
            to.extend(from.pop());
        }
    } else {
        to.extend(from.drain(start..).rev());
    }
}

impl<K, V, S: Copy, D: Lookup<K>> Core<K, V, S, D> {
    /// Moves `count` elements from a leaf to this end of an adjacent leaf, which must have room for
    /// them.
    ///
    /// If hashing a key panics, the core has the same elements in the same order.
    pub(crate) fn hand_over(&mut self, from: u32, count: usize, to: u32, end: End) {
        let mut remaining = count;
        while remaining > 0 {
            let count = remaining.min(AT_ONCE);
            self.hand_over_at_once(from, count, to, end);
            self.nodes.update_both(from, count as u32, to, end);
            remaining -= count;
        }
    }

    /// Moves up to [`AT_ONCE`] elements from the end of a leaf to a new one, whose memory must be
    /// reserved; returns its id and how many moved. The new leaf is not linked.
    ///
    /// If hashing a key panics, the core is unchanged.
    #[inline(never)]
    pub(crate) fn hand_over_to_new(&mut self, from: u32, count: usize) -> (u32, usize) {
        let count = count.min(AT_ONCE);
        (self.hand_over_at_once(from, count, NONE, End::First), count)
    }

    /// Hands over to the leaf `to`, or if that is `NONE`, to a new leaf; returns it. The index and
    /// the links of a new leaf are not updated.
    ///
    /// If hashing a key panics, the core is unchanged.
    #[expect(clippy::inline_always, reason = "a call takes 48 bytes of stack on microcontrollers")]
    #[inline(always)]
    fn hand_over_at_once(&mut self, from: u32, count: usize, to: u32, end: End) -> u32 {
        let leaf = self.nodes.leaves.block(from);
        let departing = match end {
            End::First => leaf.len() - count..leaf.len(),
            End::Last => 0..count,
        };
        let plan = Plan::new(leaf.order(), &departing);
        let to = self.relocate_all(from, &plan, to);
        let (giver, taker) = self.nodes.leaves.blocks().get_two_mut(from, to);
        giver.hand_over(&departing, &plan, taker, end);
        to
    }

    /// Reports all moves to the leaf `to`, or if that is `NONE`, to a new leaf; returns it.
    ///
    /// If hashing a key panics, nothing is reported and the core is unchanged.
    #[inline(never)]
    fn relocate_all(&mut self, from: u32, plan: &Plan, mut to: u32) -> u32 {
        let leaf = self.nodes.leaves.block(from);
        let mut tokens = ArrayVec::<D::Token, MAX_MOVES>::new();
        for slot in plan.moving() {
            tokens.push(self.dict.token(&leaf.pairs[slot as usize].0));
        }
        if to == NONE {
            to = self.nodes.leaves.blocks().insert();
        }
        let first_slot = self.nodes.leaves.block(to).len() as u8;
        for (slot, &token) in plan.moving().zip(&tokens) {
            let new = if plan.departs(slot) {
                Handle::new(to, first_slot + plan.new_slot(slot))
            } else {
                Handle::new(from, plan.new_slot(slot))
            };
            self.dict.relocate(token, Handle::new(from, slot), new);
        }
        to
    }
}

/// A full leaf shares with a neighbour in its block that holds at most this many elements.
///
/// Afterwards both have room for at least a dozen more and are at least half full, so the next
/// insertion does not share again and the next removal does not merge them.
const SHARE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

impl<K, V, S: Copy, D: Lookup<K>> Core<K, V, S, D> {
    /// Moves elements from the full leaf of a position to the emptier of its neighbours in its
    /// block, so that both have the same length, and returns the updated position. A no-op if no
    /// neighbour other than the leaf `spared` has enough room.
    ///
    /// If hashing a key panics, the core has the same elements in the same order.
    pub(crate) fn share(&mut self, spared: u32, position: Position) -> Option<Position> {
        let (from, parent) = (position.leaf, self.nodes.leaf(position.leaf).parent);
        if parent == NONE {
            return None;
        }
        let block = self.nodes.blocks.get(parent);
        let index = block.index_of(from);
        let has_room = |&i: &usize| {
            i < block.len() && block.spans[i] <= SHARE_LEN && block.children[i] != spared
        };
        let left = index.checked_sub(1).filter(has_room);
        let right = Some(index + 1).filter(has_room);
        let neighbour = left.into_iter().chain(right).min_by_key(|&i| block.spans[i])?;

        let (to, to_len) = (block.children[neighbour], block.spans[neighbour] as usize);
        let to_left = neighbour < index;
        let count = (LEAF_CAPACITY - to_len) / 2;
        let rest = LEAF_CAPACITY - count;
        let end = if to_left { End::Last } else { End::First };
        self.hand_over(from, count, to, end);

        let at = position.index;
        Some(match to_left {
            true if at <= count => Position { leaf: to, index: to_len + at },
            true => Position { leaf: from, index: at - count },
            false if at <= rest => position,
            false => Position { leaf: to, index: at - rest },
        })
    }

    /// Makes room for an element at a position in a full leaf without allocating, and returns the
    /// updated position. Returns `None` if no leaf has room, or only leaves beyond `spared`, whose
    /// elements do not move.
    ///
    /// If hashing a key panics, the core has the same elements in the same order. **O(n)**.
    pub(crate) fn shift(&mut self, spared: u32, position: Position) -> Option<Position> {
        let after = self.nodes.nearest_room(position.leaf, |id| {
            Some(self.nodes.leaf(id).forward).filter(|&next| next != spared)
        });
        let before = self.nodes.nearest_room(position.leaf, |id| {
            Some(self.nodes.leaf(id).backward).filter(|&next| next != spared)
        });
        match (before, after) {
            (Some((_, further)), Some((leaf, steps))) if steps <= further => {
                Some(self.shift_forward(position, leaf))
            }
            (Some((leaf, _)), _) => Some(self.shift_backward(position, leaf)),
            (None, Some((leaf, _))) => Some(self.shift_forward(position, leaf)),
            (None, None) => None,
        }
    }

    /// Moves the last element of each leaf from that of the position on to the next, up to `to`.
    fn shift_forward(&mut self, position: Position, mut to: u32) -> Position {
        let last = LEAF_CAPACITY - 1;
        loop {
            let from = self.nodes.leaves.block(to).backward;
            let is_last = from == position.leaf;
            if is_last && position.index > last {
                // The new element comes after all elements of its leaf.
                return Position { leaf: to, index: 0 };
            }
            self.hand_over(from, 1, to, End::First);
            if is_last {
                return position;
            }
            to = from;
        }
    }

    /// Moves the first element of each leaf from that of the position back to the previous, up to
    /// `to`.
    fn shift_backward(&mut self, position: Position, mut to: u32) -> Position {
        loop {
            let from = self.nodes.leaves.block(to).forward;
            let is_last = from == position.leaf;
            let end = Position { leaf: to, index: self.nodes.leaves.block(to).len() };
            if is_last && position.index == 0 {
                // The new element comes before all elements of its leaf.
                return end;
            }
            self.hand_over(from, 1, to, End::Last);
            if is_last {
                return Position { leaf: from, index: position.index - 1 };
            }
            to = from;
        }
    }
}

/// A leaf that is at most a quarter full merges with a neighbour in its block ...
const LEAST_LEN: u32 = LEAF_CAPACITY as u32 / 4;

/// ... if both together hold no more than this. This is well below the capacity of a leaf, so that
/// an insertion after a merge does not split immediately, and popping from an end, where a
/// shrinking leaf is next to a full one, moves no elements at all.
const MERGE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

impl<K, V, S: Copy, D: Lookup<K>> Core<K, V, S, D> {
    /// Removes the leaf of a removal if it is empty, or merges it with a neighbour if both are
    /// small; then frees memory if few elements are left. Returns the updated position of the next
    /// element.
    ///
    /// If hashing a key panics, the core has the same elements in the same order.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn rebalance(&mut self, removal: Removal) -> Position {
        if u32::from(removal.left) > LEAST_LEN || self.nodes.levels == 0 {
            return removal.position;
        }
        self.rebalance_small(removal)
    }

    #[expect(clippy::needless_pass_by_value, reason = "a removal is rebalanced once")]
    #[inline(never)]
    fn rebalance_small(&mut self, removal: Removal) -> Position {
        let Removal { position, left } = removal;
        let (span, parent) = (u32::from(left), self.nodes.leaf(position.leaf).parent);
        let block = self.nodes.blocks.get(parent);
        let index = block.index_of(position.leaf);
        let position = if span == 0 {
            self.nodes.drop_leaf(position.leaf, parent, index)
        } else if index > 0 && block.spans[index - 1] + span <= MERGE_LEN {
            self.merge_leaves(parent, index - 1, position)
        } else if index + 1 < block.len() && block.spans[index + 1] + span <= MERGE_LEN {
            // Past the last child, the span is 0 and the id is `NONE`.
            self.merge_leaves(parent, index, position)
        } else {
            position
        };
        self.shrink_if_sparse(position)
    }

    /// Merges the children at `index` and `index + 1` of a level-1 block: the elements of the
    /// smaller leaf move into the larger one.
    fn merge_leaves(&mut self, parent: u32, index: usize, position: Position) -> Position {
        let block = self.nodes.blocks.get(parent);
        let (left, right) = (block.children[index], block.children[index + 1]);
        let (left_len, right_len) = (block.spans[index], block.spans[index + 1]);
        let left_is_absorbed = left_len < right_len;
        let (absorbed, kept) = if left_is_absorbed { (left, right) } else { (right, left) };
        let all = left_len.min(right_len) as usize;
        let end = if left_is_absorbed { End::First } else { End::Last };
        self.hand_over(absorbed, all, kept, end);
        self.nodes.unlink(absorbed);

        let block = self.nodes.blocks.get_mut(parent);
        // The left entry's first score is also the first of the merged leaf.
        block.children[index] = kept;
        block.spans[index] = left_len + right_len;
        self.nodes.remove_child(parent, index + 1);

        let before = if position.leaf == right { left_len as usize } else { 0 };
        Position { leaf: kept, index: position.index + before }
    }
}

impl<K, V, S: Copy> Nodes<K, V, S> {
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
        // Below one parent, one block changes instead of two paths to the top. That takes more
        // code.
        let is_short = !IS_SMALL && parent == self.leaves.block(to).parent;
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

    /// Returns the nearest leaf with room in a direction, and the number of steps to it.
    fn nearest_room(
        &self,
        mut leaf: u32,
        next: impl Fn(u32) -> Option<u32>,
    ) -> Option<(u32, usize)> {
        for steps in 1.. {
            leaf = next(leaf).filter(|&id| id != NONE)?;
            if self.leaf(leaf).len() < LEAF_CAPACITY {
                return Some((leaf, steps));
            }
        }
        None
    }

    /// Removes an empty leaf and returns the position after it.
    fn drop_leaf(&mut self, leaf: u32, parent: u32, index: usize) -> Position {
        let forward = self.unlink(leaf);
        self.remove_child(parent, index);
        if forward == NONE { self.end() } else { Position { leaf: forward, index: 0 } }
    }

    /// Unlinks a leaf from the chain and frees it; returns its successor.
    fn unlink(&mut self, leaf: u32) -> u32 {
        let (forward, backward) = (self.leaf(leaf).forward, self.leaf(leaf).backward);
        self.leaves.set_forward(backward, forward);
        self.leaves.set_backward(forward, backward);
        if self.head == leaf {
            self.head = forward;
        }
        if self.tail == leaf {
            self.tail = backward;
        }
        debug_assert!(self.leaf(leaf).is_blank(), "a leaf is freed with its elements");
        self.leaves.blocks().remove(leaf);
        forward
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::arena::ArenaNode;
    use crate::core::leaf::LeafRef;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn in_order<P: Clone, S: Copy>(leaf: LeafRef<'_, P, S>) -> Vec<(P, S)> {
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
            let mut slots: Vec<Option<u8>> = leaf.pairs.iter().copied().map(Some).collect();
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
            for (slot, member) in leaf.pairs.iter().enumerate() {
                prop_assert_eq!(slots[slot], Some(*member));
            }
            for (slot, member) in to.pairs[to_len..].iter().enumerate() {
                prop_assert_eq!(new_slots[slot], Some(*member));
            }
        }
    }
}
