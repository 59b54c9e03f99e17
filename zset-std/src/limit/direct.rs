//! [`Direct`]: a limiter of one key.

use super::{Decision, Limiter, Quota, SingleQuota};
use crate::Timestamp;

/// A limiter of one key: an algorithm and its state. Checks take the time as their last argument.
///
/// If the time steps back, the latest time of a check or a record is used, so nothing more is
/// granted. The durations of a [`Decision`] still count from the time of the call.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Direct, Limiter, Quota, SlidingWindow, Timestamp};
/// use zset_std::{FixedWindow, Funnel};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let mut window = Direct::new(SlidingWindow::new(Quota::new(2, Duration::from_secs(60))?));
/// assert!(window.check(at(0)).is_allowed());
/// assert!(window.check(at(10)).is_allowed());
/// assert_eq!(window.check(at(20)).retry_after(), Some(Duration::from_secs(40)));
///
/// // For any algorithm:
/// fn burst(limiter: impl Limiter) -> usize {
///     let mut one = Direct::new(limiter);
///     (0..10).filter(|_| one.check(Timestamp::ZERO).is_allowed()).count()
/// }
///
/// let quota = Quota::new(3, Duration::from_secs(1))?;
/// assert_eq!(burst(FixedWindow::new(quota)), 3);
/// assert_eq!(burst(Funnel::new(quota).with_capacity(5)?), 5);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direct<L: Limiter> {
    pub(super) limiter: L,
    pub(super) state: L::State,
    /// The latest time seen.
    newest: Timestamp,
}

impl<L: Limiter> Direct<L> {
    /// Makes an unused limiter. **O(1)**.
    pub const fn new(limiter: L) -> Self {
        Direct { limiter, state: L::NEW, newest: Timestamp::ZERO }
    }

    /// Returns the algorithm. **O(1)**.
    pub const fn limiter(&self) -> &L {
        &self.limiter
    }

    /// Returns the state, e.g. for a peek of one of several limits. **O(1)**.
    pub const fn state(&self) -> &L::State {
        &self.state
    }

    /// Changes the algorithm, e.g. one quota of [`Limits`](super::Limits). Units already allowed
    /// stay on record, but another variant of [`AnyLimiter`](super::AnyLimiter) drops them. Costs
    /// at most as much as a check.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Direct, FixedWindow, Limits, Quota, Timestamp};
    ///
    /// let window = |count, seconds| {
    ///     Ok::<_, zset_std::limit::QuotaError>(FixedWindow::new(Quota::new(
    ///         count,
    ///         Duration::from_secs(seconds),
    ///     )?))
    /// };
    /// let mut limits = Direct::new(Limits::new([window(2, 1)?, window(3, 60)?]));
    /// assert!(limits.check_n(2, Timestamp::ZERO).is_allowed());
    /// limits.set_limiter(Limits::new([window(4, 1)?, window(3, 60)?]));
    /// assert_eq!(limits.peek_n(0, Timestamp::ZERO).remaining, 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn set_limiter(&mut self, limiter: L) {
        let before = core::mem::replace(&mut self.limiter, limiter);
        if L::ADAPTS {
            self.limiter.adapt(&mut self.state, &before);
        }
    }

    /// Allows one unit, or denies it. Costs as much as [`check_n`](Self::check_n).
    #[inline]
    pub fn check(&mut self, now: Timestamp) -> Decision {
        self.check_n(1, now)
    }

    /// Allows `n` units together, or denies all of them; 0 units are always allowed. **O(1)** for
    /// algorithms in constant memory.
    #[expect(
        clippy::inline_always,
        reason = "a call takes 2 to 3 ns, and a decision through memory"
    )]
    #[inline(always)]
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        if now < self.newest {
            return self.late(now, move |one, newest| one.check_n(n, newest));
        }
        self.newest = now;
        self.limiter.check_n(&mut self.state, n, now)
    }

    /// Returns what [`check`](Self::check) would return, without changing anything, at the same
    /// cost.
    #[inline]
    pub fn peek(&self, now: Timestamp) -> Decision {
        self.peek_n(1, now)
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything, at the same
    /// cost.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.newest);
        self.limiter.peek_n(&self.state, n, counted).counted_from(now, counted)
    }

    /// Returns whether the limit is reached, i.e. whether not even one unit would be allowed. Costs
    /// as much as a peek.
    ///
    /// Together with [`record`](Self::record), this separates checking from recording, e.g. for
    /// failed logins, which are recorded whether or not the limit is reached.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Direct, Quota, SlidingWindow, Timestamp};
    ///
    /// // Show a captcha after three failures in a minute.
    /// let quota = Quota::new(3, Duration::from_secs(60))?;
    /// let mut failures = Direct::new(SlidingWindow::new(quota));
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

    /// Records `n` units, even beyond the limit; 0 units are a no-op. Costs as much as a check.
    pub fn record(&mut self, n: u32, now: Timestamp) {
        if n == 0 {
            return;
        }
        self.newest = self.newest.max(now);
        self.limiter.record(&mut self.state, n, self.newest);
    }

    /// Refunds the `n` newest units, or all on record if they are fewer. Returns the number
    /// refunded. **O(1)**, or for a sliding window, per entry affected.
    ///
    /// These are the newest units of all callers, not those of a particular call. If another call
    /// was allowed in the meantime, the older of the two stays on record, and stops counting
    /// earlier, so a window is no longer exact for the other caller.
    pub fn refund(&mut self, n: u32) -> u32 {
        self.limiter.refund(&mut self.state, n)
    }

    /// Forgets all recorded units, but not the time. **O(1)**, or for a sliding window, **O(e)**
    /// for e entries.
    pub fn reset(&mut self) {
        self.state = L::NEW;
    }

    /// Calls `call` with the latest time seen, after the caller's clock has stepped back.
    ///
    /// Not inlined, so that the usual case constructs its decision in place: copying a decision
    /// right after its fields are written stalls the processor on store forwarding.
    #[cold]
    #[inline(never)]
    fn late(
        &mut self,
        now: Timestamp,
        call: impl FnOnce(&mut Self, Timestamp) -> Decision,
    ) -> Decision {
        let newest = self.newest;
        call(self, newest).counted_from(now, newest)
    }
}

impl<L: SingleQuota> Direct<L> {
    /// Returns the quota. **O(1)**.
    pub fn quota(&self) -> Quota {
        self.limiter.quota()
    }

    /// Changes the quota and, with a [`Funnel`](super::Funnel), its capacity; units already allowed
    /// stay on record. **O(1)**. For the effect of a changed period, see the algorithm, e.g.
    /// [`SlidingWindow`](super::SlidingWindow#quotas). A funnel carries over the time at which it
    /// is empty, not the number of units, so a higher quota may deny at first where a window does
    /// not.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Direct, Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Direct::new(Funnel::new(Quota::new(4, Duration::from_secs(60))?));
    /// assert!(funnel.check_n(2, Timestamp::ZERO).is_allowed());
    /// // Half a minute of leaking is now four units of eight.
    /// funnel.set_quota(Quota::new(8, Duration::from_secs(60))?);
    /// assert_eq!(funnel.peek_n(0, Timestamp::ZERO).remaining, 4);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn set_quota(&mut self, quota: impl Into<L::Terms>) {
        let mut limiter = self.limiter.clone();
        limiter.set_quota(quota.into());
        self.set_limiter(limiter);
    }

    /// Like [`check_n`](Self::check_n) and at the same cost, with a different quota for this call.
    /// All calls share the units: those allowed under one quota count under the others. If the
    /// algorithm is a funnel, pass a [`Funnel`](super::Funnel) to set the capacity as well.
    pub fn check_with(&mut self, quota: impl Into<L::Terms>, n: u32, now: Timestamp) -> Decision {
        let terms = quota.into();
        if now < self.newest {
            return self.late(now, move |one, newest| one.check_with(terms, n, newest));
        }
        self.newest = now;
        self.limiter.check_with(&mut self.state, terms, n, now)
    }

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything.
    pub fn peek_with(&self, quota: impl Into<L::Terms>, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.newest);
        self.limiter.peek_with(&self.state, quota.into(), n, counted).counted_from(now, counted)
    }

    /// Like [`refund`](Self::refund), for units that were allowed under another quota.
    pub fn refund_with(&mut self, quota: impl Into<L::Terms>, n: u32) -> u32 {
        self.limiter.refund_with(&mut self.state, quota.into(), n)
    }
}
