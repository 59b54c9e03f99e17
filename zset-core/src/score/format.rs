//! Formatting scores: shortest digits, in Redis's layout.
//!
//! The digits are those of `core`'s `{:e}`, the shortest that parse as the same number (Grisu with
//! a Dragon fallback). The layout follows Redis since 7.2: integers up to 2^62 in full, then plain
//! digits while few zeros are needed, then an exponent.

use core::fmt::{self, Write};
use core::str;

/// The longest texts are `-d.dddddddddddddddde-ddd`, and a sign, 17 digits and 7 zeros.
const LONGEST: usize = 32;

/// Integers above this magnitude are not written in full (Redis: half of `i64::MAX`).
const LARGEST_PLAIN_INTEGER: f64 = 4_611_686_018_427_387_904.0;

/// A buffer for the text of a score.
pub(crate) struct ScoreText {
    bytes: [u8; LONGEST],
    len: usize,
}

impl ScoreText {
    pub(crate) const fn new() -> Self {
        ScoreText { bytes: [0; LONGEST], len: 0 }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Write for ScoreText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// Returns the integer that Redis writes in full and stores as an integer for this number, if any.
#[inline]
#[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether it is exact")]
pub(crate) fn plain_integer(value: f64) -> Option<i64> {
    let is_plain = value.abs() <= LARGEST_PLAIN_INTEGER && value as i64 as f64 == value;
    is_plain.then_some(value as i64)
}

pub(super) fn shortest(value: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(integer) = plain_integer(value) {
        return write!(f, "{integer}");
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return write!(f, "{sign}inf");
    }

    // "d.dddde-xx" -> the digits without the point, and the exponent of the first digit.
    let mut buffer = ScoreText::new();
    write!(buffer, "{magnitude:e}")?;
    let text = str::from_utf8(buffer.as_bytes()).map_err(|_| fmt::Error)?;
    let (mantissa, exponent) = text.split_once('e').ok_or(fmt::Error)?;
    let exponent: isize = exponent.parse().map_err(|_| fmt::Error)?;
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));

    // Read as an integer, the digits are the value times 10^fraction.
    #[expect(clippy::cast_possible_wrap, reason = "there are at most 17 digits")]
    let fraction = rest.len() as isize - exponent;
    let magnitude = exponent.unsigned_abs();
    if fraction <= 0 && magnitude < rest.len() + 8 {
        write!(f, "{sign}{first}{rest}")?;
        return zeros(f, fraction.unsigned_abs());
    }
    if fraction > 0 && (fraction < 7 || magnitude < 4) {
        if exponent < 0 {
            write!(f, "{sign}0.")?;
            zeros(f, magnitude - 1)?;
            return write!(f, "{first}{rest}");
        }
        let (whole, fraction) = rest.split_at(magnitude);
        return write!(f, "{sign}{first}{whole}.{fraction}");
    }
    let point = if rest.is_empty() { "" } else { "." };
    write!(f, "{sign}{first}{point}{rest}e{exponent:+}")
}

fn zeros(f: &mut fmt::Formatter<'_>, count: usize) -> fmt::Result {
    (0..count).try_for_each(|_| f.write_char('0'))
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
