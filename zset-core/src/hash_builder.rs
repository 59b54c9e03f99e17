//! [`DefaultHashBuilder`]: the default hasher for members.

use core::hash::{BuildHasher, Hasher};

use crate::small::{HashBuilder, spread};

/// The default hash builder: foldhash, with a random seed for each value of this type.
///
/// Foldhash is fast and distributes keys well. It does not protect against an attacker who can
/// observe hashes or time many look-ups; for that, use a keyed hasher such as
/// `std::hash::RandomState`.
///
/// Without an operating system, it multiplies 32-bit words as
/// [`FixedHashBuilder`](crate::fixed_sorted_set::FixedHashBuilder) does, and has no seed: foldhash
/// would take 5 KiB of flash, many times the instructions, and its seed would come from addresses,
/// which are not secret.
///
/// # Examples
///
/// ```
/// use std::hash::BuildHasher;
/// use zset_core::{DefaultHashBuilder, SortedSet};
///
/// let hasher = DefaultHashBuilder::default();
/// assert_eq!(hasher.hash_one("a"), hasher.hash_one("a"));
/// let set: SortedSet<&str, u32> = SortedSet::with_hasher(hasher);
/// assert!(set.is_empty());
/// ```
// A newtype, so that the version of hashbrown is not part of the public API.
#[derive(Clone, Debug, Default)]
pub struct DefaultHashBuilder(HashBuilder);

/// The hasher that a [`DefaultHashBuilder`] builds.
#[derive(Clone)]
pub struct DefaultHasher(<HashBuilder as BuildHasher>::Hasher);

impl BuildHasher for DefaultHashBuilder {
    type Hasher = DefaultHasher;

    #[inline]
    fn build_hasher(&self) -> DefaultHasher {
        DefaultHasher(self.0.build_hasher())
    }
}

macro_rules! forward {
    ($($write:ident: $number:ty),*) => {$(
        #[inline]
        fn $write(&mut self, number: $number) {
            self.0.$write(number);
        }
    )*};
}

// Forwards every method, because the inner hasher has a faster path for each integer type.
impl Hasher for DefaultHasher {
    forward! {
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128, write_usize: usize,
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128, write_isize: isize
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn finish(&self) -> u64 {
        spread(self.0.finish())
    }
}

impl core::fmt::Debug for DefaultHasher {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // The state would reveal the seed.
        f.debug_struct("DefaultHasher").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_sorted_set::FixedHashBuilder;
    use crate::small::without_os::spread;
    use core::hash::Hash;

    /// Checks that both builders hash a value to the same result.
    fn agree(value: impl Hash) {
        let ours = DefaultHashBuilder::default();
        assert_eq!(ours.hash_one(&value), ours.0.hash_one(&value));
        assert_eq!(
            ours.hash_one(&value),
            ours.clone().hash_one(&value),
            "a clone has the same seed"
        );
    }

    #[test]
    fn it_hashes_as_the_wrapped_builder_does() {
        agree("a text");
        agree(b"bytes".as_slice());
        agree((1_u8, 2_u16, 3_u32, 4_u64, 5_u128, 6_usize));
        agree((-1_i8, -2_i16, -3_i32, -4_i64, -5_i128, -6_isize));
    }

    #[test]
    fn products_of_regular_words_are_spread_over_the_buckets() {
        /// Returns the size of the fullest of 512 buckets, chosen by these bits of 512 hashes; 5 or
        /// 6 if they are random.
        fn most(words: impl Iterator<Item = u32>, lowest_bit: u32) -> usize {
            let mut counts = [0; 512];
            for word in words.take(512) {
                let hash = spread(FixedHashBuilder.hash_one(word));
                counts[(hash >> lowest_bit) as usize % 512] += 1;
            }
            counts.into_iter().max().unwrap()
        }

        for lowest_bit in [0, 9, 23] {
            for shift in [0, 8, 12, 20, 23] {
                assert!(most((0..).map(|i| i << shift), lowest_bit) <= 8, "{lowest_bit} {shift}");
            }
            assert!(most((0..).map(|i| i * 1_000), lowest_bit) <= 8);
            assert!(most((0..).map(|i| (i / 16) * 65_536 + i % 16), lowest_bit) <= 8);
        }
    }

    #[test]
    fn seeds_differ() {
        let hashes = [(); 4].map(|()| DefaultHashBuilder::default().hash_one("a"));
        assert!(hashes.iter().any(|&hash| hash != hashes[0]), "{hashes:?}");
    }
}
