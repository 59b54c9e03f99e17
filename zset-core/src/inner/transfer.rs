//! Making room in full leaves, and merging small ones. A full leaf splits or shares elements with a
//! neighbour. After a removal, a small leaf merges with a neighbour.
//!
//! A *handover* moves the elements at one end of a leaf, the *departing* elements, to the adjacent
//! end of another leaf. Slots are dense, so some of the elements that stay, the *fillers*, move
//! from the last slots of the leaf into the gaps. All moves are planned first, at most one for each
//! element. Then the dict is updated. Finally, the elements move, without running user code.
//!
//! If hashing a key panics, the core is unchanged.

use arrayvec::ArrayVec;
use core::mem;
use core::ops::Range;

use super::arena::NONE;
use super::find::{Position, Target};
use super::index::Child;
use super::leaf::{BlockLeaf, End, Handle, LEAF_CAPACITY, NO_SLOT};
use super::{Core, Lookup, Nodes};
use crate::TryReserveError;

/// A full leaf shares its elements with a neighbour in its block that has at most this many.
///
/// Afterwards both leaves have room for at least a dozen more elements and are at least half full,
/// so the next insertion does not share again, and the next removal does not merge them.
const SHARE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

/// A target whose leaf has room for the element. Valid until the next insertion.
#[must_use]
pub(crate) struct Vacancy {
    target: Target,
    /// Whether the leaf has shared elements with a neighbour. A departure from this leaf that was
    /// prepared earlier is then stale.
    has_shared: bool,
}

impl Vacancy {
    pub(crate) fn target(&self) -> Target {
        self.target
    }

    pub(crate) fn has_shared(&self) -> bool {
        self.has_shared
    }
}

/// Making room for one more element.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Makes room for one more element, with this score, in the leaf of a target, or moves the
    /// target to a leaf with room.
    ///
    /// On an error, the core is unchanged. If hashing a key or cloning a score panics, the core has
    /// the same elements in the same order.
    #[inline]
    pub(crate) fn make_room(
        &mut self,
        target: Target,
        score: &S,
    ) -> Result<Vacancy, TryReserveError> {
        if self.nodes.leaf(target.position.leaf).len() == LEAF_CAPACITY {
            return self.make_room_in_full(target.position, score);
        }
        self.nodes.leaves.try_reserve_small(1)?;
        Ok(Vacancy { target, has_shared: false })
    }

    #[cold]
    fn make_room_in_full(
        &mut self,
        position: Position,
        score: &S,
    ) -> Result<Vacancy, TryReserveError> {
        let is_end = position.leaf == self.nodes.tail && position.index == LEAF_CAPACITY
            || position.leaf == self.nodes.head && position.index == 0;
        let shared = if is_end { None } else { self.share(position) };
        let position = if let Some(position) = shared {
            position
        } else {
            let height = self.nodes.try_reserve_leaf(position.leaf)?;
            if is_end {
                self.nodes.add_end(position, score, height)
            } else {
                self.split_leaf(position, height)
            }
        };
        // The path of the search may no longer lead to this position.
        Ok(Vacancy { target: Target { position, path: None }, has_shared: shared.is_some() })
    }

    /// Moves elements from the full leaf of a position to the emptier of its neighbours in its
    /// block, so that both have about the same length. Returns the updated position, or `None` if
    /// no neighbour has enough room.
    pub(super) fn share(&mut self, position: Position) -> Option<Position> {
        let (full, parent) = (position.leaf, self.nodes.leaf(position.leaf).parent);
        if parent == NONE {
            return None;
        }
        let block = self.nodes.blocks.get(parent);
        let index = block.index_of(full);
        // The full leaf itself has no room.
        let near = index.saturating_sub(1)..block.len().min(index + 2);
        let has_room = |&i: &usize| block.spans[i] <= SHARE_LEN;
        let neighbour = near.filter(has_room).min_by_key(|&i| block.spans[i])?;

        let (to, to_len) = (block.children[neighbour], block.spans[neighbour] as usize);
        let (at, count) = (position.index, (LEAF_CAPACITY - to_len) / 2);
        let rest = LEAF_CAPACITY - count;
        // The element at `boundary` in the full leaf will be the first element of the right-hand
        // leaf.
        let (boundary, end) =
            if neighbour < index { (count, End::Last) } else { (rest, End::First) };
        let first = self.nodes.leaf(full).at(boundary).1.clone();
        let handover = self.plan_handover(full, count, end);
        self.hand_over(&handover, to);

        let block = self.nodes.blocks.get_mut(parent);
        block.spans[index] -= count as u32;
        block.spans[neighbour] += count as u32;
        let _old_first = mem::replace(&mut block.firsts[index.min(neighbour)], first);
        Some(match end {
            End::Last if at <= count => Position { leaf: to, index: to_len + at },
            End::Last => Position { leaf: full, index: at - count },
            End::First if at <= rest => position,
            End::First => Position { leaf: to, index: at - rest },
        })
    }

    /// Moves the upper half of the full leaf of a position to a new one of this height, whose
    /// memory is reserved; returns the updated position.
    pub(super) fn split_leaf(&mut self, position: Position, height: u32) -> Position {
        let at = LEAF_CAPACITY / 2;
        let first = self.nodes.leaf(position.leaf).at(at).1.clone();
        let handover = self.plan_handover(position.leaf, LEAF_CAPACITY - at, End::First);
        let new = self.nodes.leaves.blocks().insert();
        self.hand_over(&handover, new);
        let child = Child { id: new, span: (LEAF_CAPACITY - at) as u32, first };
        self.nodes.link_after(position.leaf, child, height);
        if position.index <= at {
            position
        } else {
            Position { leaf: new, index: position.index - at }
        }
    }
}

impl<K, V, S> Nodes<K, V, S> {
    /// Adds an empty leaf at the end where the position is: before the first leaf or after the
    /// last. `score` is that of the element to be inserted there.
    ///
    /// The full leaf is unchanged: ascending and descending loads produce full leaves, and no
    /// element moves.
    fn add_end(&mut self, position: Position, score: &S, height: u32) -> Position
    where
        S: Clone,
    {
        let is_first = position.index == 0;
        let first = if is_first { self.leaf(position.leaf).at(0).1 } else { score }.clone();
        let leaf = self.leaves.blocks().insert();
        let child = Child { id: leaf, span: 0, first };
        if is_first {
            self.link_before_head(child, height);
        } else {
            self.link_after(position.leaf, child, height);
        }
        Position { leaf, index: 0 }
    }

    /// Inserts an element at a vacancy, and returns its handle.
    #[inline]
    pub(crate) fn put(&mut self, vacancy: &Vacancy, pair: (K, V), score: S) -> Handle {
        let Target { position: Position { leaf, index }, path } = vacancy.target;
        let slot = self.leaves.insert(leaf, index, pair, score);
        self.len += 1;
        self.is_appended_to = leaf == self.tail && index == slot as usize;
        if let Some(path) = path {
            let mut id = self.top;
            for level in (1..=self.levels.into()).rev() {
                let block = self.blocks.get_mut(id);
                let child = path.index_on(level);
                block.spans[child] += 1;
                id = block.children[child];
            }
        } else {
            self.update_spans(leaf, self.leaf(leaf).parent, 1, None);
        }
        Handle::new(leaf, slot)
    }
}

/// A leaf with at most this many elements, a quarter of its capacity, may merge with a neighbour in
/// its block.
const LEAST_LEN: u32 = LEAF_CAPACITY as u32 / 4;

/// Two leaves merge only if both together have at most this many elements. It is well below the
/// capacity of a leaf, so an insertion after a merge does not split the leaf. Pops from an end,
/// where a shrinking leaf is next to a full one, move no elements at all.
const MERGE_LEN: u32 = LEAF_CAPACITY as u32 * 5 / 8;

/// A removal from a leaf that may now be empty. `rebalance` must follow.
#[must_use = "`rebalance` must follow"]
pub(crate) struct Removal {
    /// The position of the next element.
    pub(super) position: Position,
    /// The number of elements left in the leaf.
    pub(super) left: u8,
}

/// Merging after a removal.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Removes the leaf of a removal if it is empty, or merges it with a neighbour if both are
    /// small. Returns the updated position of the next element, and a score that was removed from
    /// the index, which the caller must drop last.
    #[inline]
    pub(super) fn rebalance(&mut self, removal: Removal) -> (Position, Option<S>) {
        if self.nodes.is_balanced(&removal) {
            return (removal.position, None);
        }
        self.rebalance_small(removal)
    }

    /// Like `rebalance`, for a removal that does not leave enough elements.
    #[expect(clippy::needless_pass_by_value, reason = "a removal is rebalanced once")]
    #[inline(never)]
    pub(super) fn rebalance_small(&mut self, removal: Removal) -> (Position, Option<S>) {
        let Removal { position, left } = removal;
        let (span, parent) = (u32::from(left), self.nodes.leaf(position.leaf).parent);
        let block = self.nodes.blocks.get(parent);
        let index = block.index_of(position.leaf);
        if span == 0 {
            self.nodes.drop_leaf(position.leaf, parent, index)
        } else if index > 0 && block.spans[index - 1] + span <= MERGE_LEN {
            self.merge_leaves(parent, index - 1, position)
        } else if index + 1 < block.len() && block.spans[index + 1] + span <= MERGE_LEN {
            self.merge_leaves(parent, index, position)
        } else {
            (position, None)
        }
    }

    /// Merges the children at `index` and `index + 1` of a level-1 block: the elements of the
    /// smaller leaf move into the larger one.
    fn merge_leaves(
        &mut self,
        parent: u32,
        index: usize,
        position: Position,
    ) -> (Position, Option<S>) {
        let block = self.nodes.blocks.get(parent);
        let (left, right) = (block.children[index], block.children[index + 1]);
        let (left_len, right_len) = (block.spans[index], block.spans[index + 1]);
        let left_is_absorbed = left_len < right_len;
        let (absorbed, kept) = if left_is_absorbed { (left, right) } else { (right, left) };
        let all = left_len.min(right_len) as usize;
        let end = if left_is_absorbed { End::First } else { End::Last };
        let handover = self.plan_handover(absorbed, all, end);
        self.hand_over(&handover, kept);
        self.nodes.unlink(absorbed);

        let block = self.nodes.blocks.get_mut(parent);
        // The merged leaf takes over the left leaf's entry, because its first score is the left
        // leaf's.
        block.children[index] = kept;
        block.spans[index] = left_len + right_len;
        let first = self.nodes.remove_child(parent, index + 1);

        let before = if position.leaf == right { left_len as usize } else { 0 };
        (Position { leaf: kept, index: position.index + before }, first)
    }
}

impl<K, V, S> Nodes<K, V, S> {
    /// Returns whether a removal leaves enough elements in the leaf. Any number is enough for the
    /// only leaf.
    #[inline]
    pub(super) fn is_balanced(&self, removal: &Removal) -> bool {
        u32::from(removal.left) > LEAST_LEN || self.levels == 0
    }

    /// Removes an empty leaf; returns the position after it, and the score that was removed from
    /// the index.
    fn drop_leaf(&mut self, leaf: u32, parent: u32, index: usize) -> (Position, Option<S>) {
        let forward = self.unlink(leaf);
        let first = self.remove_child(parent, index);
        let next = if forward == NONE { self.end() } else { Position { leaf: forward, index: 0 } };
        (next, first)
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

/// A plan with the tokens of all elements that move. Once it exists, nothing can fail.
struct Handover<T> {
    from: u32,
    /// The end of the other leaf to which the elements move.
    end: End,
    /// The indexes of the elements that move to the other leaf.
    departing: Range<usize>,
    plan: Plan,
    tokens: ArrayVec<T, LEAF_CAPACITY>,
}

/// Moving elements to an adjacent leaf.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Plans to move `count` elements from a leaf to this end of an adjacent one.
    fn plan_handover(&self, from: u32, count: usize, end: End) -> Handover<D::Token> {
        let leaf = self.nodes.leaf(from);
        let departing = match end {
            End::First => leaf.len() - count..leaf.len(),
            End::Last => 0..count,
        };
        let plan = Plan::new(leaf.order(), &departing);
        let token = |slot| self.dict.token(Handle::new(from, slot), &leaf.pairs[slot as usize].0);
        let tokens = plan.moving().map(token).collect();
        Handover { from, end, departing, plan, tokens }
    }

    /// Moves the elements of a handover to a leaf with room for them, without updating the index.
    fn hand_over(&mut self, handover: &Handover<D::Token>, to: u32) {
        let Handover { from, end, departing, plan, tokens } = handover;
        let first_slot = self.nodes.leaf(to).len() as u8;
        for (slot, &token) in plan.moving().zip(tokens) {
            let new = if plan.departs(slot) {
                Handle::new(to, first_slot + plan.new_slot(slot))
            } else {
                Handle::new(*from, plan.new_slot(slot))
            };
            self.dict.relocate(token, Handle::new(*from, slot), new);
        }
        let (giver, taker) = self.nodes.leaves.blocks().get_two_mut(*from, to);
        giver.hand_over(departing, plan, taker, *end);
    }
}

/// The destinations of the elements of a leaf in a handover. Each moves at most once.
pub(crate) struct Plan {
    /// The slots whose elements move, one bit each.
    moving: u64,
    /// The slots whose elements move to the other leaf.
    departing: u64,
    /// The new slot of the element in each slot. Slots in the other leaf are counted from its first
    /// vacant one.
    slots: [u8; LEAF_CAPACITY],
}

impl Plan {
    /// Plans to move the elements at these indexes to another leaf, given the slots of this leaf in
    /// order.
    pub(crate) fn new(order: &[u8], departing: &Range<usize>) -> Self {
        const { assert!(LEAF_CAPACITY <= u64::BITS as usize, "a bit for each slot") }
        let (len, rest) = (order.len() as u8, (order.len() - departing.len()) as u8);
        let departing = order[departing.clone()].iter().fold(0u64, |bits, slot| bits | 1 << slot);
        let lowest = |slots: u8| u64::MAX.checked_shr(u64::BITS - u32::from(slots)).unwrap_or(0);
        let fillers = !departing & lowest(len) & !lowest(rest);
        let mut slots = core::array::from_fn(|slot| slot as u8);
        // Departing elements leave from the last slot down. Below slot `rest`, which is the new
        // length, there are as many gaps as there are fillers.
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

    /// Returns the slots whose elements move. A gap comes before its filler, so in this order no
    /// element moves into an occupied slot.
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
        // Every slot is below the capacity. The remainder only avoids a bounds check.
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

impl<P, S> BlockLeaf<P, S> {
    /// Carries out the plan for the elements at the indexes `departing`: moves them to this end of
    /// another leaf, which must have room for them.
    fn hand_over(&mut self, departing: &Range<usize>, plan: &Plan, to: &mut Self, end: End) {
        let (len, more, to_len) = (self.len as usize, departing.len(), to.len as usize);
        let rest = len - more;
        (self.len, to.len) = (rest as u8, (to_len + more) as u8);
        for filler in plan.fillers() {
            let (filler, gap) = (filler as usize, plan.new_slot(filler) as usize);
            self.pairs.swap(filler, gap);
            self.scores.swap(filler, gap);
        }
        // The element in the last slot moves first.
        to.pairs.extend(self.pairs.drain(rest..).rev());
        to.scores.extend(self.scores.drain(rest..).rev());
        let start = match end {
            End::First => 0,
            End::Last => to_len,
        };
        to.order.copy_within(start..to_len, start + more);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inner::arena::ArenaNode;
    use crate::inner::leaf::LeafRef;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn in_order<P: Clone, S: Copy>(leaf: LeafRef<'_, P, S>) -> Vec<(P, S)> {
        (0..leaf.len()).map(|i| leaf.at(i)).map(|(m, s)| (m.clone(), *s)).collect()
    }

    proptest! {
        #![proptest_config(test_support::strategy::config(256, 4))]

        #[test]
        fn a_handover_moves_each_element_once_and_keeps_the_order(
            order in (0..=64u8).prop_flat_map(|len| Just((0..len).collect::<Vec<_>>()).prop_shuffle()),
            departing_64ths in 0..=64usize,
            room_64ths in 0..=64usize,
            is_first in proptest::bool::ANY,
        ) {
            let len = order.len();
            let count = len * departing_64ths / 64;
            let to_len = (64 - count) * room_64ths / 64;
            // The elements of the other leaf come either before or after all elements of this leaf.
            let (departing, staying, end, others) = if is_first {
                (0..count, count..len, End::Last, 0..to_len)
            } else {
                (len - count..len, 0..len - count, End::First, 200..200 + to_len)
            };
            let element = |index: usize| (100 + index as u8, 100 + index as u8);
            let other = |index: usize| (index as u8, index as u8);

            let (mut leaf, mut to) = (BlockLeaf::<u8, u8>::empty(), BlockLeaf::empty());
            for &index in &order {
                // The element in slot i has the index `order[i]`.
                let (member, score) = element(index.into());
                let here = leaf.scores.iter().filter(|&&other| other < score).count();
                leaf.insert(here, member, score);
            }
            to.extend_sorted(others.clone().map(other));
            let plan = Plan::new(leaf.as_ref::<u8, u8>().order(), &departing);
            // Replay the plan on a map of the slots, to check that no element moves into an
            // occupied slot.
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
