//! Slots: their numbers, their order, and the hash chains in which they are found.

use core::hash::{BuildHasher, Hash, Hasher};
use equivalent::Equivalent;

use super::FixedSortedSet;
use crate::bounds::partition_point;

pub(super) mod private {
    /// The methods of a slot number, hidden from users.
    pub trait Sealed: Copy + Eq {
        /// The value that stands for no slot.
        const NONE: Self;
        /// The largest capacity of a set with this type.
        const MAX_SLOTS: usize;

        /// Converts a number below [`MAX_SLOTS`](Self::MAX_SLOTS).
        fn from_usize(slot: usize) -> Self;
        /// Returns the number of the slot, or `usize::MAX` for no slot.
        fn to_usize(self) -> usize;
    }
}

/// The type of slot numbers in a [`FixedSortedSet`](crate::FixedSortedSet), which stores three for
/// each element: `u16`, or `u8` for at most 255 elements.
///
/// # Examples
///
/// ```
/// use zset_core::FixedSortedSet;
///
/// let (small, large) = (size_of::<FixedSortedSet<u8, u8, 100, u8>>(), size_of::<FixedSortedSet<u8, u8, 100>>());
/// assert_eq!(large - small, 300);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of a slot number",
    note = "it is `u8` for at most 255 elements, and `u16` for at most 65,535"
)]
pub trait SlotNumber: private::Sealed {}

macro_rules! slot_numbers {
    ($($number:ty),*) => {$(
        impl SlotNumber for $number {}

        impl private::Sealed for $number {
            // A slot is stored as its number plus 1, and `NONE` is 0. An empty set is therefore all
            // zeros, and needs no flash in a `static`.
            const NONE: Self = 0;
            const MAX_SLOTS: usize = <$number>::MAX as usize;

            #[inline]
            fn from_usize(slot: usize) -> Self {
                slot as $number + 1
            }

            #[inline]
            fn to_usize(self) -> usize {
                usize::from(self).wrapping_sub(1)
            }
        }
    )*};
}

slot_numbers!(u8, u16);

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the slots in order.
    pub(super) fn sorted(&self) -> &[I] {
        &self.order[..self.members.len()]
    }

    /// Returns the slot at a rank, which must be below the length.
    pub(super) fn slot_at(&self, rank: usize) -> usize {
        self.order[rank].to_usize()
    }

    /// Returns the number of elements for which `is_before` holds. They must come first in the
    /// order. O(log n).
    pub(super) fn partition_point(&self, is_before: impl Fn(&M, &S) -> bool) -> usize {
        partition_point(self.len(), |rank| {
            let slot = self.slot_at(rank);
            is_before(&self.members[slot], &self.scores[slot])
        })
    }

    /// Moves the slot at rank `from` to rank `to`, and shifts the slots between them.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        let slot = self.order[from];
        if from < to {
            self.order.copy_within(from + 1..=to, from);
        } else {
            self.order.copy_within(to..from, to + 1);
        }
        self.order[to] = slot;
    }

    /// Adds a slot to the chain of a bucket.
    pub(super) fn link(&mut self, bucket: usize, slot: usize) {
        self.links[slot] = self.heads[bucket];
        self.heads[bucket] = I::from_usize(slot);
    }

    /// Redirects the reference to slot `from` to slot `to`.
    ///
    /// The reference is in the chain of this bucket, unless the member's hash has changed. In that
    /// case, all chains are searched.
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

    /// Panics if an invariant is violated. Checks only the invariants that hold even if `Ord` and
    /// `Hash` are inconsistent. For tests.
    #[doc(hidden)]
    pub fn check_structure(&self) {
        let len = self.len();
        assert_eq!(self.scores.len(), len, "not one score for each member");
        let mut seen = [false; N];
        for slot in self.sorted() {
            let is_repeated = core::mem::replace(&mut seen[..len][slot.to_usize()], true);
            assert!(!is_repeated, "the order has a slot twice");
        }
        let mut linked = [false; N];
        for mut slot in self.heads {
            while slot != I::NONE {
                let is_repeated = core::mem::replace(&mut linked[..len][slot.to_usize()], true);
                assert!(!is_repeated, "a slot is in the chains twice");
                slot = self.links[slot.to_usize()];
            }
        }
        assert!(linked[..len].iter().all(|is_linked| *is_linked), "a slot is in no chain");
    }
}

impl<M: Ord, S: Ord, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Returns the rank that an element has or would have. O(log n).
    pub(super) fn rank_for(&self, member: &M, score: &S) -> usize {
        self.partition_point(|other, other_score| {
            other_score < score || other_score == score && other < member
        })
    }

    /// Returns the rank of a slot. O(log n).
    pub(super) fn rank_of(&self, slot: usize) -> usize {
        let number = I::from_usize(slot);
        let rank = self.rank_for(&self.members[slot], &self.scores[slot]);
        let sorted = self.sorted();
        if sorted.get(rank) == Some(&number) {
            return rank;
        }
        // `Ord` is inconsistent, so the slot has another rank. Search all slots for it.
        sorted.iter().position(|other| *other == number).unwrap_or_default()
    }
}

/// Returns the bucket of a hash among `buckets`, which must not be zero.
#[inline]
pub(super) fn bucket(hash: u64, buckets: usize) -> usize {
    // Some hashers for small machines leave the upper half zero, so combine both halves.
    let hash = (hash >> 32) as u32 ^ hash as u32;
    // Undo the rotation of `FixedHasher`, so that the highest bits of its product choose the
    // bucket.
    ((u64::from(hash.rotate_right(ROTATION)) * buckets as u64) >> 32) as usize
}

impl<M, S, const N: usize, I: SlotNumber, H: BuildHasher> FixedSortedSet<M, S, N, I, H> {
    pub(super) fn bucket<Q: Hash + ?Sized>(&self, member: &Q) -> usize {
        bucket(self.hasher.hash_one(member), N)
    }

    /// Returns the slot of a member, if it is in the set.
    pub(super) fn slot<Q: Hash + Equivalent<M> + ?Sized>(&self, member: &Q) -> Option<usize> {
        let mut slot = *self.heads.get(self.bucket(member))?;
        // `NONE` converts to `usize::MAX`, which is out of bounds, so the loop ends there.
        while let Some(other) = self.members.get(slot.to_usize()) {
            if member.equivalent(other) {
                return Some(slot.to_usize());
            }
            slot = self.links[slot.to_usize()];
        }
        None
    }
}

impl<M: Ord + Hash, S: Ord, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Panics with a description if an invariant is violated. For tests. **O(N + n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.check_structure();
        let by_score = |(member, score)| (score, member);
        assert!(self.iter().map(by_score).is_sorted_by(|a, b| a < b), "elements out of order");
        for (bucket, head) in self.heads.iter().enumerate() {
            let mut slot = *head;
            while slot != I::NONE {
                let member = &self.members[slot.to_usize()];
                assert_eq!(self.bucket(member), bucket, "a slot is in a wrong chain");
                slot = self.links[slot.to_usize()];
            }
        }
    }
}

/// The default hash builder of a [`FixedSortedSet`](crate::FixedSortedSet), which multiplies 32-bit
/// words.
///
/// It is small, fast on machines without 64-bit arithmetic, and the same in every run. It does not
/// protect against an attacker who can choose members.
///
/// On 32-bit machines, it also suits the hash tables of the other types. On 64-bit machines, those
/// tables need 64-bit hashes.
///
/// # Examples
///
/// ```
/// use std::hash::BuildHasher;
/// use zset_core::SortedSet;
/// use zset_core::fixed_sorted_set::FixedHashBuilder;
///
/// assert_eq!(FixedHashBuilder.hash_one("a"), FixedHashBuilder.hash_one("a"));
/// let timers: SortedSet<u32, u32, FixedHashBuilder> = SortedSet::default();
/// assert!(timers.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedHashBuilder;

/// The hasher that a [`FixedHashBuilder`] builds.
#[derive(Clone, Debug)]
pub struct FixedHasher(u32);

impl BuildHasher for FixedHashBuilder {
    type Hasher = FixedHasher;

    #[inline]
    fn build_hasher(&self) -> FixedHasher {
        FixedHasher(0)
    }
}

/// The number of bits by which a hash is rotated. A hash table uses the lowest bits, so these must
/// depend on all bits of the word. A table on a small machine has fewer than 2^12 buckets.
const ROTATION: u32 = 12;

/// Multiplicative hashing: D. Knuth, "The Art of Computer Programming" 3, 6.4. The factor is 2^32
/// divided by the golden ratio; the highest bits of the product depend on all bits of the word.
impl Hasher for FixedHasher {
    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9);
    }

    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.write_u32(byte.into());
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u32(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.write_u32(number as u32);
        self.write_u32((number >> 32) as u32);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            // Not `copy_from_slice`, which would compile to a call to `memcpy`.
            self.write_u32(chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0.rotate_left(ROTATION).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the length of the longest chain of these members in 64 buckets.
    fn longest_chain(members: impl Iterator<Item = impl Hash>) -> u32 {
        let (set, mut lengths) = (FixedSortedSet::<u32, u32, 64>::new(), [0; 64]);
        for member in members {
            lengths[set.bucket(&member)] += 1;
        }
        lengths.into_iter().max().unwrap()
    }

    #[test]
    fn regular_members_are_spread_over_the_buckets() {
        assert!(longest_chain(0..64_u8) <= 4);
        assert!(longest_chain(0..64_u16) <= 4);
        assert!(longest_chain(0..64_u32) <= 4);
        assert!(longest_chain(0..64_usize) <= 4);
        assert!(longest_chain((0..64_u32).map(|i| i << 12)) <= 4);
        assert!(longest_chain((0..64_u64).map(|i| i << 40)) <= 4);
        assert!(longest_chain((0..64_u16).map(|i| [i, 7])) <= 6);
        assert!(longest_chain((0..64_u8).map(|i| std::format!("sensor {i}"))) <= 6);
    }

    #[test]
    fn regular_members_are_spread_over_the_lowest_bits() {
        /// Returns the size of the fullest of 1,024 buckets.
        fn most(words: impl Iterator<Item = u32>) -> u32 {
            let mut counts = [0; 1024];
            for word in words {
                counts[FixedHashBuilder.hash_one(word) as usize % 1024] += 1;
            }
            counts.into_iter().max().unwrap()
        }

        for shift in [0, 4, 8, 12, 16, 20] {
            assert!(most((0..800).map(|i| i << shift)) <= 2, "shifted by {shift}");
        }
        assert!(most((0..256).map(|i| i << 24)) <= 4);
        assert!(most((0..800).map(|i| i * 1_000)) <= 2);
    }

    #[test]
    fn both_halves_of_a_hash_choose_the_bucket() {
        let hashes = [0, 1 << 11, 1 << 43, 1 << 11 | 1 << 43];
        assert_eq!(hashes.map(|hash| bucket(hash, 64)), [0, 32, 32, 0]);
    }

    #[test]
    fn the_order_of_words_matters() {
        assert_ne!(FixedHashBuilder.hash_one([1_u32, 2]), FixedHashBuilder.hash_one([2_u32, 1]));
    }
}
