//! [`Limiter`]: the common interface of limiters of one key.

use super::{Decision, Quota};
use crate::Timestamp;
use private::Sealed;

/// A limiter of one key.
///
/// [`Keyed`](super::Keyed) stores one for each key, and [`Limits`](super::Limits) combines several. The
/// trait is sealed: only this crate can implement it.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FixedWindow, Funnel, Limiter, Quota, Timestamp, WindowLog};
///
/// fn burst(mut limiter: impl Limiter) -> usize {
///     (0..10).filter(|_| limiter.check_n_at(1, Timestamp::ZERO).is_allowed()).count()
/// }
///
/// let quota = Quota::new(3, Duration::from_secs(1))?;
/// assert_eq!(burst(WindowLog::new(quota)), 3);
/// assert_eq!(burst(Funnel::new(quota.with_capacity(5)?)), 5);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait Limiter: Clone {
    /// Allows `n` units together, or denies all of them; 0 units are always allowed.
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`check_n_at`](Self::check_n_at) would return, without changing anything.
    fn peek_at(&self, n: u32, now: Timestamp) -> Decision;

    /// Refunds the `n` newest units, or as many as are on record, and returns how many.
    fn refund(&mut self, n: u32) -> u32;

    /// Forgets all recorded units.
    fn reset(&mut self);

    /// Returns the time from which the limiter behaves like a new one, if it is not called in between;
    /// `Timestamp::ZERO` if it already does.
    #[doc(hidden)]
    fn idle_at(&self, _: Sealed) -> Timestamp;
}

/// A [`Limiter`] with one quota: every limiter of one key except [`Limits`](super::Limits).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Quota, SingleQuota, WindowCounter};
///
/// fn double(limiter: &mut impl SingleQuota) -> Result<(), zset_std::limit::QuotaError> {
///     let quota = limiter.quota();
///     limiter.set_quota(Quota::new(2 * quota.count(), quota.period())?);
///     Ok(())
/// }
///
/// let mut counter = WindowCounter::new(Quota::new(3, Duration::from_secs(1))?);
/// double(&mut counter)?;
/// assert_eq!(counter.quota().count(), 6);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait SingleQuota: Limiter {
    /// Returns the quota.
    fn quota(&self) -> Quota;

    /// Changes the quota; units already allowed stay on record.
    fn set_quota(&mut self, quota: Quota);
}

pub(super) mod private {
    /// A type that other crates cannot name, so they cannot implement a trait with a method that takes it.
    #[derive(Clone, Copy, Debug)]
    pub struct Sealed;
}
