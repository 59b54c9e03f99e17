//! [`SlidingWindow`](crate::blocking::SlidingWindow): an exact sliding window for each of many keys.

use zset_std::Quota;

use crate::limit::Policy;
use crate::{OnFailure, Rule, UnsupportedQuota, blocking};

/// An exact sliding window for each of many keys, to be awaited.
///
/// [`kind::SlidingWindow`](crate::kind::SlidingWindow) says what it does.
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
