//! [`Throttle`]: the reply of redis-cell's `CL.THROTTLE`.

use core::error::Error;
use core::fmt;
use core::time::Duration;

use super::{Decision, Funnel, Quota, QuotaError, Verdict};

/// The reply of `CL.THROTTLE`; times are in seconds, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a limiter only decides: it is up to the caller to deny"]
pub struct Throttle {
    /// Whether the units are denied.
    pub limited: bool,
    /// The most units allowed at once: `max_burst + 1`.
    pub limit: i64,
    /// The units that would be allowed now.
    pub remaining: i64,
    /// How long to wait until the units are allowed; -1 if they are, or never can be.
    pub retry_after: i64,
    /// How long until `limit` units would be allowed at once.
    pub reset_after: i64,
}

/// The error of invalid arguments to `CL.THROTTLE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThrottleError {
    /// The burst is negative, or more than 2^32 - 2.
    MaxBurst,
    /// The quantity is negative, or more than 2^32 - 1.
    Quantity,
    /// The count or the period is negative, or too large.
    Rate,
    /// The resulting quota is invalid.
    Quota(QuotaError),
}

impl fmt::Display for ThrottleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThrottleError::MaxBurst => f.write_str("burst is negative or too large"),
            ThrottleError::Quantity => f.write_str("quantity is negative or too large"),
            ThrottleError::Rate => f.write_str("count or period is negative or too large"),
            ThrottleError::Quota(error) => error.fmt(f),
        }
    }
}

impl Error for ThrottleError {}

impl From<QuotaError> for ThrottleError {
    fn from(error: QuotaError) -> Self {
        ThrottleError::Quota(error)
    }
}

impl Throttle {
    /// Returns the funnel and the number of units given by the arguments of `CL.THROTTLE`: `count`
    /// units per `period` seconds, and up to `max_burst + 1` at once. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`ThrottleError`] if an argument is invalid.
    pub fn arguments(
        max_burst: i64,
        count: i64,
        period: i64,
        quantity: i64,
    ) -> Result<(Funnel, u32), ThrottleError> {
        let capacity = max_burst.checked_add(1).filter(|_| max_burst >= 0);
        let capacity = capacity.and_then(|capacity| u32::try_from(capacity).ok());
        let count = u32::try_from(count).map_err(|_| ThrottleError::Rate)?;
        let period = u64::try_from(period).map_err(|_| ThrottleError::Rate)?;
        let quantity = u32::try_from(quantity).map_err(|_| ThrottleError::Quantity)?;
        let funnel = Funnel::new(Quota::new(count, Duration::from_secs(period))?);
        Ok((funnel.with_capacity(capacity.ok_or(ThrottleError::MaxBurst)?)?, quantity))
    }
}

impl From<Decision> for Throttle {
    fn from(decision: Decision) -> Self {
        Throttle {
            limited: !decision.is_allowed(),
            limit: decision.limit.into(),
            remaining: decision.remaining.into(),
            retry_after: match decision.verdict {
                Verdict::Denied { retry_after } => seconds(retry_after),
                Verdict::Allowed | Verdict::Never => -1,
            },
            reset_after: seconds(decision.reset_after),
        }
    }
}

/// Returns a duration in seconds, rounded up.
fn seconds(duration: Duration) -> i64 {
    let seconds = duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0));
    i64::try_from(seconds).unwrap_or(i64::MAX)
}
