//! [`Decision`]: the result of a check.

use core::time::Duration;

use crate::Timestamp;

/// Whether units are allowed.
///
/// This enum is exhaustive: there are no other outcomes, and a `match` has to handle each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The units are allowed, and taken from the quota.
    Allowed,
    /// The units are denied for now. Nothing is taken from the quota.
    Denied {
        /// How long to wait, counted from the `now` of the call. If the key is not used and the
        /// limiter is not changed in the meantime, the units are allowed after exactly this time.
        /// Never zero.
        ///
        /// For a key refused by [`WhenFull::RefuseNew`](super::WhenFull::RefuseNew), this is an
        /// estimate.
        ///
        /// [Held](super::Hold) units do not count, since they may be released at any time: this is
        /// the wait for the units on record. If only held units prevent the call, this is a guess
        /// of one second.
        retry_after: Duration,
    },
    /// The units can never be allowed, since they exceed the limit. Nothing is taken from the
    /// quota.
    Never,
}

/// The result of a check: the verdict, and the state of the quota afterwards.
///
/// `remaining` is the number of units that would be allowed now, and `reset_after` is the time
/// until `limit` units would be allowed at once. Durations count from the `now` of the call, even
/// if the limiter has already seen a later time. All fields are public and none will be added, so
/// implementations of [`KeyedLimiter`](super::KeyedLimiter) can construct a `Decision`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Direct, Quota, SlidingWindow, Timestamp, Verdict};
///
/// let mut window = Direct::new(SlidingWindow::new(Quota::new(2, Duration::from_secs(1))?));
/// let decision = window.check(Timestamp::ZERO);
/// assert_eq!(decision.verdict, Verdict::Allowed);
/// assert_eq!((decision.limit, decision.remaining), (2, 1));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a limiter only decides: it is up to the caller to deny"]
pub struct Decision {
    /// Whether the units are allowed.
    pub verdict: Verdict,
    /// The most units that can be allowed at once.
    pub limit: u32,
    /// The units that would be allowed now, after this decision.
    pub remaining: u32,
    /// How long until `limit` units would be allowed at once, if no others are allowed in the
    /// meantime, and those that are held are released.
    pub reset_after: Duration,
}

impl Decision {
    /// Returns whether the units are allowed. **O(1)**.
    pub const fn is_allowed(&self) -> bool {
        matches!(self.verdict, Verdict::Allowed)
    }

    /// Returns how long to wait before trying again: zero if the units are allowed, `None` if they
    /// never can be. **O(1)**.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self.verdict {
            Verdict::Allowed => Some(Duration::ZERO),
            Verdict::Denied { retry_after } => Some(retry_after),
            Verdict::Never => None,
        }
    }

    /// Returns this decision on `n` units, adjusted for `held` others in flight. The others may be
    /// released at any time, so the wait for them is a guess.
    pub(super) fn with_held(mut self, n: u32, held: u64) -> Decision {
        if self.is_allowed() && n > 0 && u64::from(self.remaining) < held {
            self.verdict = Verdict::Denied { retry_after: Duration::from_secs(1) };
            self.remaining = self.remaining.saturating_add(n);
        }
        // The cast is lossless: the difference is at most `self.remaining`.
        let remaining = u64::from(self.remaining).saturating_sub(held) as u32;
        Decision { remaining, ..self }
    }

    /// Converts durations that count from `counted` to durations that count from `now`, the
    /// caller's time. `counted` is the effective time, the later of `now` and the latest time seen.
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
            // The whole limit is available already, so there is nothing to wait for.
            Duration::ZERO => Duration::ZERO,
            reset_after => reset_after + lag,
        };
        Decision { verdict, reset_after, ..self }
    }
}
