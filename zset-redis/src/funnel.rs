//! [`Funnel`](crate::blocking::Funnel): a leaky bucket for each of many keys.

use zset_std::limit::Throttle;
use zset_std::{Quota, Timestamp};

use crate::limit::Policy;
use crate::{Error, OnFailure, Rule, UnsupportedQuota, blocking};

/// A leaky bucket for each of many keys, to be awaited.
///
/// [`kind::Funnel`](crate::kind::Funnel) says what it does.
#[cfg(feature = "tokio")]
pub type Funnel<C> = crate::Keyed<C, crate::kind::Funnel>;

#[cfg(feature = "tokio")]
impl<C> Funnel<C> {
    /// Makes a limiter that gives every key this quota; keys on the server begin with `name`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota`] if the limiter cannot be exact for the quota.
    pub fn new(
        connection: C,
        name: &str,
        quota: Quota,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        let rule = Rule::funnel(quota)?;
        Ok(Self::with_policy(connection, Policy::new(name, [rule], on_failure)))
    }
}

#[cfg(feature = "tokio")]
impl<C: redis::aio::ConnectionLike + Clone + Send + Sync + 'static> Funnel<C> {
    /// Implements redis-cell's `CL.THROTTLE key max_burst count period quantity`: `count` units per
    /// `period` seconds, and up to `max_burst + 1` at once. The quota of the limiter is not used.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check), or [`Error::Throttle`] or [`Error::Quota`] if an argument is invalid.
    pub async fn throttle<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
    ) -> Result<Throttle, Error> {
        let numbers = [max_burst, count, period, quantity];
        self.throttle_with(key.as_ref(), numbers, None).await
    }

    /// Like [`throttle`](Self::throttle), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`throttle`](Self::throttle), or [`Error::TimeTooLate`].
    pub async fn throttle_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
        now: Timestamp,
    ) -> Result<Throttle, Error> {
        let numbers = [max_burst, count, period, quantity];
        self.throttle_with(key.as_ref(), numbers, Some(now)).await
    }
}

impl<M: blocking::Connect> blocking::Funnel<M> {
    /// Makes a limiter that gives every key this quota; keys on the server begin with `name`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota`] if the limiter cannot be exact for the quota.
    pub fn new(
        pool: blocking::Pool<M>,
        name: &str,
        quota: Quota,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        let rule = Rule::funnel(quota)?;
        Ok(Self::with_policy(pool, Policy::new(name, [rule], on_failure)))
    }

    /// Implements redis-cell's `CL.THROTTLE key max_burst count period quantity`: `count` units per
    /// `period` seconds, and up to `max_burst + 1` at once. The quota of the limiter is not used.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check), or [`Error::Throttle`] or [`Error::Quota`] if an argument is invalid.
    pub fn throttle<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
    ) -> Result<Throttle, Error> {
        let numbers = [max_burst, count, period, quantity];
        self.throttle_with(key.as_ref(), numbers, None)
    }

    /// Like [`throttle`](Self::throttle), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`throttle`](Self::throttle), or [`Error::TimeTooLate`].
    pub fn throttle_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
        now: Timestamp,
    ) -> Result<Throttle, Error> {
        let numbers = [max_burst, count, period, quantity];
        self.throttle_with(key.as_ref(), numbers, Some(now))
    }
}
