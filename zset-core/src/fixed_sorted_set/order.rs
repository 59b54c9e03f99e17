//! The permutation of slots that sorts the elements.

use super::{FixedSortedSet, SlotNumber};

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
        self.sorted().partition_point(|slot| {
            let slot = slot.to_usize();
            is_before(&self.members[slot], &self.scores[slot])
        })
    }

    /// Shifts the slot at rank `from` to rank `to`.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        let slot = self.order[from];
        if from < to {
            self.order.copy_within(from + 1..=to, from);
        } else {
            self.order.copy_within(to..from, to + 1);
        }
        self.order[to] = slot;
    }
}

impl<M: Ord, S: Ord, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the rank that an element has or would have. O(log n).
    pub(super) fn position(&self, member: &M, score: &S) -> usize {
        self.partition_point(|other, other_score| (other_score, other) < (score, member))
    }

    /// Returns the rank of a slot. O(log n).
    pub(super) fn rank_of(&self, slot: usize) -> usize {
        let number = I::from_usize(slot);
        let rank = self.position(&self.members[slot], &self.scores[slot]);
        if self.sorted().get(rank) == Some(&number) {
            return rank;
        }
        // `Ord` is inconsistent.
        let is_slot = |other: &I| *other == number;
        self.sorted().iter().position(is_slot).unwrap_or_default()
    }
}
