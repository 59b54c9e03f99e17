//! [`FixedWindow`]: the plain counter, as a baseline.

use std::time::Duration;

use super::limiter::private::Sealed;
use super::{Decision, Limiter, Quota, Verdict};
use crate::Timestamp;

/// A counter of one key that starts again at every multiple of the period.
///
/// It is the simplest limiter, and it lets through **twice the limit** in a moment: all of it at the
/// end of one window, and all of it again at the start of the next. It is here to compare the others
/// with; [`WindowLog`](super::WindowLog) and [`Funnel`](super::Funnel) have no such boundary.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FixedWindow, Quota, Timestamp};
///
/// let mut window = FixedWindow::new(Quota::new(100, Duration::from_secs(1))?);
/// let end = Timestamp::from_nanos(999_999_999);
/// assert!(window.check_n_at(100, end).is_allowed());
/// // A nanosecond later 100 more: 200 in two nanoseconds.
/// assert!(window.check_n_at(100, end.saturating_add(Duration::from_nanos(1))).is_allowed());
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedWindow {
    quota: Quota,
    used: u32,
    /// The latest time that was told.
    newest: Timestamp,
}

impl FixedWindow {
    /// Makes an unused window.
    ///
    /// # Examples
    ///
    /// See [`FixedWindow`].
    pub fn new(quota: Quota) -> Self {
        FixedWindow { quota, used: 0, newest: Timestamp::ZERO }
    }

    /// Lets one unit pass, or denies it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FixedWindow, Quota, Timestamp};
    ///
    /// let mut window = FixedWindow::new(Quota::new(1, Duration::from_secs(1))?);
    /// assert!(window.check_at(Timestamp::ZERO).is_allowed());
    /// assert!(!window.check_at(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_at(&mut self, now: Timestamp) -> Decision {
        self.check_n_at(1, now)
    }

    /// Lets `n` units pass together, or denies all of them; 0 units pass always. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`FixedWindow`].
    pub fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.used = self.used_at(now);
        self.newest = self.newest.max(now);
        let decision = self.decide(n, self.used, self.newest);
        if decision.is_allowed() {
            self.used += n;
        }
        decision
    }

    /// Returns what [`check_n_at`](Self::check_n_at) would answer; nothing passes. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FixedWindow, Quota, Timestamp};
    ///
    /// let mut window = FixedWindow::new(Quota::new(1, Duration::from_secs(1))?);
    /// let peeked = window.peek_at(1, Timestamp::ZERO);
    /// assert_eq!(peeked, window.check_at(Timestamp::ZERO));
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.decide(n, self.used_at(now), self.newest.max(now))
    }

    /// Returns the units that have passed in the window of a time.
    fn used_at(&self, now: Timestamp) -> u32 {
        let window = |time: Timestamp| time.as_nanos() / self.quota.period_in_nanos();
        if window(now) > window(self.newest) { 0 } else { self.used }
    }

    fn decide(&self, n: u32, used: u32, now: Timestamp) -> Decision {
        let limit = self.quota.count();
        let period = self.quota.period_in_nanos();
        let rest = Duration::from_nanos(period - now.as_nanos() % period);
        let verdict = if n > limit {
            Verdict::Never
        } else if n <= limit - used {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: rest }
        };
        let used = if verdict == Verdict::Allowed { used + n } else { used };
        Decision {
            verdict,
            limit,
            remaining: limit - used,
            reset_after: if used > 0 { rest } else { Duration::ZERO },
        }
    }
}

impl Limiter for FixedWindow {
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n_at(n, now)
    }

    fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_at(n, now)
    }
}

impl Sealed for FixedWindow {
    fn idle_at(&self) -> Timestamp {
        self.newest.saturating_add(self.peek_at(0, self.newest).reset_after)
    }
}
