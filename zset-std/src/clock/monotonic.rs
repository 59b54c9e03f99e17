//! [`MonotonicClock`]: the time of the operating system.

use std::thread;
use std::time::Instant;

use super::{Clock, Timer, Timestamp, nanos};

/// The clock of the operating system that never steps back; its origin is when it was made.
///
/// # Examples
///
/// ```
/// use zset_std::{Clock, MonotonicClock};
///
/// let clock = MonotonicClock::new();
/// assert!(clock.now() <= clock.now());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin: Instant,
}

impl MonotonicClock {
    /// Makes a clock that starts now.
    ///
    /// # Examples
    ///
    /// See [`MonotonicClock`].
    pub fn new() -> Self {
        MonotonicClock { origin: Instant::now() }
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(nanos(self.origin.elapsed()))
    }
}

impl Timer for MonotonicClock {
    fn park_until(&self, at: Timestamp) {
        let wait = at.saturating_duration_since(self.now());
        if !wait.is_zero() {
            thread::park_timeout(wait);
        }
    }
}

#[cfg(feature = "async")]
impl super::AsyncTimer for MonotonicClock {
    fn sleep_until(&self, at: Timestamp) -> super::Sleep {
        Box::pin(futures_timer::Delay::new(at.saturating_duration_since(self.now())))
    }
}
