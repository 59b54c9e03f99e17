//! [`WindowCounter`](crate::blocking::WindowCounter): an approximate sliding window for each of many keys.

use zset_std::Quota;

use crate::limit::Policy;
use crate::{OnFailure, Rule, UnsupportedQuota, blocking};

/// An approximate sliding window for each of many keys, to be awaited.
///
/// [`kind::WindowCounter`](crate::kind::WindowCounter) says what it does.
#[cfg(feature = "tokio")]
pub type WindowCounter<C> = crate::Keyed<C, crate::kind::WindowCounter>;

#[cfg(feature = "tokio")]
impl<C> WindowCounter<C> {
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
        let rule = Rule::window_counter(quota)?;
        Ok(Self::with_policy(connection, Policy::new(name, [rule], on_failure)))
    }
}

impl<M: blocking::Connect> blocking::WindowCounter<M> {
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
        let rule = Rule::window_counter(quota)?;
        Ok(Self::with_policy(pool, Policy::new(name, [rule], on_failure)))
    }
}
