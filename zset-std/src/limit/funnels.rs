//! [`Funnels`]: a funnel for each of many keys, and redis-cell's `CL.THROTTLE` over them.

use std::borrow::{Borrow, ToOwned};
use std::hash::{BuildHasher, Hash};
use std::time::Duration;

use super::funnel::FunnelQuota;
use super::{Funnel, Keyed, Quota, Throttle, ThrottleError};
use crate::at::timed;
use crate::{Clock, MonotonicClock, RandomState};

/// A funnel for each key: a leaky bucket in three words per key.
///
/// For a single key, [`Funnel`](super::Funnel) makes the same decisions, which are exact for every
/// quota.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FakeClock, Funnels, Quota};
///
/// // Ten per minute for each user and action, and up to three at once.
/// let clock = FakeClock::new();
/// let quota = Quota::new(10, Duration::from_secs(60))?.with_capacity(3)?;
/// let payments = Funnels::<(u64, &str)>::new(quota).with_clock(clock.clone());
/// assert!(payments.check_n(&(7, "pay"), 3).is_allowed());
/// let denied = payments.check(&(7, "pay"));
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(6)));
/// assert!(payments.check(&(7, "refund")).is_allowed());
/// clock.advance(Duration::from_secs(6));
/// assert!(payments.check(&(7, "pay")).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub type Funnels<K, C = MonotonicClock, H = RandomState> = Keyed<K, Funnel, C, H>;

impl<K: Eq + Hash> Funnels<K> {
    /// Makes a limiter that gives every key this quota. **O(1)**.
    pub fn new(quota: Quota) -> Self {
        Keyed::of(Funnel::new(quota))
    }
}

impl<K: Eq + Hash, C: Clock, H: BuildHasher> Funnels<K, C, H> {
    /// Like [`refund`](Self::refund), for units that were allowed under another quota. **O(log n)**
    /// expected.
    pub fn refund_with<Q>(&self, key: &Q, quota: Quota, n: u32) -> u32
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let quota = FunnelQuota::new(quota);
        self.keys.shorten(key, |_, funnel| funnel.refund(&quota, quota.pour(n))).unwrap_or(0)
    }
}

timed!(impl[K: Eq + Hash, C: Clock, H: BuildHasher] Funnels<K, C, H> {
    /// Implements redis-cell's `CL.THROTTLE key max_burst count period quantity`: `count` units per
    /// `period` seconds, and up to `max_burst + 1` at once.
    /// **O(1)** expected; **O(log n)** amortized for a new key.
    ///
    /// # Errors
    ///
    /// [`ThrottleError`] if an argument is invalid; the limiter is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota};
    ///
    /// let funnels = Funnels::<String>::new(Quota::new(1, Duration::from_secs(1))?);
    /// let throttle = funnels.throttle("ann", 4, 1, 1, 5)?;
    /// assert_eq!((throttle.limited, throttle.limit, throttle.remaining), (false, 5, 0));
    /// assert_eq!((throttle.retry_after, throttle.reset_after), (-1, 5));
    /// assert!(funnels.throttle("ann", 4, 1, 0, 1).is_err());
    /// # Ok::<(), zset_std::limit::ThrottleError>(())
    /// ```
    pub fn throttle<Q>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
    ) -> Result<Throttle, ThrottleError>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let (quota, n) = parse(max_burst, count, period, quantity)?;
        Ok(self.check_with(key, quota, n).into())
    }
});

/// Returns the quota and the number of units given by the arguments.
fn parse(
    max_burst: i64,
    count: i64,
    period: i64,
    quantity: i64,
) -> Result<(Quota, u32), ThrottleError> {
    let capacity = max_burst.checked_add(1).filter(|_| max_burst >= 0);
    let capacity = capacity.and_then(|capacity| u32::try_from(capacity).ok());
    let count = u32::try_from(count).map_err(|_| ThrottleError::Rate)?;
    let period = u64::try_from(period).map_err(|_| ThrottleError::Rate)?;
    let quantity = u32::try_from(quantity).map_err(|_| ThrottleError::Quantity)?;
    let quota = Quota::new(count, Duration::from_secs(period))?;
    Ok((quota.with_capacity(capacity.ok_or(ThrottleError::MaxBurst)?)?, quantity))
}
