//! [`Funnel`]: a leaky bucket of one key, with its quota. The arithmetic is that of
//! [`CompactFunnel`].

use core::time::Duration;

use super::compact_funnel::{CompactFunnel, FunnelDecision, FunnelQuota, Pour};
use super::decision::decide_late;
use super::limiter::per_key::{PerKey, QuotaPerCall};
use super::limiter::{limiter, one_quota};
use super::{Decision, Quota};
use crate::Timestamp;

/// A funnel for one key: a bucket of `capacity` units that leaks at a rate of `count / period`.
///
/// Units that do not all fit are denied together. A burst of up to the capacity is allowed at once, and
/// then as much as leaks out. This is the leaky bucket as a meter (J. Turner, "New Directions in
/// Communications", IEEE Communications Magazine 24(10), 1986), in integer arithmetic only. If the time
/// steps back, the latest time seen is used.
///
/// Other implementations name these methods `watering` and `left_quota`:
/// [`watering`](Self::watering) is an alias of [`check_n`](Self::check_n), and
/// [`left_quota`](Self::left_quota) is what [remains](Decision::remaining) of a peek.
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
/// assert!(funnel.check_n(15, Timestamp::ZERO).is_allowed());
/// assert_eq!(funnel.peek_n(0, Timestamp::ZERO).remaining, 0);
///
/// let decision = funnel.check(Timestamp::ZERO);
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
    /// assert_eq!(Funnel::new(quota).peek_n(0, Timestamp::ZERO).remaining, 5);
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
    /// assert!(funnel.watering(2, Timestamp::ZERO).is_allowed());
    /// // Half a minute of leaking is now four units of eight.
    /// funnel.set_quota(Quota::new(8, Duration::from_secs(60))?);
    /// assert_eq!(funnel.peek_n(0, Timestamp::ZERO).remaining, 4);
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
    /// funnel.make_space(Timestamp::from_nanos(5));
    /// assert_eq!(funnel.leaking_ts(), Timestamp::from_nanos(5));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn make_space(&mut self, now: Timestamp) {
        let _ = self.check_n(0, now);
    }

    /// An alias of [`check_n`](Self::check_n). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// assert!(funnel.watering(2, Timestamp::ZERO).is_allowed());
    /// assert_eq!(funnel.left_quota(Timestamp::ZERO), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn watering(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n(n, now)
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
    /// assert!(funnel.check_n(3, Timestamp::ZERO).is_allowed());
    /// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
    /// assert!(funnel.check_n(3, later).is_allowed()); // everything has leaked out
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[expect(
        clippy::inline_always,
        reason = "a call takes 2 to 3 ns, and a decision through memory"
    )]
    #[inline(always)]
    pub fn check_n(&mut self, n: u32, now: Timestamp) -> Decision {
        if now < self.leaking_ts() {
            return decide_late(now, self.leaking_ts(), |newest| self.check_n(n, newest));
        }
        self.state.check(&self.quota, self.quota.pour(n), now).into()
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
    /// assert!(funnel.check_n(3, Timestamp::ZERO).is_allowed());
    /// assert_eq!(funnel.refund(2), 2);
    /// assert_eq!(funnel.peek_n(0, Timestamp::ZERO).remaining, 2);
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
    /// assert!(funnel.check_n(3, Timestamp::ZERO).is_allowed());
    /// funnel.reset();
    /// assert_eq!(funnel.peek_n(0, Timestamp::ZERO).remaining, 3);
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
    /// funnel.make_space(Timestamp::from_nanos(7));
    /// assert_eq!(funnel.leaking_ts(), Timestamp::from_nanos(7));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn leaking_ts(&self) -> Timestamp {
        self.state.leaked_at()
    }

    /// Returns the number of units for which there is space at time `now`: what remains of a
    /// [`peek_n`](Self::peek_n). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert_eq!(funnel.left_quota(Timestamp::ZERO), 3);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn left_quota(&self, now: Timestamp) -> u32 {
        self.peek_n(0, now).remaining
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// let peeked = funnel.peek_n(3, Timestamp::ZERO);
    /// assert_eq!(peeked, funnel.check_n(3, Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.leaking_ts());
        self.state.peek(&self.quota, self.quota.pour(n), counted).counted_from(now, counted)
    }
}

limiter!([] Funnel, "Funnel::new(quota)", cost: "**O(1)**");
one_quota!(Funnel, None);

/// The keys share the quota, so each has only a level and its time.
impl PerKey for Funnel {
    type State = CompactFunnel;
    type RawDecision = FunnelDecision;

    #[inline]
    fn new_state(&self) -> CompactFunnel {
        self.state.clone()
    }

    #[inline]
    fn check_state(&self, state: &mut CompactFunnel, n: u32, now: Timestamp) -> FunnelDecision {
        state.check(&self.quota, self.quota.pour(n), now)
    }

    fn peek_state(&self, state: &CompactFunnel, n: u32, now: Timestamp) -> Decision {
        state.peek(&self.quota, self.quota.pour(n), now)
    }

    fn refund_state(&self, state: &mut CompactFunnel, n: u32) -> u32 {
        state.refund(&self.quota, self.quota.pour(n))
    }

    fn state_idle_from(state: &CompactFunnel) -> Timestamp {
        state.empty_at()
    }

    fn idle_from(&self) -> Timestamp {
        self.state.empty_at()
    }
}

impl QuotaPerCall for Funnel {
    type Call = (FunnelQuota, Pour);

    fn call(quota: Quota, n: u32) -> (FunnelQuota, Pour) {
        let quota = FunnelQuota::new(quota);
        (quota, quota.pour(n))
    }

    #[inline]
    fn check_call(
        state: &mut CompactFunnel,
        (quota, pour): &(FunnelQuota, Pour),
        now: Timestamp,
    ) -> FunnelDecision {
        state.check(quota, *pour, now)
    }

    fn peek_call(
        state: &CompactFunnel,
        (quota, pour): &(FunnelQuota, Pour),
        now: Timestamp,
    ) -> Decision {
        state.peek(quota, *pour, now)
    }
}
