//! [`FixedHashBuilder`]: the default hasher of sets without an allocator.

use core::hash::{BuildHasher, Hasher};

/// The default hash builder of a [`FixedSortedSet`](crate::FixedSortedSet), which multiplies 32-bit
/// words.
///
/// It is small, fast on machines without 64-bit arithmetic, and the same in every run. It does not
/// protect against an attacker who can choose members.
///
/// # Examples
///
/// ```
/// use std::hash::BuildHasher;
/// use zset_core::fixed_sorted_set::FixedHashBuilder;
///
/// assert_eq!(FixedHashBuilder.hash_one("a"), FixedHashBuilder.hash_one("a"));
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

/// Multiplicative hashing: D. Knuth, "The Art of Computer Programming" 3, 6.4. The factor is 2^32
/// divided by the golden ratio; the highest bits of the product depend on all bits of the word, and
/// a set uses these.
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
            // Without `copy_from_slice`, which is a call of `memcpy`.
            self.write_u32(chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::Hash;

    /// Returns the length of the longest chain of these members in 64 buckets.
    fn longest_chain(members: impl Iterator<Item = impl Hash>) -> u32 {
        let mut lengths = [0; 64];
        for member in members {
            lengths[super::super::slots::bucket(FixedHashBuilder.hash_one(member), 64)] += 1;
        }
        lengths.into_iter().max().unwrap()
    }

    #[test]
    fn regular_members_are_spread_over_the_buckets() {
        assert!(longest_chain(0..64_u32) <= 4);
        assert!(longest_chain((0..64_u32).map(|i| i << 12)) <= 4);
        assert!(longest_chain((0..64_u64).map(|i| i << 40)) <= 4);
        assert!(longest_chain((0..64_u16).map(|i| [i, 7])) <= 6);
        assert!(longest_chain((0..64_u8).map(|i| std::format!("sensor {i}"))) <= 6);
    }

    #[test]
    fn the_order_of_words_matters() {
        assert_ne!(FixedHashBuilder.hash_one([1_u32, 2]), FixedHashBuilder.hash_one([2_u32, 1]));
    }
}
