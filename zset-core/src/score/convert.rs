//! Conversion of scores from and to numbers, comparison with numbers, and negation.

use core::cmp::Ordering;
use core::ops::Neg;

use super::{InexactScore, NanScore, Score};

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
    // The cast does not saturate: even the largest integers round to at most 2^64, less than 2^127.
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

    #[test]
    fn const_constructors_match_from() {
        const EXTREMES: [Score; 3] =
            [Score::from_i32(i32::MIN), Score::from_i32(i32::MAX), Score::from_u32(u32::MAX)];
        let expected = [Score::from(i32::MIN), Score::from(i32::MAX), Score::from(u32::MAX)];
        assert_eq!(EXTREMES, expected);
    }
}
