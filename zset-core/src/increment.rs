//! [`Increment`]: scores that can be incremented.

use core::cmp::Reverse;
use core::convert::Infallible;
use core::error::Error;
use core::fmt;
use core::num::{Saturating, Wrapping};
use core::time::Duration;

use crate::{InsertError, NanScore, Score, TryReserveError};

/// A score that [`SortedSet::increment`](crate::SortedSet::increment) can add to.
///
/// It is implemented for [`Score`], for all integers (plain, [`Wrapping`] and [`Saturating`]), for
/// [`Duration`], and for [`Reverse`] of any of these. It is not implemented for tuples, which have
/// no single natural sum.
///
/// # Examples
///
/// ```
/// use std::cmp::Reverse;
/// use zset_core::{Increment, ScoreOverflow, Score};
///
/// assert_eq!(Score::ZERO.checked_increment(1.5), Score::new(1.5));
/// assert_eq!(250u8.checked_increment(10), Err(ScoreOverflow));
/// assert_eq!(Reverse(3).checked_increment(4), Ok(Reverse(7)));
/// ```
///
/// A custom score type: points, where the first member to reach a number of points ranks above
/// later ones.
///
/// ```
/// use std::cmp::Reverse;
/// use zset_core::{Increment, ScoreOverflow, SortedSet};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Standing {
///     points: u32,
///     reached_at: Reverse<u64>,
/// }
///
/// impl Increment for Standing {
///     /// Points won, and the time at which they were won.
///     type By = (u32, u64);
///     type Error = ScoreOverflow;
///     const ZERO: Standing = Standing { points: 0, reached_at: Reverse(0) };
///
///     fn checked_increment(self, (points, now): (u32, u64)) -> Result<Self, ScoreOverflow> {
///         Ok(Standing {
///             points: self.points.checked_increment(points)?,
///             reached_at: Reverse(now),
///         })
///     }
/// }
///
/// let mut board = SortedSet::<&str, Standing>::new();
/// board.increment("ann", (10, 1_000))?;
/// board.increment("bob", (4, 1_001))?;
/// board.increment("bob", (6, 1_002))?;
/// assert_eq!(board.last().map(|(member, _)| *member), Some("ann"), "she was first");
/// # Ok::<(), ScoreOverflow>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a score that can be incremented",
    note = "implement `Increment` for it, or compute the new score with `update` or `entry`"
)]
pub trait Increment: Copy {
    /// The type of the increment.
    type By;
    /// The error if a sum is not a valid score.
    type Error;
    /// The score of a new member before its first increment.
    const ZERO: Self;
    /// True if the sum of several scores does not depend on how they are grouped.
    ///
    /// Precisely: in a sequence of scores, repeatedly replace two neighbours whose sum is a valid
    /// score by that sum. If some choices of neighbours end with a single score, then all choices
    /// do, and with the same score.
    ///
    /// It is true for integers: neighbours of opposite signs never overflow. It is false for
    /// [`Score`], whose sums are rounded, and for signed [`Saturating`] integers, which discard the
    /// excess over a bound.
    const IS_EXACT: bool = false;

    /// Returns the sum.
    ///
    /// # Errors
    ///
    /// Returns an error if the sum is not a valid score.
    fn checked_increment(self, by: Self::By) -> Result<Self, Self::Error>;
}

/// The error of a sum that is out of range for its score type.
///
/// Custom score types may return it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreOverflow;

impl fmt::Display for ScoreOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("score is out of range for its type")
    }
}

impl Error for ScoreOverflow {}

/// The error of an increment that can also run out of memory, such as
/// [`SortedSet::try_increment`](crate::SortedSet::try_increment) or
/// [`PackedZSet::try_add`](crate::PackedZSet::try_add).
///
/// `E` is the score's own error, [`Increment::Error`]. The collection is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncrementError<E> {
    /// The sum is not a valid score.
    Score(E),
    /// Memory or handles ran out.
    Full(TryReserveError),
}

impl<E: fmt::Display> fmt::Display for IncrementError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IncrementError::Score(error) => error.fmt(f),
            IncrementError::Full(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for IncrementError<E> {}

impl<E> From<TryReserveError> for IncrementError<E> {
    fn from(error: TryReserveError) -> Self {
        IncrementError::Full(error)
    }
}

impl<T, E> From<InsertError<T>> for IncrementError<E> {
    fn from(error: InsertError<T>) -> Self {
        IncrementError::Full(error.error)
    }
}

/// Panics if memory ran out. Otherwise, returns the sum or the score's own error.
#[cfg(feature = "alloc")]
#[inline]
#[track_caller]
pub(crate) fn sum_or_panic<T, E>(result: Result<T, IncrementError<E>>) -> Result<T, E> {
    match result {
        Ok(sum) => Ok(sum),
        Err(IncrementError::Score(error)) => Err(error),
        Err(IncrementError::Full(error)) => panic!("{error}"),
    }
}

impl Increment for Score {
    type By = f64;
    type Error = NanScore;
    const ZERO: Score = Score::ZERO;

    #[inline]
    fn checked_increment(self, by: f64) -> Result<Score, NanScore> {
        self.checked_add(by)
    }
}

/// Durations are never negative, so if the sum of several fits, so does every partial sum.
impl Increment for Duration {
    type By = Duration;
    type Error = ScoreOverflow;
    const ZERO: Duration = Duration::ZERO;
    const IS_EXACT: bool = true;

    #[inline]
    fn checked_increment(self, by: Duration) -> Result<Duration, ScoreOverflow> {
        self.checked_add(by).ok_or(ScoreOverflow)
    }
}

/// Adds to the inner score, so a positive increment moves a member towards the front.
impl<T: Increment> Increment for Reverse<T> {
    type By = T::By;
    type Error = T::Error;
    const ZERO: Reverse<T> = Reverse(T::ZERO);
    const IS_EXACT: bool = T::IS_EXACT;

    #[inline]
    fn checked_increment(self, by: T::By) -> Result<Reverse<T>, T::Error> {
        self.0.checked_increment(by).map(Reverse)
    }
}

/// Implements `Increment` for a plain, a wrapping and a saturating integer. Saturating addition of
/// unsigned integers is associative: the result is the smaller of the sum and the maximum.
macro_rules! increment_integer {
    ($($int:ty, $is_unsigned:literal;)*) => {$(
        impl Increment for $int {
            type By = $int;
            type Error = ScoreOverflow;
            const ZERO: $int = 0;
            const IS_EXACT: bool = true;

            #[inline]
            fn checked_increment(self, by: $int) -> Result<$int, ScoreOverflow> {
                self.checked_add(by).ok_or(ScoreOverflow)
            }
        }

        impl Increment for Wrapping<$int> {
            type By = Wrapping<$int>;
            type Error = Infallible;
            const ZERO: Wrapping<$int> = Wrapping(0);
            const IS_EXACT: bool = true;

            #[inline]
            fn checked_increment(self, by: Wrapping<$int>) -> Result<Wrapping<$int>, Infallible> {
                Ok(self + by)
            }
        }

        impl Increment for Saturating<$int> {
            type By = Saturating<$int>;
            type Error = Infallible;
            const ZERO: Saturating<$int> = Saturating(0);
            const IS_EXACT: bool = $is_unsigned;

            #[inline]
            fn checked_increment(
                self,
                by: Saturating<$int>,
            ) -> Result<Saturating<$int>, Infallible> {
                Ok(self + by)
            }
        }
    )*};
}

increment_integer! {
    i8, false; i16, false; i32, false; i64, false; i128, false; isize, false;
    u8, true; u16, true; u32, true; u64, true; u128, true; usize, true;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds neighbours in every order and returns the result of each. An order that gets stuck,
    /// because no two neighbours have a valid sum, has no result.
    fn sums<S: Increment<By = S> + PartialEq>(scores: &[S]) -> std::vec::Vec<S> {
        if let [sum] = scores {
            return std::vec![*sum];
        }
        let mut reached = std::vec::Vec::new();
        for i in 1..scores.len() {
            let Ok(sum) = scores[i - 1].checked_increment(scores[i]) else { continue };
            let mut rest = scores.to_vec();
            rest.splice(i - 1..=i, [sum]);
            reached.push(sums(&rest));
        }
        if S::IS_EXACT {
            let ends = reached.iter().filter(|sums| sums.is_empty()).count();
            assert!(ends == 0 || ends == reached.len(), "some orders end without a sum");
        }
        reached.concat()
    }

    /// Verifies `IS_EXACT` with all sequences of four of these scores.
    fn verify<S: Increment<By = S> + PartialEq + fmt::Debug>(of: &[S]) {
        let len = of.len();
        let sequences =
            (0..len.pow(4)).map(|i| [0, 1, 2, 3].map(|power| of[i / len.pow(power) % len]));
        let sums = sequences.map(|sequence| sums(&sequence));
        // Compute all sums without stopping early, because `sums` also contains assertions.
        let is_exact = sums
            .fold(true, |is_exact, sums| is_exact & sums.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(is_exact, S::IS_EXACT, "{}", core::any::type_name::<S>());
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes a minute under Miri")]
    fn is_exact_holds_as_declared() {
        let signed = [-128_i8, -100, -1, 0, 27, 100, 127];
        let unsigned = [0_u8, 1, 55, 100, 200, 255];
        verify(&signed);
        verify(&unsigned);
        verify(&signed.map(Wrapping));
        verify(&unsigned.map(Wrapping));
        verify(&signed.map(Saturating));
        verify(&unsigned.map(Saturating));
        verify(&[Duration::ZERO, Duration::from_nanos(1), Duration::MAX, Duration::MAX / 2]);
    }

    #[test]
    fn durations_and_reversed_scores_add_up() {
        let second = Duration::from_secs(1);
        assert_eq!(Duration::ZERO.checked_increment(second), Ok(second));
        assert_eq!(Duration::MAX.checked_increment(second), Err(ScoreOverflow));
        assert_eq!(Reverse(Score::ZERO).checked_increment(f64::NAN), Err(NanScore));
        assert_eq!(Reverse(Score::ZERO).checked_increment(0.5), Score::new(0.5).map(Reverse));
        assert_eq!(Wrapping(255_u8).checked_increment(Wrapping(2)), Ok(Wrapping(1)));
        assert_eq!(Saturating(255_u8).checked_increment(Saturating(2)), Ok(Saturating(255)));
        assert_eq!(Reverse::<Wrapping<i64>>::ZERO, Reverse(Wrapping(0)));
    }
}
