//! [`Score`]: a non-NaN `f64` with a total order.
//!
//! Invariants: the number is never NaN and never `-0.0`, so scores are equal exactly if their bits
//! are, and `==`, `<` and hashing agree.

use core::cmp::Ordering;
use core::error::Error;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Neg;
use core::str::FromStr;

pub(crate) mod text;

/// A score: any `f64` except NaN, in numeric order: `-inf < ... < 0 < ... < +inf`.
///
/// `-0.0` is normalized to `0.0`, so scores that compare equal also print and hash equal. All
/// operations are **O(1)**.
///
/// With the feature `serde`, a score serializes as a number. Human-readable formats such as JSON
/// cannot represent infinite numbers; there, infinities are the strings `"inf"` and `"-inf"`.
/// Deserializing NaN is an error.
///
/// # Examples
///
/// ```
/// use zset_core::Score;
///
/// let score = Score::new(1.5)?;
/// assert!(score < Score::INFINITY);
/// assert_eq!(score.get(), 1.5);
/// assert!(Score::new(f64::NAN).is_err());
/// # Ok::<(), zset_core::NanScore>(())
/// ```
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Score(f64);

/// The error returned when a score would be NaN.
///
/// It will not gain fields, so any code can construct and match it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NanScore;

impl fmt::Display for NanScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("score is not a number")
    }
}

impl Error for NanScore {}

/// The error returned for an integer that `f64` cannot represent exactly.
///
/// Integers up to 2^53 in magnitude are always exact; larger ones only if enough of their low bits
/// are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InexactScore;

impl fmt::Display for InexactScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("integer cannot be represented exactly as a score")
    }
}

impl Error for InexactScore {}

/// The error returned for text that is not a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseScoreError {
    /// The text is not a number.
    Invalid,
    /// The text is NaN, which is not a score.
    Nan,
    /// The number is too large for an `f64`, or so small that it would round to 0.
    OutOfRange,
}

impl fmt::Display for ParseScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseScoreError::Invalid => "score is not a valid float",
            ParseScoreError::Nan => "score is not a number",
            ParseScoreError::OutOfRange => "score is out of range",
        })
    }
}

impl Error for ParseScoreError {}

impl Score {
    /// The score 0.
    pub const ZERO: Score = Score(0.0);

    /// Positive infinity, greater than every finite score.
    pub const INFINITY: Score = Score(f64::INFINITY);

    /// Negative infinity, less than every finite score.
    pub const NEG_INFINITY: Score = Score(f64::NEG_INFINITY);

    /// Creates a score from `value`; `-0.0` becomes `0.0`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`NanScore`] if `value` is NaN.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{NanScore, Score};
    ///
    /// assert_eq!(Score::new(-0.0), Ok(Score::ZERO));
    /// assert_eq!(Score::new(f64::NAN), Err(NanScore));
    /// ```
    #[inline]
    pub const fn new(value: f64) -> Result<Score, NanScore> {
        // Adding 0.0 turns -0.0 into 0.0.
        if value.is_nan() { Err(NanScore) } else { Ok(Score(value + 0.0)) }
    }

    /// Creates the score that is nearest to an integer.
    #[cfg(feature = "zset")]
    #[expect(clippy::cast_precision_loss, reason = "it is the nearest")]
    #[inline]
    pub(crate) fn nearest_to(integer: i64) -> Score {
        Score(integer as f64)
    }

    /// Parses a score from bytes, such as a command's argument; accepts the same text as
    /// [`FromStr`]. **O(n)** for n bytes.
    ///
    /// # Errors
    ///
    /// [`ParseScoreError`] if the text is not a number, is NaN, or is out of range.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{ParseScoreError, Score};
    ///
    /// assert_eq!(Score::parse(b"1e3"), Ok(Score::from(1000)));
    /// assert_eq!(Score::parse(b"-inf"), Ok(Score::NEG_INFINITY));
    /// assert_eq!(Score::parse(b"1e400"), Err(ParseScoreError::OutOfRange));
    /// ```
    pub fn parse(text: &[u8]) -> Result<Score, ParseScoreError> {
        const INFINITY: u64 = f64::INFINITY.to_bits();
        let value = text::parse(text).ok_or(ParseScoreError::Invalid)?;
        let mut digits = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
        let is_rounded = match value.abs().to_bits() {
            // The text `inf` has no digits. The text of a number that rounds to infinity has some.
            INFINITY => digits.any(u8::is_ascii_digit),
            0 => digits.any(|byte| matches!(byte, b'1'..=b'9')),
            _ => false,
        };
        if is_rounded {
            return Err(ParseScoreError::OutOfRange);
        }
        Score::new(value).map_err(|NanScore| ParseScoreError::Nan)
    }

    /// Returns the score as an `f64`. **O(1)**.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Returns the sum of the score and `by`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`NanScore`] if the sum is NaN: `by` is NaN, or the two are opposite infinities.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{NanScore, Score};
    ///
    /// assert_eq!(Score::from(2).checked_add(0.5), Score::new(2.5));
    /// assert_eq!(Score::INFINITY.checked_add(f64::NEG_INFINITY), Err(NanScore));
    /// ```
    #[inline]
    pub const fn checked_add(self, by: f64) -> Result<Score, NanScore> {
        Score::new(self.0 + by)
    }
}

impl Hash for Score {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes text that parses as the same score, as Redis does: integers up to 2^62 in full, other
/// numbers in the fewest digits, with an exponent where Redis writes one (`1e+22`), `inf`, `-inf`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::shortest(self.0, f)
    }
}

/// Accepts the same text as `f64` (`1`, `-1.5`, `1e5`, `inf`, `-infinity`), except NaN and nonzero
/// finite numbers that an `f64` would round to infinity or to 0.
impl FromStr for Score {
    type Err = ParseScoreError;

    fn from_str(text: &str) -> Result<Score, ParseScoreError> {
        Score::parse(text.as_bytes())
    }
}

// The number is never NaN, so the comparisons of `f64` are total here. `lt`, `le`, `gt` and `ge`
// are written out for the loops in which searches count scores: only these forms compile to SIMD
// comparisons.
impl PartialOrd for Score {
    #[inline]
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        Some(self.cmp(other))
    }
    #[inline]
    fn lt(&self, other: &Score) -> bool {
        self.0 < other.0
    }
    #[inline]
    fn le(&self, other: &Score) -> bool {
        self.0 <= other.0
    }
    #[inline]
    fn gt(&self, other: &Score) -> bool {
        self.0 > other.0
    }
    #[inline]
    fn ge(&self, other: &Score) -> bool {
        self.0 >= other.0
    }
}

impl Ord for Score {
    #[inline]
    #[expect(clippy::comparison_chain, reason = "`lt` and `gt` do not call `cmp`")]
    fn cmp(&self, other: &Score) -> Ordering {
        if self < other {
            Ordering::Less
        } else if self > other {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

impl Eq for Score {}

impl TryFrom<f64> for Score {
    type Error = NanScore;

    #[inline]
    fn try_from(value: f64) -> Result<Score, NanScore> {
        Score::new(value)
    }
}

/// Every `f32` except NaN is exact as a score.
impl TryFrom<f32> for Score {
    type Error = NanScore;

    #[inline]
    fn try_from(value: f32) -> Result<Score, NanScore> {
        Score::new(value.into())
    }
}

impl From<Score> for f64 {
    #[inline]
    fn from(score: Score) -> f64 {
        score.0
    }
}

macro_rules! from_lossless {
    ($($int:ty),*) => {$(
        impl From<$int> for Score {
            #[inline]
            fn from(value: $int) -> Score {
                Score(f64::from(value))
            }
        }
    )*};
}

from_lossless!(i8, i16, i32, u8, u16, u32);

macro_rules! try_from_integer {
    ($($int:ty, $inexact:literal, $value:ident => $score:expr;)*) => {$(
        impl TryFrom<$int> for Score {
            type Error = InexactScore;

            /// # Examples
            ///
            /// ```
            /// # #[allow(unused_imports)]
            /// use zset_core::{InexactScore, Score};
            ///
            #[doc = concat!("assert_eq!(Score::try_from(7_", stringify!($int), "), Ok(Score::from(7)));")]
            #[doc = $inexact]
            /// ```
            #[inline]
            fn try_from($value: $int) -> Result<Score, InexactScore> {
                $score
            }
        }
    )*};
}

try_from_integer! {
    i64, "assert_eq!(Score::try_from(i64::MAX), Err(InexactScore));", value => exact(value.into());
    u64, "assert_eq!(Score::try_from(u64::MAX), Err(InexactScore));", value => exact(value.into());
    isize, "// Fails if not exact; with 32 bits, every value is exact.", value => Score::try_from(value as i64);
    usize, "// Fails if not exact; with 32 bits, every value is exact.", value => Score::try_from(value as u64);
}

/// Creates a score from a 64-bit integer, signed or unsigned.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "a comparison detects the loss")]
fn exact(integer: i128) -> Result<Score, InexactScore> {
    let nearest = integer as f64;
    // The cast does not saturate: even the largest integers round to at most 2^64, which is less
    // than 2^127.
    if nearest as i128 == integer { Ok(Score(nearest)) } else { Err(InexactScore) }
}

/// Compares as numbers. NaN equals no score.
impl PartialEq<f64> for Score {
    /// # Examples
    ///
    /// ```
    /// use zset_core::Score;
    ///
    /// assert!(Score::from(2) == 2.0 && Score::ZERO == -0.0);
    /// assert!(Score::ZERO != f64::NAN);
    /// ```
    #[inline]
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

/// Compares as numbers. NaN equals no score.
impl PartialEq<Score> for f64 {
    #[inline]
    fn eq(&self, other: &Score) -> bool {
        *self == other.0
    }
}

/// Compares as numbers. NaN is neither less nor greater than any score.
impl PartialOrd<f64> for Score {
    /// # Examples
    ///
    /// ```
    /// use zset_core::Score;
    ///
    /// assert!(Score::from(2) < 2.5 && 1.5 < Score::from(2));
    /// assert!(!(Score::INFINITY > f64::NAN));
    /// ```
    #[inline]
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

/// Compares as numbers. NaN is neither less nor greater than any score.
impl PartialOrd<Score> for f64 {
    #[inline]
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        self.partial_cmp(&other.0)
    }
}

/// The negation of 0 is 0.
impl Neg for Score {
    type Output = Score;

    /// # Examples
    ///
    /// ```
    /// use zset_core::Score;
    ///
    /// assert_eq!(-Score::from(2), Score::from(-2));
    /// assert_eq!((-Score::ZERO).to_string(), "0");
    /// ```
    #[inline]
    fn neg(self) -> Score {
        Score(0.0 - self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_sorted_set::FixedHashBuilder;
    use core::hash::BuildHasher;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use std::format;
    use std::string::ToString;

    #[test]
    fn a_score_keeps_the_exact_float() {
        for value in [0.0, 1.5, -1e300, f64::INFINITY] {
            let score = Score::new(value).unwrap();
            assert_eq!([score.get(), score.into()].map(f64::to_bits), [value.to_bits(); 2]);
        }
    }

    #[test]
    fn nan_is_rejected_everywhere() {
        assert_eq!(Score::new(f64::NAN), Err(NanScore));
        assert_eq!(Score::try_from(-f64::NAN), Err(NanScore));
        assert_eq!("NaN".parse::<Score>(), Err(ParseScoreError::Nan));
        assert_eq!(Score::ZERO.checked_add(f64::NAN), Err(NanScore));
        assert_eq!(Score::INFINITY.checked_add(f64::NEG_INFINITY), Err(NanScore));
    }

    #[test]
    fn text_that_is_not_a_number_is_rejected() {
        for text in ["", " ", "1 ", " 1", "1,5", "one", "0x10", "--1", "1e", "+-1"] {
            assert_eq!(text.parse::<Score>(), Err(ParseScoreError::Invalid), "{text:?}");
        }
    }

    #[test]
    fn numbers_that_would_round_to_infinity_or_zero_are_rejected() {
        for text in ["1e400", "-1e400", "1e-400", "-0.0001e-400", "1E999", &"9".repeat(400)] {
            assert_eq!(text.parse::<Score>(), Err(ParseScoreError::OutOfRange), "{text:?}");
        }
        for (text, value) in [("5e-324", 5e-324), ("1.7976931348623157e308", f64::MAX)] {
            assert_eq!(text.parse::<Score>(), Ok(Score(value)));
        }
        for text in ["0e999", "-0", "0.000", "0e-999"] {
            assert_eq!(text.parse::<Score>(), Ok(Score::ZERO), "{text:?}");
        }
    }

    #[test]
    fn negative_zero_is_zero() {
        let zero = Score::new(-0.0).unwrap();
        assert_eq!(zero.get().to_bits(), 0.0f64.to_bits());
        assert_eq!(zero.to_string(), "0");
        let zero = Score::from(-1).checked_add(1.0).unwrap();
        assert_eq!(zero.get().to_bits(), 0);
    }

    #[test]
    fn scores_are_ordered_from_negative_to_positive_infinity() {
        let finite = [f64::MIN, -1.0, -f64::MIN_POSITIVE, 0.0, 5e-324, 1.0].map(Score::new);
        let finite = finite.map(Result::unwrap);
        let sorted = [&[Score::NEG_INFINITY], &finite[..], &[Score::INFINITY]].concat();
        assert!(sorted.is_sorted_by(|a, b| a < b && a.cmp(b).is_lt()));
        assert!(sorted.iter().rev().is_sorted_by(|a, b| a > b && a >= b));
        let hashes: HashSet<_> = sorted.iter().map(|s| FixedHashBuilder.hash_one(s)).collect();
        assert_eq!(hashes.len(), sorted.len());
    }

    proptest! {
        #![proptest_config(test_support::strategy::config(4096, 8))]

        #[test]
        fn text_round_trips(bits: u64) {
            let Ok(score) = Score::new(f64::from_bits(bits)) else { return Ok(()) };
            prop_assert_eq!(score.to_string().parse::<Score>(), Ok(score));
            prop_assert_eq!(format!("{score:?}"), score.to_string());
        }

        #[test]
        fn order_agrees_with_f64(a: f64, b: f64) {
            let (Ok(x), Ok(y)) = (Score::new(a), Score::new(b)) else { return Ok(()) };
            prop_assert_eq!(Some(x.cmp(&y)), a.partial_cmp(&b));
            prop_assert_eq!(Some(x.cmp(&y).is_eq()), a.partial_cmp(&b).map(Ordering::is_eq));
            prop_assert_eq!((x < y, x <= y, x > y, x >= y), (a < b, a <= b, a > b, a >= b));
        }
    }

    #[test]
    fn integers_convert_exactly_or_not_at_all() {
        const EXACT: u64 = 1 << 53;
        for (integer, is_exact) in [
            (0, true),
            (EXACT - 1, true),
            (EXACT, true),
            (EXACT + 1, false),
            (EXACT + 2, true),
            (1 << 63, true),
            ((1 << 63) + (1 << 10), false),
            (u64::MAX, false),
            (u64::MAX - 2047, true),
        ] {
            assert_eq!(Score::try_from(integer).is_ok(), is_exact, "{integer}");
            if let Ok(score) = Score::try_from(integer) {
                assert_eq!(score.get() as i128, i128::from(integer));
            }
            let Ok(signed) = i64::try_from(integer) else { continue };
            assert_eq!(Score::try_from(signed).is_ok(), is_exact, "{signed}");
            assert_eq!(Score::try_from(-signed).is_ok(), is_exact, "-{signed}");
        }
        assert_eq!(Score::try_from(i64::MIN).map(Score::get), Ok(-9_223_372_036_854_775_808.0));
        assert_eq!(Score::try_from(i64::MAX), Err(InexactScore));
        assert_eq!(Score::try_from(-3_isize), Ok(Score::from(-3)));
        assert_eq!(Score::try_from(3_usize), Ok(Score::from(3)));
        assert_eq!(Score::try_from(0.1_f32).map(Score::get), Ok(f64::from(0.1_f32)));
        assert_eq!(Score::try_from(f32::NAN), Err(NanScore));
        assert_eq!(Score::try_from(-0.0_f32), Ok(Score::ZERO));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "exact comparisons are under test")]
    fn scores_compare_with_floats_as_floats_do() {
        let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 5e-324, 1.5, f64::INFINITY, f64::NAN];
        for a in floats {
            let Ok(score) = Score::new(a) else { continue };
            for b in floats {
                assert_eq!((score == b, b == score), (a == b, b == a));
                assert_eq!(score.partial_cmp(&b), a.partial_cmp(&b));
                assert_eq!(b.partial_cmp(&score), b.partial_cmp(&a));
            }
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "a negation is exact")]
    fn negation_keeps_scores_valid() {
        for value in [0.0, 1.5, -1e300, 5e-324, f64::INFINITY, f64::NEG_INFINITY] {
            let score = Score::new(value).unwrap();
            assert_eq!((-score).get(), -value);
            assert_eq!(-(-score), score);
        }
        assert_eq!((-Score::ZERO).get().to_bits(), 0);
    }
}
