//! [`Score`]: a non-NaN `f64` with a total order.
//!
//! Invariants: the number is never NaN and never `-0.0`, so `==`, `<`, hashing and the bits agree.

use core::error::Error;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

mod convert;
#[cfg(not(target_os = "none"))]
mod decimal;
mod format;
mod order;
#[cfg(feature = "serde")]
mod serde;
// Where memory is measured in kilobytes, `core`'s tables for these conversions would be most of a program.
#[cfg(any(target_os = "none", test))]
mod small;

#[cfg(target_os = "none")]
use small as decimal;

pub(crate) use format::{ScoreText, plain_integer};

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
///
/// # Examples
///
/// ```
/// use zset_core::{NanScore, Score};
///
/// assert_eq!(Score::new(f64::NAN), Err(NanScore));
/// assert_eq!(Score::INFINITY.checked_add(f64::NEG_INFINITY), Err(NanScore));
/// ```
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
///
/// # Examples
///
/// ```
/// use zset_core::{InexactScore, Score};
///
/// assert_eq!(Score::try_from((1_u64 << 53) + 1), Err(InexactScore));
/// assert!(Score::try_from(1_u64 << 53).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InexactScore;

impl fmt::Display for InexactScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("integer cannot be represented exactly as a score")
    }
}

impl Error for InexactScore {}

/// The error returned for text that is not a score.
///
/// # Examples
///
/// ```
/// use zset_core::{ParseScoreError, Score};
///
/// assert_eq!("ten".parse::<Score>(), Err(ParseScoreError::Invalid));
/// assert_eq!("nan".parse::<Score>(), Err(ParseScoreError::Nan));
/// assert_eq!("1e400".parse::<Score>(), Err(ParseScoreError::OutOfRange));
/// ```
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
        // Compares bits: without floating-point hardware, comparing or adding numbers is a library call. Only a NaN has
        // a magnitude above that of infinity.
        if value.to_bits() << 1 > f64::INFINITY.to_bits() << 1 {
            Err(NanScore)
        } else {
            Ok(Score(if value.to_bits() == (-0.0_f64).to_bits() { 0.0 } else { value }))
        }
    }

    /// Creates a score from an integer, like `From`, but usable in constants. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::Score;
    ///
    /// const LOWEST: Score = Score::from_i32(-273);
    /// assert_eq!(LOWEST, Score::from(-273));
    /// ```
    #[inline]
    pub const fn from_i32(value: i32) -> Score {
        Score(value as f64)
    }

    /// Creates a score from an integer, like `From`, but usable in constants. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::Score;
    ///
    /// const HIGHEST: Score = Score::from_u32(u32::MAX);
    /// assert_eq!(HIGHEST, Score::from(u32::MAX));
    /// ```
    #[inline]
    pub const fn from_u32(value: u32) -> Score {
        Score(value as f64)
    }

    /// Creates the score that is nearest to an integer.
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
        let value = decimal::parse(text).ok_or(ParseScoreError::Invalid)?;
        let mut digits = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
        let is_rounded = match value.abs().to_bits() {
            // The text of infinity itself has no digits.
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
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::Score::from(3).get(), 3.0);
    /// ```
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

    /// Returns the product of the score and a weight; `0 * inf` is 0, as in Redis's `WEIGHTS`.
    #[cfg(feature = "alloc")]
    pub(crate) fn weighted(self, weight: Score) -> Score {
        Score::new(self.0 * weight.0).unwrap_or(Score::ZERO)
    }

    /// Returns the sum of two scores; `inf + -inf` is 0, as in Redis's `AGGREGATE SUM`.
    #[cfg(feature = "alloc")]
    pub(crate) fn aggregate_sum(self, other: Score) -> Score {
        Score::new(self.0 + other.0).unwrap_or(Score::ZERO)
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

/// Writes the shortest text that parses as the same score: integers without a decimal point, `inf`,
/// `-inf`, and an exponent where Redis writes one (`1e+22`).
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        format::shortest(self.0, f)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::format;
    use std::string::ToString;

    #[test]
    fn a_score_keeps_the_exact_float() {
        for value in [0.0, 1.5, -1e300, f64::INFINITY] {
            let score = Score::new(value).unwrap();
            assert!(
                score.get().to_bits() == value.to_bits()
                    && f64::from(score).to_bits() == value.to_bits()
            );
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

    proptest! {
        #![proptest_config(test_support::strategy::config(4096, 8))]

        #[test]
        fn text_round_trips(bits: u64) {
            let Ok(score) = Score::new(f64::from_bits(bits)) else { return Ok(()) };
            prop_assert_eq!(score.to_string().parse::<Score>(), Ok(score));
            prop_assert_eq!(format!("{score:?}"), score.to_string());
        }
    }
}
