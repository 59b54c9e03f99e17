//! [`Funnel`]: a leaky bucket of one key, with its quota; and the arithmetic of all funnels, on the
//! state [`CompactFunnel`].

use core::time::Duration;

use super::decision::decide_late;
use super::limiter::per_key::PerKey;
#[cfg(feature = "std")]
use super::limiter::per_key::QuotaPerCall;
use super::limiter::{limiter, one_quota};
use super::{Decision, Quota, Verdict};
use crate::Timestamp;

/// A funnel for one key: a bucket of `capacity` units that leaks at a rate of `count / period`.
///
/// Units that do not all fit are denied together. A burst of up to the capacity is allowed at once,
/// and then as much as leaks out. This is the leaky bucket as a meter (J. Turner, "New Directions
/// in Communications", IEEE Communications Magazine 24(10), 1986), in integer arithmetic only. If
/// the time steps back, the latest time seen is used.
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
    pub const fn new(quota: Quota) -> Self {
        Funnel { quota: FunnelQuota::new(quota), state: CompactFunnel::EMPTY }
    }

    /// Returns the quota. **O(1)**.
    pub const fn quota(&self) -> Quota {
        self.quota.quota
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
    #[inline]
    pub fn make_space(&mut self, now: Timestamp) {
        let _ = self.check_n(0, now);
    }

    /// An alias of [`check_n`](Self::check_n). **O(1)**.
    #[inline]
    pub fn watering(&mut self, n: u32, now: Timestamp) -> Decision {
        self.check_n(n, now)
    }

    /// Allows `n` units if there is space for all of them, or denies them all; 0 units are always
    /// allowed. **O(1)**.
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

    /// Like [`check_n`](Self::check_n), with a different quota for this call. **O(1)**.
    ///
    /// All calls share the level: the time at which the funnel will be empty carries over from
    /// quota to quota, as in [`set_quota`](Self::set_quota). While it is more than the capacity of
    /// a quota takes to leak out, that quota allows nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(funnel.check_with(generous, 5, Timestamp::ZERO).is_allowed());
    /// // It takes a minute to leak out, which is all that the other quota allows at once.
    /// assert!(!funnel.check(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn check_with(&mut self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let (quota, counted) = (FunnelQuota::new(quota), now.max(self.leaking_ts()));
        let decision = self.state.check(&quota, quota.pour(n), counted);
        Decision::from(decision).counted_from(now, counted)
    }

    /// Refunds `n` units, or as much as the funnel holds, and returns the number of whole units.
    /// **O(1)**.
    pub fn refund(&mut self, n: u32) -> u32 {
        self.state.refund(&self.quota, self.quota.pour(n))
    }

    /// Empties the funnel. **O(1)**.
    pub fn reset(&mut self) {
        self.state.reset();
    }

    /// Returns the number of units that the funnel holds. **O(1)**.
    pub fn capacity(&self) -> u32 {
        self.quota().capacity()
    }

    /// Returns the leak rate: a number of units, and the period in which they leak out. **O(1)**.
    pub fn leaking_rate(&self) -> (u32, Duration) {
        (self.quota().count(), self.quota().period())
    }

    /// Returns the latest time seen, to which the level is up to date. **O(1)**.
    pub fn leaking_ts(&self) -> Timestamp {
        self.state.leaked_at
    }

    /// Returns the number of units for which there is space at time `now`: what remains of a
    /// [`peek_n`](Self::peek_n). **O(1)**.
    pub fn left_quota(&self, now: Timestamp) -> u32 {
        self.peek_n(0, now).remaining
    }

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything.
    /// **O(1)**.
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.leaking_ts());
        self.state.peek(&self.quota, self.quota.pour(n), counted).counted_from(now, counted)
    }

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything.
    /// **O(1)**.
    pub fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let (quota, counted) = (FunnelQuota::new(quota), now.max(self.leaking_ts()));
        self.state.peek(&quota, quota.pour(n), counted).counted_from(now, counted)
    }
}

limiter!([] Funnel);
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

    fn state_idle_from(&self, state: &CompactFunnel) -> Timestamp {
        state.empty_at()
    }

    fn idle_from(&self) -> Timestamp {
        self.state.empty_at()
    }
}

#[cfg(feature = "std")]
impl QuotaPerCall for Funnel {
    type Call = (FunnelQuota, Pour);

    fn call(quota: Quota, n: u32) -> (FunnelQuota, Pour) {
        let quota = FunnelQuota::new(quota);
        (quota, quota.pour(n))
    }

    #[inline]
    fn check_call(
        &self,
        state: &mut CompactFunnel,
        (quota, pour): &(FunnelQuota, Pour),
        now: Timestamp,
    ) -> FunnelDecision {
        state.check(quota, *pour, now)
    }

    fn peek_call(
        &self,
        state: &CompactFunnel,
        (quota, pour): &(FunnelQuota, Pour),
        now: Timestamp,
    ) -> Decision {
        state.peek(quota, *pour, now)
    }
}

// A funnel is the leaky bucket as a meter, and makes the same decisions as the generic cell rate
// algorithm (ITU-T I.371, "Traffic control and congestion control in B-ISDN"). That algorithm
// stores one number, the time at which the bucket is empty:
//
// ```text
//                                leaked_at                               empty
// ───────────────────────────────────┼─────────────────────────────────────┼──▶ time
//                                    │◄─────────── level ─────────────────►│
// ```
//
// Storing a level and its time takes one word more, and works for every [`Timestamp`] with every
// [`Quota`]: the time at which the bucket is empty may be later than the last timestamp.
//
// A level is the time it takes to leak out, in whole nanoseconds and a fraction over the count of
// the quota. A unit takes `period / count`, so every level is exact, leaking is a subtraction of
// whole nanoseconds, and pouring is an addition with a carry. Levels and bursts are below 2^62
// nanoseconds, and rounding to the fractions of another quota adds less than one, so sums of two
// do not overflow.

/// The state of one key of [`Funnels`](super::Funnels), in 24 bytes.
///
/// Unlike a [`Funnel`](super::Funnel), it does not contain its quota, which all keys share.
#[derive(Clone, Debug)]
pub struct CompactFunnel {
    /// The whole nanoseconds of the level.
    nanos: u64,
    /// The rest of the level, in nanoseconds over `count`; less than `count`.
    fraction: u32,
    /// The count of the quota of the latest check.
    count: u32,
    /// The time at which the level was computed.
    leaked_at: Timestamp,
}

/// A time in nanoseconds: `nanos + fraction / count`, for the count of some quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Volume {
    nanos: u64,
    /// Less than the count.
    fraction: u64,
}

/// A quota, with the parameters computed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "std"),
    expect(unreachable_pub, reason = "only `QuotaPerCall` exposes it")
)]
pub struct FunnelQuota {
    quota: Quota,
    /// The time between two units: `period / count`.
    interval: Volume,
    /// The time for the whole capacity.
    burst: Volume,
    /// `2^64 / interval`, or `2^64 / period` if the interval is below a nanosecond; at most 1 too
    /// small. Multiplying is faster than dividing.
    reciprocal: u64,
}

/// A number of units under some quota.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "std"),
    expect(unreachable_pub, reason = "only `QuotaPerCall` exposes it")
)]
pub struct Pour {
    n: u32,
    /// The time in which the units leak out, saturated.
    volume: Volume,
}

/// The part of a [`Decision`] that is computed under the lock.
///
/// It is computed without a branch on the verdict, which a processor cannot predict near the limit.
#[derive(Clone, Copy, Debug)]
pub struct FunnelDecision {
    capacity: u32,
    remaining: u32,
    never: bool,
    /// How long until the units fit, in nanoseconds; zero if they are allowed.
    wait: u64,
    /// The level after the decision.
    level: Volume,
}

impl Volume {
    /// Returns the time of `n` units that take this time each, saturating.
    #[inline]
    const fn times(self, n: u32, count: u64) -> Volume {
        // Below 2^64, as both factors are below 2^32.
        let fraction = self.fraction * n as u64;
        let nanos = self.nanos.saturating_mul(n as u64);
        if fraction < count {
            return Volume { nanos, fraction };
        }
        Volume { nanos: nanos.saturating_add(fraction / count), fraction: fraction % count }
    }
}

impl FunnelQuota {
    pub(super) const fn new(quota: Quota) -> Self {
        let (count, period) = (quota.count() as u64, quota.period_in_nanos());
        let interval = Volume { nanos: period / count, fraction: period % count };
        let burst = interval.times(quota.capacity(), count);
        let units = if period < count { 1 } else { count };
        let reciprocal = ((((units as u128) << 64) - 1) / period as u128) as u64;
        FunnelQuota { quota, interval, burst, reciprocal }
    }

    #[inline]
    fn count(&self) -> u64 {
        self.quota.count().into()
    }

    #[inline]
    pub(super) fn pour(&self, n: u32) -> Pour {
        let volume = if n == 1 { self.interval } else { self.interval.times(n, self.count()) };
        Pour { n, volume }
    }

    /// Pours a volume of at most the burst onto a level, if it fits. Returns the level, and how
    /// long until it fits.
    #[expect(clippy::cast_possible_wrap, reason = "a difference has a sign")]
    #[inline]
    fn fill(&self, level: Volume, volume: Volume) -> (Volume, u64) {
        let fraction = level.fraction + volume.fraction;
        let (carried, is_below) = fraction.overflowing_sub(self.count());
        let filled = Volume {
            nanos: level.nanos + volume.nanos + u64::from(!is_below),
            fraction: if is_below { fraction } else { carried },
        };
        // How much does not fit, rounded up; not positive if everything does.
        let over = u64::from(filled.fraction > self.burst.fraction);
        let wait = filled.nanos.wrapping_sub(self.burst.nanos).wrapping_add(over);
        let if_denied = 0_u64.wrapping_sub((wait as i64 > 0).into());
        let select = |filled: u64, level: u64| filled ^ ((filled ^ level) & if_denied);
        let level = Volume {
            nanos: select(filled.nanos, level.nanos),
            fraction: select(filled.fraction, level.fraction),
        };
        (level, wait & if_denied)
    }

    /// Returns the number of whole units in a volume of less than 2^32 of them: in whole
    /// nanoseconds, and exactly in nanoseconds over the count, modulo 2^64.
    #[inline]
    fn units_in(&self, nanos: u64, parts: u64) -> u32 {
        let (count, period) = (self.count(), self.quota.period_in_nanos());
        // If the interval is below a nanosecond, the period is below 2^32, and the parts below
        // 2^64.
        let dividend = if period < count { parts } else { nanos };
        // The fraction that is left out is less than a unit. The reciprocal is at most 1 too small,
        // so the product is too small by less than `dividend / 2^64`, which is below 1/3 for
        // nanoseconds. So the estimate is at most 2 too small, and the rest, below three periods,
        // is exact again.
        let estimate = ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = parts.wrapping_sub(estimate.wrapping_mul(period));
        (estimate + u64::from(rest >= period) + u64::from(rest >= 2 * period)) as u32
    }

    /// Returns the number of whole units for which a level leaves room.
    #[expect(clippy::cast_possible_wrap, reason = "a difference has a sign")]
    #[inline]
    fn remaining(&self, level: Volume) -> u32 {
        let Volume { nanos, fraction } = self.burst;
        let whole = nanos.wrapping_sub(level.nanos);
        let parts = whole.wrapping_mul(self.count()).wrapping_add(fraction);
        let whole = whole.wrapping_sub((fraction < level.fraction).into());
        // The level exceeds the burst if the funnel was filled under another quota.
        if (whole as i64) < 0 {
            0
        } else {
            self.units_in(whole, parts.wrapping_sub(level.fraction))
        }
    }
}

impl CompactFunnel {
    const EMPTY: CompactFunnel =
        CompactFunnel { nanos: 0, fraction: 0, count: 1, leaked_at: Timestamp::ZERO };

    /// Rounds the level up to fractions over another count.
    #[cold]
    fn convert(&mut self, count: u32) {
        // At most `count`.
        let fraction = (u64::from(self.fraction) * u64::from(count)).div_ceil(self.count.into());
        let carry = fraction == u64::from(count);
        self.nanos += u64::from(carry);
        self.fraction = if carry { 0 } else { fraction as u32 };
        self.count = count;
    }

    /// Returns the level at `leaked_at`, in fractions over the count of a quota.
    #[inline]
    fn level(&mut self, quota: &FunnelQuota) -> Volume {
        if self.count != quota.quota.count() {
            self.convert(quota.quota.count());
        }
        Volume { nanos: self.nanos, fraction: self.fraction.into() }
    }

    #[inline]
    fn set_level(&mut self, level: Volume) {
        self.nanos = level.nanos;
        self.fraction = level.fraction as u32;
    }

    /// Takes the units if they fit at time `now`, which must not be before `leaked_at`.
    #[expect(
        clippy::inline_always,
        reason = "with LTO it is too large for a hint, and 1.2 times as slow"
    )]
    #[inline(always)]
    fn check(&mut self, quota: &FunnelQuota, pour: Pour, now: Timestamp) -> FunnelDecision {
        let elapsed = now.as_nanos().saturating_sub(self.leaked_at.as_nanos());
        let Volume { nanos, fraction } = self.level(quota);
        let (nanos, is_empty) = nanos.overflowing_sub(elapsed);
        let if_not_empty = u64::from(is_empty).wrapping_sub(1);
        let level = Volume { nanos: nanos & if_not_empty, fraction: fraction & if_not_empty };
        let capacity = quota.quota.capacity();
        let never = pour.n > capacity;
        // Computed while the units are poured, and not from the level afterwards.
        let space = quota.remaining(level);
        let (level, wait) =
            if pour.n == 0 || never { (level, 0) } else { quota.fill(level, pour.volume) };
        self.set_level(level);
        self.leaked_at = now;
        let if_allowed = u32::from(never || wait > 0).wrapping_sub(1);
        let remaining = space - (pour.n & if_allowed);
        FunnelDecision { capacity, remaining, never, wait, level }
    }

    /// Decides at time `now`, which must not be before `leaked_at`, without changing anything.
    fn peek(&self, quota: &FunnelQuota, pour: Pour, now: Timestamp) -> Decision {
        self.clone().check(quota, pour, now).into()
    }

    /// Refunds the units, or as much as the funnel holds, and returns the number of whole units.
    pub(super) fn refund(&mut self, quota: &FunnelQuota, pour: Pour) -> u32 {
        let (Pour { n, volume }, count) = (pour, quota.count());
        let level = self.level(quota);
        let borrow = u64::from(level.fraction < volume.fraction);
        let fraction = level.fraction.wrapping_sub(volume.fraction);
        let left = level.nanos.checked_sub(volume.nanos.saturating_add(borrow));
        let (level, refunded) = if let Some(nanos) = left {
            (Volume { nanos, fraction: fraction.wrapping_add(borrow * count) }, n)
        } else {
            // Less than `n` units.
            let parts = level.nanos.wrapping_mul(count).wrapping_add(level.fraction);
            (Volume { nanos: 0, fraction: 0 }, quota.units_in(level.nanos, parts))
        };
        self.set_level(level);
        refunded
    }

    /// Empties the funnel; the time stays.
    fn reset(&mut self) {
        *self = CompactFunnel { leaked_at: self.leaked_at, ..CompactFunnel::EMPTY };
    }

    /// Returns the time from which the funnel is empty, if nothing is poured in; `Timestamp::ZERO`
    /// if it already is.
    fn empty_at(&self) -> Timestamp {
        if self.nanos == 0 && self.fraction == 0 {
            return Timestamp::ZERO;
        }
        let level = self.nanos + u64::from(self.fraction > 0);
        self.leaked_at.saturating_add(Duration::from_nanos(level))
    }
}

/// Two are equal if they have the same level at the same time, whatever the quota of the latest
/// check.
impl PartialEq for CompactFunnel {
    fn eq(&self, other: &Self) -> bool {
        let fraction = |of: &Self, over: &Self| u64::from(of.fraction) * u64::from(over.count);
        (self.nanos, self.leaked_at) == (other.nanos, other.leaked_at)
            && fraction(self, other) == fraction(other, self)
    }
}

impl Eq for CompactFunnel {}

impl From<FunnelDecision> for Decision {
    #[inline]
    fn from(decision: FunnelDecision) -> Decision {
        let FunnelDecision { capacity, remaining, never, wait, level } = decision;
        let retry_after = Duration::from_nanos(wait);
        // The verdict is derived from the wait, so the wait is always computed, without a branch.
        let verdict = if never {
            Verdict::Never
        } else if retry_after.is_zero() {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after }
        };
        Decision {
            verdict,
            limit: capacity,
            remaining,
            reset_after: Duration::from_nanos(level.nanos + u64::from(level.fraction > 0)),
        }
    }
}
