//! [`Quota`]: so many units in a period.

use std::error::Error;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

/// The longest period, in nanoseconds: 146 years.
///
/// As many ticks fit into 64 bits, also if each of up to 2^32 intervals is rounded up to a whole tick.
const LONGEST_PERIOD: u64 = (u64::MAX - u32::MAX as u64) / TICKS_PER_NANO;

/// How much is allowed: `count` units in each `period`, and `capacity` of them at once.
///
/// A window counts what there was in the last period, so its limit is the count. A funnel lets
/// units through at the rate of `count / period`, and as many at once as its capacity, which is the
/// count unless said otherwise.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::Quota;
///
/// let per_minute = Quota::new(60, Duration::from_secs(60))?;
/// assert_eq!(per_minute.capacity(), 60);
/// assert_eq!(per_minute.with_capacity(5)?.capacity(), 5);
/// assert!(Quota::new(0, Duration::from_secs(60)).is_err());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    count: NonZeroU32,
    /// In nanoseconds.
    period: NonZeroU64,
    capacity: NonZeroU32,
}

/// The error of a quota without a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaError {
    /// A count of zero: nothing would ever be allowed.
    ZeroCount,
    /// A period of zero.
    ZeroPeriod,
    /// A capacity of zero: nothing would ever be allowed.
    ZeroCapacity,
    /// A period of more than 146 years, or a capacity that takes longer than that to leak out.
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
    /// Makes a quota of `count` units in each `period`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`QuotaError`] if either is zero, or the period longer than 146 years.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::limit::QuotaError;
    /// use zset_std::Quota;
    ///
    /// assert!(Quota::new(1_000_000_000, Duration::from_secs(86_400)).is_ok());
    /// assert_eq!(Quota::new(1, Duration::ZERO), Err(QuotaError::ZeroPeriod));
    /// ```
    pub fn new(count: u32, period: Duration) -> Result<Quota, QuotaError> {
        let count = NonZeroU32::new(count).ok_or(QuotaError::ZeroCount)?;
        let nanos = u64::try_from(period.as_nanos()).ok().filter(|&nanos| nanos <= LONGEST_PERIOD);
        let period = NonZeroU64::new(nanos.ok_or(QuotaError::PeriodTooLong)?);
        let period = period.ok_or(QuotaError::ZeroPeriod)?;
        Ok(Quota { count, period, capacity: count })
    }

    /// Returns the quota with another capacity: how many units a funnel takes at once. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`QuotaError`] if it is zero, or a funnel of it would take more than 146 years to be empty
    /// again.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?.with_capacity(5)?;
    /// assert_eq!(quota.capacity(), 5);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn with_capacity(self, capacity: u32) -> Result<Quota, QuotaError> {
        let capacity = NonZeroU32::new(capacity).ok_or(QuotaError::ZeroCapacity)?;
        let quota = Quota { capacity, ..self };
        let burst = quota.interval_in_ticks().checked_mul(capacity.get().into());
        burst.map(|_| quota).ok_or(QuotaError::PeriodTooLong)
    }

    /// Returns the units in each period: the limit of a window. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// # use zset_std::Quota;
    /// assert_eq!(Quota::new(3, Duration::from_secs(1))?.count(), 3);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn count(self) -> u32 {
        self.count.get()
    }

    /// Returns the period. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// # use zset_std::Quota;
    /// let quota = Quota::new(3, Duration::from_secs(1))?;
    /// assert_eq!(quota.period(), Duration::from_secs(1));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn period(self) -> Duration {
        Duration::from_nanos(self.period.get())
    }

    /// Returns the units that a funnel takes at once. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota};
    ///
    /// assert_eq!(Quota::new(10, Duration::from_secs(60))?.capacity(), 10);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn capacity(self) -> u32 {
        self.capacity.get()
    }
}

/// The resolution of the times in a keyed funnel.
pub(crate) const TICKS_PER_NANO: u64 = 4;

impl Quota {
    /// Returns the ticks from one unit to the next, rounded up: towards denial.
    pub(crate) fn interval_in_ticks(self) -> u64 {
        (self.period.get() * TICKS_PER_NANO).div_ceil(self.count.get().into())
    }

    #[inline]
    pub(crate) fn period_in_nanos(self) -> u64 {
        self.period.get()
    }
}
