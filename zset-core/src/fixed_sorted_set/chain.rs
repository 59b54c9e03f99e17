//! Finding members by their hashes: one chain of slots for each bucket.

use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::{FixedSortedSet, SlotNumber};

/// Returns the bucket of a hash among `buckets`, more than zero of them, by its highest bits.
#[inline]
pub(super) fn bucket(hash: u64, buckets: usize) -> usize {
    // Some hashers for small machines have zeros in the upper half.
    let hash = (hash >> 32) as u32 ^ hash as u32;
    ((u64::from(hash) * buckets as u64) >> 32) as usize
}

impl<M, S, const N: usize, I: SlotNumber, H: BuildHasher> FixedSortedSet<M, S, N, I, H> {
    /// Returns the bucket of a member.
    pub(super) fn bucket<Q: Hash + ?Sized>(&self, member: &Q) -> usize {
        bucket(self.hasher.hash_one(member), N)
    }

    /// Returns the slot of a member.
    pub(super) fn slot<Q>(&self, member: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<M> + ?Sized,
    {
        let mut slot = *self.heads.get(self.bucket(member))?;
        // `NONE` is the number of no element.
        while let Some(other) = self.members.get(slot.to_usize()) {
            if member.equivalent(other) {
                return Some(slot.to_usize());
            }
            slot = self.links[slot.to_usize()];
        }
        None
    }
}

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Adds a slot to the chain of a bucket.
    pub(super) fn link(&mut self, bucket: usize, slot: usize) {
        self.links[slot] = self.heads[bucket];
        self.heads[bucket] = I::from_usize(slot);
    }

    /// Makes what points to slot `from` point to `to` instead.
    ///
    /// It is in the chain of this bucket, unless a member's hash has changed: then all chains are
    /// searched.
    pub(super) fn redirect(&mut self, bucket: usize, from: usize, to: I) {
        let from = I::from_usize(from);
        let mut pointer = &mut self.heads[bucket];
        while *pointer != from && *pointer != I::NONE {
            let slot = pointer.to_usize();
            pointer = &mut self.links[slot];
        }
        if *pointer == from {
            *pointer = to;
            return;
        }
        let len = self.members.len();
        let mut pointers = self.heads.iter_mut().chain(&mut self.links[..len]);
        if let Some(pointer) = pointers.find(|pointer| **pointer == from) {
            *pointer = to;
        }
    }
}
