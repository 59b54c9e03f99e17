//! [`Quota`]: a number of units per period.

use core::error::Error;
use core::fmt;
use core::num::{NonZeroU32, NonZeroU64};
use core::time::Duration;

/// The longest period, in nanoseconds: 146 years, about a second less than 2^62 nanoseconds.
pub(super) const LONGEST_PERIOD: u64 = (u32::MAX as u64) << 30;

const NANOS_PER_SECOND: NonZeroU64 = NonZeroU64::new(1_000_000_000).unwrap();

/// A limit on a rate: `count` units in each `period`.
///
/// A window counts the units of the last period, so its limit is `count`. A
/// [`Funnel`](super::Funnel) allows units at a rate of `count / period`; it may have a capacity
/// other than `count`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::Quota;
///
/// let quota = Quota::new(60, Duration::from_secs(1))?;
/// assert_eq!((quota.count(), quota.period().as_secs()), (60, 1));
/// assert!(Quota::new(0, Duration::from_secs(60)).is_err());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    pub(super) count: NonZeroU32,
    /// In nanoseconds.
    period: NonZeroU64,
}

/// The error of an invalid quota, or of an invalid capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaError {
    /// The count is zero: nothing would ever be allowed.
    ZeroCount,
    /// The period is zero.
    ZeroPeriod,
    /// The capacity is zero: nothing would ever be allowed.
    ZeroCapacity,
    /// The period is longer than 146 years, or the capacity takes longer than that to leak out.
    PeriodTooLong,
}

impl fmt::Display for QuotaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuotaError::ZeroCount => "quota has a count of zero",
            QuotaError::ZeroPeriod => "quota has a period of zero",
            QuotaError::ZeroCapacity => "quota has a capacity of zero",
            QuotaError::PeriodTooLong => "quota takes more than 146 years to recover",
        })
    }
}

impl Error for QuotaError {}

impl Quota {
    /// Makes a quota of `count` units per `period`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`QuotaError`] if either is zero, or if the period is longer than 146 years.
    pub const fn new(count: u32, period: Duration) -> Result<Quota, QuotaError> {
        let Some(count) = NonZeroU32::new(count) else { return Err(QuotaError::ZeroCount) };
        if period.as_nanos() > LONGEST_PERIOD as u128 {
            return Err(QuotaError::PeriodTooLong);
        }
        match NonZeroU64::new(period.as_nanos() as u64) {
            Some(period) => Ok(Quota { count, period }),
            None => Err(QuotaError::ZeroPeriod),
        }
    }

    /// Makes a quota of `count` units per second. **O(1)**.
    pub const fn per_second(count: NonZeroU32) -> Quota {
        Quota::per(count, 1)
    }

    /// Makes a quota of `count` units per minute. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use zset_std::{FixedWindow, Quota};
    ///
    /// const TEN: NonZeroU32 = NonZeroU32::new(10).unwrap();
    /// const LOGINS: FixedWindow = FixedWindow::new(Quota::per_minute(TEN));
    /// ```
    pub const fn per_minute(count: NonZeroU32) -> Quota {
        Quota::per(count, 60)
    }

    /// Makes a quota of `count` units per hour. **O(1)**.
    pub const fn per_hour(count: NonZeroU32) -> Quota {
        Quota::per(count, 3600)
    }

    /// Makes a quota of `count` units per 24 hours. **O(1)**.
    pub const fn per_day(count: NonZeroU32) -> Quota {
        Quota::per(count, 86_400)
    }

    const fn per(count: NonZeroU32, seconds: u32) -> Quota {
        let Some(seconds) = NonZeroU64::new(seconds as u64) else { unreachable!() };
        Quota { count, period: seconds.saturating_mul(NANOS_PER_SECOND) }
    }

    /// Returns the number of units per period: the limit of a window. **O(1)**.
    #[inline]
    pub const fn count(self) -> u32 {
        self.count.get()
    }

    /// Returns the period. **O(1)**.
    pub const fn period(self) -> Duration {
        Duration::from_nanos(self.period.get())
    }
}

impl Quota {
    #[inline]
    pub(crate) const fn period_in_nanos(self) -> u64 {
        self.period.get()
    }
}
