//! [`Funnel`]: a leaky bucket, whose state for each key is a [`Level`].

use core::num::NonZeroU32;
use core::time::Duration;

use super::{Decision, Limiter, Quota, QuotaError, SingleQuota, Verdict};
use crate::Timestamp;

/// A leaky bucket. It holds `capacity` units and leaks at a rate of `count / period`. The capacity
/// is the count, unless it is [set](Self::with_capacity).
///
/// If the units of a call do not all fit, all of them are denied. A burst as large as the capacity
/// is allowed at once, and after that only as many units as leak out. The state of a key is 24
/// bytes.
///
/// This is the leaky bucket as a meter (J. Turner, "New Directions in Communications", IEEE
/// Communications Magazine 24(10), 1986). It uses only integer arithmetic, so its decisions are
/// exact for every quota. Only a change to another count rounds, by less than a nanosecond and on
/// the side of denying.
///
/// If the quota or the capacity changes, or a call passes different ones, the funnel keeps the time
/// at which it will be empty. While a full funnel with the new quota and capacity would be empty
/// sooner, nothing is allowed.
///
/// Textbooks use other names for its operations. In this table, `funnel` is a
/// [`Direct<Funnel>`](super::Direct):
///
/// | textbook | here |
/// |---|---|
/// | `watering(n)` | `funnel.check_n(n, now)` |
/// | `left_quota` | `funnel.peek_n(0, now).remaining` |
/// | `make_space` | none: every check does it |
/// | `capacity` | `funnel.limiter().capacity()` |
/// | `leaking_rate` | `funnel.quota().count()` in each `funnel.quota().period()` |
/// | `leaking_ts` | none: it is inside the state |
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Direct, Funnel, Quota, Timestamp};
///
/// // 15 at once, and one every two seconds.
/// let quota = Quota::new(1, Duration::from_secs(2))?;
/// let mut funnel = Direct::new(Funnel::new(quota).with_capacity(15)?);
/// assert!(funnel.check_n(15, Timestamp::ZERO).is_allowed());
/// assert_eq!(funnel.peek_n(0, Timestamp::ZERO).remaining, 0);
///
/// let decision = funnel.check(Timestamp::ZERO);
/// assert_eq!(decision.retry_after(), Some(Duration::from_secs(2)));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Funnel {
    quota: Quota,
    capacity: NonZeroU32,
    /// The least number with `interval <= 2^shift`, in nanoseconds.
    shift: u32,
    /// `2^(63 + shift) / interval`, rounded up: multiplying by it is faster than dividing by the
    /// interval.
    ///
    /// If the interval is below a nanosecond, this field and `shift` use half of the period in its
    /// place.
    reciprocal: u64,
    /// The time between two units: `period / count`.
    interval: Volume,
    /// The time for the whole capacity.
    burst: Volume,
}

/// A time in nanoseconds: `nanos + fraction / count`, for the count of some quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Volume {
    nanos: u64,
    /// Less than the count.
    fraction: u64,
}

impl Funnel {
    /// Makes the algorithm. **O(1)**.
    pub const fn new(quota: Quota) -> Self {
        let (count, period) = (quota.count() as u64, quota.period_in_nanos());
        let interval = Volume { nanos: period / count, fraction: period % count };
        let burst = Volume { nanos: period, fraction: 0 };
        // `period / units` is the interval or, if the interval is below a nanosecond, half of the
        // period. `below` is the largest integer below `period / units`.
        let (units, below) = if period < count {
            (2, (period - 1) / 2)
        } else {
            (count, interval.nanos - (interval.fraction == 0) as u64)
        };
        let shift = u64::BITS - below.leading_zeros();
        let reciprocal = ((units << shift) as u128) << 63;
        // Divide, rounding up. The result is 2^64 only for half of a period of 1 ns, and is then
        // rounded down to fit.
        let reciprocal = ((reciprocal - 1) / period as u128) as u64;
        let reciprocal = reciprocal.saturating_add(1);
        Funnel { quota, capacity: quota.count, shift, reciprocal, interval, burst }
    }

    /// Returns the funnel with a different capacity: the number of units that it allows at once.
    /// **O(1)**.
    ///
    /// # Errors
    ///
    /// [`QuotaError`] if it is zero, or if a full funnel would take more than 146 years to empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota};
    ///
    /// let funnel = Funnel::new(Quota::new(60, Duration::from_secs(60))?);
    /// assert_eq!(funnel.capacity(), 60);
    /// assert_eq!(funnel.with_capacity(5)?.capacity(), 5);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub const fn with_capacity(self, capacity: u32) -> Result<Funnel, QuotaError> {
        let Some(capacity) = NonZeroU32::new(capacity) else {
            return Err(QuotaError::ZeroCapacity);
        };
        let (count, period) = (self.quota.count() as u64, self.quota.period_in_nanos());
        // A full funnel must empty in less than 2^62 nanoseconds, so that the sum of two levels
        // fits into an `i64`.
        if capacity.get() as u128 * period as u128 >= (count as u128) << 62 {
            return Err(QuotaError::PeriodTooLong);
        }
        let burst = self.interval.times(capacity.get(), count);
        Ok(Funnel { capacity, burst, ..self })
    }

    /// Returns the quota. **O(1)**.
    pub const fn quota(self) -> Quota {
        self.quota
    }

    /// Returns the number of units allowed at once. **O(1)**.
    #[inline]
    pub const fn capacity(self) -> u32 {
        self.capacity.get()
    }
}

/// The capacity is the count.
impl From<Quota> for Funnel {
    fn from(quota: Quota) -> Self {
        Funnel::new(quota)
    }
}

/// The capacity is left out, since only a funnel has one.
impl From<Funnel> for Quota {
    fn from(funnel: Funnel) -> Self {
        funnel.quota
    }
}

impl Limiter for Funnel {
    type State = Level;

    const NEW: Level = Level { nanos: 0, fraction: 0, count: 1, leaked_at: Timestamp::ZERO };

    #[expect(
        clippy::inline_always,
        reason = "with LTO it is too large for a hint, and 1.2 times as slow"
    )]
    #[inline(always)]
    fn check_n(&self, level: &mut Level, n: u32, now: Timestamp) -> Decision {
        level.check(self, n, now).into()
    }

    fn record(&self, level: &mut Level, n: u32, now: Timestamp) {
        level.record(self, n, now);
    }

    /// Removes `n` units from the funnel, or as much as it holds; returns the number of whole
    /// units.
    fn refund(&self, level: &mut Level, n: u32) -> u32 {
        level.refund(self, n)
    }

    fn idle_from(&self, level: &Level) -> Timestamp {
        level.empty_at()
    }

    fn terms(&self) -> Option<Funnel> {
        Some(*self)
    }

    fn under(&self, terms: Funnel) -> Option<impl Limiter<State = Level>> {
        Some(terms)
    }
}

impl SingleQuota for Funnel {
    type Terms = Funnel;

    fn quota(&self) -> Quota {
        self.quota
    }

    fn set_quota(&mut self, funnel: Funnel) {
        *self = funnel;
    }

    fn check_with(&self, level: &mut Level, funnel: Funnel, n: u32, now: Timestamp) -> Decision {
        level.check(&funnel, n, now).into()
    }

    fn refund_with(&self, level: &mut Level, funnel: Funnel, n: u32) -> u32 {
        level.refund(&funnel, n)
    }
}

// A funnel is a leaky bucket used as a meter. It makes the same decisions as the generic cell rate
// algorithm (ITU-T I.371, "Traffic control and congestion control in B-ISDN"). That algorithm
// stores only the time at which the bucket will be empty:
//
// ```text
//                                leaked_at                               empty
// ───────────────────────────────────┼─────────────────────────────────────┼──▶ time
//                                    │◄─────────── level ─────────────────►│
// ```
//
// A funnel stores the level, and the time at which it had this level. This needs one more word, but
// works for every [`Timestamp`] with every [`Quota`], even if the bucket would be empty only after
// the last timestamp.
//
// A level is expressed as the time in which it leaks out: whole nanoseconds, and a fraction whose
// denominator is the count of the quota. A unit leaks out in `period / count`, so levels under one
// quota are exact. Leaking subtracts whole nanoseconds; pouring adds with a carry. Levels and
// bursts are below 2^62 nanoseconds, and converting a level to the count of another quota adds less
// than one nanosecond, so the sum of two levels does not overflow.

/// The state of a key, in 24 bytes.
#[derive(Clone, Debug)]
pub struct Level {
    /// The whole nanoseconds of the level.
    nanos: u64,
    /// The rest of the level, in parts of `1 / count` nanoseconds; less than `count`.
    fraction: u32,
    /// The count of the quota of the latest check.
    count: u32,
    /// The time at which the level was computed.
    leaked_at: Timestamp,
}

/// A number of units under some quota.
#[derive(Clone, Copy, Debug)]
struct Pour {
    n: u32,
    /// The time in which the units leak out, saturated at `u64::MAX` nanoseconds.
    volume: Volume,
}

/// A [`Decision`] in the units of the arithmetic.
///
/// It is computed without a branch on the verdict, since a processor cannot predict the verdict
/// near the limit.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    capacity: u32,
    remaining: u32,
    never: bool,
    /// How long until the units fit, in nanoseconds; zero if they are allowed.
    wait: u64,
    /// The level after the decision.
    level: Volume,
}

impl Volume {
    /// Returns the time for `n` units, each of which takes this time, saturating.
    #[inline]
    const fn times(self, n: u32, count: u64) -> Volume {
        // The product cannot overflow: both factors are below 2^32.
        let fraction = self.fraction * n as u64;
        let nanos = self.nanos.saturating_mul(n as u64);
        if fraction < count {
            return Volume { nanos, fraction };
        }
        Volume { nanos: nanos.saturating_add(fraction / count), fraction: fraction % count }
    }

    /// Returns the same volume. If `WHOLE`, the compiler learns that its fraction is zero.
    #[inline]
    fn known<const WHOLE: bool>(mut self) -> Volume {
        if WHOLE {
            self.fraction = 0;
        }
        self
    }
}

// If the parameter `WHOLE` is true, the interval, the burst and the level are whole nanoseconds, as
// with most quotas. The compiler then leaves out the arithmetic on fractions.

impl Funnel {
    /// Returns the number of parts in a nanosecond, i.e. the denominator of the fractions of
    /// volumes.
    #[inline]
    fn parts<const WHOLE: bool>(&self) -> u64 {
        if WHOLE { 1 } else { self.quota.count().into() }
    }

    #[inline]
    fn pour<const WHOLE: bool>(&self, n: u32) -> Pour {
        let interval = self.interval.known::<WHOLE>();
        let volume = if n == 1 { interval } else { interval.times(n, self.parts::<WHOLE>()) };
        Pour { n, volume }
    }

    /// Pours a volume of at most the burst onto a level, if it fits. Returns the resulting level,
    /// and how long until the volume fits.
    #[expect(
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a difference has a sign, and a mask has none"
    )]
    #[inline]
    fn fill<const WHOLE: bool>(&self, level: Volume, volume: Volume) -> (Volume, u64) {
        let (parts, burst) = (self.parts::<WHOLE>(), self.burst.known::<WHOLE>());
        // Make masks from signs: the compiler would turn comparisons into branches.
        let if_negative = |difference: u64| (difference as i64 >> 63) as u64;
        let carried = (level.fraction + volume.fraction).wrapping_sub(parts);
        let if_below = if_negative(carried);
        let filled = Volume {
            nanos: (level.nanos + volume.nanos + 1).wrapping_add(if_below),
            fraction: carried.wrapping_add(parts & if_below),
        };
        // The remaining room in nanoseconds, rounded down. It is negative if the volume does not
        // fit.
        let over = u64::from(filled.fraction > burst.fraction);
        let room = burst.nanos.wrapping_sub(filled.nanos).wrapping_sub(over);
        let if_denied = if_negative(room);
        let select =
            |filled: u64, level: u64| filled.wrapping_sub(filled.wrapping_sub(level) & if_denied);
        let level = Volume {
            nanos: select(filled.nanos, level.nanos),
            fraction: select(filled.fraction, level.fraction),
        };
        (level, room.wrapping_neg() & if_denied)
    }

    /// Returns the number of whole units in a volume, which must be below 2^32 units and 2^62
    /// nanoseconds. The volume is given in whole nanoseconds, and exactly, in parts of a nanosecond
    /// modulo 2^64.
    #[expect(clippy::cast_possible_wrap, reason = "a difference has a sign")]
    #[inline]
    fn units_in<const WHOLE: bool>(&self, nanos: u64, in_parts: u64) -> u32 {
        let (count, period) = (self.parts::<WHOLE>(), self.quota.period_in_nanos());
        // The dividend is the nanoseconds or, if the interval is below a nanosecond, half of the
        // parts. Compute twice the dividend. If the interval is below a nanosecond, the period is
        // below 2^32, so the parts are below 2^64.
        let is_short = !WHOLE && period < count;
        let twice = u128::from(if is_short { in_parts } else { 2 * nanos });
        let estimate = ((twice * u128::from(self.reciprocal)) >> 64) as u64 >> self.shift;
        if WHOLE {
            // The estimate is exact: before rounding, it is too large by less than `1 / 2^(1 +
            // shift)`, and the true quotient is at least `1 / 2^shift` below the next integer.
            return estimate as u32;
        }
        // Two errors affect the estimate. Ignoring a fraction of a nanosecond makes it too small by
        // less than 1, and rounding up the reciprocal makes it too large by less than 1. So the
        // estimate is off by at most 1. The rest is then at least minus one period and less than
        // two, which fits into an `i64`, although the rest is computed modulo 2^64.
        let rest = in_parts.wrapping_sub(estimate.wrapping_mul(period)) as i64;
        (estimate + u64::from(rest >= period as i64) - u64::from(rest < 0)) as u32
    }

    /// Returns the number of whole units for which a level leaves room.
    #[expect(clippy::cast_possible_wrap, reason = "a difference has a sign")]
    #[inline]
    fn remaining<const WHOLE: bool>(&self, level: Volume) -> u32 {
        let Volume { nanos, fraction } = self.burst.known::<WHOLE>();
        let whole = nanos.wrapping_sub(level.nanos);
        let in_parts = whole.wrapping_mul(self.parts::<WHOLE>()).wrapping_add(fraction);
        let whole = whole.wrapping_sub((fraction < level.fraction).into());
        // The level may exceed the burst: after a `record`, or if the funnel was filled under
        // another quota.
        if (whole as i64) < 0 {
            0
        } else {
            self.units_in::<WHOLE>(whole, in_parts.wrapping_sub(level.fraction))
        }
    }
}

/// The largest level, in nanoseconds. The sum of two levels does not overflow.
const FULLEST: u64 = (1 << 62) - 1;

impl Level {
    /// Converts the level to a fraction with another denominator, rounding up.
    #[cold]
    fn convert(&mut self, count: u32) {
        // Rounding up may make the fraction reach `count`: a whole nanosecond, which is carried.
        let fraction = (u64::from(self.fraction) * u64::from(count)).div_ceil(self.count.into());
        let carry = fraction == u64::from(count);
        self.nanos += u64::from(carry);
        self.fraction = if carry { 0 } else { fraction as u32 };
        self.count = count;
    }

    /// Returns the level at `leaked_at`, with the count of the funnel's quota as the denominator.
    #[inline]
    fn level(&mut self, funnel: &Funnel) -> Volume {
        if self.count != funnel.quota.count() {
            self.convert(funnel.quota.count());
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
    fn check(&mut self, funnel: &Funnel, n: u32, now: Timestamp) -> Outcome {
        let level = self.level(funnel);
        if level.fraction | funnel.interval.fraction == 0 {
            self.check_level::<true>(level, funnel, n, now)
        } else {
            self.check_level::<false>(level, funnel, n, now)
        }
    }

    /// Takes the units if they fit at time `now`, given the level at `leaked_at`.
    #[expect(clippy::inline_always, reason = "as `check`")]
    #[inline(always)]
    fn check_level<const WHOLE: bool>(
        &mut self,
        level: Volume,
        funnel: &Funnel,
        n: u32,
        now: Timestamp,
    ) -> Outcome {
        let pour = funnel.pour::<WHOLE>(n);
        let elapsed = now.as_nanos().saturating_sub(self.leaked_at.as_nanos());
        let Volume { nanos, fraction } = level.known::<WHOLE>();
        let (nanos, is_empty) = nanos.overflowing_sub(elapsed);
        let if_not_empty = u64::from(is_empty).wrapping_sub(1);
        let level = Volume { nanos: nanos & if_not_empty, fraction: fraction & if_not_empty };
        let capacity = funnel.capacity();
        let never = pour.n > capacity;
        // Compute the remaining units from the level before the pour, so that the processor can do
        // this and the pour at the same time.
        let space = funnel.remaining::<WHOLE>(level);
        let (level, wait) = if pour.n == 0 || never {
            (level, 0)
        } else {
            funnel.fill::<WHOLE>(level, pour.volume)
        };
        self.set_level(level);
        self.leaked_at = now;
        let if_allowed = u32::from(never || wait > 0).wrapping_sub(1);
        let remaining = space - (pour.n & if_allowed);
        Outcome { capacity, remaining, never, wait, level }
    }

    /// Pours in the units even if they do not fit, up to a level that leaks out in 146 years.
    fn record(&mut self, funnel: &Funnel, n: u32, now: Timestamp) {
        let _ = self.check(funnel, 0, now);
        let level = self.level(funnel);
        let Volume { nanos, fraction } = funnel.pour::<false>(n).volume;
        let fraction = level.fraction + fraction;
        let carry = fraction / funnel.parts::<false>();
        let nanos = level.nanos.saturating_add(nanos).saturating_add(carry);
        self.set_level(if nanos < FULLEST {
            Volume { nanos, fraction: fraction % funnel.parts::<false>() }
        } else {
            Volume { nanos: FULLEST, fraction: 0 }
        });
    }

    /// Refunds the units, or as much as the funnel holds, and returns the number of whole units.
    fn refund(&mut self, funnel: &Funnel, n: u32) -> u32 {
        let (Pour { n, volume }, count) = (funnel.pour::<false>(n), funnel.parts::<false>());
        let level = self.level(funnel);
        let borrow = u64::from(level.fraction < volume.fraction);
        let fraction = level.fraction.wrapping_sub(volume.fraction);
        let left = level.nanos.checked_sub(volume.nanos.saturating_add(borrow));
        let (level, refunded) = if let Some(nanos) = left {
            (Volume { nanos, fraction: fraction.wrapping_add(borrow * count) }, n)
        } else {
            // The funnel holds fewer than `n` units.
            let in_parts = level.nanos.wrapping_mul(count).wrapping_add(level.fraction);
            (Volume { nanos: 0, fraction: 0 }, funnel.units_in::<false>(level.nanos, in_parts))
        };
        self.set_level(level);
        refunded
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

/// Two states are equal if they have the same level at the same time, whatever the quota of the
/// latest check.
impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        let fraction = |of: &Self, over: &Self| u64::from(of.fraction) * u64::from(over.count);
        (self.nanos, self.leaked_at) == (other.nanos, other.leaked_at)
            && fraction(self, other) == fraction(other, self)
    }
}

impl Eq for Level {}

impl From<Outcome> for Decision {
    #[inline]
    fn from(decision: Outcome) -> Decision {
        let Outcome { capacity, remaining, never, wait, level } = decision;
        let retry_after = Duration::from_nanos(wait);
        // Derive the verdict from the wait: the wait is then computed unconditionally, without a
        // branch. Compare nanoseconds, since `Duration::is_zero` would compile to a branch.
        let verdict = if never {
            Verdict::Never
        } else if wait == 0 {
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
