//! [`Throttles`]: the limits of CL.THROTTLE.

use std::time::Duration;

use zset_std::{Funnels, Quota, Timestamp, WhenFull};

/// The maximum number of keys that are not idle, since clients may invent keys. Beyond it a new key is
/// denied, with a retry time at which another key may have become idle.
const MAX_KEYS: usize = 1 << 20;

/// The limits of CL.THROTTLE. They are not keys of the keyspace: TYPE, SCAN and DUMP ignore them. DEL and
/// FLUSHALL remove them, which is how limits are reset.
#[derive(Debug)]
pub(crate) struct Throttles {
    /// Each call passes its own quota.
    pub(crate) funnels: Funnels<Vec<u8>>,
}

impl Default for Throttles {
    fn default() -> Self {
        Throttles::with_max_keys(MAX_KEYS)
    }
}

impl Throttles {
    pub(crate) fn with_max_keys(max_keys: usize) -> Self {
        let quota = Quota::new(1, Duration::from_secs(1)).expect("one a second has a meaning");
        Throttles { funnels: Funnels::new(quota).with_max_keys(max_keys, WhenFull::RefuseNew) }
    }

    /// Resets a limit; returns whether any of it was used up.
    pub(crate) fn reset(&self, key: &[u8], now: Timestamp) -> bool {
        if self.funnels.is_empty() {
            return false;
        }
        let is_used = !self.funnels.at(now).peek_n(key, 0).reset_after.is_zero();
        self.funnels.reset(key) && is_used
    }
}
