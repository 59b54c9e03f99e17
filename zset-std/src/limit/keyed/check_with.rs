//! Checking and peeking under a different quota.

use std::borrow::{Borrow, ToOwned};
use std::hash::{BuildHasher, Hash};

use super::super::{Decision, Quota, QuotaPerCall};
use super::Keyed;
use crate::{Clock, Timestamp};

impl<K: Eq + Hash, L: QuotaPerCall, C: Clock, H: BuildHasher> Keyed<K, L, C, H> {
    /// Like [`check_n`](Self::check_n), with a different quota for this call.
    /// **O(1)** expected to find the key, plus the cost of its limiter; **O(log n)** amortized for a new key.
    ///
    /// All quotas share the state of the key. For a sliding window, see
    /// [`WindowLog::check_with_at`](super::super::WindowLog::check_with_at). For a funnel, the time at
    /// which it will be empty carries over between the quotas.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota, SlidingWindow};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(60))?;
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// let funnels = Funnels::<u32>::new(quota);
    /// assert!(funnels.check_with(&1, generous, 5).is_allowed());
    /// let windows = SlidingWindow::<u32>::new(quota);
    /// assert!(windows.check_with(&1, generous, 5).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn check_with<Q>(&self, key: &Q, quota: Quota, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_with_at(key, quota, n, self.clock.now())
    }

    /// Like [`check_with`](Self::check_with), at time `now`.
    /// **O(1)** expected to find the key, plus the cost of its limiter; **O(log n)** amortized for a new key.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota, Timestamp};
    ///
    /// let limiter = Funnels::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?.with_capacity(5)?;
    /// assert!(limiter.check_with_at(&1, generous, 5, Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn check_with_at<Q>(&self, key: &Q, quota: Quota, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let call = L::call(quota, n);
        self.decide(key, n, now, |state, _, now| state.check_with_at(&call, now))
    }

    /// Returns what [`check_with`](Self::check_with) would return, without recording any units or inserting
    /// a key. **O(1)** expected to find the key, plus the cost of its limiter.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(limiter.peek_with(&1, generous, 5).is_allowed());
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_with<Q>(&self, key: &Q, quota: Quota, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.peek_with_at(key, quota, n, self.clock.now())
    }

    /// Like [`peek_with`](Self::peek_with), at time `now`.
    /// **O(1)** expected to find the key, plus the cost of its limiter.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow, Timestamp};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(limiter.peek_with_at(&1, generous, 5, Timestamp::ZERO).is_allowed());
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_with_at<Q>(&self, key: &Q, quota: Quota, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let call = L::call(quota, n);
        self.foresee(key, n, now, |state, _, now| state.peek_with_at(&call, now))
    }
}
