//! [`Bignum`]: a natural number below 2^1104.

#![expect(clippy::cast_sign_loss, reason = "differences wrap")]

use core::cmp::Ordering;

/// The number of limbs. Formatting and parsing an `f64` take up to 1,085 bits.
const LIMBS: usize = 69;

/// A natural number in limbs of 16 bits, the lowest first, whose products fit in a word of a small machine.
///
/// The limbs from `len` on are 0.
// Aligned as other memory that is cleared, so that the same function clears it.
#[repr(align(4))]
pub(super) struct Bignum {
    limbs: [u16; LIMBS],
    len: u8,
}

impl Bignum {
    pub(super) const ZERO: Bignum = Bignum { limbs: [0; LIMBS], len: 0 };

    /// Sets a number that was 0. A constructor would build it on the stack first, and then copy it.
    #[inline(never)]
    pub(super) fn set(&mut self, mut number: u64) {
        self.len = 4;
        for limb in &mut self.limbs[..4] {
            *limb = number as u16;
            number >>= 16;
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.limbs[..usize::from(self.len)].iter().all(|limb| *limb == 0)
    }

    fn multiply(&mut self, factor: u16) {
        let mut carry = 0;
        for limb in &mut self.limbs[..usize::from(self.len)] {
            carry += u32::from(*limb) * u32::from(factor);
            *limb = carry as u16;
            carry >>= 16;
        }
        if carry > 0 {
            self.limbs[usize::from(self.len)] = carry as u16;
            self.len += 1;
        }
    }

    #[inline]
    pub(super) fn shift_left(&mut self, bits: u32) {
        self.multiply_by_power(2, bits);
    }

    #[inline]
    pub(super) fn multiply_by_power_of_10(&mut self, power: u32) {
        self.multiply_by_power(10, power);
    }

    /// Multiplies by `base^power`. The base is at most 10.
    #[inline(never)]
    fn multiply_by_power(&mut self, base: u16, mut power: u32) {
        while power > 0 {
            let mut factor = 1;
            while power > 0 && factor <= u16::MAX / 10 {
                factor *= base;
                power -= 1;
            }
            self.multiply(factor);
        }
    }

    /// Divides by `divisor`, keeps the remainder, and returns the quotient, limited to 10.
    pub(super) fn divide(&mut self, divisor: &Bignum) -> u8 {
        let mut quotient = 0;
        while quotient < 10 && self.compare_sum(0, divisor, divisor) != Ordering::Less {
            self.subtract(divisor);
            quotient += 1;
        }
        quotient
    }

    /// Subtracts a number that is not greater.
    fn subtract(&mut self, other: &Bignum) {
        let mut difference = 0_i32;
        for (limb, other) in self.limbs.iter_mut().zip(&other.limbs) {
            difference += i32::from(*limb) - i32::from(*other);
            *limb = difference as u16;
            difference >>= 16;
        }
    }

    /// Compares `self + times * addend` with `other`.
    pub(super) fn compare_sum(&self, times: u16, addend: &Bignum, other: &Bignum) -> Ordering {
        let (mut difference, mut low) = (0_i32, 0);
        for ((limb, addend), other) in self.limbs.iter().zip(&addend.limbs).zip(&other.limbs) {
            difference +=
                i32::from(*limb) + i32::from(times) * i32::from(*addend) - i32::from(*other);
            low |= difference as u16;
            difference >>= 16;
        }
        difference.cmp(&0).then(low.cmp(&0))
    }
}
