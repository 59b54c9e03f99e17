//! Random ranks, with and without replacement, for `sample` and `sample_with_replacement`.

use alloc::vec::{self, Vec};
use core::iter::FusedIterator;
use hashbrown::HashSet;
use rand_core::Rng;

use crate::DefaultHashBuilder;

/// Draws `n` distinct numbers below `len`, or all `len` if `n` is larger, in random order.
/// **O(n)**.
pub(super) fn distinct<R: Rng + ?Sized>(n: usize, len: usize, rng: &mut R) -> vec::IntoIter<usize> {
    let n = n.min(len);
    let mut chosen: Vec<usize>;
    if n > len / 3 {
        // A partial Fisher-Yates shuffle of all numbers.
        chosen = (0..len).collect();
        for i in 0..n {
            chosen.swap(i, i + below(len - i, rng));
        }
        chosen.truncate(n);
    } else {
        // R. Floyd's algorithm (Bentley, "Programming Pearls: A Sample of Brilliance", CACM 30(9),
        // 1987): each draw is from a range that is one number larger than the range before. A
        // number drawn before is replaced by the newest number of the range, which cannot have been
        // drawn yet.
        let mut seen = HashSet::with_capacity_and_hasher(n, DefaultHashBuilder::default());
        chosen = Vec::with_capacity(n);
        for newest in len - n..len {
            let number = below(newest + 1, rng);
            let number = if seen.insert(number) { number } else { newest };
            seen.insert(number);
            chosen.push(number);
        }
        // Floyd's order is not random: larger numbers tend to come later.
        for i in 1..n {
            chosen.swap(i, below(i + 1, rng));
        }
    }
    chosen.into_iter()
}

/// Draws `n` numbers below `len`, with replacement; none if `len` is 0. Lazy; **O(1)** per step.
pub(super) fn repeated<R: Rng + ?Sized>(
    n: usize,
    len: usize,
    rng: &mut R,
) -> impl ExactSizeIterator<Item = usize> + FusedIterator {
    let n = if len == 0 { 0 } else { n };
    (0..n).map(move |_| below(len, rng))
}

/// Draws a number below `len`, uniformly (Lemire, "Fast Random Integer Generation in an Interval",
/// ACM TOMACS 29(1), 2019).
fn below<R: Rng + ?Sized>(len: usize, rng: &mut R) -> usize {
    let len = len as u64;
    let mut product = 0;
    // Fewer than one draw in 2^32 is rejected, so a generator that needs 16 attempts is not random.
    for _ in 0..16 {
        product = u128::from(rng.next_u64()) * u128::from(len);
        // Reject a product whose low half is among the lowest values. They would make some numbers
        // more likely than others.
        if product as u64 >= len.wrapping_neg() % len {
            break;
        }
    }
    (product >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    /// A generator that always returns the same value.
    struct Constant(u64);

    impl rand_core::TryRng for Constant {
        type Error = core::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(self.0 as u32)
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            bytes.fill(self.0 as u8);
            Ok(())
        }
    }

    #[test]
    fn sampling_ends_with_a_constant_generator() {
        let constants = [0, 1, 1 << 60, u64::MAX];
        for &constant in if cfg!(miri) { &constants[3..] } else { &constants[..] } {
            for (n, expected) in [(0, 0), (1, 1), (5, 5), (50, 50), (99, 99), (200, 100)] {
                let drawn = distinct(n, 100, &mut Constant(constant));
                assert_eq!(drawn.len(), expected);
                let numbers: HashSet<_> = drawn.collect();
                assert_eq!(numbers.len(), expected, "{n} by {constant}");
                assert!(numbers.iter().all(|&number| number < 100));
            }
            let mut rng = Constant(constant);
            assert!(repeated(7, 100, &mut rng).map(|number| number < 100).eq([true; 7]));
        }
    }

    #[test]
    fn a_sample_of_nothing_is_empty() {
        let mut rng = SmallRng::seed_from_u64(1);
        for n in [0, 1, usize::MAX] {
            assert_eq!(distinct(n, 0, &mut rng).len(), 0);
            assert_eq!(repeated(n, 0, &mut rng).len(), 0);
        }
    }

    #[test]
    fn a_number_usually_takes_one_draw() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut draws = rng.clone();
        repeated(20, 3, &mut rng).for_each(drop);
        (0..20).for_each(|_| _ = draws.next_u64());
        assert_eq!(rng, draws);
    }

    #[test]
    fn every_number_is_equally_likely_at_every_position() {
        let rounds = if cfg!(miri) { 50 } else { 30_000 };
        for (n, len) in [(1, 1), (2, 6), (3, 6), (6, 6), (1, 7)] {
            let mut rng = SmallRng::seed_from_u64(1);
            let mut drawn = std::vec![std::vec![0; len]; n];
            for _ in 0..rounds {
                let chosen = distinct(n, len, &mut rng);
                assert_eq!(chosen.as_slice().iter().collect::<HashSet<_>>().len(), n);
                chosen.enumerate().for_each(|(place, number)| drawn[place][number] += 1);
            }
            if !cfg!(miri) {
                let expected = rounds / len;
                let about = expected * 9 / 10..=expected * 11 / 10;
                assert!(drawn.iter().flatten().all(|times| about.contains(times)), "{n} of {len}");
            }
        }
    }
}
