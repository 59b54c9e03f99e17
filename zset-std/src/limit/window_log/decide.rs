//! Deciding by the entries of a log, and maintaining them.

use core::time::Duration;

use super::WindowLog;
use crate::Timestamp;
use crate::limit::forgotten::{Forgotten, MOST_UNITS};
use crate::limit::{Decision, Quota, Verdict};

/// The number of entries kept beyond the largest count: that many calls can be recorded beyond the
/// limit, and refunded again, before the oldest are merged.
const SPARE_ENTRIES: usize = 64;

impl WindowLog {
    /// Extends the horizon and the number of entries to what `quota` needs.
    pub(super) fn widen(&mut self, quota: Quota) {
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
    pub(super) fn advance(&mut self, now: Timestamp) -> Timestamp {
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
    pub(super) fn push(&mut self, n: u32, now: Timestamp) {
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

    pub(super) fn most_entries(&self) -> usize {
        (self.most as usize).saturating_add(SPARE_ENTRIES)
    }

    /// Decides by the entries; `now` must not be before any of them.
    #[inline]
    pub(super) fn decide(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let limit = u64::from(quota.count());
        let period = quota.period_in_nanos();
        let age = |time: Timestamp| now.as_nanos() - time.as_nanos();
        let is_over = |&(time, _): &(Timestamp, u64)| age(time) >= period;
        // Entries too old for any quota are already forgotten, so usually none is outside the window.
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

    /// Returns the time of the entry whose expiry frees enough units: after it, `missing` are gone, and at most
    /// `kept` stay. The window has the forgotten entry, if any, and those from index `over` on; it is searched
    /// from the nearer end.
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
