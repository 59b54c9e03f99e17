//! [`WindowCounter`]: a sliding window of two counters.

use std::time::Duration;

use super::limiter::private::Sealed;
use super::{Decision, Limiter, Quota, Verdict};
use crate::Timestamp;

/// An approximate sliding window for one key, in constant memory: for long windows and large limits.
///
/// It counts in windows that start at the multiples of the period, and takes the last one into
/// account by the part of it that a sliding window would still see, as if its units had been spread
/// evenly (as Cloudflare described it, "How we built rate limiting capable of scaling to millions of
/// domains", 2017):
///
/// ```text
///      previous           current
/// ├────────────────┼────────────────┤
///        ├──────────────────┤ now          previous * 9/16 + current, rounded up
/// ```
///
/// **Its error**: if what passed in the last window came late in it, more than the limit passes in a
/// sliding window, though always less than twice the limit; if it came early, less than the limit
/// passes. With arrivals at random times the units in any sliding window stay within a few percent
/// of the limit: a test measures it against [`WindowLog`](super::WindowLog).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Quota, Timestamp, WindowCounter};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut counter = WindowCounter::new(Quota::new(1_000_000, Duration::from_secs(86_400))?);
/// assert!(counter.check_n_at(1_000_000, at(0)).is_allowed());
/// // Six hours into the next day, three quarters of them still count.
/// assert_eq!(counter.peek_at(0, at(86_400 + 21_600)).remaining, 250_000);
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowCounter {
    quota: Quota,
    counts: Counts,
    /// The latest time that was told.
    newest: Timestamp,
}

/// The units of two windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    previous: u32,
    current: u32,
}

impl WindowCounter {
    /// Makes an unused counter.
    ///
    /// # Examples
    ///
    /// See [`WindowCounter`].
    pub fn new(quota: Quota) -> Self {
        WindowCounter { quota, counts: Counts::default(), newest: Timestamp::ZERO }
    }

    /// Lets one unit pass, or denies it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowCounter};
    ///
    /// let mut counter = WindowCounter::new(Quota::new(1, Duration::from_secs(1))?);
    /// assert!(counter.check_at(Timestamp::ZERO).is_allowed());
    /// assert!(!counter.check_at(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_at(&mut self, now: Timestamp) -> Decision {
        self.check_n_at(1, now)
    }

    /// Lets `n` units pass together, or denies all of them; 0 units pass always. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`WindowCounter`].
    pub fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.counts = self.counts_at(now);
        self.newest = self.newest.max(now);
        let decision = self.decide(n, self.counts, self.newest);
        if decision.is_allowed() {
            self.counts.current += n;
        }
        decision
    }

    /// Returns what [`check_n_at`](Self::check_n_at) would answer; nothing passes. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowCounter};
    ///
    /// let mut counter = WindowCounter::new(Quota::new(1, Duration::from_secs(1))?);
    /// let peeked = counter.peek_at(1, Timestamp::ZERO);
    /// assert_eq!(peeked, counter.check_at(Timestamp::ZERO));
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.decide(n, self.counts_at(now), self.newest.max(now))
    }

    /// Returns the units of the window of a time, and of the one before it.
    fn counts_at(&self, now: Timestamp) -> Counts {
        let window = |time: Timestamp| time.as_nanos() / self.quota.period_in_nanos();
        match window(now).saturating_sub(window(self.newest)) {
            0 => self.counts,
            1 => Counts { previous: self.counts.current, current: 0 },
            _ => Counts::default(),
        }
    }

    fn decide(&self, n: u32, counts: Counts, now: Timestamp) -> Decision {
        let limit = self.quota.count();
        let period = self.quota.period_in_nanos();
        let elapsed = now.as_nanos() % period;
        let rest = period - elapsed;
        let weighed = u128::from(counts.previous) * u128::from(rest);
        // At most the previous count.
        let weighed = weighed.div_ceil(period.into()) as u32;
        // Both are at most the limit; their sum may be more than a u32 holds.
        let used = u64::from(weighed) + u64::from(counts.current);
        let room = u64::from(limit).saturating_sub(used);
        let verdict = if n > limit {
            Verdict::Never
        } else if n == 0 || u64::from(n) <= room {
            Verdict::Allowed
        } else {
            let retry_after = match (limit - n).checked_sub(counts.current) {
                // In this window, when little enough is left of the last one.
                Some(room) => sliding_out(counts.previous, room, period) - elapsed,
                // In the next window.
                None => rest.saturating_add(sliding_out(counts.current, limit - n, period)),
            };
            Verdict::Denied { retry_after: Duration::from_nanos(retry_after) }
        };
        let taken = if verdict == Verdict::Allowed { n } else { 0 };
        let reset_after = match (counts.current + taken, counts.previous) {
            (0, 0) => 0,
            (0, _) => rest,
            _ => rest.saturating_add(period),
        };
        Decision {
            verdict,
            limit,
            remaining: u32::try_from(room - u64::from(taken)).unwrap_or(u32::MAX),
            reset_after: Duration::from_nanos(reset_after),
        }
    }
}

/// Returns how far into a window the units of the one before it count as at most `room`.
fn sliding_out(units: u32, room: u32, period: u64) -> u64 {
    if units <= room {
        return 0;
    }
    let allowed = u128::from(room) * u128::from(period) / u128::from(units);
    // Less than the period, since the room is less than the units.
    period - allowed as u64
}

impl Limiter for WindowCounter {
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n_at(n, now)
    }

    fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_at(n, now)
    }
}

impl Sealed for WindowCounter {
    fn idle_at(&self) -> Timestamp {
        self.newest.saturating_add(self.peek_at(0, self.newest).reset_after)
    }
}
