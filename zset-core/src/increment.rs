//! [`Increment`]: scores that can be added to.

use core::error::Error;
use core::fmt;

use crate::{NanScore, Score};

/// A score that [`SortedSet::increment`](crate::SortedSet::increment) can add to.
///
/// It is implemented for [`Score`] and for all integers. Implement it for a score type of your own.
///
/// # Examples
///
/// ```
/// use zset_core::{Increment, ScoreOverflow, Score};
///
/// assert_eq!(Score::ZERO.checked_increment(1.5), Score::new(1.5));
/// assert_eq!(250u8.checked_increment(10), Err(ScoreOverflow));
/// ```
pub trait Increment: Copy {
    /// What is added.
    type By;
    /// Why a sum is not a score.
    type Error;
    /// The score to which the first increment of a new member is added.
    const ZERO: Self;
    /// Whether scores add up to the same sum in whichever groups they are added.
    ///
    /// Precisely: in a sequence of scores, replace two neighbours by their sum, if it is a score, until
    /// one score is left. If there is a way to do so, then each choice of neighbours leads there, and to
    /// the same score.
    ///
    /// It is true for integers: neighbours of opposite signs never overflow. It is false for [`Score`],
    /// whose sums are rounded.
    const IS_EXACT: bool = false;

    /// Returns the sum.
    ///
    /// # Errors
    ///
    /// If the sum is not a score.
    fn checked_increment(self, by: Self::By) -> Result<Self, Self::Error>;
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

/// The error of an integer score that would pass the bounds of its type.
///
/// Anyone can construct it: a score type of your own may return it.
///
/// # Examples
///
/// ```
/// use zset_core::{ScoreOverflow, SortedSet};
///
/// let mut set = SortedSet::from([("a", 250_u8)]);
/// assert_eq!(set.increment("a", 10), Err(ScoreOverflow));
/// assert_eq!(set.score("a"), Some(250));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreOverflow;

impl fmt::Display for ScoreOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("score is out of the range of its type")
    }
}

impl Error for ScoreOverflow {}

macro_rules! increment_integer {
    ($($int:ty),*) => {$(
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
    )*};
}

increment_integer!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
