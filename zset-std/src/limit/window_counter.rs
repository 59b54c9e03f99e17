//! [`WindowCounter`]: an approximate sliding window made of two counters.

use core::time::Duration;

use super::decision::decide_late;
use super::limiter::{limiter, one_quota, stored_whole};
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
    /// The units in earlier windows.
    forgotten: Forgotten,
    /// The latest time seen.
    newest: Timestamp,
}

/// The units in the current window, and in the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    previous: u64,
    current: u64,
}

impl Counts {
    const NONE: Counts = Counts { previous: 0, current: 0 };
}

impl WindowCounter {
    /// Makes an unused counter. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        let (counts, forgotten) = (Counts::NONE, Forgotten::NONE);
        WindowCounter { quota, counts, forgotten, newest: Timestamp::ZERO }
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
        // Groups of units, each with the latest time at which its units may have been allowed.
        let groups = [
            (self.newest, self.counts.current),
            (self.previous_end(), self.counts.previous),
            self.forgotten.within(u64::MAX, self.newest).unwrap_or_default(),
        ];
        self.quota = quota;
        self.reset();
        for (latest, units) in groups {
            let count = match self.window(self.newest) - self.window(latest) {
                0 => &mut self.counts.current,
                1 => &mut self.counts.previous,
                _ => {
                    self.forgotten.add(units, latest);
                    continue;
                }
            };
            *count = (*count + units).min(MOST_UNITS);
        }
    }

    /// Allows `n` units together, or denies all of them; 0 units are always allowed. **O(1)**.
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        if now < self.newest {
            return decide_late(now, self.newest, |newest| self.check_n(n, newest));
        }
        self.advance(now);
        let decision = self.decide(n, self.counts, now);
        if decision.is_allowed() {
            self.counts.current += u64::from(n);
        }
        decision
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. **O(1)**.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        let counted = self.newest.max(now);
        self.decide(n, self.counts_at(now), counted).counted_from(now, counted)
    }

    /// Refunds the `n` newest units, or as many as there are in the current window and the previous
    /// one, and returns how many. **O(1)**.
    pub fn refund(&mut self, n: u32) -> u32 {
        let current = self.counts.current.min(n.into());
        let previous = self.counts.previous.min(u64::from(n) - current);
        self.counts.current -= current;
        self.counts.previous -= previous;
        // At most `n`.
        (current + previous) as u32
    }

    /// Forgets all recorded units. **O(1)**.
    pub fn reset(&mut self) {
        (self.counts, self.forgotten) = (Counts::NONE, Forgotten::NONE);
    }

    /// Returns the index of the window that contains `time`.
    fn window(&self, time: Timestamp) -> u64 {
        time.as_nanos() / self.quota.period_in_nanos()
    }

    /// Returns the last nanosecond of the window before that of `newest`.
    fn previous_end(&self) -> Timestamp {
        let start = self.window(self.newest) * self.quota.period_in_nanos();
        Timestamp::from_nanos(start.saturating_sub(1))
    }

    /// Returns the units in the window that contains `now`, and in the one before it.
    fn counts_at(&self, now: Timestamp) -> Counts {
        match self.window(now).saturating_sub(self.window(self.newest)) {
            0 => self.counts,
            1 => Counts { previous: self.counts.current, current: 0 },
            _ => Counts::NONE,
        }
    }

    /// Records a time not before `newest`, and moves on to its window.
    fn advance(&mut self, now: Timestamp) {
        let Counts { previous, current } = self.counts;
        let windows = self.window(now) - self.window(self.newest);
        if windows > 0 {
            self.forgotten.add(previous, self.previous_end());
        }
        if windows > 1 {
            self.forgotten.add(current, self.newest);
        }
        self.counts = self.counts_at(now);
        self.newest = now;
    }

    fn decide(&self, n: u32, counts: Counts, now: Timestamp) -> Decision {
        let limit = self.quota.count();
        let period = self.quota.period_in_nanos();
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

    fn idle_from(&self) -> Timestamp {
        match self.peek_n(0, self.newest).reset_after {
            Duration::ZERO => Timestamp::ZERO,
            reset_after => self.newest.saturating_add(reset_after),
        }
    }
}

limiter!([] WindowCounter);
stored_whole!([] WindowCounter);
one_quota!(WindowCounter, Some(WindowCounter::set_quota));

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
}
