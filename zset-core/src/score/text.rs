//! Formatting scores, in Redis's layout.
//!
//! The layout is that of Redis since 7.2: integers up to 2^62 are written in full. Other numbers
//! have the fewest digits that parse as the same number, and an exponent, unless they need only a
//! few zeros without one.

use core::fmt::{self, Write};
use core::str;

/// The length of the longest string: a sign, 17 digits and 7 zeros.
const LONGEST: usize = 25;

/// Integers above this magnitude are not written in full (Redis: half of `i64::MAX`).
const LARGEST_PLAIN_INTEGER: f64 = 4_611_686_018_427_387_904.0;

/// A buffer for the text of a score.
pub(crate) struct ScoreText {
    bytes: [u8; LONGEST],
    len: u8,
}

impl ScoreText {
    pub(crate) const fn new() -> Self {
        ScoreText { bytes: [0; LONGEST], len: 0 }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len.into()]
    }
}

impl Write for ScoreText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let (start, end) = (usize::from(self.len), usize::from(self.len) + text.len());
        self.bytes.get_mut(start..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end as u8;
        Ok(())
    }
}

/// Returns the integer equal to this number, if Redis writes and stores the number as an integer.
#[inline]
#[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether it is exact")]
pub(crate) fn plain_integer(value: f64) -> Option<i64> {
    let integer = value as i64;
    (value.abs() <= LARGEST_PLAIN_INTEGER && integer as f64 == value).then_some(integer)
}

/// Returns the number that `text` represents, correctly rounded.
pub(crate) fn parse(text: &[u8]) -> Option<f64> {
    str::from_utf8(text).ok()?.parse().ok()
}

pub(super) fn shortest(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(integer) = plain_integer(value) {
        return write!(f, "{integer}");
    }
    let mut text = ScoreText::new();
    text.push_number(value);
    f.write_str(str::from_utf8(text.as_bytes()).map_err(|_| fmt::Error)?)
}

impl ScoreText {
    /// Appends the text of a number that is not a [plain integer](plain_integer). The buffer must
    /// have room for it.
    ///
    /// The text is written in place: returning a string would need its stack space twice.
    #[expect(clippy::cast_possible_wrap, reason = "there are at most 17 digits")]
    #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
    pub(crate) fn push_number(&mut self, value: f64) {
        if value.is_sign_negative() {
            self.push(b"-");
        }
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return self.push(b"inf");
        }
        let Scientific { digits, len, exponent } = Scientific::of(magnitude);
        let digits = &digits[..len];
        // The value is the digits, read as one integer, divided by 10^fraction.
        let fraction = len as i32 - 1 - exponent;
        if fraction <= 0 && exponent < len as i32 + 7 {
            self.push(digits);
            self.push_zeros(fraction);
        } else if fraction > 0 && (fraction < 7 || exponent.abs() < 4) {
            if exponent < 0 {
                self.push(b"0.");
                self.push_zeros(exponent + 1);
                self.push(digits);
            } else {
                let (whole, fraction) = digits.split_at(exponent as usize + 1);
                self.push(whole);
                self.push(b".");
                self.push(fraction);
            }
        } else {
            let (first, rest) = digits.split_at(1);
            self.push(first);
            if !rest.is_empty() {
                self.push(b".");
                self.push(rest);
            }
            let written = write!(self, "e{exponent:+}");
            debug_assert!(written.is_ok(), "{value} is longer than the longest");
        }
    }

    /// Appends bytes. The buffer must have room for them.
    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.len.into()..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }

    /// Appends `count.abs()` zeros.
    fn push_zeros(&mut self, count: i32) {
        (0..count.abs()).for_each(|_| self.push(b"0"));
    }
}

/// A positive, finite number, `d.ddd * 10^exponent`, in the fewest digits that parse as it.
struct Scientific {
    digits: [u8; 17],
    len: usize,
    exponent: i32,
}

impl Scientific {
    fn of(number: f64) -> Scientific {
        // The text has the form "d.ddde-xx".
        let mut text = ScoreText::new();
        let written = write!(text, "{number:e}");
        debug_assert!(written.is_ok(), "{number:e} is longer than the longest");
        let text = str::from_utf8(text.as_bytes()).unwrap_or_default();
        let (mantissa, exponent) = text.split_once('e').unwrap_or_default();
        let (mut digits, mut len) = ([0; 17], 0);
        for (to, digit) in digits.iter_mut().zip(mantissa.bytes().filter(u8::is_ascii_digit)) {
            *to = digit;
            len += 1;
        }
        Scientific { digits, len, exponent: exponent.parse().unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use crate::Score;
    use std::string::ToString;

    #[test]
    fn known_texts() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-17.0, "-17"),
            (0.1, "0.1"),
            (-0.5, "-0.5"),
            (1.5, "1.5"),
            (100.25, "100.25"),
            (3.0e-5, "0.00003"),
            (1.0e-7, "1e-7"),
            (1.234e-9, "1.234e-9"),
            (0.000_123_456_789, "1.23456789e-4"),
            (0.001_234_567_89, "0.00123456789"),
            (123_456_789.123, "123456789.123"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (4_611_686_018_427_387_904.0, "4611686018427387904"),
            (1e22, "1e+22"),
            (-1e22, "-1e+22"),
            (1.7e308, "1.7e+308"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(Score::new(value).unwrap().to_string(), text);
        }
    }
}
