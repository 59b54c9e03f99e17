//! [`SlidingWindow`](crate::blocking::SlidingWindow): an exact sliding window for each of many keys.

use zset_std::Quota;

use crate::limit::Policy;
use crate::{OnFailure, Rule, UnsupportedQuota, blocking};

/// An exact sliding window for each of many keys: at most `count` units in every window of the quota's
/// period, as [`zset_std::SlidingWindow`].
///
/// The window is half-open, `(now - period, now]`. The log of a key is a sorted set, with one entry for
/// all units that were allowed in the same microsecond: at most `count` entries, more only if units were
/// recorded beyond the limit. A call takes **O(log n)** for n entries, and a denial of units in calls of
/// different sizes **O(log² n)**.
#[cfg(feature = "tokio")]
pub type SlidingWindow<C> = crate::Keyed<C, crate::kind::SlidingWindow>;

#[cfg(feature = "tokio")]
impl<C> SlidingWindow<C> {
    /// Makes a limiter that gives every key this quota; keys on the server begin with `name`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota`] if the limiter cannot be exact for the quota.
    pub fn new(
        connection: C,
        name: &str,
        quota: Quota,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        let rule = Rule::sliding_window(quota)?;
        Ok(Self::with_policy(connection, Policy::new(name, [rule], on_failure)))
    }
}

impl<M: blocking::Connect> blocking::SlidingWindow<M> {
    /// Makes a limiter that gives every key this quota; keys on the server begin with `name`. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota`] if the limiter cannot be exact for the quota.
    pub fn new(
        pool: blocking::Pool<M>,
        name: &str,
        quota: Quota,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        let rule = Rule::sliding_window(quota)?;
        Ok(Self::with_policy(pool, Policy::new(name, [rule], on_failure)))
    }
}
