//! Arguments that look random and are the same in every run.

use std::iter;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// The number of distinct strings: 13 digits, which with the prefix make 20 bytes.
const DIGITS: u64 = 10_u64.pow(13);

/// A factor coprime to [`DIGITS`], so that the products of different numbers differ modulo it.
const SCATTER: u64 = 7_368_787_031;

/// Returns the generator of a workload.
pub fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Generates distinct numbers that look random, deterministically for each start.
pub fn numbers(start: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i: u64| scramble(i.wrapping_add(start)))
}

/// Maps numbers one-to-one to numbers that look random: the finalizer of splitmix64 (Steele, Lea
/// and Flood, "Fast splittable pseudorandom number generators", 2014).
pub fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns a 20-byte string that resembles a typical key, a different one for each number below
/// 10^13.
pub fn string(number: u64) -> String {
    let digits = u128::from(number) * u128::from(SCATTER) % u128::from(DIGITS);
    let mut text = format!("member:{digits:013}");
    // Spare capacity would count as memory of the contenders that store the string.
    text.shrink_to_fit();
    text
}

/// Returns the elements in random order.
pub fn shuffled<T>(elements: impl Iterator<Item = T>, rng: &mut impl Rng) -> Vec<T> {
    let mut elements: Vec<T> = elements.collect();
    elements.shuffle(rng);
    elements
}

/// Returns `count` results of a function.
pub fn repeat<T>(count: usize, make: impl FnMut() -> T) -> Vec<T> {
    iter::repeat_with(make).take(count).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn strings_are_distinct_and_have_20_bytes() {
        let strings: HashSet<_> = (0..10_000).chain(9_990_000..10_000_000).map(string).collect();
        assert_eq!(strings.len(), 20_000);
        assert!(strings.iter().all(|string| (string.len(), string.capacity()) == (20, 20)));
    }
}
