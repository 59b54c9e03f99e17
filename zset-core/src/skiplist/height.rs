//! Heights: the number of levels on which a new leaf splits the index.

use core::convert::Infallible;
use rand_core::{Rng, TryRng};

/// The generator of heights: Marsaglia's xorshift with 32 bits of state ("Xorshift RNGs", Journal of
/// Statistical Software 8(14), 2003).
///
/// Only an even distribution matters: blocks are halved when they overflow and never split to fewer
/// than `MIN_CHILDREN` children, so no sequence of heights makes an operation visit more than O(log n)
/// blocks.
#[derive(Clone)]
pub(crate) struct Heights {
    state: u32,
    /// Returned instead of random bits, in tests.
    #[cfg(test)]
    constant: Option<u32>,
}

/// One leaf in 2^5 = 32 is higher than level 1, one in 32 of those is higher than level 2, and so on.
const BITS_PER_LEVEL: u32 = 5;

impl Heights {
    /// Any nonzero state will do; this one is from Marsaglia's paper.
    pub(crate) const DEFAULT: Heights = Heights::from_state(2_463_534_242);

    const fn from_state(state: u32) -> Heights {
        Heights {
            // Xorshift never leaves the state 0.
            state: if state == 0 { 1 } else { state },
            #[cfg(test)]
            constant: None,
        }
    }

    pub(crate) fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Heights {
        Heights::from_state(rng.next_u32())
    }

    #[cfg(test)]
    pub(crate) fn constant(bits: u32) -> Heights {
        Heights { constant: Some(bits), ..Heights::DEFAULT }
    }

    /// Returns the height of a new leaf, at least 1.
    pub(crate) fn draw(&mut self) -> u32 {
        let (mut bits, mut height) = (self.next_u32(), 1);
        // If all bits are 0, the loop ends when they are used up.
        while bits.trailing_zeros() >= BITS_PER_LEVEL && height <= u32::BITS / BITS_PER_LEVEL {
            (bits, height) = (bits >> BITS_PER_LEVEL, height + 1);
        }
        height
    }
}

impl TryRng for Heights {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        #[cfg(test)]
        if let Some(bits) = self.constant {
            return Ok(bits);
        }
        let mut x = self.state;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.state = x;
        Ok(x)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        rand_core::utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        rand_core::utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_fall_off_by_32() {
        let mut heights = Heights::DEFAULT;
        let draws = 32 * 32 * if cfg!(miri) { 4 } else { 64 };
        let (mut above_1, mut above_2) = (0, 0);
        for _ in 0..draws {
            let height = heights.draw();
            assert!((1..=1 + u32::BITS / BITS_PER_LEVEL).contains(&height));
            above_1 += u32::from(height > 1);
            above_2 += u32::from(height > 2);
        }
        assert!((draws / 64..draws / 16).contains(&above_1), "{above_1} of {draws}");
        assert!(above_2 < draws / 256, "{above_2} of {draws}");
    }

    #[test]
    fn the_bits_match_the_paper() {
        let mut heights = Heights::DEFAULT;
        assert_eq!(
            [(); 3].map(|()| heights.next_u32()),
            [723_471_715, 2_497_366_906, 2_064_144_800]
        );
    }

    #[test]
    fn each_five_trailing_zeros_add_a_level() {
        let heights = [1, 0b1_0000, 0b10_0000, 1 << 9, 1 << 10, 1 << 31, 0];
        let heights = heights.map(|bits| Heights::constant(bits).draw());
        assert_eq!(heights, [1, 1, 2, 2, 3, 7, 7]);
    }

    #[test]
    fn a_seed_of_zero_still_moves() {
        let mut heights = Heights::from_state(0);
        let first = heights.next_u32();
        assert_ne!(first, heights.next_u32());
    }
}
