//! [`FixedWindow`](crate::blocking::FixedWindow): a plain counter for each of many keys.

use zset_std::Quota;

use crate::limit::Policy;
use crate::{OnFailure, Rule, UnsupportedQuota, blocking};

/// A counter for each of many keys that restarts at every multiple of the period, as
/// [`zset_std::FixedWindow`].
///
/// It can allow **twice the limit** almost at once, at the end of one window and at the start of the
/// next. The state of a key is one string. A call takes **O(1)**.
#[cfg(feature = "tokio")]
pub type FixedWindow<C> = crate::Keyed<C, crate::kind::FixedWindow>;

#[cfg(feature = "tokio")]
impl<C> FixedWindow<C> {
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
        let rule = Rule::fixed_window(quota)?;
        Ok(Self::with_policy(connection, Policy::new(name, [rule], on_failure)))
    }
}

impl<M: blocking::Connect> blocking::FixedWindow<M> {
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
        let rule = Rule::fixed_window(quota)?;
        Ok(Self::with_policy(pool, Policy::new(name, [rule], on_failure)))
    }
}
