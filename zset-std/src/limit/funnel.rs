//! [`Funnel`]: a leaky bucket of one key, with its quota. The arithmetic is that of
//! [`CompactFunnel`].

use core::time::Duration;

use super::compact_funnel::{CompactFunnel, FunnelQuota};
use super::decision::decide_late;
use super::limiter::private::Sealed;
use super::{Decision, Limiter, Quota, SingleQuota};
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
    quota: FunnelQuota,
    state: CompactFunnel,
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
        Funnel { quota: FunnelQuota::new(quota), state: CompactFunnel::EMPTY }
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
        self.quota.quota()
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
        self.quota = FunnelQuota::new(quota);
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
        let _ = self.check_n_at(0, now);
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
    #[expect(
        clippy::inline_always,
        reason = "a call takes 2 to 3 ns, and a decision through memory"
    )]
    #[inline(always)]
    pub fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision {
        if now < self.leaking_ts() {
            return decide_late(now, self.leaking_ts(), |newest| self.check_n_at(n, newest));
        }
        self.state.check_at(&self.quota, self.quota.pour(n), now).into()
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
        self.state.refund(&self.quota, self.quota.pour(n))
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
        self.state.reset();
    }

    /// Returns the number of units that the funnel holds. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota};
    ///
    /// let funnel = Funnel::new(Quota::new(1, Duration::from_secs(2))?.with_capacity(15)?);
    /// assert_eq!(funnel.capacity(), 15);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn capacity(&self) -> u32 {
        self.quota().capacity()
    }

    /// Returns the leak rate: a number of units, and the period in which they leak out. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota};
    ///
    /// let funnel = Funnel::new(Quota::new(1, Duration::from_secs(2))?);
    /// assert_eq!(funnel.leaking_rate(), (1, Duration::from_secs(2)));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn leaking_rate(&self) -> (u32, Duration) {
        (self.quota().count(), self.quota().period())
    }

    /// Returns the latest time seen, to which the level is up to date. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(1, Duration::from_secs(2))?);
    /// funnel.make_space_at(Timestamp::from_nanos(7));
    /// assert_eq!(funnel.leaking_ts(), Timestamp::from_nanos(7));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn leaking_ts(&self) -> Timestamp {
        self.state.leaked_at()
    }

    /// Returns the number of units for which there is space at time `now`. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert!(funnel.check_n_at(2, Timestamp::ZERO).is_allowed());
    /// assert_eq!(funnel.remaining_at(Timestamp::ZERO), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn remaining_at(&self, now: Timestamp) -> u32 {
        self.peek_at(0, now).remaining
    }

    /// An alias of [`remaining_at`](Self::remaining_at). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert_eq!(funnel.left_quota_at(Timestamp::ZERO), 3);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn left_quota_at(&self, now: Timestamp) -> u32 {
        self.remaining_at(now)
    }

    /// Returns what [`check_n_at`](Self::check_n_at) would return, without changing anything.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// let peeked = funnel.peek_at(3, Timestamp::ZERO);
    /// assert_eq!(peeked, funnel.check_n_at(3, Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.leaking_ts());
        self.state.peek_at(&self.quota, self.quota.pour(n), counted).counted_from(now, counted)
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
        self.state.empty_at()
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
