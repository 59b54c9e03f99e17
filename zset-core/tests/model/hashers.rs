//! Hashers of poor quality.

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use zset_core::{SortedMap, SortedSet};

/// Hashes all members to the same value.
#[derive(Default)]
pub(crate) struct Constant;

impl Hasher for Constant {
    fn write(&mut self, _: &[u8]) {}

    fn finish(&self) -> u64 {
        0x5EED
    }
}

/// 32-bit FNV-1a. It sets only the lower 32 bits, like many hashers made for 32-bit targets.
pub(crate) struct Narrow(u32);

impl Default for Narrow {
    fn default() -> Self {
        Narrow(0x811C_9DC5)
    }
}

impl Hasher for Narrow {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }

    fn finish(&self) -> u64 {
        u64::from(self.0)
    }
}

/// Hashes an integer to itself, like `nohash`. The upper bits of a small integer's hash are all 0.
#[derive(Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().rev() {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub(crate) type BuildConstant = BuildHasherDefault<Constant>;
pub(crate) type BuildNarrow = BuildHasherDefault<Narrow>;
pub(crate) type BuildIdentity = BuildHasherDefault<Identity>;

#[test]
fn the_hashers_collide_as_documented() {
    assert_eq!(BuildConstant::default().hash_one(1), BuildConstant::default().hash_one(2));
    assert_eq!(BuildNarrow::default().hash_one(1u64) >> 32, 0);
    assert_eq!(BuildIdentity::default().hash_one(77u16.to_le()), 77);
}

#[test]
fn capacity_is_at_least_the_length_if_all_members_collide() {
    for len in 0..70 {
        let mut set = SortedSet::<u32, u32, BuildConstant>::default();
        let mut map = SortedMap::<u32, (), u32, BuildConstant>::default();
        let insert = |set: &mut SortedSet<_, _, _>, map: &mut SortedMap<_, _, _, _>, number| {
            set.insert(number, number);
            map.insert(number, (), number);
            assert!(set.capacity() >= set.len(), "{} < {}", set.capacity(), set.len());
            assert!(map.capacity() >= map.len(), "{} < {}", map.capacity(), map.len());
        };
        (0..len).for_each(|number| insert(&mut set, &mut map, number));
        set.remove_range_by_rank(..);
        map.remove_range_by_rank(..);
        (0..70).for_each(|number| insert(&mut set, &mut map, number));
        set.reserve(9);
        assert!(set.capacity() >= set.len() + 9);
    }
}
