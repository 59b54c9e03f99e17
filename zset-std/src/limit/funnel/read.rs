//! Reading a funnel.

use core::time::Duration;

use super::Funnel;
use crate::Timestamp;
use crate::limit::Decision;

impl Funnel {
    /// Returns the number of units that the funnel holds. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota};
    ///
    /// let funnel = Funnel::new(Quota::new(1, Duration::from_secs(2))?.with_capacity(15)?);
    /// assert_eq!(funnel.capacity(), 15);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn capacity(&self) -> u32 {
        self.quota.capacity()
    }

    /// Returns the leak rate: a number of units, and the period in which they leak out. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota};
    ///
    /// let funnel = Funnel::new(Quota::new(1, Duration::from_secs(2))?);
    /// assert_eq!(funnel.leaking_rate(), (1, Duration::from_secs(2)));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn leaking_rate(&self) -> (u32, Duration) {
        (self.quota.count(), self.quota.period())
    }

    /// Returns the latest time seen, to which the level is up to date. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(1, Duration::from_secs(2))?);
    /// funnel.make_space_at(Timestamp::from_nanos(7));
    /// assert_eq!(funnel.leaking_ts(), Timestamp::from_nanos(7));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn leaking_ts(&self) -> Timestamp {
        self.leaking_ts
    }

    /// Returns the number of units for which there is space at time `now`. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert!(funnel.check_n_at(2, Timestamp::ZERO).is_allowed());
    /// assert_eq!(funnel.remaining_at(Timestamp::ZERO), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn remaining_at(&self, now: Timestamp) -> u32 {
        self.space(self.level_at(now.max(self.leaking_ts)))
    }

    /// An alias of [`remaining_at`](Self::remaining_at). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let funnel = Funnel::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert_eq!(funnel.left_quota_at(Timestamp::ZERO), 3);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn left_quota_at(&self, now: Timestamp) -> u32 {
        self.remaining_at(now)
    }

    /// Returns what [`check_n_at`](Self::check_n_at) would return, without changing anything.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnel, Quota, Timestamp};
    ///
    /// let mut funnel = Funnel::new(Quota::new(3, Duration::from_secs(2))?);
    /// let peeked = funnel.peek_at(3, Timestamp::ZERO);
    /// assert_eq!(peeked, funnel.check_n_at(3, Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.leaking_ts);
        self.decide(n, self.level_at(counted)).counted_from(now, counted)
    }
}
