//! [`FixedWindow`]: a plain counter, as a baseline.

use core::time::Duration;

use super::decision::decide_late;
use super::limiter::{counts_of_keys, limiter, one_quota};
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
    counts: FixedCounts,
}

impl FixedWindow {
    /// Makes an unused window. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        let period = quota.period_in_nanos();
        let (forgotten, newest) = (Forgotten::NONE, Timestamp::ZERO);
        let counts = FixedCounts { period, horizon: period, used: 0, forgotten, newest };
        FixedWindow { quota, counts }
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
        self.counts.set_period(quota);
    }

    /// Allows `n` units together, or denies all of them; 0 units are always allowed. **O(1)**.
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        self.counts.check_with(self.quota, n, now)
    }

    /// Like [`check_n`](Self::check_n), with a different quota for this call. **O(1)**.
    ///
    /// All calls share the units. If the period is not that of the call before, it changes as in
    /// [`set_quota`](Self::set_quota).
    pub fn check_with(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        self.counts.check_with(quota, n, now)
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. **O(1)**.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        self.counts.peek_with(self.quota, n, now)
    }

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything.
    /// **O(1)**.
    pub fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        self.counts.peek_with(quota, n, now)
    }

    /// Refunds `n` units of the current window, or as many as it has, and returns how many.
    /// **O(1)**.
    pub fn refund(&mut self, n: u32) -> u32 {
        self.counts.refund(n)
    }

    /// Forgets all recorded units. **O(1)**.
    pub fn reset(&mut self) {
        self.counts.used = 0;
        self.counts.forgotten = Forgotten::NONE;
    }
}

limiter!([] FixedWindow);
counts_of_keys!(FixedWindow, FixedCounts);
one_quota!(FixedWindow, Some(FixedCounts::set_period), quota_per_call);

/// The state of one key, without the quota, which all keys share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedCounts {
    /// The period of the windows: that of the latest quota, in nanoseconds.
    period: u64,
    /// The longest period of a call since the limiter's quota was set, in nanoseconds.
    horizon: u64,
    /// The units in the window of `newest`.
    used: u64,
    /// The units in earlier windows.
    forgotten: Forgotten,
    /// The latest time seen.
    newest: Timestamp,
}

impl FixedCounts {
    /// Changes the period to that of a quota for all later calls.
    fn set_period(&mut self, quota: Quota) {
        self.change_period(quota);
        self.horizon = self.period;
    }

    /// Changes the period of the windows to that of the quota of a call.
    fn change_period(&mut self, quota: Quota) {
        self.period = quota.period_in_nanos();
        let is_unused = self.used == 0 && self.forgotten == Forgotten::NONE;
        self.horizon = if is_unused { self.period } else { self.horizon.max(self.period) };
        let elapsed = self.newest.as_nanos() % self.period;
        if let Some((_, units)) = self.forgotten.within(elapsed + 1, self.newest) {
            self.used = (self.used + units).min(MOST_UNITS);
            self.forgotten = Forgotten::NONE;
        }
    }

    pub(super) fn check_with(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        if now < self.newest {
            return decide_late(now, self.newest, |newest| self.check_with(quota, n, newest));
        }
        if quota.period_in_nanos() != self.period {
            self.change_period(quota);
        }
        let used = self.used_at(now);
        if self.window(now) > self.window(self.newest) {
            self.forgotten.add(self.used, self.newest);
        }
        self.newest = now;
        let decision = self.decide(quota, n, used, now);
        self.used = if decision.is_allowed() { used + u64::from(n) } else { used };
        decision
    }

    pub(super) fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        if quota.period_in_nanos() != self.period {
            let mut changed = self.clone();
            changed.change_period(quota);
            return changed.peek_with(quota, n, now);
        }
        let counted = self.newest.max(now);
        self.decide(quota, n, self.used_at(now), counted).counted_from(now, counted)
    }

    pub(super) fn refund(&mut self, n: u32) -> u32 {
        let refunded = self.used.min(n.into());
        self.used -= refunded;
        // At most `n`.
        refunded as u32
    }

    /// Returns the index of the window that contains `time`.
    fn window(&self, time: Timestamp) -> u64 {
        time.as_nanos() / self.period
    }

    /// Returns the units used in the window that contains `now`.
    fn used_at(&self, now: Timestamp) -> u64 {
        if self.window(now) > self.window(self.newest) { 0 } else { self.used }
    }

    fn decide(&self, quota: Quota, n: u32, used: u64, now: Timestamp) -> Decision {
        let limit = quota.count();
        let rest = self.rest(now);
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

    /// Returns how long until the window of `now` ends.
    fn rest(&self, now: Timestamp) -> Duration {
        Duration::from_nanos(self.period - now.as_nanos() % self.period)
    }

    pub(super) fn idle_from(&self) -> Timestamp {
        let (latest, rest) = match self.used {
            0 => (self.forgotten.latest(), Duration::ZERO),
            _ => (Some(self.newest), self.rest(self.newest)),
        };
        // Under a longer period than that of the latest quota, the units may count for longer.
        let rest =
            if self.horizon > self.period { Duration::from_nanos(self.horizon) } else { rest };
        match (latest, rest) {
            (None, _) | (_, Duration::ZERO) => Timestamp::ZERO,
            (Some(latest), rest) => latest.saturating_add(rest),
        }
    }
}
