//! [`DefaultHashBuilder`]: the default hasher for members.

use core::hash::{BuildHasher, Hasher};

use hashbrown::DefaultHashBuilder as HashBuilder;

/// The default hash builder: foldhash, with a random seed for each value of this type.
///
/// Foldhash is fast and distributes keys well. It does not protect against an attacker who can
/// observe hashes or time many look-ups; for that, use a keyed hasher such as
/// `std::hash::RandomState`.
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
// A newtype keeps the version of hashbrown out of the public API.
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
        self.0.finish()
    }
}

impl core::fmt::Debug for DefaultHasher {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Printing the state would reveal the seed.
        f.debug_struct("DefaultHasher").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::Hash;

    /// Checks that both builders hash a value to the same result.
    fn agree(value: impl Hash) {
        let ours = DefaultHashBuilder::default();
        assert_eq!(ours.hash_one(&value), ours.0.hash_one(&value));
        assert_eq!(ours.hash_one(&value), ours.clone().hash_one(&value), "the seed is cloned");
    }

    #[test]
    fn it_hashes_as_the_wrapped_builder_does() {
        agree("a text");
        agree(b"bytes".as_slice());
        agree((1_u8, 2_u16, 3_u32, 4_u64, 5_u128, 6_usize));
        agree((-1_i8, -2_i16, -3_i32, -4_i64, -5_i128, -6_isize));
    }

    #[test]
    fn seeds_differ() {
        let hashes = [(); 4].map(|()| DefaultHashBuilder::default().hash_one("a"));
        assert!(hashes.iter().any(|&hash| hash != hashes[0]), "{hashes:?}");
    }
}
