//! Policies whose limiters have a bounded number of keys.

use std::hash::Hash;

use zset_std::{Funnel, Keyed, Quota, SlidingWindow, WhenFull};

use super::{Policy, PolicyError};
use crate::key::{Key, MissingKey};
use crate::telemetry::with_keys;

/// The maximum number of keys; new keys beyond it share a limit.
const MAX_KEYS: usize = 100_000;

impl Policy {
    /// Creates a policy that allows at most `quota.count()` units in any period, exactly, for each
    /// key. **O(1)**.
    ///
    /// The number of keys is bounded, since clients choose them: beyond 100,000 keys in use, new
    /// ones share one window. A key has an entry for each unit of the last period; for large
    /// counts, [`funnel`](Self::funnel) takes less memory. For another bound, create the limiter
    /// yourself and pass it to [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// [`PolicyError`] as for [`new`](Self::new).
    pub fn window<E: Key<Key: Eq + Hash>>(
        name: &str,
        quota: Quota,
        key: E,
        missing_key: MissingKey<E::Key>,
    ) -> Result<Self, PolicyError> {
        let limiter =
            Keyed::new(SlidingWindow::new(quota)).with_max_keys(MAX_KEYS, WhenFull::SharedBucket);
        Ok(with_keys(name, limiter, key, missing_key)?.with_quota(quota))
    }

    /// Creates a policy that allows units at a steady rate of `quota.count()` per period, and up to
    /// `quota.capacity()` of them at once, for each key. **O(1)**.
    ///
    /// The number of keys is bounded as for [`window`](Self::window): beyond it, new ones share one
    /// funnel.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] as for [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use http::header::AUTHORIZATION;
    /// use zset_std::Quota;
    /// use zset_tower::key::Header;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// // Ten a second, and up to fifty at once.
    /// let quota = Quota::new(10, Duration::from_secs(1))?.with_capacity(50)?;
    /// let key = Header::new(AUTHORIZATION);
    /// let policy = Policy::funnel("per-token", quota, key, MissingKey::Challenge("Bearer"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn funnel<E: Key<Key: Eq + Hash>>(
        name: &str,
        quota: Quota,
        key: E,
        missing_key: MissingKey<E::Key>,
    ) -> Result<Self, PolicyError> {
        let limiter =
            Keyed::new(Funnel::new(quota)).with_max_keys(MAX_KEYS, WhenFull::SharedBucket);
        Ok(with_keys(name, limiter, key, missing_key)?.with_quota(quota))
    }
}
