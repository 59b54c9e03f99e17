//! [`WindowLog`]: the exact sliding window of one key.
//!
//! Invariants: `units` is the sum of the log's units. No entry is older than `horizon`, counted from
//! `newest`, the latest time that the log was told.

use std::collections::VecDeque;
use std::time::Duration;

use super::limiter::private::Sealed;
use super::{Decision, Limiter, Quota, Verdict};
use crate::Timestamp;

/// An exact sliding window for one key: at most `count` units in every window of the quota's period.
///
/// The window is half-open, `(now - period, now]`: what passed at time t stops counting at exactly
/// `t + period`. Units pass together or not at all, and what is denied is not recorded, so denied
/// calls do not eat the quota. It replaces the usual recipes of `ZREMRANGEBYSCORE`, `ZCARD` and
/// `ZADD` in Redis.
///
/// ```text
///  2 units a period      period
///               ├──────────────────────┤
///  ──────a──────b───────────d──────────c──────────▶ time
///        ├──────────────────────┤      │
///                           │   │      └ exactly a period after b: b counts no more, c passes
///                           │   └ from here on a counts no more
///                           └ denied: a and b are in the window; not recorded
/// ```
///
/// A call is one entry, whatever its units, so a log has at most `count` entries. The time that is
/// given to it may step back: it then counts as the latest one seen.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Quota, Timestamp, Verdict, WindowLog};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut log = WindowLog::new(Quota::new(2, Duration::from_secs(60))?);
/// assert!(log.check_at(at(0)).is_allowed());
/// assert!(log.check_at(at(10)).is_allowed());
/// let retry_after = Duration::from_secs(40); // until the one at 0 is a minute old
/// assert_eq!(log.check_at(at(20)).verdict, Verdict::Denied { retry_after });
/// assert!(log.check_at(at(60)).is_allowed());
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WindowLog {
    /// The units of each call, and its time. Since no call counts as earlier than the one before,
    /// this is a sorted set to which only the ends are ever added or removed.
    log: VecDeque<(Timestamp, u32)>,
    units: u64,
    quota: Quota,
    /// The longest period that was asked for, in nanoseconds: older entries are forgotten.
    horizon: u64,
    newest: Timestamp,
}

impl WindowLog {
    /// Makes an empty log.
    ///
    /// # Examples
    ///
    /// See [`WindowLog`].
    pub fn new(quota: Quota) -> Self {
        WindowLog {
            log: VecDeque::new(),
            units: 0,
            quota,
            horizon: quota.period_in_nanos(),
            newest: Timestamp::ZERO,
        }
    }

    /// Returns the quota.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, WindowLog};
    ///
    /// let quota = Quota::new(2, Duration::from_secs(60))?;
    /// assert_eq!(WindowLog::new(quota).quota(), quota);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// Changes the quota; what has passed stays on record. **O(1)**.
    ///
    /// With a longer period than the log ever had, it knows only what it has not forgotten: the
    /// units of the longest period until then.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// log.set_quota(Quota::new(2, Duration::from_secs(60))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn set_quota(&mut self, quota: Quota) {
        self.quota = quota;
        self.horizon = self.horizon.max(quota.period_in_nanos());
    }

    /// Lets one unit pass, or denies it. **O(1)**, and for each entry that has become too old; O(n)
    /// entries if it is denied.
    ///
    /// # Examples
    ///
    /// See [`WindowLog`].
    pub fn check_at(&mut self, now: Timestamp) -> Decision {
        self.check_n_at(1, now)
    }

    /// Lets `n` units pass together, or denies all of them; 0 units pass always. **O(1)**, and for
    /// each entry that has become too old; O(n) entries if they are denied.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, Verdict, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(5, Duration::from_secs(1))?);
    /// assert!(log.check_n_at(4, Timestamp::ZERO).is_allowed());
    /// assert!(!log.check_n_at(2, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.check_n_at(0, Timestamp::ZERO).remaining, 1);
    /// assert_eq!(log.check_n_at(6, Timestamp::ZERO).verdict, Verdict::Never);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        let now = self.advance(now);
        let decision = self.decide(self.quota, n, now);
        if decision.is_allowed() {
            self.push(n, now);
        }
        decision
    }

    /// Does what [`check_n_at`](Self::check_n_at) does, by another quota, for this call only.
    ///
    /// All calls share the log. A quota with a longer period than the log ever had knows only what
    /// the log has not forgotten; see [`set_quota`](Self::set_quota).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(log.check_with_at(generous, 3, Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_with_at(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        self.horizon = self.horizon.max(quota.period_in_nanos());
        let now = self.advance(now);
        let decision = self.decide(quota, n, now);
        if decision.is_allowed() {
            self.push(n, now);
        }
        decision
    }

    /// Returns what [`check_n_at`](Self::check_n_at) would answer; nothing passes. **O(n)** entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// let peeked = log.peek_at(1, Timestamp::ZERO);
    /// assert_eq!(peeked, log.check_at(Timestamp::ZERO));
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.decide(self.quota, n, now.max(self.newest))
    }

    /// Returns whether the limit is reached, so that not even one unit would pass. **O(n)** entries.
    ///
    /// With [`record_at`](Self::record_at), it separates the question from the recording: of the
    /// failures to log in, say, which are counted whether allowed or not.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// // After three failures in a minute, a captcha.
    /// let mut failures = WindowLog::new(Quota::new(3, Duration::from_secs(60))?);
    /// for _ in 0..3 {
    ///     assert!(!failures.over_limit_at(Timestamp::ZERO));
    ///     failures.record_at(1, Timestamp::ZERO);
    /// }
    /// assert!(failures.over_limit_at(Timestamp::ZERO));
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn over_limit_at(&self, now: Timestamp) -> bool {
        self.remaining_at(now) == 0
    }

    /// Records `n` units, even beyond the limit. **O(1)**, and for each entry that is forgotten.
    ///
    /// Beyond it, the oldest entries are forgotten that the newer ones make up for, so that there
    /// are never more entries than units allowed.
    ///
    /// # Examples
    ///
    /// See [`over_limit_at`](Self::over_limit_at).
    pub fn record_at(&mut self, n: u32, now: Timestamp) {
        let now = self.advance(now);
        self.push(n, now);
        while let Some(&(_, units)) = self.log.front() {
            if self.units - u64::from(units) < u64::from(self.quota.count()) {
                break;
            }
            self.forget_first();
        }
    }

    /// Gives back `n` units of those that passed last; returns how many there were to give back.
    /// **O(1)** for each entry.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(3, Duration::from_secs(60))?);
    /// assert!(log.check_n_at(3, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.refund(2), 2);
    /// assert_eq!(log.remaining_at(Timestamp::ZERO), 2);
    /// assert_eq!(log.refund(9), 1);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn refund(&mut self, n: u32) -> u32 {
        let mut missing = n;
        while missing > 0 {
            let Some((_, units)) = self.log.back_mut() else { break };
            let given = missing.min(*units);
            *units -= given;
            if *units == 0 {
                self.log.pop_back();
            }
            missing -= given;
            self.units -= u64::from(given);
        }
        n - missing
    }

    /// Forgets everything that passed. **O(n)** entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// log.reset();
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn reset(&mut self) {
        self.log.clear();
        self.units = 0;
    }

    /// Returns the units that would pass now. **O(n)** entries.
    ///
    /// # Examples
    ///
    /// See [`refund`](Self::refund).
    pub fn remaining_at(&self, now: Timestamp) -> u32 {
        self.peek_at(0, now).remaining
    }

    /// Returns how long to wait until `n` units pass, if no others do; none if they never will.
    /// **O(n)** entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.retry_after_at(1, Timestamp::ZERO), Some(Duration::from_secs(60)));
    /// assert_eq!(log.retry_after_at(2, Timestamp::ZERO), None);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn retry_after_at(&self, n: u32, now: Timestamp) -> Option<Duration> {
        self.peek_at(n, now).retry_after()
    }

    /// Returns how long it takes until all units of the limit would pass, if no others do.
    /// **O(n)** entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert_eq!(log.reset_after_at(Timestamp::ZERO), Duration::ZERO);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn reset_after_at(&self, now: Timestamp) -> Duration {
        self.peek_at(0, now).reset_after
    }

    /// Returns the number of entries: of calls that are on record. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(9, Duration::from_secs(60))?);
    /// assert!(log.check_n_at(5, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.entries(), 1);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn entries(&self) -> usize {
        self.log.len()
    }

    /// Notes the time, forgets what is too old for any quota, and returns the time to count with.
    fn advance(&mut self, now: Timestamp) -> Timestamp {
        self.newest = self.newest.max(now);
        while let Some((time, _)) = self.log.front() {
            if self.newest.as_nanos() - time.as_nanos() < self.horizon {
                break;
            }
            self.forget_first();
        }
        self.newest
    }

    fn forget_first(&mut self) {
        if let Some((_, units)) = self.log.pop_front() {
            self.units -= u64::from(units);
        }
    }

    fn push(&mut self, n: u32, now: Timestamp) {
        if n > 0 {
            self.log.push_back((now, n));
            self.units += u64::from(n);
        }
    }

    /// Decides by the entries; `now` is not before any of them.
    fn decide(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let limit = u64::from(quota.count());
        let period = quota.period();
        // Before the first period is over, no entry is too old.
        let start = now.as_nanos().checked_sub(quota.period_in_nanos()).map(Timestamp::from_nanos);
        let is_over = |&(time, _): &(Timestamp, u32)| start.is_some_and(|start| time <= start);
        // Those that no quota needs are forgotten, so mostly none is over.
        let over = if self.log.front().is_some_and(is_over) {
            self.log.partition_point(is_over)
        } else {
            0
        };
        let mut in_window = self.log.range(over..);
        let used = if over == 0 {
            self.units
        } else {
            in_window.clone().map(|&(_, units)| u64::from(units)).sum()
        };

        let wanted = used + u64::from(n);
        let verdict = if u64::from(n) > limit {
            Verdict::Never
        } else if n == 0 || wanted <= limit {
            Verdict::Allowed
        } else {
            // The entry by whose end enough units are free.
            let mut missing = wanted - limit;
            let end = in_window.clone().find_map(|&(time, units)| {
                missing = missing.saturating_sub(units.into());
                (missing == 0).then_some(time)
            });
            let end = end.unwrap_or(now).saturating_add(period);
            Verdict::Denied { retry_after: end.saturating_duration_since(now) }
        };
        let is_taken = verdict == Verdict::Allowed && n > 0;
        let used = if is_taken { wanted } else { used };
        let last = if is_taken { Some(now) } else { in_window.next_back().map(|&(time, _)| time) };
        Decision {
            verdict,
            limit: quota.count(),
            remaining: u32::try_from(limit.saturating_sub(used)).unwrap_or(u32::MAX),
            reset_after: last.map_or(Duration::ZERO, |last| {
                last.saturating_add(period).saturating_duration_since(now)
            }),
        }
    }

    /// Panics with what is wrong if an invariant does not hold. For tests: **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        let units: u64 = self.log.iter().map(|&(_, units)| u64::from(units)).sum();
        assert_eq!(units, self.units, "the sum of units is wrong");
        assert!(self.log.iter().all(|&(_, units)| units > 0), "an entry of no units");
        assert!(self.log.iter().is_sorted_by_key(|(time, _)| time), "an entry out of order");
        assert!(self.log.back().is_none_or(|&(time, _)| time <= self.newest), "from the future");
        let oldest = self.log.front().map_or(self.newest, |&(time, _)| time);
        let age = self.newest.as_nanos() - oldest.as_nanos();
        assert!(age <= self.horizon, "an entry that is too old");
    }
}

impl Limiter for WindowLog {
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n_at(n, now)
    }

    fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_at(n, now)
    }
}

impl Sealed for WindowLog {
    fn idle_at(&self) -> Timestamp {
        let horizon = Duration::from_nanos(self.horizon);
        self.log.back().map_or(Timestamp::ZERO, |(time, _)| time.saturating_add(horizon))
    }
}
