//! Waiting for units, on a thread and as a future.

mod blocking;
#[cfg(feature = "async")]
mod future;

use std::time::Duration;

use zset_std::{FakeClock, Funnel, Keyed, Quota};

/// Returns funnels of one unit a second, and their clock.
fn funnels() -> (Keyed<String, Funnel, FakeClock>, FakeClock) {
    let clock = FakeClock::new();
    let quota = Quota::new(1, Duration::from_secs(1)).unwrap();
    (Keyed::<String, _>::new(Funnel::new(quota)).with_clock(clock.clone()), clock)
}
