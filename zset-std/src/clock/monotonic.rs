//! [`MonotonicClock`]: the operating system's monotonic clock.

use std::thread;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant as Origin;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Clock, Timestamp, nanos};

/// The operating system's monotonic clock. Its origin is the time of its creation.
///
/// On `wasm32-unknown-unknown`, where std has no clock, a `MonotonicClock` can be created, but
/// reading the time panics.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin: Origin,
}

/// Stands in for `Instant`, whose `now` panics on this target. Every limiter and queue is created
/// with a `MonotonicClock`, even if it then gets another clock or explicit times. So creating the
/// clock must not panic; only reading it may.
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
/// timestamps. The clock may be set, even backwards, whereas a [`MonotonicClock`] never steps back.
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
