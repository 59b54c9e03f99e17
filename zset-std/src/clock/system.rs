//! [`SystemClock`]: the time of day.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Clock, Timer, Timestamp};

/// The time of day; its origin is the start of 1970, UTC.
///
/// It is for times that mean something outside of a process: when a sale opens, or what is stored.
/// It may be set, also back. [`MonotonicClock`](super::MonotonicClock) may not.
///
/// On `wasm32-unknown-unknown`, where std has no clock, asking it for the time panics.
///
/// # Examples
///
/// ```
/// use zset_std::{Clock, SystemClock, Timestamp};
///
/// let year_2020 = Timestamp::from_nanos(1_577_836_800_000_000_000);
/// assert!(SystemClock.now() > year_2020);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock that is set to before 1970 stands at its origin.
        Timestamp::ZERO
            .saturating_add(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

impl Timer for SystemClock {
    fn park_until(&self, at: Timestamp) {
        let wait = at.saturating_duration_since(self.now());
        if !wait.is_zero() {
            // Not at a stretch: the clock may be set while the thread waits.
            thread::park_timeout(wait.min(LONGEST_PARK));
        }
    }
}

/// How long a thread waits before it looks at the clock again.
const LONGEST_PARK: Duration = Duration::from_secs(1);

#[cfg(feature = "async")]
impl super::AsyncTimer for SystemClock {
    fn sleep_until(&self, at: Timestamp) -> super::Sleep {
        let wait = at.saturating_duration_since(self.now());
        Box::pin(futures_timer::Delay::new(wait.min(LONGEST_PARK)))
    }
}
