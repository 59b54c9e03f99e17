//! [`OnFailure`]: the decision when the server fails.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use zset_std::{Decision, KeyedLimiter, Timestamp, Verdict};

use crate::Error;

/// What a limiter does when the server fails or does not reply before the deadline.
#[derive(Clone)]
pub enum OnFailure {
    /// The call returns the [`Error`].
    Deny,
    /// The units are allowed, unless they exceed the limit.
    Allow,
    /// A limiter in this process decides; see [`local`](OnFailure::local).
    Local(Arc<dyn KeyedLimiter<[u8]> + Send + Sync>),
}

impl OnFailure {
    /// Makes the policy to ask a limiter in this process, whose keys are `Vec<u8>`. **O(1)**.
    ///
    /// It has seen none of the units that the server has counted. Each process that fails over to its own
    /// limiter allows its whole quota, so its limit is usually a fraction of the server's.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_redis::OnFailure;
    /// use zset_std::{Funnels, Quota};
    ///
    /// let quota = Quota::new(10, Duration::from_secs(60))?;
    /// let on_failure = OnFailure::local(Funnels::<Vec<u8>>::new(quota));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn local(limiter: impl KeyedLimiter<[u8]> + Send + Sync + 'static) -> OnFailure {
        OnFailure::Local(Arc::new(limiter))
    }

    /// Decides instead of the server, with `decide` if there is a limiter in this process.
    pub(crate) fn decide(
        &self,
        error: Error,
        limit: u32,
        n: u32,
        decide: impl FnOnce(&dyn KeyedLimiter<[u8]>) -> Decision,
    ) -> Result<Decision, Error> {
        match self {
            OnFailure::Deny => Err(error),
            OnFailure::Allow => {
                let verdict = if n > limit { Verdict::Never } else { Verdict::Allowed };
                // Nothing is known of the units on record.
                let remaining = limit.saturating_sub(n);
                Ok(Decision { verdict, limit, remaining, reset_after: Duration::ZERO })
            }
            OnFailure::Local(limiter) => Ok(decide(limiter.as_ref())),
        }
    }
}

impl fmt::Debug for OnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnFailure::Deny => "Deny",
            OnFailure::Allow => "Allow",
            OnFailure::Local(_) => "Local(..)",
        })
    }
}

/// Returns the time that was given, or the limiter's.
pub(crate) fn time(limiter: &dyn KeyedLimiter<[u8]>, at: Option<Timestamp>) -> Timestamp {
    at.unwrap_or_else(|| limiter.now())
}
