//! Reading a log.

use core::time::Duration;

use super::WindowLog;
use crate::Timestamp;
use crate::limit::{Decision, Quota};

impl WindowLog {
    /// Returns what [`check_n_at`](Self::check_n_at) would return, without changing anything. **O(e)**
    /// for e entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// let peeked = log.peek_at(1, Timestamp::ZERO);
    /// assert_eq!(peeked, log.check_at(Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_at(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_with_at(self.quota, n, now)
    }

    /// Returns what [`check_with_at`](Self::check_with_at) would return, without changing anything.
    /// **O(e)** for e entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// let generous = Quota::new(5, Duration::from_secs(60))?;
    /// assert!(log.peek_with_at(generous, 3, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.entries(), 0);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_with_at(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.newest);
        self.decide(quota, n, counted).counted_from(now, counted)
    }

    /// Returns whether the limit is reached, i.e. whether not even one unit would be allowed. **O(e)**
    /// for e entries.
    ///
    /// Together with [`record_at`](Self::record_at), this separates checking from recording, e.g. for
    /// failed logins, which are recorded whether or not the limit is reached.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// // Show a captcha after three failures in a minute.
    /// let mut failures = WindowLog::new(Quota::new(3, Duration::from_secs(60))?);
    /// for _ in 0..3 {
    ///     assert!(!failures.over_limit_at(Timestamp::ZERO));
    ///     failures.record_at(1, Timestamp::ZERO);
    /// }
    /// assert!(failures.over_limit_at(Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn over_limit_at(&self, now: Timestamp) -> bool {
        self.remaining_at(now) == 0
    }

    /// Returns the number of units that would be allowed at time `now`. **O(e)** for e entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(3, Duration::from_secs(1))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.remaining_at(Timestamp::ZERO), 2);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn remaining_at(&self, now: Timestamp) -> u32 {
        self.peek_at(0, now).remaining
    }

    /// Returns how long to wait until `n` units would be allowed, if no others are allowed in the
    /// meantime; `None` if they never can be. **O(e)** for e entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.retry_after_at(1, Timestamp::ZERO), Some(Duration::from_secs(60)));
    /// assert_eq!(log.retry_after_at(2, Timestamp::ZERO), None);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn retry_after_at(&self, n: u32, now: Timestamp) -> Option<Duration> {
        self.peek_at(n, now).retry_after()
    }

    /// Returns how long to wait until `count` units would be allowed at once, if no others are allowed
    /// in the meantime. **O(e)** for e entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert_eq!(log.reset_after_at(Timestamp::ZERO), Duration::ZERO);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn reset_after_at(&self, now: Timestamp) -> Duration {
        self.peek_at(0, now).reset_after
    }

    /// Returns the number of entries on record. **O(1)**.
    ///
    /// Calls at the same time share an entry.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(9, Duration::from_secs(60))?);
    /// assert!(log.check_n_at(5, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.entries(), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn entries(&self) -> usize {
        self.log.len()
    }
}
