//! Traits of [`LeasedWindow`].

use std::fmt;

use redis::aio::ConnectionLike;
use zset_std::{AsyncKeyedLimiter, Decision};

use super::LeasedWindow;
use crate::Error;

impl<C: Clone> Clone for LeasedWindow<C> {
    fn clone(&self) -> Self {
        LeasedWindow {
            link: self.link.clone(),
            policy: self.policy.clone(),
            terms: self.terms,
            max_keys: self.max_keys,
            local: self.local.clone(),
        }
    }
}

impl<C> fmt::Debug for LeasedWindow<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeasedWindow")
            .field("policy", &self.policy)
            .field("terms", &self.terms)
            .field("keys", &self.local.keys)
            .finish_non_exhaustive()
    }
}

/// Implements the trait for each type of keys, as for `Keyed`.
macro_rules! for_keys {
    ($($key:ty),*) => {$(
        impl<C: ConnectionLike + Clone + Send + Sync + 'static> AsyncKeyedLimiter<$key>
            for LeasedWindow<C>
        {
            type Error = Error;

            async fn check_n(&self, key: &$key, n: u32) -> Result<Decision, Error> {
                self.check_n(key, n).await
            }

            async fn peek_n(&self, key: &$key, n: u32) -> Result<Decision, Error> {
                self.peek(key, n).await
            }

            async fn refund(&self, key: &$key, n: u32) -> Result<u32, Error> {
                Ok(self.refund(key, n))
            }
        }
    )*};
}

for_keys!(str, String, [u8], Vec<u8>);
