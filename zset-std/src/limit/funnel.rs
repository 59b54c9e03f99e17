//! [`Funnel`]: a leaky bucket of one key, exact.
//!
//! The level is measured in units times nanoseconds of the period: each nanosecond leaks exactly
//! `count`, and each unit adds exactly `period`, so no fraction is ever lost. The level is at most
//! `capacity * period`, unless a change of quota leaves it higher.

mod read;

use core::time::Duration;

use super::decision::decide_late;
use super::limiter::private::Sealed;
use super::{Decision, Limiter, Quota, SingleQuota, Verdict};
use crate::Timestamp;

/// A funnel for one key: a bucket of `capacity` units that leaks at a rate of `count / period`.
///
/// Units that do not all fit are denied together. A burst of up to the capacity is allowed at once, and
/// then as much as leaks out. This is the leaky bucket as a meter (J. Turner, "New Directions in
/// Communications", IEEE Communications Magazine 24(10), 1986), in integer arithmetic only. If the time
/// steps back, the latest time seen is used.
///
/// Other implementations name these methods `watering` and `left_quota`:
/// [`watering_at`](Self::watering_at) is an alias of [`check_n_at`](Self::check_n_at), and
/// [`left_quota_at`](Self::left_quota_at) of [`remaining_at`](Self::remaining_at).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Funnel, Quota, Timestamp};
///
/// // 15 at once, and one every two seconds.
/// let quota = Quota::new(1, Duration::from_secs(2))?.with_capacity(15)?;
/// let mut funnel = Funnel::new(quota);
/// assert!(funnel.check_n_at(15, Timestamp::ZERO).is_allowed());
/// assert_eq!(funnel.remaining_at(Timestamp::ZERO), 0);
///
/// let decision = funnel.check_at(Timestamp::ZERO);
/// assert_eq!(decision.retry_after(), Some(Duration::from_secs(2)));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Funnel {
    quota: Quota,
    /// The level at `leaking_ts`.
    level: u128,
    leaking_ts: Timestamp,
}

impl Funnel {
    /// Makes an empty funnel. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?.with_capacity(5)?;
    /// assert_eq!(Funnel::new(quota).remaining_at(Timestamp::ZERO), 5);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub const fn new(quota: Quota) -> Self {
        Funnel { quota, level: 0, leaking_ts: Timestamp::ZERO }
    }

    /// Returns the quota. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(2))?.with_capacity(15)?;
    /// assert_eq!(Funnel::new(quota).quota(), quota);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub const fn quota(&self) -> Quota {
        self.quota
    }

    /// Changes the quota; the time at which the funnel will be empty does not change. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(4, Duration::from_secs(60))?);
    /// assert!(funnel.watering_at(2, Timestamp::ZERO).is_allowed());
    /// // Half a minute of leaking is now four units of eight.
    /// funnel.set_quota(Quota::new(8, Duration::from_secs(60))?);
    /// assert_eq!(funnel.remaining_at(Timestamp::ZERO), 4);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn set_quota(&mut self, quota: Quota) {
        let (old, new) = (u128::from(self.quota.count()), u128::from(quota.count()));
        // No overflow: a level is below 2^96, and `new` below 2^32.
        self.level = (self.level * new).div_ceil(old);
        self.quota = quota;
    }

    /// Updates the level to time `now`. **O(1)**.
    ///
    /// There is no need to call this: every check does it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// funnel.make_space_at(Timestamp::from_nanos(5));
    /// assert_eq!(funnel.leaking_ts(), Timestamp::from_nanos(5));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn make_space_at(&mut self, now: Timestamp) {
        let now = now.max(self.leaking_ts);
        self.level = self.level_at(now);
        self.leaking_ts = now;
    }

    /// Allows one unit if there is space for it, or denies it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(1, Duration::from_secs(1))?);
    /// assert!(funnel.check_at(Timestamp::ZERO).is_allowed());
    /// assert!(!funnel.check_at(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_at(&mut self, now: Timestamp) -> Decision {
        self.check_n_at(1, now)
    }

    /// An alias of [`check_n_at`](Self::check_n_at). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// assert!(funnel.watering_at(2, Timestamp::ZERO).is_allowed());
    /// assert_eq!(funnel.left_quota_at(Timestamp::ZERO), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn watering_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n_at(n, now)
    }

    /// Allows `n` units if there is space for all of them, or denies them all; 0 units are always
    /// allowed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert!(funnel.check_n_at(3, Timestamp::ZERO).is_allowed());
    /// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
    /// assert!(funnel.check_n_at(3, later).is_allowed()); // everything has leaked out
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        if now < self.leaking_ts {
            return decide_late(now, self.leaking_ts, |newest| self.check_n_at(n, newest));
        }
        self.make_space_at(now);
        let decision = self.decide(n, self.level);
        if decision.is_allowed() {
            self.level += self.volume(n);
        }
        decision
    }

    /// Refunds `n` units, or as much as the funnel holds, and returns the number of whole units.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// assert!(funnel.check_n_at(3, Timestamp::ZERO).is_allowed());
    /// assert_eq!(funnel.refund(2), 2);
    /// assert_eq!(funnel.remaining_at(Timestamp::ZERO), 2);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn refund(&mut self, n: u32) -> u32 {
        let refunded = self.level.min(self.volume(n));
        self.level -= refunded;
        // At most `n` units.
        divide(refunded, self.quota.period_in_nanos()) as u32
    }

    /// Empties the funnel. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// assert!(funnel.check_n_at(3, Timestamp::ZERO).is_allowed());
    /// funnel.reset();
    /// assert_eq!(funnel.remaining_at(Timestamp::ZERO), 3);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn reset(&mut self) {
        self.level = 0;
    }

    #[inline]
    fn volume(&self, n: u32) -> u128 {
        u128::from(n) * u128::from(self.quota.period_in_nanos())
    }

    /// Returns the level at time `now`, which must not be before `leaking_ts`.
    #[inline]
    fn level_at(&self, now: Timestamp) -> u128 {
        let elapsed = now.as_nanos() - self.leaking_ts.as_nanos();
        self.level.saturating_sub(u128::from(elapsed) * u128::from(self.quota.count()))
    }

    #[inline]
    fn space(&self, level: u128) -> u32 {
        let space = self.volume(self.capacity()).saturating_sub(level);
        // At most the capacity.
        divide(space, self.quota.period_in_nanos()) as u32
    }

    /// Returns the time in which `volume` leaks out, rounded up.
    #[inline]
    fn leaking(&self, volume: u128) -> Duration {
        let count = u64::from(self.quota.count());
        Duration::from_nanos(divide(volume + u128::from(count - 1), count))
    }

    #[inline]
    fn decide(&self, n: u32, level: u128) -> Decision {
        let filled = level + self.volume(n);
        let capacity = self.volume(self.capacity());
        let verdict = if n > self.capacity() {
            Verdict::Never
        } else if filled <= capacity || n == 0 {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: self.leaking(filled - capacity) }
        };
        let level = if verdict == Verdict::Allowed { filled } else { level };
        Decision {
            verdict,
            limit: self.capacity(),
            remaining: self.space(level),
            reset_after: self.leaking(level),
        }
    }
}

/// Divides, with a fast path for volumes of at most 64 bits; larger ones are rare.
#[inline]
fn divide(volume: u128, by: u64) -> u64 {
    match u64::try_from(volume) {
        Ok(volume) => volume / by,
        Err(_) => u64::try_from(volume / u128::from(by)).unwrap_or(u64::MAX),
    }
}

impl Limiter for Funnel {
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n_at(n, now)
    }

    fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_at(n, now)
    }

    fn refund(&mut self, n: u32) -> u32 {
        self.refund(n)
    }

    fn reset(&mut self) {
        self.reset();
    }

    fn idle_at(&self, _: Sealed) -> Timestamp {
        if self.level == 0 {
            return Timestamp::ZERO;
        }
        self.leaking_ts.saturating_add(self.leaking(self.level))
    }
}

impl SingleQuota for Funnel {
    fn quota(&self) -> Quota {
        self.quota()
    }

    fn set_quota(&mut self, quota: Quota) {
        self.set_quota(quota);
    }
}
