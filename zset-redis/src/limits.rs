//! [`Limits`](crate::blocking::Limits): several limits combined.

use crate::limit::Policy;
use crate::{OnFailure, Rule, UnsupportedQuota, blocking};

/// Several limits of each key that must all agree, to be awaited.
///
/// [`kind::Limits`](crate::kind::Limits) says what it does.
#[cfg(feature = "tokio")]
pub type Limits<C> = crate::Keyed<C, crate::kind::Limits>;

#[cfg(feature = "tokio")]
impl<C> Limits<C> {
    /// Combines limits into one; keys on the server begin with `name`. **O(k)** for k limits.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota::NoLimit`] if there are no limits.
    pub fn all(
        connection: C,
        name: &str,
        rules: impl IntoIterator<Item = Rule>,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        Ok(Self::with_policy(connection, Policy::all(name, rules, on_failure)?))
    }
}

impl<M: blocking::Connect> blocking::Limits<M> {
    /// Combines limits into one; keys on the server begin with `name`. **O(k)** for k limits.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota::NoLimit`] if there are no limits.
    pub fn all(
        pool: blocking::Pool<M>,
        name: &str,
        rules: impl IntoIterator<Item = Rule>,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        Ok(Self::with_policy(pool, Policy::all(name, rules, on_failure)?))
    }
}
