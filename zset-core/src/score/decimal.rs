//! Numbers as decimal text, by `core`: fast, with tables of 12 kB.

use core::fmt::Write;
use core::str;

use super::format::{Digits, ScoreText};

/// Returns the integer that equals a number of magnitude up to 2^62, if there is one.
#[inline]
#[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether it is exact")]
pub(super) fn exact_integer(number: f64) -> Option<i64> {
    let integer = number as i64;
    (integer as f64 == number).then_some(integer)
}

/// Appends the shortest digits that parse as this positive, finite number to `digits`, which has none.
pub(super) fn shortest_digits(number: f64, digits: &mut Digits) {
    // "d.dddde-xx"
    let mut text = ScoreText::new();
    let written = write!(text, "{number:e}");
    debug_assert!(written.is_ok(), "{number:e} is longer than the longest");
    let (mantissa, exponent) = str::from_utf8(text.as_bytes())
        .ok()
        .and_then(|text| text.split_once('e'))
        .unwrap_or_default();
    for digit in mantissa.bytes().filter(u8::is_ascii_digit).take(17) {
        digits.push(digit - b'0');
    }
    digits.exponent = exponent.parse().unwrap_or_default();
}

/// Returns the number that `text` stands for, correctly rounded.
pub(super) fn parse(text: &[u8]) -> Option<f64> {
    str::from_utf8(text).ok()?.parse().ok()
}
