//! [`Limits`]: several limits combined.

use alloc::boxed::Box;
use core::time::Duration;

use super::limiter::{limiter, stored_whole};
use super::{Decision, Limiter, Verdict};
use crate::Timestamp;

/// Several limiters of one key that must all agree, e.g. ten per second and a hundred per minute.
///
/// All limiters are checked before any units are taken, so a denial by one takes nothing from the
/// others. A denial reports the longest wait. The `limit` of a [`Decision`] is the smallest limit,
/// and `reset_after` is the time until all limiters would allow that many units.
///
/// To combine limiters of different types, see [`AnyLimiter`](super::AnyLimiter).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Keyed, Limits, Quota, Timestamp, WindowLog};
///
/// let per_second = WindowLog::new(Quota::new(2, Duration::from_secs(1))?);
/// let per_minute = WindowLog::new(Quota::new(3, Duration::from_secs(60))?);
/// let limiter: Keyed<u32, _> = Keyed::of(Limits::all([per_second, per_minute]));
/// let decision = limiter.at(Timestamp::ZERO).check_n(&1, 2);
/// assert!(decision.is_allowed());
/// // The minute would allow one more, the second none.
/// assert_eq!((decision.limit, decision.remaining), (2, 0));
/// // Both deny two more, the minute for longer.
/// let denied = limiter.at(Timestamp::ZERO).check_n(&1, 2);
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(60)));
/// // Nothing was taken: the second allows two more, the minute one more.
/// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
/// assert_eq!(limiter.at(later).check_n(&1, 1).remaining, 0);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits<L> {
    limits: Box<[L]>,
}

impl<L: Limiter> Limits<L> {
    /// Combines limiters into one; without any limiters, it allows everything. **O(k)** for k
    /// limiters.
    pub fn all(limits: impl IntoIterator<Item = L>) -> Self {
        Limits { limits: limits.into_iter().collect() }
    }

    /// Returns the limiters, in the order given. **O(1)**.
    pub fn as_slice(&self) -> &[L] {
        &self.limits
    }

    /// Returns the limiters mutably, e.g. to change the quota of one of them. **O(1)**.
    pub fn as_mut_slice(&mut self) -> &mut [L] {
        &mut self.limits
    }

    /// Allows `n` units together, or denies all of them; 0 units are always allowed. **O(l)**
    /// checks for l limiters: at most one allowed and two denied calls of each.
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        let verdict = self.verdict(n, now);
        let taken = if verdict == Verdict::Allowed { n } else { 0 };
        // Even 0 units are checked, so that each limiter sees the time.
        let decisions = self.limits.iter_mut().map(|limiter| limiter.check_n(taken, now));
        let (limit, remaining) = smallest(decisions);
        self.decision(verdict, limit, remaining, now)
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. The cost is
    /// that of all limiters together, at least **O(k)**; if the units would be allowed, all
    /// limiters are cloned.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        let verdict = self.verdict(n, now);
        if verdict == Verdict::Allowed && n > 0 {
            // The remaining units are those after this check.
            return self.clone().check_n(n, now);
        }
        let (limit, remaining) = smallest(self.limits.iter().map(|limiter| limiter.peek_n(0, now)));
        self.decision(verdict, limit, remaining, now)
    }

    /// Refunds the `n` newest units of each limiter, or as many as it has on record, and returns
    /// the largest number refunded by any of them. The cost is that of all limiters together, at
    /// least **O(k)**.
    pub fn refund(&mut self, n: u32) -> u32 {
        self.limits.iter_mut().map(|limiter| limiter.refund(n)).max().unwrap_or(0)
    }

    /// Forgets all recorded units. The cost is that of all limiters together, at least **O(k)**.
    pub fn reset(&mut self) {
        self.limits.iter_mut().for_each(Limiter::reset);
    }

    fn idle_from(&self) -> Timestamp {
        self.limits.iter().map(L::idle_from).max().unwrap_or(Timestamp::ZERO)
    }

    /// Returns a decision whose `reset_after` is the longest wait of all limiters for `limit`
    /// units.
    fn decision(&self, verdict: Verdict, limit: u32, remaining: u32, now: Timestamp) -> Decision {
        let reset_after = match self.verdict(limit, now) {
            Verdict::Denied { retry_after } => retry_after,
            Verdict::Allowed | Verdict::Never => Duration::ZERO,
        };
        Decision { verdict, limit, remaining, reset_after }
    }

    /// Returns the combined verdict of all limiters, with the longest wait.
    fn verdict(&self, n: u32, now: Timestamp) -> Verdict {
        let mut together = Verdict::Allowed;
        for limiter in &self.limits {
            together = match (together, limiter.peek_n(n, now).verdict) {
                (Verdict::Never, _) | (_, Verdict::Never) => Verdict::Never,
                (Verdict::Denied { retry_after: a }, Verdict::Denied { retry_after: b }) => {
                    Verdict::Denied { retry_after: a.max(b) }
                }
                (verdict, Verdict::Allowed) | (Verdict::Allowed, verdict) => verdict,
            };
        }
        together
    }
}

/// Returns the smallest limit and the fewest remaining units.
fn smallest(decisions: impl Iterator<Item = Decision>) -> (u32, u32) {
    decisions.fold((u32::MAX, u32::MAX), |(limit, remaining), decision| {
        (limit.min(decision.limit), remaining.min(decision.remaining))
    })
}

limiter!([L: Limiter] Limits<L>);
stored_whole!([L: Limiter] Limits<L>);
