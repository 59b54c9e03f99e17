//! [`SlidingWindow`]: the exact sliding window.
//!
//! Invariants:
//!
//! - `units` is the sum of the units of all entries, and the times of the entries ascend.
//! - After a call, every entry is younger than the longest period so far, and all forgotten units
//!   are at least as old as that period.
//! - There are at most [`SPARE_ENTRIES`] more entries than the largest count so far. A denied call
//!   that has restored forgotten units may leave one entry more.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::time::Duration;

use super::counters::{Forgotten, MOST_UNITS};
use super::limiter::Under;
use super::{AnyLimiter, Decision, Direct, Funnel, Limiter, Quota, SingleQuota, Verdict};
use crate::Timestamp;

/// An exact sliding window: it allows at most `count` units in every window of the quota's period.
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
/// The state of a key is a log. The units of a call add at most one entry of 16 bytes. If a log is
/// only used for checks with a single quota, it has at most `count` entries. Any other log has at
/// most 65 entries more than the largest count.
///
/// # Quotas
///
/// A changed quota, or the quota of a call, may have any period. If the period is longer than all
/// previous ones, more may be denied than by an exact window: see below. After a change to a
/// shorter period, entries are still kept for the longest period so far, unless the log has no
/// units at all, not even older ones.
///
/// # Exactness
///
/// A [refund](Direct::refund) takes back the newest units. If it is meant for older units, the
/// window is no longer exact.
///
/// In two cases, an exact window would need unbounded memory. The log then errs on the side of
/// denying:
///
/// - Units are [recorded](Direct::record) beyond the limit. If there are more than 64 entries above
///   the largest count, the two oldest are merged, at the later of their times. This changes no
///   decision unless there are refunds or the count becomes larger.
/// - Units are older than the longest period used so far. Only their number and the time of the
///   newest of them are kept. Under a longer period, all of them count as if they had been allowed
///   at that time. To avoid this, make the limiter with the longest period, and pass shorter
///   periods to [`check_with`](Direct::check_with).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Direct, Quota, SlidingWindow, Timestamp, Verdict};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let quota = Quota::new(2, Duration::from_secs(60))?;
/// let mut window = Direct::new(SlidingWindow::new(quota));
/// assert!(window.check(at(0)).is_allowed());
/// assert!(window.check(at(10)).is_allowed());
/// let retry_after = Duration::from_secs(40); // when the first is a minute old
/// assert_eq!(window.check(at(20)).verdict, Verdict::Denied { retry_after });
/// assert!(window.check(at(60)).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SlidingWindow {
    quota: Quota,
}

impl SlidingWindow {
    /// Makes the algorithm. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        SlidingWindow { quota }
    }

    /// Returns the quota. **O(1)**.
    pub const fn quota(self) -> Quota {
        self.quota
    }
}

impl From<SlidingWindow> for AnyLimiter {
    fn from(limiter: SlidingWindow) -> Self {
        AnyLimiter::SlidingWindow(limiter)
    }
}

impl Limiter for SlidingWindow {
    type State = Log;

    const NEW: Log =
        Log { entries: VecDeque::new(), units: 0, forgotten: Forgotten::NONE, widest: None };

    const ADAPTS: bool = true;

    /// **O(1)** amortized; **O(e)** for e entries if the units are denied, or if the period is
    /// shorter than the longest so far.
    #[inline]
    fn check_n(&self, log: &mut Log, n: u32, now: Timestamp) -> Decision {
        log.check(self.quota, self.quota, n, now)
    }

    /// **O(e)** for e entries.
    fn peek_n(&self, log: &Log, n: u32, now: Timestamp) -> Decision {
        log.decide(self.quota, self.quota, n, now)
    }

    /// **O(1)** amortized. Entries far beyond the limit are merged, to bound the memory; see
    /// [Exactness](Self#exactness).
    fn record(&self, log: &mut Log, n: u32, now: Timestamp) {
        log.advance(self.quota, now);
        log.push(self.quota, n, now);
    }

    /// **O(1)** per entry affected.
    fn refund(&self, log: &mut Log, n: u32) -> u32 {
        log.refund(n)
    }

    fn idle_from(&self, log: &Log) -> Timestamp {
        let horizon = Duration::from_nanos(log.horizon(self.quota));
        log.entries.back().map_or(Timestamp::ZERO, |(time, _)| time.saturating_add(horizon))
    }

    fn adapt(&self, log: &mut Log, before: &Self) {
        if log.units == 0 && log.forgotten == Forgotten::NONE {
            log.widest = None;
            return;
        }
        let horizon = log.horizon(before.quota);
        log.widen(self.quota, before.quota);
        if log.horizon(self.quota) > horizon {
            // The current time is unknown here, so restore all forgotten units. The next call
            // forgets those that are too old.
            log.restore(u64::MAX, Timestamp::ZERO);
        }
    }

    fn terms(&self) -> Option<Funnel> {
        Some(self.quota.into())
    }

    fn under(&self, terms: Funnel) -> Option<impl Limiter<State = Log>> {
        Some(Under { limiter: *self, terms: terms.quota() })
    }
}

impl SingleQuota for SlidingWindow {
    type Terms = Quota;

    fn quota(&self) -> Quota {
        self.quota
    }

    fn set_quota(&mut self, quota: Quota) {
        self.quota = quota;
    }

    fn check_with(&self, log: &mut Log, quota: Quota, n: u32, now: Timestamp) -> Decision {
        log.check(self.quota, quota, n, now)
    }

    fn peek_with(&self, log: &Log, quota: Quota, n: u32, now: Timestamp) -> Decision {
        log.decide(self.quota, quota, n, now)
    }
}

impl Direct<SlidingWindow> {
    /// Returns the number of entries on record. **O(1)**.
    ///
    /// Calls at the same time share an entry.
    pub fn entries(&self) -> usize {
        self.state.entries.len()
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.state.check_invariants(self.limiter.quota);
    }
}

/// The number of entries that a log may have in addition to the largest count, for units recorded
/// beyond the limit. If there are more entries, the two oldest are merged.
const SPARE_ENTRIES: usize = 64;

/// The state of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The time and units of each call. Effective times never decrease, so this is a sorted set
    /// whose elements are inserted and removed only at the ends.
    entries: VecDeque<(Timestamp, u64)>,
    units: u64,
    /// The units older than the horizon.
    forgotten: Forgotten,
    /// The longest period and the largest count so far; `None` if no quota exceeded the limiter's.
    widest: Option<Box<Widest>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Widest {
    /// In nanoseconds.
    period: u64,
    count: u32,
}

impl Log {
    /// Decides by `quota`, the quota of the call, and records the units if they are allowed. `own`
    /// is the limiter's quota.
    #[inline]
    fn check(&mut self, own: Quota, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let horizon = self.horizon(own);
        self.widen(own, quota);
        if self.horizon(own) > horizon {
            self.restore(self.horizon(own), now);
        }
        self.advance(own, now);
        let decision = self.decide(own, quota, n, now);
        if decision.is_allowed() {
            self.push(own, n, now);
        }
        decision
    }

    fn refund(&mut self, n: u32) -> u32 {
        let refunded = self.units.min(n.into());
        let mut missing = refunded;
        while missing > 0 {
            let Some((_, units)) = self.entries.back_mut() else { break };
            let taken = missing.min(*units);
            *units -= taken;
            if *units == 0 {
                self.entries.pop_back();
            }
            missing -= taken;
        }
        self.units -= refunded;
        // The cast is lossless: `refunded` is at most `n`.
        refunded as u32
    }

    /// Returns the longest period so far, in nanoseconds: older entries are forgotten.
    #[inline]
    fn horizon(&self, own: Quota) -> u64 {
        let own = own.period_in_nanos();
        self.widest.as_ref().map_or(own, |widest| widest.period.max(own))
    }

    /// Extends the horizon and the number of entries to what `quota` needs.
    #[inline]
    fn widen(&mut self, own: Quota, quota: Quota) {
        if quota.period_in_nanos() > own.period_in_nanos() || quota.count() > own.count() {
            self.widen_by(quota);
        }
    }

    #[cold]
    fn widen_by(&mut self, quota: Quota) {
        let (period, count) = (quota.period_in_nanos(), quota.count());
        let widest = self.widest.get_or_insert_with(|| Box::new(Widest { period, count }));
        widest.period = widest.period.max(period);
        widest.count = widest.count.max(count);
    }

    /// Records the forgotten units again, at the time of the newest of them, if that time is within
    /// `horizon`.
    #[cold]
    fn restore(&mut self, horizon: u64, now: Timestamp) {
        if let Some(entry) = self.forgotten.within(horizon, now) {
            self.entries.push_front(entry);
            self.units += entry.1;
            self.forgotten = Forgotten::NONE;
        }
    }

    /// Forgets the entries that are too old for any quota so far.
    #[inline]
    fn advance(&mut self, own: Quota, now: Timestamp) {
        let horizon = self.horizon(own);
        while let Some(&(time, units)) = self.entries.front() {
            if now.as_nanos() - time.as_nanos() < horizon {
                break;
            }
            self.entries.pop_front();
            self.units -= units;
            self.forgotten.add(units, time);
        }
    }

    #[inline]
    fn push(&mut self, own: Quota, n: u32, now: Timestamp) {
        let n = u64::from(n).min(MOST_UNITS.saturating_sub(self.units));
        self.units += n;
        match self.entries.back_mut() {
            Some((time, units)) if *time == now => *units += n,
            _ if n > 0 => {
                if self.entries.len() == self.entries.capacity() {
                    self.grow();
                }
                self.entries.push_back((now, n));
            }
            _ => {}
        }
        while self.entries.len() > self.most_entries(own) {
            self.merge_oldest();
        }
    }

    /// Grows by half instead of doubling: most keys have few entries, and there may be many keys.
    #[cold]
    fn grow(&mut self) {
        self.entries.reserve_exact(self.entries.len() / 2 + 1);
    }

    /// Merges the two oldest entries.
    #[cold]
    fn merge_oldest(&mut self) {
        let oldest = self.entries.pop_front().map_or(0, |(_, units)| units);
        if let Some((_, units)) = self.entries.front_mut() {
            *units += oldest;
        }
    }

    fn most_entries(&self, own: Quota) -> usize {
        let count = self.widest.as_ref().map_or(0, |widest| widest.count).max(own.count());
        (count as usize).saturating_add(SPARE_ENTRIES)
    }

    fn check_invariants(&self, own: Quota) {
        let units: u64 = self.entries.iter().map(|&(_, units)| units).sum();
        assert_eq!(units, self.units, "the sum of units is wrong");
        assert!(self.entries.iter().all(|&(_, units)| units > 0), "an entry of no units");
        assert!(self.entries.iter().is_sorted_by_key(|(time, _)| time), "an entry out of order");
        let first = self.entries.front().map_or(Timestamp::MAX, |&(time, _)| time);
        assert!(self.forgotten.latest().is_none_or(|time| time <= first), "forgotten too early");
        // After forgotten units are restored, there may be one entry too many until units are
        // recorded.
        assert!(self.entries.len() <= self.most_entries(own) + 1, "too many entries");
    }

    /// Decides by the entries; `now` must not be before any of them.
    #[expect(clippy::inline_always, reason = "a call takes a tenth of a check")]
    #[inline(always)]
    fn decide(&self, own: Quota, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let limit = u64::from(quota.count());
        let period = quota.period_in_nanos();
        let age = |time: Timestamp| now.as_nanos() - time.as_nanos();
        let is_over = |&(time, _): &(Timestamp, u64)| age(time) >= period;
        // Entries too old for every quota used so far have already been removed, so usually all
        // entries are in the window.
        let over = if self.entries.front().is_some_and(is_over) {
            self.entries.partition_point(is_over)
        } else {
            0
        };
        let forgotten =
            if period <= self.horizon(own) { None } else { self.forgotten.within(period, now) };
        let used = if over == 0 {
            self.units + forgotten.map_or(0, |(_, units)| units)
        } else {
            let mut used = forgotten.map_or(0, |(_, units)| units);
            for (_, units) in self.entries.range(over..) {
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
            let last =
                self.entries.back().filter(|_| over < self.entries.len()).copied().or(forgotten);
            last.map(|(time, _)| time)
        };
        Decision {
            verdict,
            limit: quota.count(),
            remaining: u32::try_from(limit.saturating_sub(used)).unwrap_or(u32::MAX),
            reset_after: last.map_or(Duration::ZERO, ends_in),
        }
    }

    /// Returns the time of the entry whose expiry frees enough units: after it, at least `missing`
    /// units have expired, and at most `kept` remain. The window contains the forgotten entry, if
    /// any, and the entries from index `over` on. It is searched from the nearer end.
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
            for &(time, units) in self.entries.range(over..) {
                sum += units;
                if sum >= missing {
                    return Some(time);
                }
            }
            return None;
        }
        for &(time, units) in self.entries.range(over..).rev() {
            sum += units;
            if sum > kept {
                return Some(time);
            }
        }
        forgotten.map(|(time, _)| time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_grows_by_half() {
        let window = SlidingWindow::new(Quota::new(99, Duration::from_secs(60)).unwrap());
        let mut log = SlidingWindow::NEW;
        for capacity in [1, 2, 4, 4, 7, 7, 7, 11, 11, 11, 11] {
            let now = Timestamp::from_nanos(log.units);
            assert!(window.check_n(&mut log, 1, now).is_allowed());
            assert_eq!(log.entries.capacity(), capacity, "of {} entries", log.entries.len());
        }
    }
}
