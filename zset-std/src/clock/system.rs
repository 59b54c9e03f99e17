//! [`SystemClock`]: wall-clock time.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Clock, Timer, Timestamp};

/// The wall clock, with the Unix epoch as its origin.
///
/// Use it for times that have a meaning outside the process, e.g. the start of a sale or stored
/// timestamps. It may be set, even backwards; a [`MonotonicClock`](super::MonotonicClock) never steps
/// back.
///
/// On `wasm32-unknown-unknown`, where std has no clock, reading the time panics.
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
        // Times before 1970 count as the origin.
        Timestamp::ZERO
            .saturating_add(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

impl Timer for SystemClock {
    fn park_until(&self, at: Timestamp) {
        let wait = at.saturating_duration_since(self.now());
        if !wait.is_zero() {
            // Park briefly: the clock may be set in the meantime.
            thread::park_timeout(wait.min(LONGEST_PARK));
        }
    }
}

/// The longest time a thread waits before it reads the clock again.
const LONGEST_PARK: Duration = Duration::from_secs(1);

#[cfg(feature = "async")]
impl super::AsyncTimer for SystemClock {
    fn sleep_until(&self, at: Timestamp) -> super::Sleep {
        let wait = at.saturating_duration_since(self.now());
        std::boxed::Box::pin(futures_timer::Delay::new(wait.min(LONGEST_PARK)))
    }
}
