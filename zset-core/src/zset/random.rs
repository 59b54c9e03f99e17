//! Random members.

use alloc::vec::{self, Vec};
use core::fmt;
use core::iter::FusedIterator;
use hashbrown::HashSet;
use rand_core::Rng;

use super::ZSet;
use crate::{DefaultHashBuilder, Member, Score};

/// Random elements of a set, from [`ZSet::random`].
pub struct Random<'a, R> {
    set: &'a ZSet,
    ranks: Ranks<R>,
}

enum Ranks<R> {
    /// Any ranks, so many more.
    Repeating {
        rng: R,
        remaining: u64,
    },
    Distinct(vec::IntoIter<usize>),
}

impl ZSet {
    /// Returns random elements, as Redis's `ZRANDMEMBER`: `count` distinct ones, or all if there
    /// are fewer; with a negative count exactly that many, which may repeat. Lazy.
    ///
    /// Each element is as likely as any other, and so is each order of them. **O(log n)** a step;
    /// for distinct ones **O(count)** to start.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    /// use zset_core::{Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(2)), ("b", Score::from(1))]);
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// assert_eq!(set.random(9, &mut rng).count(), 2);
    /// assert_eq!(set.random(-9, &mut rng).count(), 9);
    /// ```
    pub fn random<R: Rng>(&self, count: i64, mut rng: R) -> Random<'_, R> {
        let wanted = count.unsigned_abs();
        let ranks = if self.is_empty() {
            Ranks::Distinct(Vec::new().into_iter())
        } else if count < 0 {
            Ranks::Repeating { rng, remaining: wanted }
        } else {
            let count = usize::try_from(wanted).unwrap_or(usize::MAX).min(self.len());
            Ranks::Distinct(distinct(count, self.len(), &mut rng).into_iter())
        };
        Random { set: self, ranks }
    }
}

/// Returns `count` distinct numbers below `len` in random order.
fn distinct(count: usize, len: usize, rng: &mut impl Rng) -> Vec<usize> {
    let mut chosen: Vec<usize>;
    if count > len / 3 {
        // The first ones of a shuffle of all.
        chosen = (0..len).collect();
        for i in 0..count {
            chosen.swap(i, i + below(len - i, rng));
        }
        chosen.truncate(count);
    } else {
        // R. Floyd's (Bentley, "Programming Pearls: A Sample of Brilliance", CACM 30(9), 1987): one
        // draw for each, from one more number each time; one that is there already stands for the
        // new one, which cannot be.
        let mut seen = HashSet::with_capacity_and_hasher(count, DefaultHashBuilder::default());
        chosen = Vec::with_capacity(count);
        for newest in len - count..len {
            let number = below(newest + 1, rng);
            let number = if seen.insert(number) { number } else { newest };
            seen.insert(number);
            chosen.push(number);
        }
        // Larger numbers tend to come later.
        for i in 1..count {
            chosen.swap(i, below(i + 1, rng));
        }
    }
    chosen
}

/// Returns a number below `len`, which is not 0; all are equally likely.
///
/// D. Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 29(1), 2019.
fn below(len: usize, rng: &mut impl Rng) -> usize {
    let len = len as u64;
    let mut product = 0;
    // A draw is repeated once in 2^32 times; a generator for which this is not enough is not random.
    for _ in 0..16 {
        product = u128::from(rng.next_u64()) * u128::from(len);
        // The first few values of the low half would make some numbers likelier by one draw.
        if product as u64 >= len.wrapping_neg() % len {
            break;
        }
    }
    (product >> 64) as usize
}

impl<'a, R: Rng> Iterator for Random<'a, R> {
    type Item = (Member<'a>, Score);

    fn next(&mut self) -> Option<Self::Item> {
        let rank = match &mut self.ranks {
            Ranks::Repeating { rng, remaining } => {
                *remaining = remaining.checked_sub(1)?;
                below(self.set.len(), rng)
            }
            Ranks::Distinct(ranks) => ranks.next()?,
        };
        self.set.get_by_rank(rank)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.ranks {
            Ranks::Repeating { remaining, .. } => {
                let remaining = usize::try_from(*remaining);
                (remaining.unwrap_or(usize::MAX), remaining.ok())
            }
            Ranks::Distinct(ranks) => ranks.size_hint(),
        }
    }
}

impl<R: Rng> FusedIterator for Random<'_, R> {}

impl<R> fmt::Debug for Random<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Random").field("set", self.set).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    /// A generator that always returns the same.
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
    fn a_constant_generator_ends_too() {
        let set: ZSet = (0..100u8).map(|i| ([i], Score::from(i))).collect();
        let constants = [0, 1, 1 << 60, u64::MAX];
        for &constant in if cfg!(miri) { &constants[3..] } else { &constants[..] } {
            for (count, expected) in [(1, 1), (5, 5), (50, 50), (99, 99), (200, 100)] {
                let drawn = set.random(count, Constant(constant));
                let members: HashSet<_> = drawn.map(|(member, _)| member).collect();
                assert_eq!(members.len(), expected, "{count} by {constant}");
            }
            assert_eq!(set.random(-7, Constant(constant)).count(), 7);
        }
    }

    #[test]
    fn every_number_is_about_as_likely_in_every_place() {
        let rounds = if cfg!(miri) { 50 } else { 30_000 };
        for (count, len) in [(1, 1), (2, 6), (3, 6), (6, 6), (1, 7)] {
            let mut rng = SmallRng::seed_from_u64(1);
            let mut drawn = std::vec![std::vec![0; len]; count];
            for _ in 0..rounds {
                let chosen = distinct(count, len, &mut rng);
                assert_eq!(chosen.iter().collect::<HashSet<_>>().len(), count);
                chosen
                    .into_iter()
                    .enumerate()
                    .for_each(|(place, number)| drawn[place][number] += 1);
            }
            if !cfg!(miri) {
                let expected = rounds / len;
                let about = expected * 9 / 10..=expected * 11 / 10;
                assert!(drawn.iter().flatten().all(|n| about.contains(n)), "{count} of {len}");
            }
        }
    }
}
