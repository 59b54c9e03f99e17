//! [`MonotonicClock`]: the operating system's monotonic clock.

use std::thread;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant as Origin;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Clock, Timestamp, nanos};

/// The operating system's monotonic clock, with its creation as the origin.
///
/// On `wasm32-unknown-unknown`, where std has no clock, creating one works, but reading the time
/// panics.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin: Origin,
}

/// Stands in for `Instant`. Every limiter and queue starts with a `MonotonicClock`, even if it is
/// then given another clock or explicit times, so only reading the time may panic.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[derive(Clone, Copy, Debug)]
struct Origin;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
impl Origin {
    fn now() -> Self {
        Origin
    }

    fn elapsed(self) -> std::time::Duration {
        std::time::Instant::now().elapsed()
    }
}

impl MonotonicClock {
    /// Creates a clock that starts now. **O(1)**.
    pub fn new() -> Self {
        MonotonicClock { origin: Origin::now() }
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

    fn park_until(&self, at: Timestamp) {
        let wait = at.saturating_duration_since(self.now());
        if !wait.is_zero() {
            thread::park_timeout(wait);
        }
    }

    #[cfg(feature = "async")]
    fn sleep_until(&self, at: Timestamp) -> super::Sleep {
        std::boxed::Box::pin(futures_timer::Delay::new(at.saturating_duration_since(self.now())))
    }
}

/// The wall clock, with the Unix epoch as its origin.
///
/// Use it for times that have a meaning outside the process, e.g. the start of a sale or stored
/// timestamps. It may be set, even backwards; a [`MonotonicClock`] never steps back.
///
/// On `wasm32-unknown-unknown`, where std has no clock, reading the time panics.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // Times before 1970 count as the origin.
        Timestamp::ZERO
            .saturating_add(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}
