//! [`Policy`]: how a score combines with the one that the member has.

use std::convert::Infallible;

use zset_core::Increment;

/// How a submitted score combines with the one that the member has already.
///
/// A [`WindowedLeaderboard`](crate::WindowedLeaderboard) also combines the scores that a member has in
/// its buckets, so a policy should be associative, at least nearly, as sums of `f64`s are.
///
/// # Examples
///
/// A policy of one's own:
///
/// ```
/// use std::convert::Infallible;
/// use zset_std::{Leaderboard, Policy};
///
/// /// The score of the first attempt.
/// struct First;
///
/// impl<S> Policy<S> for First {
///     type Error = Infallible;
///     const IS_EXACT: bool = true;
///
///     fn combine(old: S, _: S) -> Result<S, Infallible> {
///         Ok(old)
///     }
/// }
///
/// let mut board = Leaderboard::<&str, u32, First>::for_policy();
/// board.submit("ann", 3);
/// board.submit("ann", 9);
/// assert_eq!(board.score("ann"), Some(3));
/// ```
pub trait Policy<S> {
    /// Why two scores do not combine; [`Infallible`] if they always do.
    type Error;

    /// Whether scores combine to the same score in whichever groups they are combined.
    ///
    /// Precisely: in a sequence of scores, replace two neighbours that do combine by the result, until
    /// one score is left. If there is a way to do so, then each choice of neighbours leads there, and to
    /// the same score.
    ///
    /// It is true for [`Best`], [`Latest`] and sums of integers, and false for sums of `f64`s, which are
    /// rounded. If it is true,
    /// [`WindowedLeaderboard::try_submit`](crate::WindowedLeaderboard::try_submit) takes less time. If
    /// it is wrongly set to true, merged scores depend on the order of submissions.
    const IS_EXACT: bool = false;

    /// Returns the score that a member has after it had `old` and `new` is submitted.
    ///
    /// # Errors
    ///
    /// If there is no such score. The old one stays.
    fn combine(old: S, new: S) -> Result<S, Self::Error>;
}

/// The [`Policy`] that keeps the best score of a member.
///
/// # Examples
///
/// ```
/// use zset_std::{Best, Leaderboard};
///
/// let mut board: Leaderboard<&str, u32, Best> = Leaderboard::new();
/// board.submit("ann", 7);
/// board.submit("ann", 5);
/// assert_eq!(board.score("ann"), Some(7));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Best;

/// The [`Policy`] that keeps the latest score of a member.
///
/// # Examples
///
/// ```
/// use zset_std::{Latest, Leaderboard};
///
/// let mut board: Leaderboard<&str, u32, Latest> = Leaderboard::latest();
/// board.submit("ann", 7);
/// board.submit("ann", 5);
/// assert_eq!(board.score("ann"), Some(5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Latest;

/// The [`Policy`] that adds up the scores of a member, of a type that is an [`Increment`].
///
/// A sum that is not a score, for it overflows or is NaN, is an error.
///
/// # Examples
///
/// ```
/// use zset_std::{Leaderboard, Sum};
///
/// let mut board: Leaderboard<&str, u32, Sum> = Leaderboard::sum();
/// board.try_submit("ann", 7).unwrap();
/// board.try_submit("ann", 5).unwrap();
/// assert_eq!(board.score("ann"), Some(12));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum;

impl<S: Ord> Policy<S> for Best {
    type Error = Infallible;
    const IS_EXACT: bool = true;

    fn combine(old: S, new: S) -> Result<S, Infallible> {
        Ok(old.max(new))
    }
}

impl<S> Policy<S> for Latest {
    type Error = Infallible;
    const IS_EXACT: bool = true;

    fn combine(_: S, new: S) -> Result<S, Infallible> {
        Ok(new)
    }
}

impl<S: Increment + Into<S::By>> Policy<S> for Sum {
    type Error = S::Error;
    const IS_EXACT: bool = S::IS_EXACT;

    fn combine(old: S, new: S) -> Result<S, S::Error> {
        old.checked_increment(new.into())
    }
}
