//! Operations on keys: refunding, removing, sweeping and counting.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use super::super::KeyState;
use super::Keyed;
use crate::{Clock, Timestamp};

impl<K: Eq + Hash, L: KeyState, C: Clock, H: BuildHasher> Keyed<K, L, C, H> {
    /// Refunds the `n` newest units of a key, or as many as are on record, and returns how many.
    /// **O(log n)** expected, plus the cost of its limiter: for a sliding window, **O(1)** per
    /// entry affected, in which other calls for keys of the shard wait.
    ///
    /// These are the newest units of all calls for the key, not those of a particular call. If another
    /// call was allowed in the meantime, the older of the two stays on record, and stops counting
    /// earlier. A funnel does not record single units: `n` intervals of the limiter's quota leak out at
    /// once. Units taken from the shared state of keys without room are not refunded.
    ///
    /// A refund does not depend on the time: units are on record until a later check of the key
    /// finds them too old, or until the key is evicted. So an idle key may refund units where a new
    /// one has none. After [`set_quota`](Self::set_quota) to a shorter period, the log of a key
    /// that was not evicted keeps units for the longest period so far, also those that pass later.
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
    /// assert_eq!(limiter.refund(&2, 2), 0);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn refund<Q>(&self, key: &Q, n: u32) -> u32
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.shorten(key, |state, settings| state.refund_under(settings, n)).unwrap_or(0)
    }

    /// Removes a key, with its history, and returns whether it was present. **O(log n)** expected, plus
    /// the cost of its limiter.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(limiter.check(&1).is_allowed());
    /// assert!(limiter.reset(&1));
    /// assert!(limiter.check(&1).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn reset<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.remove(key)
    }

    /// Examines about `budget` keys that may be idle, evicts those that are, and returns how many.
    ///
    /// The budget is divided among the shards, rounded up for each. **O(b log n)** amortized for a
    /// budget of b, and at least **O(shards)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{FakeClock, Quota, SlidingWindow};
    ///
    /// let clock = FakeClock::new();
    /// let quota = Quota::new(1, Duration::from_secs(60))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_clock(clock.clone());
    /// assert!(limiter.check(&1).is_allowed());
    /// assert_eq!(limiter.sweep(100), 0);
    /// clock.advance(Duration::from_secs(60));
    /// assert_eq!(limiter.sweep(100), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn sweep(&self, budget: usize) -> usize {
        self.sweep_at(budget, self.clock.now())
    }

    /// Like [`sweep`](Self::sweep), at time `now`. As with a check, later calls never use an earlier
    /// time, so do not pass a time in the future. **O(b log n)** amortized for a budget of b, and at
    /// least **O(shards)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow, Timestamp};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(1))?);
    /// let _ = limiter.check_n_at(&1, 1, Timestamp::ZERO);
    /// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
    /// assert_eq!(limiter.sweep_at(10, later), 1);
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn sweep_at(&self, budget: usize, now: Timestamp) -> usize {
        let evicted = self.keys.sweep(now, budget);
        self.observers.evicted(evicted);
        evicted
    }

    /// Returns the number of keys, including idle ones that have not been evicted yet. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(1))?);
    /// let _ = (limiter.check(&1), limiter.check(&2));
    /// assert_eq!(limiter.len(), 2);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no keys. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(1, Duration::from_secs(1))?);
    /// assert!(limiter.is_empty());
    /// let _ = limiter.check(&1);
    /// assert!(!limiter.is_empty());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the clock. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Clock, FakeClock, Quota, SlidingWindow, Timestamp};
    ///
    /// let quota = Quota::new(1, Duration::from_secs(1))?;
    /// let limiter = SlidingWindow::<u32>::new(quota).with_clock(FakeClock::new());
    /// assert_eq!(limiter.clock().now(), Timestamp::ZERO);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn clock(&self) -> &C {
        &self.clock
    }

    /// Panics with a description if an invariant is violated. For tests. **O(n log n)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        self.keys.check_invariants();
    }
}
