//! [`Policy`]: how a submitted score combines with the member's current score.

use core::convert::Infallible;

use zset_core::Increment;

/// How a submitted score combines with the member's current one.
///
/// A policy is a type without state. Its value only names the policy, as in
/// [`Leaderboard::with_policy`](crate::Leaderboard::with_policy). A
/// [`WindowedLeaderboard`](crate::WindowedLeaderboard) also combines the scores of a member across
/// buckets. So a policy should be associative, at least approximately, like the addition of `f64`s.
///
/// # Examples
///
/// A custom policy:
///
/// ```
/// use std::convert::Infallible;
/// use zset_std::{Leaderboard, Policy};
///
/// /// The score of the first attempt.
/// struct First;
///
/// impl<S: Clone> Policy<S> for First {
///     type Error = Infallible;
///     const IS_EXACT: bool = true;
///
///     fn combine(old: &S, _: S) -> Result<S, Infallible> {
///         Ok(old.clone())
///     }
/// }
///
/// let mut board = Leaderboard::with_policy(First);
/// board.submit("ann", 3);
/// board.submit("ann", 9);
/// assert_eq!(board.score("ann"), Some(&3));
/// ```
pub trait Policy<S> {
    /// The error if two scores do not combine; [`Infallible`] if they always do.
    type Error;

    /// Whether the grouping in which scores are combined never affects the result.
    ///
    /// Precisely: in a sequence of scores, repeatedly replace two adjacent scores that combine with
    /// their result, until one score remains. If some order of replacements reaches a single score,
    /// then every order does, and the score is the same.
    ///
    /// It is true for [`Best`], [`Latest`] and sums of integers, and false for sums of `f64`s,
    /// which round. If true,
    /// [`WindowedLeaderboard::try_submit`](crate::WindowedLeaderboard::try_submit) is faster. If
    /// wrongly set to true, merged scores may depend on the order of submissions.
    const IS_EXACT: bool = false;

    /// Combines a member's current score `old` with the submitted score `new`.
    ///
    /// # Errors
    ///
    /// Returns an error if the scores do not combine; the member keeps `old`.
    fn combine(old: &S, new: S) -> Result<S, Self::Error>;
}

/// The [`Policy`] that keeps the best score of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Best;

/// The [`Policy`] that keeps the latest score of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Latest;

/// The [`Policy`] that adds up the scores of a member. The score type must implement [`Increment`].
///
/// A sum that overflows or is NaN is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum;

impl<S: Ord + Clone> Policy<S> for Best {
    type Error = Infallible;
    const IS_EXACT: bool = true;

    fn combine(old: &S, new: S) -> Result<S, Infallible> {
        Ok(if *old > new { old.clone() } else { new })
    }
}

impl<S> Policy<S> for Latest {
    type Error = Infallible;
    const IS_EXACT: bool = true;

    fn combine(_: &S, new: S) -> Result<S, Infallible> {
        Ok(new)
    }
}

impl<S: Increment + Into<S::By>> Policy<S> for Sum {
    type Error = S::Error;
    const IS_EXACT: bool = S::IS_EXACT;

    fn combine(old: &S, new: S) -> Result<S, S::Error> {
        old.checked_increment(new.into())
    }
}
