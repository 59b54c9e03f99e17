//! [`Decision`]: what a limiter answers.

use std::time::Duration;

use crate::Timestamp;

/// Whether the units pass.
///
/// It is exhaustive: there are no other answers, and a `match` has to handle each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They pass, and are taken off the quota.
    Allowed,
    /// They do not pass now. Nothing is taken off the quota.
    Denied {
        /// How long to wait, from the `now` of the call: the units pass then if no others pass
        /// before, and not a nanosecond earlier. For a key refused by
        /// [`WhenFull::RefuseNew`](super::WhenFull::RefuseNew) it is an estimate. Never zero.
        retry_after: Duration,
    },
    /// They never pass, since they are more than the limit. Nothing is taken off the quota.
    Never,
}

/// What a limiter answers: the verdict, and the state of the quota after it.
///
/// `limit`, `remaining` and `reset_after` describe one thing: how many units may pass now, and how
/// long until `limit` of them may pass together. Durations count from the `now` of the call, even if
/// the limiter has already seen a later time. All fields are public and there will be no others, so
/// implementations of [`KeyedLimiter`](super::KeyedLimiter) can make one.
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
/// # Ok::<(), zset_std::limit::QuotaError>(())
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
    /// How long until `limit` units would pass together, if no others pass before.
    pub reset_after: Duration,
}

impl Decision {
    /// Returns whether the units pass. **O(1)**.
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
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub const fn is_allowed(&self) -> bool {
        matches!(self.verdict, Verdict::Allowed)
    }

    /// Returns how long to wait before asking again: zero if the units pass, `None` if they never
    /// will. **O(1)**.
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
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.verdict {
            Verdict::Allowed => Some(Duration::ZERO),
            Verdict::Denied { retry_after } => Some(retry_after),
            Verdict::Never => None,
        }
    }

    /// Returns the decision with durations that count from `now`, the time of the caller, where they
    /// count from `counted`, the same time or a later one.
    pub(super) fn counted_from(self, now: Timestamp, counted: Timestamp) -> Decision {
        if counted <= now {
            return self;
        }
        let lag = counted.saturating_duration_since(now);
        let verdict = match self.verdict {
            Verdict::Denied { retry_after } => Verdict::Denied { retry_after: retry_after + lag },
            verdict => verdict,
        };
        let reset_after = match self.reset_after {
            // All of them pass now, whatever the time.
            Duration::ZERO => Duration::ZERO,
            reset_after => reset_after + lag,
        };
        Decision { verdict, reset_after, ..self }
    }
}

/// Decides at the latest time seen, where the caller's clock has stepped back before it.
///
/// Not inlined, so that a decision at the caller's time, the usual case, is made where it is returned:
/// to copy one that was just written, field by field, makes the processor wait for the writes.
#[cold]
#[inline(never)]
pub(super) fn decide_late(
    now: Timestamp,
    newest: Timestamp,
    decide: impl FnOnce(Timestamp) -> Decision,
) -> Decision {
    decide(newest).counted_from(now, newest)
}
