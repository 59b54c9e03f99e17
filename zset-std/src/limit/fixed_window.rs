//! [`FixedWindow`]: a plain counter, as a baseline.

use core::time::Duration;

use super::decision::decide_late;
use super::limiter::{limiter, one_quota, stored_whole};
use super::window_counter::{Forgotten, MOST_UNITS};
use super::{Decision, Quota, Verdict};
use crate::Timestamp;

/// A counter of one key that restarts at every multiple of the period.
///
/// It is the simplest limiter, and it can allow **twice the limit** almost at once: the whole limit
/// at the end of one window, and again at the start of the next. It is a baseline for comparing the
/// others; [`WindowLog`](super::WindowLog) and [`Funnel`](super::Funnel) have no such boundary. If
/// the time steps back, the latest time seen is used.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FixedWindow, Quota, Timestamp};
///
/// let mut window = FixedWindow::new(Quota::new(100, Duration::from_secs(1))?);
/// let end = Timestamp::from_nanos(999_999_999);
/// assert!(window.check_n(100, end).is_allowed());
/// // One nanosecond later, 100 more: 200 within two nanoseconds.
/// assert!(window.check_n(100, end.saturating_add(Duration::from_nanos(1))).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedWindow {
    quota: Quota,
    /// The units in the window of `newest`.
    used: u64,
    /// The units in earlier windows.
    forgotten: Forgotten,
    /// The latest time seen.
    newest: Timestamp,
}

impl FixedWindow {
    /// Makes an unused window. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        FixedWindow { quota, used: 0, forgotten: Forgotten::NONE, newest: Timestamp::ZERO }
    }

    /// Returns the quota. **O(1)**.
    pub const fn quota(&self) -> Quota {
        self.quota
    }

    /// Changes the quota; units already allowed stay on record. **O(1)**.
    ///
    /// The times of single units are not recorded. If the period changes, units that may fall in
    /// the current window of the new period count there: an error towards denial.
    pub fn set_quota(&mut self, quota: Quota) {
        self.quota = quota;
        let elapsed = self.newest.as_nanos() % quota.period_in_nanos();
        if let Some((_, units)) = self.forgotten.within(elapsed + 1, self.newest) {
            self.used = (self.used + units).min(MOST_UNITS);
            self.forgotten = Forgotten::NONE;
        }
    }

    /// Allows `n` units together, or denies all of them; 0 units are always allowed. **O(1)**.
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        if now < self.newest {
            return decide_late(now, self.newest, |newest| self.check_n(n, newest));
        }
        let used = self.used_at(now);
        if self.window(now) > self.window(self.newest) {
            self.forgotten.add(self.used, self.newest);
        }
        self.newest = now;
        let decision = self.decide(n, used, now);
        self.used = if decision.is_allowed() { used + u64::from(n) } else { used };
        decision
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. **O(1)**.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        let counted = self.newest.max(now);
        self.decide(n, self.used_at(now), counted).counted_from(now, counted)
    }

    /// Refunds `n` units of the current window, or as many as it has, and returns how many.
    /// **O(1)**.
    pub fn refund(&mut self, n: u32) -> u32 {
        let refunded = self.used.min(n.into());
        self.used -= refunded;
        // At most `n`.
        refunded as u32
    }

    /// Forgets all recorded units. **O(1)**.
    pub fn reset(&mut self) {
        self.used = 0;
        self.forgotten = Forgotten::NONE;
    }

    /// Returns the index of the window that contains `time`.
    fn window(&self, time: Timestamp) -> u64 {
        time.as_nanos() / self.quota.period_in_nanos()
    }

    /// Returns the units used in the window that contains `now`.
    fn used_at(&self, now: Timestamp) -> u64 {
        if self.window(now) > self.window(self.newest) { 0 } else { self.used }
    }

    fn decide(&self, n: u32, used: u64, now: Timestamp) -> Decision {
        let limit = self.quota.count();
        let period = self.quota.period_in_nanos();
        let rest = Duration::from_nanos(period - now.as_nanos() % period);
        // A smaller quota may leave `used` above the limit. The result is at most the limit.
        let room = u64::from(limit).saturating_sub(used) as u32;
        let verdict = if n > limit {
            Verdict::Never
        } else if n <= room {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: rest }
        };
        let taken = if verdict == Verdict::Allowed { n } else { 0 };
        Decision {
            verdict,
            limit,
            remaining: room - taken,
            reset_after: if used > 0 || taken > 0 { rest } else { Duration::ZERO },
        }
    }

    fn idle_from(&self) -> Timestamp {
        match self.peek_n(0, self.newest).reset_after {
            Duration::ZERO => Timestamp::ZERO,
            reset_after => self.newest.saturating_add(reset_after),
        }
    }
}

limiter!([] FixedWindow);
stored_whole!([] FixedWindow);
one_quota!(FixedWindow, Some(FixedWindow::set_quota));
