//! [`WindowLog`]: the exact sliding window of one key.
//!
//! Invariants: `units` is the sum of the units in the log, and its times ascend. Every entry is
//! younger than `horizon` at `newest`, the latest time seen; forgotten units are at least that old.
//! There are at most `most + SPARE_ENTRIES` entries.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::counters::{Forgotten, MOST_UNITS};
use super::decision::decide_late;
use super::limiter::{limiter, one_quota, stored_whole};
use super::{AnyLimiter, Decision, Quota, Verdict};
use crate::Timestamp;

/// An exact sliding window for one key: at most `count` units in every window of the quota's
/// period.
///
/// The window is half-open, `(now - period, now]`: a unit allowed at time t stops counting at
/// exactly `t + period`. The units of a call are allowed together or not at all. Denied units are
/// not recorded, so denied calls do not use up the quota. It replaces the usual recipe of
/// `ZREMRANGEBYSCORE`, `ZCARD` and `ZADD` in Redis.
///
/// ```text
///  2 units a period      period
///               ├──────────────────────┤
///  ──────a──────b───────────d──────────c──────────▶ time
///        ├──────────────────────┤      │
///                           │   │      └ exactly a period after b, which no longer counts: allowed
///                           │   └ from here on a no longer counts
///                           └ denied: a and b are in the window; not recorded
/// ```
///
/// A call takes at most one entry of 16 bytes, whatever its units. A log that is only checked with
/// a single quota therefore has at most `count` entries; any other has at most 64 more than the
/// largest count. If the time steps back, the latest time seen is used.
///
/// # Exactness
///
/// In two cases, exactness would need unbounded memory. The log then errs towards denial:
///
/// - Units recorded beyond the limit ([`record`](Self::record)): once there are more than 64
///   entries beyond the largest count, the two oldest are merged, at the later of their times.
///   Without refunds or a larger count, this changes no decision.
/// - Units older than the longest period used so far: only their number and the time of the newest
///   are kept. Under a longer period, all of them count as allowed at that time. To avoid this,
///   make the log with the longest period, and check shorter ones with
///   [`check_with`](Self::check_with).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Quota, Timestamp, Verdict, WindowLog};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut log = WindowLog::new(Quota::new(2, Duration::from_secs(60))?);
/// assert!(log.check(at(0)).is_allowed());
/// assert!(log.check(at(10)).is_allowed());
/// let retry_after = Duration::from_secs(40); // when the first is a minute old
/// assert_eq!(log.check(at(20)).verdict, Verdict::Denied { retry_after });
/// assert!(log.check(at(60)).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowLog {
    /// The time and units of each call. Effective times never decrease, so this is a sorted set
    /// whose elements are inserted and removed only at the ends.
    log: VecDeque<(Timestamp, u64)>,
    units: u64,
    quota: Quota,
    /// The longest period used so far, in nanoseconds: older entries are forgotten.
    horizon: u64,
    /// The largest count used so far.
    most: u32,
    /// The units older than the horizon.
    forgotten: Forgotten,
    newest: Timestamp,
}

impl WindowLog {
    /// Makes an empty log. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        WindowLog {
            log: VecDeque::new(),
            units: 0,
            quota,
            horizon: quota.period_in_nanos(),
            most: quota.count(),
            forgotten: Forgotten::NONE,
            newest: Timestamp::ZERO,
        }
    }

    /// Returns the quota. **O(1)**.
    pub const fn quota(&self) -> Quota {
        self.quota
    }

    /// Changes the quota; units already allowed stay on record. **O(1)**.
    ///
    /// A longer period acts as in [`check_with`](Self::check_with). After a change to a shorter
    /// period, entries are still kept for the longest period so far, unless none is on record.
    pub fn set_quota(&mut self, quota: Quota) {
        self.quota = quota;
        if self.units == 0 && self.forgotten == Forgotten::NONE {
            (self.horizon, self.most) = (quota.period_in_nanos(), quota.count());
        }
        self.widen(quota);
    }

    /// Allows `n` units together, or denies all of them; 0 units are always allowed. **O(1)**
    /// amortized; **O(e)** for e entries if the units are denied, or if the period is shorter than
    /// the longest so far.
    #[inline]
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_with(self.quota, n, now)
    }

    /// Like [`check_n`](Self::check_n) and at the same cost, with a different quota for this call.
    /// All calls share the log.
    ///
    /// A period longer than all before can deny more than an exact window would; see
    /// [Exactness](Self#exactness).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(log.check(Timestamp::ZERO).is_allowed());
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(log.check_with(generous, 3, Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn check_with(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        if now < self.newest {
            return decide_late(now, self.newest, |newest| self.check_with(quota, n, newest));
        }
        self.widen(quota);
        self.advance(now);
        let decision = self.decide(quota, n, now);
        if decision.is_allowed() {
            self.push(n, now);
        }
        decision
    }

    /// Records `n` units, even beyond the limit. **O(1)** amortized.
    ///
    /// Entries far beyond the limit are merged, to bound the memory; see
    /// [Exactness](Self#exactness).
    pub fn record(&mut self, n: u32, now: Timestamp) {
        let now = self.advance(now);
        self.push(n, now);
    }

    /// Refunds the `n` newest units, or as many as are on record, and returns how many. **O(1)**
    /// per entry affected.
    ///
    /// These are the newest units of all callers, not those of a particular call. If another call
    /// was allowed in the meantime, the log then has the older of the two on record, which stops
    /// counting earlier, so the window is no longer exact for the other caller.
    pub fn refund(&mut self, n: u32) -> u32 {
        let refunded = self.units.min(n.into());
        let mut missing = refunded;
        while missing > 0 {
            let Some((_, units)) = self.log.back_mut() else { break };
            let taken = missing.min(*units);
            *units -= taken;
            if *units == 0 {
                self.log.pop_back();
            }
            missing -= taken;
        }
        self.units -= refunded;
        // At most `n`.
        refunded as u32
    }

    /// Forgets all recorded units. **O(e)** for e entries.
    pub fn reset(&mut self) {
        self.log.clear();
        self.units = 0;
        self.forgotten = Forgotten::NONE;
    }

    fn idle_from(&self) -> Timestamp {
        let horizon = Duration::from_nanos(self.horizon);
        self.log.back().map_or(Timestamp::ZERO, |(time, _)| time.saturating_add(horizon))
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        let units: u64 = self.log.iter().map(|&(_, units)| units).sum();
        assert_eq!(units, self.units, "the sum of units is wrong");
        assert!(self.log.iter().all(|&(_, units)| units > 0), "an entry of no units");
        assert!(self.log.iter().is_sorted_by_key(|(time, _)| time), "an entry out of order");
        assert!(self.log.back().is_none_or(|&(time, _)| time <= self.newest), "from the future");
        let oldest = self.log.front().map_or(self.newest, |&(time, _)| time);
        let age = self.newest.as_nanos() - oldest.as_nanos();
        assert!(age <= self.horizon, "an entry that is too old");
        assert!(self.forgotten.within(self.horizon, self.newest).is_none(), "forgotten too early");
        assert!(self.log.len() <= self.most_entries(), "too many entries");
    }
}

impl From<WindowLog> for AnyLimiter {
    fn from(limiter: WindowLog) -> Self {
        AnyLimiter::WindowLog(limiter)
    }
}

limiter!([] WindowLog);
stored_whole!([] WindowLog);
one_quota!(WindowLog, Some(WindowLog::set_quota), quota_per_call);

impl WindowLog {
    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. **O(e)**
    /// for e entries.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_with(self.quota, n, now)
    }

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything.
    /// **O(e)** for e entries.
    pub fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.newest);
        self.decide(quota, n, counted).counted_from(now, counted)
    }

    /// Returns whether the limit is reached, i.e. whether not even one unit would be allowed.
    /// **O(e)** for e entries.
    ///
    /// Together with [`record`](Self::record), this separates checking from recording, e.g. for
    /// failed logins, which are recorded whether or not the limit is reached.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// // Show a captcha after three failures in a minute.
    /// let mut failures = WindowLog::new(Quota::new(3, Duration::from_secs(60))?);
    /// for _ in 0..3 {
    ///     assert!(!failures.over_limit(Timestamp::ZERO));
    ///     failures.record(1, Timestamp::ZERO);
    /// }
    /// assert!(failures.over_limit(Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn over_limit(&self, now: Timestamp) -> bool {
        self.peek_n(0, now).remaining == 0
    }

    /// Returns the number of entries on record. **O(1)**.
    ///
    /// Calls at the same time share an entry.
    pub fn entries(&self) -> usize {
        self.log.len()
    }
}

/// The number of entries kept beyond the largest count: that many calls can be recorded beyond the
/// limit, and refunded again, before the oldest are merged.
const SPARE_ENTRIES: usize = 64;

impl WindowLog {
    /// Extends the horizon and the number of entries to what `quota` needs.
    fn widen(&mut self, quota: Quota) {
        self.most = self.most.max(quota.count());
        if quota.period_in_nanos() > self.horizon {
            self.horizon = quota.period_in_nanos();
            if let Some(entry) = self.forgotten.within(self.horizon, self.newest) {
                self.log.push_front(entry);
                self.units += entry.1;
                self.forgotten = Forgotten::NONE;
                self.merge_oldest();
            }
        }
    }

    /// Records the time, forgets what is too old for any quota, and returns the effective time.
    fn advance(&mut self, now: Timestamp) -> Timestamp {
        self.newest = self.newest.max(now);
        while let Some(&(time, units)) = self.log.front() {
            if self.newest.as_nanos() - time.as_nanos() < self.horizon {
                break;
            }
            self.log.pop_front();
            self.units -= units;
            self.forgotten.add(units, time);
        }
        self.newest
    }

    #[inline]
    fn push(&mut self, n: u32, now: Timestamp) {
        let n = u64::from(n).min(MOST_UNITS.saturating_sub(self.units));
        self.units += n;
        match self.log.back_mut() {
            Some((time, units)) if *time == now => *units += n,
            _ if n > 0 => self.log.push_back((now, n)),
            _ => {}
        }
        self.merge_oldest();
    }

    /// Merges the two oldest entries if there is one entry too many.
    fn merge_oldest(&mut self) {
        if self.log.len() > self.most_entries() {
            let oldest = self.log.pop_front().map_or(0, |(_, units)| units);
            if let Some((_, units)) = self.log.front_mut() {
                *units += oldest;
            }
        }
    }

    fn most_entries(&self) -> usize {
        (self.most as usize).saturating_add(SPARE_ENTRIES)
    }

    /// Decides by the entries; `now` must not be before any of them.
    #[expect(clippy::inline_always, reason = "a call takes a tenth of a check")]
    #[inline(always)]
    fn decide(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let limit = u64::from(quota.count());
        let period = quota.period_in_nanos();
        let age = |time: Timestamp| now.as_nanos() - time.as_nanos();
        let is_over = |&(time, _): &(Timestamp, u64)| age(time) >= period;
        // Entries too old for any quota are already forgotten, so usually none is outside the
        // window.
        let over = if self.log.front().is_some_and(is_over) {
            self.log.partition_point(is_over)
        } else {
            0
        };
        let forgotten =
            if period > self.horizon { self.forgotten.within(period, now) } else { None };
        let used = if over == 0 {
            self.units + forgotten.map_or(0, |(_, units)| units)
        } else {
            let mut used = forgotten.map_or(0, |(_, units)| units);
            for (_, units) in self.log.range(over..) {
                used += units;
            }
            used
        };

        let wanted = used + u64::from(n);
        let ends_in = |time| Duration::from_nanos(period - age(time));
        let verdict = if u64::from(n) > limit {
            Verdict::Never
        } else if n == 0 || wanted <= limit {
            Verdict::Allowed
        } else {
            let end = self.end_of(over, forgotten, wanted - limit, limit - u64::from(n));
            Verdict::Denied { retry_after: ends_in(end.unwrap_or(now)) }
        };
        let is_taken = verdict == Verdict::Allowed && n > 0;
        let used = if is_taken { wanted } else { used };
        let last = if is_taken {
            Some(now)
        } else {
            let last = self.log.back().filter(|_| over < self.log.len()).copied().or(forgotten);
            last.map(|(time, _)| time)
        };
        Decision {
            verdict,
            limit: quota.count(),
            remaining: u32::try_from(limit.saturating_sub(used)).unwrap_or(u32::MAX),
            reset_after: last.map_or(Duration::ZERO, ends_in),
        }
    }

    /// Returns the time of the entry whose expiry frees enough units: after it, `missing` are gone,
    /// and at most `kept` stay. The window has the forgotten entry, if any, and those from index
    /// `over` on; it is searched from the nearer end.
    #[inline]
    fn end_of(
        &self,
        over: usize,
        forgotten: Option<(Timestamp, u64)>,
        missing: u64,
        kept: u64,
    ) -> Option<Timestamp> {
        let mut sum = 0;
        if missing <= kept {
            if let Some((time, units)) = forgotten {
                sum += units;
                if sum >= missing {
                    return Some(time);
                }
            }
            for &(time, units) in self.log.range(over..) {
                sum += units;
                if sum >= missing {
                    return Some(time);
                }
            }
            return None;
        }
        for &(time, units) in self.log.range(over..).rev() {
            sum += units;
            if sum > kept {
                return Some(time);
            }
        }
        forgotten.map(|(time, _)| time)
    }
}
