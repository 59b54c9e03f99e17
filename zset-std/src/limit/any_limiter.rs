//! [`AnyLimiter`]: a limiter whose type is chosen at run time.

use super::limiter::per_key::PerKey;
use super::limiter::{limiter, one_quota, stored_whole};
use super::{Decision, FixedWindow, Funnel, Quota, WindowCounter};
use crate::Timestamp;

/// A limiter of any type: for [`Limits`](super::Limits) over limiters of different types, and for
/// limiters whose type comes from a configuration.
///
/// It is an enum rather than a trait object, so limiters are stored inline and each key of a
/// [`Keyed`](super::Keyed) limiter can start as a clone.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{AnyLimiter, Funnel, Keyed, Limits, Quota, Timestamp, WindowCounter};
///
/// // Ten per second, smoothed, and a million per day in constant memory.
/// let smooth = Funnel::new(Quota::new(10, Duration::from_secs(1))?.with_capacity(1)?);
/// let daily = WindowCounter::new(Quota::new(1_000_000, Duration::from_secs(86_400))?);
/// let limits = Limits::all([AnyLimiter::from(smooth), daily.into()]);
/// let limiter: Keyed<u32, _> = Keyed::of(limits);
/// assert!(limiter.at(Timestamp::ZERO).check_n(&7, 1).is_allowed());
/// let denied = limiter.at(Timestamp::ZERO).check_n(&7, 1);
/// assert_eq!(denied.retry_after(), Some(Duration::from_millis(100)));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyLimiter {
    /// An exact sliding window.
    #[cfg(feature = "alloc")]
    WindowLog(super::WindowLog),
    /// An approximate sliding window.
    WindowCounter(WindowCounter),
    /// A plain counter.
    FixedWindow(FixedWindow),
    /// A leaky bucket.
    Funnel(Funnel),
}

impl From<WindowCounter> for AnyLimiter {
    fn from(limiter: WindowCounter) -> Self {
        AnyLimiter::WindowCounter(limiter)
    }
}

impl From<FixedWindow> for AnyLimiter {
    fn from(limiter: FixedWindow) -> Self {
        AnyLimiter::FixedWindow(limiter)
    }
}

impl From<Funnel> for AnyLimiter {
    fn from(limiter: Funnel) -> Self {
        AnyLimiter::Funnel(limiter)
    }
}

/// Calls the inner limiter.
macro_rules! each {
    ($any:expr, $limiter:ident => $call:expr) => {
        match $any {
            #[cfg(feature = "alloc")]
            AnyLimiter::WindowLog($limiter) => $call,
            AnyLimiter::WindowCounter($limiter) => $call,
            AnyLimiter::FixedWindow($limiter) => $call,
            AnyLimiter::Funnel($limiter) => $call,
        }
    };
}

impl AnyLimiter {
    /// Allows `n` units together, or denies all of them; 0 units are always allowed.
    /// **O(1)**, unless it is a [`WindowLog`](super::WindowLog).
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        each!(self, limiter => limiter.check_n(n, now))
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything.
    /// **O(1)**, unless it is a [`WindowLog`](super::WindowLog).
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        each!(self, limiter => limiter.peek_n(n, now))
    }

    /// Like [`check_n`](Self::check_n) and at the same cost, with a different quota for this call:
    /// see `check_with` of the variant, such as
    /// [`WindowLog::check_with`](super::WindowLog::check_with).
    pub fn check_with(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        each!(self, limiter => limiter.check_with(quota, n, now))
    }

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything, and
    /// at the cost of [`peek_n`](Self::peek_n).
    pub fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        each!(self, limiter => limiter.peek_with(quota, n, now))
    }

    /// Refunds the `n` newest units, or as many as are on record, and returns how many.
    /// **O(1)**, unless it is a [`WindowLog`](super::WindowLog).
    pub fn refund(&mut self, n: u32) -> u32 {
        each!(self, limiter => limiter.refund(n))
    }

    /// Forgets all recorded units.
    /// **O(1)**, unless it is a [`WindowLog`](super::WindowLog).
    pub fn reset(&mut self) {
        each!(self, limiter => limiter.reset());
    }

    /// Returns the quota. **O(1)**.
    pub fn quota(&self) -> Quota {
        each!(self, limiter => limiter.quota())
    }

    /// Changes the quota; units already allowed stay on record. **O(1)**.
    pub fn set_quota(&mut self, quota: Quota) {
        each!(self, limiter => limiter.set_quota(quota));
    }

    fn idle_from(&self) -> Timestamp {
        each!(self, limiter => PerKey::idle_from(limiter))
    }
}

limiter!([] AnyLimiter);
stored_whole!([] AnyLimiter);
one_quota!(AnyLimiter, Some(AnyLimiter::set_quota), quota_per_call);
