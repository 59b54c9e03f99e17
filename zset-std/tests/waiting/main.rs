//! Waiting for units, on a thread and as a future.

mod blocking;
#[cfg(feature = "async")]
mod future;

use std::time::Duration;

use zset_std::{FakeClock, Funnels, Quota};

/// Returns funnels of one unit a second, and their clock.
fn funnels() -> (Funnels<String, FakeClock>, FakeClock) {
    let clock = FakeClock::new();
    let quota = Quota::new(1, Duration::from_secs(1)).unwrap();
    (Funnels::<String>::new(quota).with_clock(clock.clone()), clock)
}
