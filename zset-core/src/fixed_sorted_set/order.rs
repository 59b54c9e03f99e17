//! The permutation of slots that sorts the elements.

use super::{FixedSortedSet, SlotNumber};
use crate::copy::copy_within;
use crate::halving::partition_point;

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the slots in order.
    pub(super) fn sorted(&self) -> &[I] {
        &self.order[..self.members.len()]
    }

    /// Returns the slot at a rank, which must be below the length.
    pub(super) fn slot_at(&self, rank: usize) -> usize {
        self.order[rank].to_usize()
    }

    /// Returns the number of elements for which `is_before` holds, a prefix of the order. O(log n).
    pub(super) fn partition_point(&self, is_before: impl Fn(&M, &S) -> bool) -> usize {
        partition_point(self.len(), |rank| {
            let slot = self.slot_at(rank);
            is_before(&self.members[slot], &self.scores[slot])
        })
    }

    /// Shifts the slot at rank `from` to rank `to`.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        let slot = self.order[from];
        if from < to {
            copy_within(&mut self.order, from + 1..to + 1, from);
        } else {
            copy_within(&mut self.order, to..from, to + 1);
        }
        self.order[to] = slot;
    }
}

impl<M: Ord, S: Ord, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the rank that an element has or would have. O(log n).
    pub(super) fn position(&self, member: &M, score: &S) -> usize {
        self.partition_point(|other, other_score| {
            other_score < score || other_score == score && other < member
        })
    }

    /// Returns the rank of a slot. O(log n).
    pub(super) fn rank_of(&self, slot: usize) -> usize {
        let number = I::from_usize(slot);
        let rank = self.position(&self.members[slot], &self.scores[slot]);
        let sorted = self.sorted();
        if sorted.get(rank) == Some(&number) {
            return rank;
        }
        // `Ord` is inconsistent.
        sorted.iter().position(|other| *other == number).unwrap_or_default()
    }
}
