//! [`TokioClock`]: the clock of a tokio runtime.

use std::boxed::Box;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::{Clock, Sleep, Timestamp, nanos};

/// The clock of a tokio runtime. Its origin is the time at which the clock was created. It follows
/// `tokio::time::pause` and `advance`. Requires the `tokio` feature.
///
/// In a test whose runtime starts paused, limiters and queues with this clock wait as
/// `tokio::time::sleep` does: while all tasks wait, the time advances to the earliest of their
/// timers. In a runtime that is not paused, the clock is like a
/// [`MonotonicClock`](super::MonotonicClock), except that waits use the runtime's timers. These end
/// on a millisecond at or after their time.
///
/// Pausing stops only the time of the clock's runtime, while other threads read the operating
/// system's clock. So create and use the clock in the runtime. Await instead of blocking, since a
/// blocked thread keeps a paused runtime from advancing.
///
/// # Panics
///
/// A future that waits on the clock panics outside a runtime with time enabled.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Funnel, Keyed, Quota, SharedDelayQueue, TokioClock};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut runtime = tokio::runtime::Builder::new_current_thread();
/// # let runtime = runtime.enable_time().start_paused(true).build()?;
/// # runtime.block_on(async {
/// // In a function that is #[tokio::test(start_paused = true)]:
/// let start = tokio::time::Instant::now();
/// let minute = Duration::from_secs(60);
/// let mails = SharedDelayQueue::<&str>::new().with_clock(TokioClock::new());
/// mails.push_after("welcome", minute)?;
/// assert_eq!(mails.wait_pop().await.map(|job| job.payload), Ok("welcome"));
/// assert_eq!(start.elapsed(), minute); // of virtual time
///
/// let limiter = Keyed::<&str, _>::new(Funnel::new(Quota::new(1, minute)?)).with_clock(TokioClock::new());
/// assert!(limiter.check(&"ann").is_allowed());
/// tokio::time::advance(minute).await;
/// assert!(limiter.check(&"ann").is_allowed());
/// # Ok(())
/// # })
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    origin: Instant,
}

impl TokioClock {
    /// Creates a clock that starts now. **O(1)**.
    pub fn new() -> Self {
        TokioClock { origin: Instant::now() }
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        // If this thread's clock was paused at an instant before the origin, `elapsed` is zero.
        Timestamp::from_nanos(nanos(self.origin.elapsed()))
    }

    fn sleep_until(&self, at: Timestamp) -> Sleep {
        // If the time is too late for an `Instant`, sleep for a year instead: a sleep may end
        // early.
        let later = self.origin.checked_add(Duration::from_nanos(at.as_nanos()));
        Box::pin(sleep_until(later.unwrap_or_else(|| Instant::now() + YEAR)))
    }
}

const YEAR: Duration = Duration::from_secs(365 * 86_400);
