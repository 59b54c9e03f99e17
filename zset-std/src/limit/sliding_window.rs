//! [`SlidingWindow`]: an exact sliding window for each of many keys.

use std::borrow::{Borrow, ToOwned};
use std::error::Error;
use std::fmt;
use std::hash::{BuildHasher, Hash};

use super::{Keyed, Quota, WindowLog};
use crate::at::timed;
use crate::{Clock, MonotonicClock, RandomState};

/// An exact sliding window for each key: see [`WindowLog`] and [`Keyed`].
pub type SlidingWindow<K, C = MonotonicClock, H = RandomState> = Keyed<K, WindowLog, C, H>;

/// The error of recording units of a new key for which there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysFull;

impl fmt::Display for KeysFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("limiter has no room for another key")
    }
}

impl Error for KeysFull {}

impl<K: Eq + Hash> SlidingWindow<K> {
    /// Makes a limiter that gives every key this quota. **O(1)**.
    pub fn new(quota: Quota) -> Self {
        Keyed::of(WindowLog::new(quota))
    }
}

timed!(impl[K: Eq + Hash, C: Clock, H: BuildHasher] SlidingWindow<K, C, H> {
    /// Returns whether the limit of a key is reached; see [`WindowLog::over_limit`].
    /// **O(1)** expected to find the key, plus the cost of its [`WindowLog`].
    ///
    /// For a key without room, this reports on the shared window, or returns `true` if new keys are
    /// refused.
    pub fn over_limit<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.peek_n(key, 0).remaining == 0
    }

    /// Records `n` units of a key, even beyond the limit; see [`WindowLog::record`]. **O(1)**
    /// expected to find the key, plus the cost of its [`WindowLog`]; **O(log n)** amortized for a
    /// new key.
    ///
    /// # Errors
    ///
    /// [`KeysFull`] if the key is new, there is no room for it, and new keys are refused.
    pub fn record<Q>(&self, key: &Q, n: u32) -> Result<(), KeysFull>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let (keyed, now) = self.timed();
        keyed.change(key, now, |_, log, now| log.record(n, now)).map_err(|_| KeysFull)
    }
});
