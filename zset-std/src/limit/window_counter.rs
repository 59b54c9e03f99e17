//! [`WindowCounter`]: an approximate sliding window made of two counters.

use core::time::Duration;

use super::decision::decide_late;
use super::limiter::{counts_of_keys, limiter, one_quota};
use super::{Decision, Quota, Verdict};
use crate::Timestamp;

/// An approximate sliding window for one key, in constant memory: for long windows and large
/// limits.
///
/// It counts units in windows that start at multiples of the period. The previous window is
/// weighted by the part of it that a sliding window would still cover, as if its units were spread
/// evenly (as described by Cloudflare in "How we built rate limiting capable of scaling to millions
/// of domains", 2017):
///
/// ```text
///      previous           current
/// ├────────────────┼────────────────┤
///        ├──────────────────┤ now          previous * 9/16 + current, rounded up
/// ```
///
/// **Error**: if the units of the previous window came late in it, a sliding window may see more
/// than the limit, though always less than twice the limit; if they came early, fewer units than
/// the limit are allowed. With arrivals at random times, the units in any sliding window stay
/// within a few percent of the limit: a test measures this against [`WindowLog`](super::WindowLog).
/// If the time steps back, the latest time seen is used.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Quota, Timestamp, WindowCounter};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut counter = WindowCounter::new(Quota::new(1_000_000, Duration::from_secs(86_400))?);
/// assert!(counter.check_n(1_000_000, at(0)).is_allowed());
/// // Six hours into the next day, three quarters of them still count.
/// assert_eq!(counter.peek_n(0, at(86_400 + 21_600)).remaining, 250_000);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowCounter {
    quota: Quota,
    counts: Counts,
}

impl WindowCounter {
    /// Makes an unused counter. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        WindowCounter { quota, counts: Counts::new(quota) }
    }

    /// Returns the quota. **O(1)**.
    pub const fn quota(&self) -> Quota {
        self.quota
    }

    /// Changes the quota; units already allowed stay on record. **O(1)**.
    ///
    /// The times of single units are not recorded. If the period changes, each unit counts in the
    /// latest window of the new period in which it may have been allowed: an error towards denial.
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

    /// Refunds the `n` newest units, or as many as there are in the current window and the previous
    /// one, and returns how many. **O(1)**.
    pub fn refund(&mut self, n: u32) -> u32 {
        self.counts.refund(n)
    }

    /// Forgets all recorded units. **O(1)**.
    pub fn reset(&mut self) {
        self.counts.clear();
    }
}

limiter!([] WindowCounter);
counts_of_keys!(WindowCounter, Counts);
one_quota!(WindowCounter, Some(Counts::set_period), quota_per_call);

/// The state of one key, without the quota, which all keys share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The period of the windows: that of the latest quota, in nanoseconds.
    period: u64,
    /// The longest period of a call since the limiter's quota was set, in nanoseconds.
    horizon: u64,
    in_windows: InWindows,
    /// The units in earlier windows.
    forgotten: Forgotten,
    /// The latest time seen.
    newest: Timestamp,
}

/// The units in the current window, and in the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InWindows {
    previous: u64,
    current: u64,
}

impl InWindows {
    const NONE: InWindows = InWindows { previous: 0, current: 0 };
}

impl Counts {
    const fn new(quota: Quota) -> Counts {
        Counts {
            period: quota.period_in_nanos(),
            horizon: quota.period_in_nanos(),
            in_windows: InWindows::NONE,
            forgotten: Forgotten::NONE,
            newest: Timestamp::ZERO,
        }
    }

    /// Changes the period to that of a quota for all later calls.
    fn set_period(&mut self, quota: Quota) {
        self.change_period(quota);
        self.horizon = self.period;
    }

    /// Changes the period of the windows to that of the quota of a call.
    fn change_period(&mut self, quota: Quota) {
        // Groups of units, each with the latest time at which its units may have been allowed.
        let groups = [
            (self.newest, self.in_windows.current),
            (self.previous_end(), self.in_windows.previous),
            self.forgotten.within(u64::MAX, self.newest).unwrap_or_default(),
        ];
        self.clear();
        self.period = quota.period_in_nanos();
        let is_unused = groups.iter().all(|&(_, units)| units == 0);
        self.horizon = if is_unused { self.period } else { self.horizon.max(self.period) };
        for (latest, units) in groups {
            let count = match self.window(self.newest) - self.window(latest) {
                0 => &mut self.in_windows.current,
                1 => &mut self.in_windows.previous,
                _ => {
                    self.forgotten.add(units, latest);
                    continue;
                }
            };
            *count = (*count + units).min(MOST_UNITS);
        }
    }

    fn clear(&mut self) {
        (self.in_windows, self.forgotten) = (InWindows::NONE, Forgotten::NONE);
    }

    pub(super) fn check_with(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        if now < self.newest {
            return decide_late(now, self.newest, |newest| self.check_with(quota, n, newest));
        }
        if quota.period_in_nanos() != self.period {
            self.change_period(quota);
        }
        self.advance(now);
        let decision = self.decide(quota, n, self.in_windows, now);
        if decision.is_allowed() {
            self.in_windows.current += u64::from(n);
        }
        decision
    }

    pub(super) fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        if quota.period_in_nanos() != self.period {
            let mut changed = self.clone();
            changed.change_period(quota);
            return changed.peek_with(quota, n, now);
        }
        let counted = self.newest.max(now);
        self.decide(quota, n, self.in_windows_at(now), counted).counted_from(now, counted)
    }

    pub(super) fn refund(&mut self, n: u32) -> u32 {
        let current = self.in_windows.current.min(n.into());
        let previous = self.in_windows.previous.min(u64::from(n) - current);
        self.in_windows.current -= current;
        self.in_windows.previous -= previous;
        // At most `n`.
        (current + previous) as u32
    }

    /// Returns the index of the window that contains `time`.
    fn window(&self, time: Timestamp) -> u64 {
        time.as_nanos() / self.period
    }

    /// Returns the last nanosecond of the window before that of `newest`.
    fn previous_end(&self) -> Timestamp {
        let start = self.window(self.newest) * self.period;
        Timestamp::from_nanos(start.saturating_sub(1))
    }

    /// Returns the units in the window that contains `now`, and in the one before it.
    fn in_windows_at(&self, now: Timestamp) -> InWindows {
        match self.window(now).saturating_sub(self.window(self.newest)) {
            0 => self.in_windows,
            1 => InWindows { previous: self.in_windows.current, current: 0 },
            _ => InWindows::NONE,
        }
    }

    /// Records a time not before `newest`, and moves on to its window.
    fn advance(&mut self, now: Timestamp) {
        let InWindows { previous, current } = self.in_windows;
        let windows = self.window(now) - self.window(self.newest);
        if windows > 0 {
            self.forgotten.add(previous, self.previous_end());
        }
        if windows > 1 {
            self.forgotten.add(current, self.newest);
        }
        self.in_windows = self.in_windows_at(now);
        self.newest = now;
    }

    fn decide(&self, quota: Quota, n: u32, counts: InWindows, now: Timestamp) -> Decision {
        let limit = quota.count();
        let period = self.period;
        let elapsed = now.as_nanos() % period;
        let rest = period - elapsed;
        let weighed = u128::from(counts.previous) * u128::from(rest);
        // At most `counts.previous`.
        let weighed = weighed.div_ceil(period.into()) as u64;
        let used = weighed + counts.current;
        let room = u64::from(limit).saturating_sub(used);
        let verdict = if n > limit {
            Verdict::Never
        } else if n == 0 || u64::from(n) <= room {
            Verdict::Allowed
        } else {
            let wanted = u64::from(limit - n);
            let retry_after = match wanted.checked_sub(counts.current) {
                // In this window, once the weight of the previous one is small enough.
                Some(room) => sliding_out(counts.previous, room, period) - elapsed,
                // In the next window.
                None => rest + sliding_out(counts.current, wanted, period),
            };
            Verdict::Denied { retry_after: Duration::from_nanos(retry_after) }
        };
        let taken = if verdict == Verdict::Allowed { u64::from(n) } else { 0 };
        let reset_after = match (counts.current + taken, counts.previous) {
            (0, 0) => 0,
            (0, _) => rest,
            _ => rest + period,
        };
        Decision {
            verdict,
            limit,
            // At most the limit.
            remaining: (room - taken) as u32,
            reset_after: Duration::from_nanos(reset_after),
        }
    }

    pub(super) fn idle_from(&self) -> Timestamp {
        let rest = self.period - self.newest.as_nanos() % self.period;
        let (latest, rest) = match self.in_windows {
            InWindows { previous: 0, current: 0 } => (self.forgotten.latest(), 0),
            InWindows { current: 0, .. } => (Some(self.newest), rest),
            InWindows { .. } => (Some(self.newest), rest + self.period),
        };
        // Under a longer period than that of the latest quota, the units may count for longer.
        let rest = if self.horizon > self.period { 2 * self.horizon } else { rest };
        match (latest, rest) {
            (None, _) | (_, 0) => Timestamp::ZERO,
            (Some(latest), rest) => latest.saturating_add(Duration::from_nanos(rest)),
        }
    }
}

/// Returns how far into a window the `units` of the previous one count as at most `room`.
fn sliding_out(units: u64, room: u64, period: u64) -> u64 {
    if units <= room {
        return 0;
    }
    let allowed = u128::from(room) * u128::from(period) / u128::from(units);
    // Less than the period, since `room` is less than `units`.
    period - allowed as u64
}

/// The largest number of units counted: above any limit, and small enough that sums cannot
/// overflow.
pub(super) const MOST_UNITS: u64 = u64::MAX / 4;

/// The number of units that a limiter has forgotten, and a time by which all of them were allowed.
///
/// They may count again under a quota with a longer period. The limiter then assumes that all of
/// them were allowed as late as possible: an error towards denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forgotten {
    units: u64,
    /// None of the units was allowed after this time.
    latest: Timestamp,
}

impl Forgotten {
    pub(super) const NONE: Forgotten = Forgotten { units: 0, latest: Timestamp::ZERO };

    /// Adds units, none of which was allowed after `latest`.
    pub(super) fn add(&mut self, units: u64, latest: Timestamp) {
        if units > 0 {
            self.units = self.units.saturating_add(units).min(MOST_UNITS);
            self.latest = self.latest.max(latest);
        }
    }

    /// Returns the units and the time at which they count, if they may be less than `period`
    /// nanoseconds old.
    pub(super) fn within(&self, period: u64, now: Timestamp) -> Option<(Timestamp, u64)> {
        let age = now.as_nanos().saturating_sub(self.latest.as_nanos());
        (self.units > 0 && age < period).then_some((self.latest, self.units))
    }

    /// Returns a time by which all of the units were allowed, if there are any.
    pub(super) fn latest(&self) -> Option<Timestamp> {
        (self.units > 0).then_some(self.latest)
    }
}
