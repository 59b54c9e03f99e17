//! Other quotas for a key's funnel: for one call, or from now on.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use super::super::throttle::{self, Throttle, ThrottleError};
use super::super::word::Pace;
use super::{Decision, Funnels, Quota};
use crate::{Clock, Timestamp};

impl<K: Eq + Hash, C: Clock, H: BuildHasher> Funnels<K, C, H> {
    /// Does what [`check_n_at`](Self::check_n_at) does, by another quota, for this call only.
    ///
    /// The funnel is the key's own, whatever the quota: it stays as full as it is, in time.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota, Timestamp};
    ///
    /// let funnels = Funnels::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(funnels.check_with_at(&1, generous, 5, Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_with_at<Q>(&self, key: &Q, quota: Quota, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.pour(key, Some(Pace::new(quota)), n, now)
    }

    /// Does what redis-cell's `CL.THROTTLE key max_burst count period quantity` does: `count` in
    /// each `period` of seconds, and `max_burst + 1` at once.
    ///
    /// # Errors
    ///
    /// [`ThrottleError`] for arguments without a meaning. Nothing is changed then.
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
    /// # Ok::<(), zset_std::ThrottleError>(())
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
        self.throttle_at(key, max_burst, count, period, quantity, self.clock.now())
    }

    /// Does what [`throttle`](Self::throttle) does, at a time.
    ///
    /// # Errors
    ///
    /// [`ThrottleError`] for arguments without a meaning. Nothing is changed then.
    ///
    /// # Examples
    ///
    /// As with [`throttle`](Self::throttle).
    pub fn throttle_at<Q>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
        now: Timestamp,
    ) -> Result<Throttle, ThrottleError>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let (quota, n) = throttle::parse(max_burst, count, period, quantity)?;
        Ok(self.check_with_at(key, quota, n, now).into())
    }

    /// Does what [`peek_at`](Self::peek_at) does, by another quota, for this call only.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota, Timestamp};
    ///
    /// let funnels = Funnels::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(funnels.peek_with_at(&1, generous, 5, Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn peek_with_at<Q>(&self, key: &Q, quota: Quota, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.peek_pace(key, Some(Pace::new(quota)), n, now)
    }

    /// Changes the quota of all keys; what is in the funnels stays, in time. **O(shards)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota};
    ///
    /// let funnels = Funnels::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// funnels.set_quota(Quota::new(9, Duration::from_secs(60))?);
    /// assert_eq!(funnels.peek(&1, 0).limit, 9);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn set_quota(&self, quota: Quota) {
        self.keys.set(|pace| *pace = Pace::new(quota));
    }
}
