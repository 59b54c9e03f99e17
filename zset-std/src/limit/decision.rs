//! [`Decision`]: what a limiter answers.

use std::time::Duration;

/// Whether the units pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They pass, and are taken off the quota.
    Allowed,
    /// They do not pass now. Nothing is taken off the quota.
    Denied {
        /// How long to wait: then they pass, if no others come before; one nanosecond earlier they
        /// do not.
        retry_after: Duration,
    },
    /// They never pass, since they are more than the limit. Nothing is taken off the quota.
    Never,
}

/// What a limiter answers: the verdict, and how the quota stands after it.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Quota, Timestamp, Verdict, WindowLog};
///
/// let mut log = WindowLog::new(Quota::new(2, Duration::from_secs(1))?);
/// let decision = log.check_at(Timestamp::ZERO);
/// assert_eq!(decision.verdict, Verdict::Allowed);
/// assert_eq!((decision.limit, decision.remaining), (2, 1));
/// # Ok::<(), zset_std::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a limiter only decides: it is up to the caller to deny"]
pub struct Decision {
    /// Whether the units pass.
    pub verdict: Verdict,
    /// The most units that can pass at once.
    pub limit: u32,
    /// The units that would pass now, after this decision.
    pub remaining: u32,
    /// How long until all units of the limit would pass, if no others come.
    pub reset_after: Duration,
}

impl Decision {
    /// Returns whether the units pass.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(1))?);
    /// assert!(log.check_at(Timestamp::ZERO).is_allowed());
    /// assert!(!log.check_at(Timestamp::ZERO).is_allowed());
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub const fn is_allowed(&self) -> bool {
        matches!(self.verdict, Verdict::Allowed)
    }

    /// Returns how long to wait before asking again: nothing if the units pass; none if they never
    /// will.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, Timestamp, WindowLog};
    ///
    /// let mut log = WindowLog::new(Quota::new(1, Duration::from_secs(1))?);
    /// assert_eq!(log.check_at(Timestamp::ZERO).retry_after(), Some(Duration::ZERO));
    /// assert_eq!(log.check_at(Timestamp::ZERO).retry_after(), Some(Duration::from_secs(1)));
    /// assert_eq!(log.check_n_at(2, Timestamp::ZERO).retry_after(), None);
    /// # Ok::<(), zset_std::QuotaError>(())
    /// ```
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.verdict {
            Verdict::Allowed => Some(Duration::ZERO),
            Verdict::Denied { retry_after } => Some(retry_after),
            Verdict::Never => None,
        }
    }
}
