//! Reading a log.

use super::WindowLog;
use crate::Timestamp;
use crate::limit::{Decision, Quota};

impl WindowLog {
    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. **O(e)**
    /// for e entries.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(60))?);
    /// let peeked = log.peek_n(1, Timestamp::ZERO);
    /// assert_eq!(peeked, log.check(Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_n(&self, n: u32, now: Timestamp) -> Decision {
        self.peek_with(self.quota, n, now)
    }

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything.
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
    /// assert!(log.peek_with(generous, 3, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.entries(), 0);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_with(&self, quota: Quota, n: u32, now: Timestamp) -> Decision {
        let counted = now.max(self.newest);
        self.decide(quota, n, counted).counted_from(now, counted)
    }

    /// Returns whether the limit is reached, i.e. whether not even one unit would be allowed. **O(e)**
    /// for e entries.
    ///
    /// Together with [`record`](Self::record), this separates checking from recording, e.g. for
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
    ///     assert!(!failures.over_limit(Timestamp::ZERO));
    ///     failures.record(1, Timestamp::ZERO);
    /// }
    /// assert!(failures.over_limit(Timestamp::ZERO));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn over_limit(&self, now: Timestamp) -> bool {
        self.peek_n(0, now).remaining == 0
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
    /// assert!(log.check_n(5, Timestamp::ZERO).is_allowed());
    /// assert_eq!(log.entries(), 1);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn entries(&self) -> usize {
        self.log.len()
    }
}
