//! Tests waiting for units, both by blocking a thread and by awaiting a future.

mod blocking;
#[cfg(feature = "async")]
mod future;

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

use zset_std::limit::WaitReady;
use zset_std::shared_delay_queue::WaitFor;
use zset_std::{FakeClock, Funnel, Job, Keyed, MonotonicClock, Quota, RandomState};

/// Returns funnels of one unit a second, and their clock.
fn funnels() -> (Keyed<String, Funnel, FakeClock>, FakeClock) {
    let clock = FakeClock::new();
    let quota = Quota::new(1, Duration::from_secs(1)).unwrap();
    (Keyed::<String, _>::new(Funnel::new(quota)).with_clock(clock.clone()), clock)
}

/// Waits are `Sync` even with the feature `async`, whose timers are not.
#[test]
fn waits_are_send_and_sync() {
    fn is_send_and_sync<T: Send + Sync + Unpin>() {}
    fn is_unwind_safe<T: UnwindSafe + RefUnwindSafe>() {}

    is_send_and_sync::<WaitReady<'_, String, Funnel, MonotonicClock, RandomState, str>>();
    is_send_and_sync::<WaitFor<'_, Job<String>, String>>();
    is_unwind_safe::<WaitFor<'_, Job<String>, String>>();
}
