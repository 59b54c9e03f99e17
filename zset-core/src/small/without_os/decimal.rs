//! Numbers as decimal text, for small memories: slower than `core`, but with a twentieth of its
//! code, no tables, and less than 600 bytes of stack. The results are the same.

#![expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "exponents are small")]

use core::cmp::Ordering;

use crate::score::Digits;

/// The number of bits of a significand after the first.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// Returns integers `m` and `e` for which the number of these bits is `m * 2^e`.
#[inline(never)]
fn decompose(bits: u64) -> (u64, i32) {
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    match (bits >> FRACTION_BITS) as i32 {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << FRACTION_BITS, exponent - 1075),
    }
}

/// Returns the integer that equals a number of magnitude up to 2^62, if there is one.
pub(crate) fn exact_integer(number: f64) -> Option<i64> {
    let (significand, exponent) = decompose(number.abs().to_bits());
    let shift = exponent.unsigned_abs();
    let magnitude = if exponent >= 0 {
        significand << shift
    } else {
        let magnitude = if shift < 64 { significand >> shift } else { 0 };
        if magnitude << (shift % 64) != significand {
            return None;
        }
        magnitude
    } as i64;
    Some(if number.is_sign_negative() { -magnitude } else { magnitude })
}

/// Appends the shortest digits that parse as this positive, finite number to `digits`, which has
/// none.
///
/// R. Burger, R. Dybvig, "Printing Floating-Point Numbers Quickly and Accurately", PLDI 1996, their
/// free-format algorithm: the number is `rest / scale`, and everything closer than `margin / scale`
/// parses as it.
// Not inlined, so that callers need no stack for it if the score is an integer.
#[inline(never)]
pub(crate) fn shortest_digits(number: f64, digits: &mut Digits) {
    let (significand, exponent) = decompose(number.to_bits());
    // Above a power of two, numbers are twice as far apart as below it.
    let is_lower_closer = significand == 1 << FRACTION_BITS && exponent > -1074;
    let above = 1 + u16::from(is_lower_closer);
    let is_even = significand % 2 == 0;

    let [rest, scale, margin] = &mut [Bignum::ZERO; 3];
    rest.set(significand);
    scale.set(1);
    margin.set(1);
    let halves = 1 + u32::from(is_lower_closer);
    rest.shift_left(halves);
    scale.shift_left(halves);
    if exponent >= 0 {
        rest.shift_left(exponent.unsigned_abs());
        margin.shift_left(exponent.unsigned_abs());
    } else {
        scale.shift_left(exponent.unsigned_abs());
    }

    // An estimate of the decimal exponent that is correct or one too low: 315653 / 2^20 is about
    // log10(2).
    let highest_bit = exponent + (63 - significand.leading_zeros() as i32);
    let mut point = ((highest_bit * 315_653) >> 20) + 1;
    let power = point.unsigned_abs();
    if point >= 0 {
        scale.multiply_by_power_of_10(power);
    } else {
        rest.multiply_by_power_of_10(power);
        margin.multiply_by_power_of_10(power);
    }
    let reaches_above = |rest: &Bignum, margin: &Bignum| {
        let order = rest.compare_sum(above, margin, scale);
        order == Ordering::Greater || is_even && order == Ordering::Equal
    };
    if reaches_above(rest, margin) {
        point += 1;
    } else {
        rest.multiply_by_power_of_10(1);
        margin.multiply_by_power_of_10(1);
    }

    digits.exponent = point - 1;
    loop {
        let digit = rest.divide(scale);
        let order = rest.compare_sum(0, margin, margin);
        let is_low = order == Ordering::Less || is_even && order == Ordering::Equal;
        let is_high = reaches_above(rest, margin);
        if !is_low && !is_high {
            digits.push(digit);
            rest.multiply_by_power_of_10(1);
            margin.multiply_by_power_of_10(1);
            continue;
        }
        let rounds_up = match (is_low, is_high) {
            (true, true) => rest.compare_sum(1, rest, scale) != Ordering::Less,
            (_, is_high) => is_high,
        };
        return digits.push(digit + u8::from(rounds_up));
    }
}

/// A number in decimal: `0.d1d2d3... * 10^point`.
struct Decimal<'a> {
    /// The digits, perhaps with a point among them. The first digit is not 0.
    text: &'a [u8],
    point: i32,
}

impl Decimal<'_> {
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.text.iter().filter(|byte| **byte != b'.').map(|byte| byte - b'0')
    }

    /// Returns the bits of a number that is at most this one, and less by a few units in its last
    /// place at most; and whether the next number is the nearest, if that is certain.
    fn lower_bound(&self) -> (u64, Option<bool>) {
        /// Half of a unit in the last place, in units of the 64 bits.
        const HALF: u32 = 1 << 10;
        // 19 digits fit; the others are less than the last bits that are certain.
        let (mut significand, mut taken) = (0_u64, 0);
        for digit in self.digits().take(19) {
            significand = significand * 10 + u64::from(digit);
            taken += 1;
        }
        // The number is `significand * 2^(exponent - 63)` times the rest of the power of ten.
        let mut exponent = 63;
        let mut power = self.point - taken;
        // Each step adds an error of less than 5 units in the last of 64 bits, which normalization
        // may double; the omitted digits add less than 20.
        let error = 20 + 10 * power.unsigned_abs();
        loop {
            let zeros = significand.leading_zeros();
            significand <<= zeros;
            exponent -= zeros as i32;
            match power.cmp(&0) {
                Ordering::Equal => break,
                // 10 is 5/8 * 16.
                Ordering::Greater => {
                    significand = (significand >> 1) + (significand >> 3);
                    exponent += 4;
                    power -= 1;
                }
                // 1/10 is 4/5 / 8, and 4/5 is 3/4 * (1 + 1/16) * (1 + 1/256) * ...
                Ordering::Less => {
                    significand = (significand >> 1) + (significand >> 2);
                    for shift in [4, 8, 16, 32] {
                        significand += significand >> shift;
                    }
                    exponent -= 3;
                    power += 1;
                }
            }
        }
        if exponent > 1023 {
            return (f64::MAX.to_bits(), None);
        }
        // Below the normal numbers, fewer bits remain.
        let missing = (-1022 - exponent).max(0);
        let fraction = significand.checked_shr(11 + missing.unsigned_abs()).unwrap_or(0);
        // The first bit of the significand adds 1 to the exponent.
        let bits = (((exponent + missing + 1022) as u64) << FRACTION_BITS) + fraction;
        // The bits that are cut off are compared with half of a unit.
        let cut_off = significand as u32 % (2 * HALF);
        let is_certain = missing == 0
            && (cut_off + error < HALF || cut_off > HALF && cut_off + error < 2 * HALF);
        (bits, is_certain.then_some(cut_off > HALF))
    }

    /// Compares this number with the one in the middle between that of these bits and the next.
    ///
    /// The digits of the middle are computed one by one, so that there may be any number of them
    /// (as `bigcomp` in D. Gay's `strtod.c`).
    fn compare_with_middle_above(&self, bits: u64) -> Ordering {
        let (significand, exponent) = decompose(bits);
        let [rest, scale] = &mut [Bignum::ZERO; 2];
        rest.set(2 * significand + 1);
        scale.set(1);
        let shift = exponent - 1;
        (if shift >= 0 { &mut *rest } else { &mut *scale }).shift_left(shift.unsigned_abs());
        let power = self.point.unsigned_abs();
        (if self.point >= 0 { &mut *scale } else { &mut *rest }).multiply_by_power_of_10(power);
        for digit in self.digits() {
            rest.multiply_by_power_of_10(1);
            let order = digit.cmp(&rest.divide(scale));
            if order != Ordering::Equal {
                return order;
            }
        }
        if rest.is_zero() { Ordering::Equal } else { Ordering::Less }
    }

    /// Returns the nearest number; of two that are equally near, the one with an even significand.
    fn nearest(&self) -> f64 {
        // Beyond these, every number is infinite or rounds to 0.
        if self.point > 310 {
            return f64::INFINITY;
        }
        // Half of the least number above 0 is 2.47e-324.
        if self.point < -323 {
            return 0.0;
        }
        let (mut bits, is_above_middle) = self.lower_bound();
        if let Some(is_above_middle) = is_above_middle {
            return f64::from_bits(bits + u64::from(is_above_middle));
        }
        while bits < f64::INFINITY.to_bits() {
            let order = self.compare_with_middle_above(bits);
            if order == Ordering::Less || order == Ordering::Equal && bits % 2 == 0 {
                break;
            }
            bits += 1;
        }
        f64::from_bits(bits)
    }
}

/// Returns the number that `text` represents, correctly rounded. Accepts what `f64::from_str`
/// accepts.
// Not inlined, like `shortest_digits`.
#[inline(never)]
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    let (is_negative, text) = split_sign(text);
    let number = if is_word(text, b"inf") || is_word(text, b"infinity") {
        f64::INFINITY
    } else if is_word(text, b"nan") {
        f64::NAN
    } else {
        parse_digits(text)?
    };
    Some(if is_negative { -number } else { number })
}

/// Returns whether a string begins with a minus, and the string after the sign.
fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [sign @ (b'+' | b'-'), rest @ ..] => (*sign == b'-', rest),
        rest => (false, rest),
    }
}

/// Returns whether a string is this word, in small or capital letters.
#[inline(never)]
fn is_word(text: &[u8], word: &[u8]) -> bool {
    text.eq_ignore_ascii_case(word)
}

/// Parses digits, of which there is at least one, perhaps with a point and an exponent.
fn parse_digits(text: &[u8]) -> Option<f64> {
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = match end {
        Some(end) => (&text[..end], parse_exponent(&text[end + 1..])?),
        None => (text, 0),
    };
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let point = mantissa.iter().position(|byte| *byte == b'.');
    let digits = mantissa.len() - usize::from(point.is_some());
    if digits == 0 || mantissa.iter().filter(|byte| is_digit(byte)).count() != digits {
        return None;
    }
    let Some(first) = mantissa.iter().position(|byte| matches!(byte, b'1'..=b'9')) else {
        return Some(0.0);
    };
    let before_point = point.unwrap_or(mantissa.len());
    // If the first digit comes after the point, the point itself does not count.
    let point = limited(before_point) - limited(first) + i32::from(first > before_point);
    let point = point.saturating_add(exponent);
    Some(Decimal { text: &mantissa[first..], point }.nearest())
}

/// Returns a length, limited so that neither sums nor differences of two overflow.
fn limited(len: usize) -> i32 {
    len.min(1 << 30) as i32
}

/// Parses an exponent; a large one is limited.
fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (is_negative, digits) = split_sign(text);
    if digits.is_empty() {
        return None;
    }
    let mut magnitude = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        if magnitude < 1 << 26 {
            magnitude = magnitude * 10 + i32::from(digit - b'0');
        }
    }
    Some(if is_negative { -magnitude } else { magnitude })
}

/// The number of limbs. Formatting and parsing an `f64` take up to 1,085 bits.
const LIMBS: usize = 69;

/// A natural number in limbs of 16 bits, the lowest first, whose products fit in a word of a small
/// machine.
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
    pub(crate) fn set(&mut self, mut number: u64) {
        self.len = 4;
        for limb in &mut self.limbs[..4] {
            *limb = number as u16;
            number >>= 16;
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
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
    pub(crate) fn shift_left(&mut self, bits: u32) {
        self.multiply_by_power(2, bits);
    }

    #[inline]
    pub(crate) fn multiply_by_power_of_10(&mut self, power: u32) {
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
    pub(crate) fn divide(&mut self, divisor: &Bignum) -> u8 {
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
    pub(crate) fn compare_sum(&self, times: u16, addend: &Bignum, other: &Bignum) -> Ordering {
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

// Arithmetic alone, which would take minutes under Miri.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use crate::small::decimal;
    use proptest::prelude::*;
    use std::format;
    use std::string::String;

    fn agree(number: f64) {
        let (mut ours, mut core) = (Digits::default(), Digits::default());
        shortest_digits(number, &mut ours);
        decimal::shortest_digits(number, &mut core);
        let (ours, core) =
            ((ours.exponent, &ours.bytes[..ours.len]), (core.exponent, &core.bytes[..core.len]));
        assert_eq!(ours, core, "{number:e}");
        let text = format!("{number:e}");
        assert_eq!(parse(text.as_bytes()), Some(number), "{text}");
    }

    fn parses_alike(text: &str) {
        let (ours, core) = (parse(text.as_bytes()), text.parse::<f64>().ok());
        assert_eq!(ours.map(f64::to_bits), core.map(f64::to_bits), "{text}");
    }

    #[test]
    fn powers_and_their_neighbours_have_the_digits_of_core() {
        for exponent in 1..2047_u64 {
            let bits = exponent << FRACTION_BITS;
            for bits in [bits - 1, bits, bits + 1] {
                agree(f64::from_bits(bits));
            }
        }
        for exponent in 0..FRACTION_BITS {
            agree(f64::from_bits(1 << exponent));
        }
        for power in -323..=308 {
            agree(format!("1e{power}").parse().unwrap());
        }
        [f64::MAX, f64::MIN_POSITIVE, 5e-324, 9_007_199_254_740_993.0, 1e23]
            .into_iter()
            .for_each(agree);
    }

    #[test]
    fn all_kinds_of_text_parse_as_in_core() {
        for text in [
            "",
            "-",
            "+",
            ".",
            "-.",
            "1.",
            ".5",
            "+.5",
            "0",
            "-0",
            "00.00",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1e-",
            "1e5",
            "1E+05",
            "1e-0",
            "1.5e3.",
            "1..5",
            "1.5.",
            "inf",
            "-INF",
            "+Infinity",
            "infin",
            "nan",
            "-NaN",
            "1_0",
            " 1",
            "1 ",
            "0x1",
            "1e400",
            "1e-400",
            "0e999999999999999999999",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "9007199254740993",
            "9007199254740992.99999",
            "9007199254740993.00000000001",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "é",
            "0.0001e-400",
            "0.000000000000000000000000000000000000001e39",
        ] {
            parses_alike(text);
        }
        parses_alike(&format!("{}e-400", "9".repeat(400)));
        parses_alike(&format!("0.{}1e400", "0".repeat(399)));
        parses_alike(&format!("{}.{}", "0".repeat(1000), "3".repeat(1000)));
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "any numbers are suitable")]
    fn integers_are_exact_as_with_arithmetic() {
        for bits in 0..=62 {
            for integer in
                [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1].map(|integer| integer as f64)
            {
                for number in [integer, -integer, integer / 2.0, integer / 1e30, integer * 1e-320] {
                    assert_eq!(exact_integer(number), decimal::exact_integer(number), "{number:e}");
                }
            }
        }
    }

    /// The exact decimal text of the number in the middle between two neighbours.
    fn middle_above(number: f64) -> String {
        // 2^-1075 has 1,075 digits after the point; the middle is exact in twice the significand.
        let next = f64::from_bits(number.to_bits() + 1);
        let (low, high) = (format!("{number:.1080}"), format!("{next:.1080}"));
        // Adds the digits and halves the sum, digit by digit.
        let width = high.len();
        let low = format!("{low:0>width$}");
        let mut sum: std::vec::Vec<u8> = low
            .bytes()
            .zip(high.bytes())
            .filter(|(a, _)| *a != b'.')
            .map(|(a, b)| (a - b'0') + (b - b'0'))
            .collect();
        for i in (1..sum.len()).rev() {
            if sum[i] > 9 {
                sum[i] -= 10;
                sum[i - 1] += 1;
            }
        }
        let mut carry = 0;
        let digits: String = sum
            .iter()
            .map(|&digit| {
                let value = carry * 10 + digit;
                carry = value % 2;
                char::from(b'0' + value / 2)
            })
            .collect();
        let (whole, fraction) = digits.split_at(digits.len() - 1080);
        format!("{whole}.{fraction}")
    }

    proptest! {
        #![proptest_config(test_support::strategy::config(4096, 0))]

        #[test]
        fn any_number_has_the_digits_of_core(bits in 1..f64::INFINITY.to_bits(), short in 1..1_000_000_u32, power in 0..9) {
            agree(f64::from_bits(bits));
            agree(f64::from(short) / 10_f64.powi(power));
        }

        #[test]
        fn any_digits_parse_as_in_core(digits in "[0-9]{1,25}", fraction in "[0-9]{0,25}", exponent in -350..350) {
            parses_alike(&format!("{digits}.{fraction}e{exponent}"));
            parses_alike(&format!("{digits}.{fraction}"));
        }
    }

    proptest! {
        // Each middle has more than a thousand digits.
        #![proptest_config(test_support::strategy::config(128, 0))]

        #[test]
        fn ties_are_rounded_to_even(bits in 1..f64::MAX.to_bits()) {
            let middle = middle_above(f64::from_bits(bits));
            parses_alike(&middle);
            parses_alike(&format!("{middle}1"));
        }
    }
}
