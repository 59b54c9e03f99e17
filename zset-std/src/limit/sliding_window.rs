//! What a keyed sliding window can do beside what every keyed limiter can.

use std::borrow::Borrow;
use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use super::{Decision, Keyed, Quota, WindowLog};
use crate::{Clock, Timestamp};

/// The error of a record for a new key for which there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysFull;

impl fmt::Display for KeysFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("limiter has no room for another key")
    }
}

impl Error for KeysFull {}

impl<K: Eq + Hash, C: Clock, H: BuildHasher> Keyed<K, WindowLog, C, H> {
    /// Does what [`check_n`](Self::check_n) does, by another quota, for this call only.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(limiter.check_with(&1, generous, 5).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn check_with<Q>(&self, key: &Q, quota: Quota, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_with_at(key, quota, n, self.clock().now())
    }

    /// Does what [`check_with`](Self::check_with) does, at a time.
    ///
    /// # Examples
    ///
    /// As with [`check_with`](Self::check_with).
    pub fn check_with_at<Q>(&self, key: &Q, quota: Quota, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let decision = self.decide(key, n, now, |log, now| log.check_with_at(quota, n, now));
        self.tell(&decision);
        decision
    }

    /// Returns whether the limit of a key is reached; see [`WindowLog::over_limit_at`].
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let failures = SlidingWindow::<String>::new(Quota::new(3, Duration::from_secs(60))?);
    /// for _ in 0..3 {
    ///     assert!(!failures.over_limit("ann"));
    ///     failures.record("ann", 1)?;
    /// }
    /// assert!(failures.over_limit("ann"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn over_limit<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.over_limit_at(key, self.clock().now())
    }

    /// Does what [`over_limit`](Self::over_limit) does, at a time.
    ///
    /// # Examples
    ///
    /// As with [`over_limit`](Self::over_limit).
    pub fn over_limit_at<Q>(&self, key: &Q, now: Timestamp) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.peek_at(key, 0, now).remaining == 0
    }

    /// Records `n` units of a key, even beyond the limit; see [`WindowLog::record_at`].
    ///
    /// # Errors
    ///
    /// [`KeysFull`] if the key is new, and refused for want of room.
    ///
    /// # Examples
    ///
    /// See [`over_limit`](Self::over_limit).
    pub fn record<Q>(&self, key: &Q, n: u32) -> Result<(), KeysFull>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.record_at(key, n, self.clock().now())
    }

    /// Does what [`record`](Self::record) does, at a time.
    ///
    /// # Errors
    ///
    /// [`KeysFull`] if the key is new, and refused for want of room.
    ///
    /// # Examples
    ///
    /// As with [`record`](Self::record).
    pub fn record_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Result<(), KeysFull>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.change(key, now, |log, now| log.record_at(n, now)).map_err(|_| KeysFull)
    }

    /// Gives back `n` units of those of a key that passed last; returns how many there were to give
    /// back.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(3, Duration::from_secs(60))?);
    /// assert!(limiter.check_n(&1, 3).is_allowed());
    /// assert_eq!(limiter.refund(&1, 2), 2);
    /// assert_eq!(limiter.peek(&1, 0).remaining, 2);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn refund<Q>(&self, key: &Q, n: u32) -> u32
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.change_existing(key, |log| log.refund(n)).unwrap_or(0)
    }

    /// Changes the quota of all keys; what has passed stays on record; see
    /// [`WindowLog::set_quota`]. **O(n)** keys, a shard at a time.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(limiter.check(&1).is_allowed());
    /// limiter.set_quota(Quota::new(3, Duration::from_secs(60))?);
    /// assert_eq!(limiter.peek(&1, 0).remaining, 2);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub fn set_quota(&self, quota: Quota) {
        self.change_all(|log| log.set_quota(quota));
    }
}
