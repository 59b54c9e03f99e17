//! [`SystemClock`]: wall-clock time.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{Clock, Timestamp};

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
