//! Clocks and timestamps.

#[cfg(feature = "std")]
mod fake;
#[cfg(feature = "std")]
mod monotonic;
#[cfg(feature = "quanta")]
mod quanta;
#[cfg(feature = "tokio")]
mod tokio;

#[cfg(feature = "quanta")]
pub use self::quanta::QuantaClock;
#[cfg(feature = "tokio")]
pub use self::tokio::TokioClock;
#[cfg(feature = "std")]
pub use {
    fake::FakeClock,
    monotonic::{MonotonicClock, SystemClock},
};

use core::time::Duration;
#[cfg(feature = "std")]
use std::sync::Arc;
#[cfg(feature = "async")]
use std::{boxed::Box, pin::Pin};

/// A point in time: nanoseconds since the origin of a clock.
///
/// Timestamps are comparable only with others of the same clock. The range is 584 years, and
/// arithmetic saturates at both ends.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::Timestamp;
///
/// let start = Timestamp::from_nanos(500);
/// let later = start.saturating_add(Duration::from_secs(1));
/// assert_eq!(later.saturating_duration_since(start), Duration::from_secs(1));
/// assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
/// ```
///
/// With the `serde` feature, a timestamp serializes as a number. Another process can use a
/// timestamp of a [`SystemClock`], but not one of a [`MonotonicClock`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timestamp(u64);

impl Timestamp {
    /// The origin of the clock.
    pub const ZERO: Timestamp = Timestamp(0);

    /// The largest representable timestamp.
    pub const MAX: Timestamp = Timestamp(u64::MAX);

    /// Creates a timestamp `nanos` nanoseconds after the origin. **O(1)**.
    pub const fn from_nanos(nanos: u64) -> Self {
        Timestamp(nanos)
    }

    /// Returns the nanoseconds since the origin. **O(1)**.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the timestamp `duration` later, saturating at [`MAX`](Self::MAX). **O(1)**.
    pub fn saturating_add(self, duration: Duration) -> Self {
        Timestamp(self.0.saturating_add(nanos(duration)))
    }

    /// Returns the timestamp `duration` earlier, saturating at the origin. **O(1)**.
    pub fn saturating_sub(self, duration: Duration) -> Self {
        Timestamp(self.0.saturating_sub(nanos(duration)))
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later than `self`. **O(1)**.
    pub fn saturating_duration_since(self, earlier: Timestamp) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Returns a duration in nanoseconds, saturating at `u64::MAX`.
pub(crate) fn nanos(duration: Duration) -> u64 {
    let seconds = duration.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(duration.subsec_nanos().into())
}

/// A source of the current time, which threads and futures can wait on.
///
/// References to clocks and `Arc`s of clocks are clocks too, so several limiters can share one.
///
/// # Examples
///
/// An implementation only has to provide the time:
///
/// ```
/// use std::cell::Cell;
/// use zset_std::{Clock, Timestamp};
///
/// /// The time of the record being replayed.
/// struct Replay {
///     nanos: Cell<u64>,
/// }
///
/// impl Clock for Replay {
///     fn now(&self) -> Timestamp {
///         Timestamp::from_nanos(self.nanos.get())
///     }
/// }
/// ```
///
/// Waiting until a given time:
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Clock, MonotonicClock};
///
/// let clock = MonotonicClock::new();
/// let later = clock.now().saturating_add(Duration::from_millis(1));
/// while clock.now() < later {
///     clock.park_until(later);
/// }
/// ```
pub trait Clock {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Blocks the current thread until time `at`, or until it is unparked. Like
    /// [`std::thread::park`], it may wake spuriously.
    ///
    /// By default, it waits for the difference by the operating system's clock, and for a second at
    /// most, since this clock may be set or run at a different rate.
    #[cfg(feature = "std")]
    fn park_until(&self, at: Timestamp) {
        let wait = at.saturating_duration_since(self.now());
        if !wait.is_zero() {
            std::thread::park_timeout(wait.min(LONGEST_WAIT));
        }
    }

    /// Returns a future that completes at time `at`, in any runtime or none. It may complete early,
    /// so check the time again afterwards. Requires the `async` feature.
    ///
    /// By default, it waits as [`park_until`](Self::park_until) does.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Clock, MonotonicClock};
    ///
    /// # pollster::block_on(async {
    /// let clock = MonotonicClock::new();
    /// clock.sleep_until(clock.now().saturating_add(Duration::from_millis(1))).await;
    /// # });
    /// ```
    #[cfg(feature = "async")]
    fn sleep_until(&self, at: Timestamp) -> Sleep {
        let wait = at.saturating_duration_since(self.now());
        Box::pin(futures_timer::Delay::new(wait.min(LONGEST_WAIT)))
    }
}

/// The longest time to wait before the clock is read again.
#[cfg(feature = "std")]
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A future that completes at a given time.
#[cfg(feature = "async")]
pub(crate) type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Implements [`Clock`] for a pointer by delegating to the clock it points to.
macro_rules! delegate {
    ($pointer:ty) => {
        impl<C: Clock + ?Sized> Clock for $pointer {
            fn now(&self) -> Timestamp {
                (**self).now()
            }

            #[cfg(feature = "std")]
            fn park_until(&self, at: Timestamp) {
                (**self).park_until(at);
            }

            #[cfg(feature = "async")]
            fn sleep_until(&self, at: Timestamp) -> Sleep {
                (**self).sleep_until(at)
            }
        }
    };
}

delegate!(&C);
#[cfg(feature = "std")]
delegate!(Arc<C>);

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use core::cell::Cell;

    use super::*;

    /// A clock at a fixed time. It adds up the times passed to `park_until`.
    #[derive(Default)]
    struct Counting(Cell<u64>);

    impl Clock for Counting {
        fn now(&self) -> Timestamp {
            Timestamp::from_nanos(7)
        }

        fn park_until(&self, at: Timestamp) {
            self.0.set(self.0.get() + at.as_nanos());
        }
    }

    fn use_clock(clock: impl Clock) {
        assert_eq!(clock.now(), Timestamp::from_nanos(7));
        clock.park_until(Timestamp::from_nanos(9));
    }

    #[test]
    fn durations_beyond_the_last_timestamp_saturate() {
        let last = Duration::from_nanos(u64::MAX);
        for (duration, expected) in [
            (Duration::from_nanos(u64::MAX - 1), u64::MAX - 1),
            (last, u64::MAX),
            (last + Duration::from_nanos(1), u64::MAX),
            (Duration::from_secs(last.as_secs() + 1), u64::MAX),
            (Duration::MAX, u64::MAX),
        ] {
            assert_eq!(nanos(duration), expected, "{duration:?}");
        }
    }

    #[test]
    fn references_to_a_clock_are_clocks() {
        #[expect(clippy::arc_with_non_send_sync, reason = "the value stays on this thread")]
        let clock = Arc::new(Counting::default());
        use_clock(&*clock);
        use_clock(clock.clone());
        assert_eq!(clock.0.get(), 18);
    }

    #[test]
    fn waiting_parks_until_the_given_time_instead_of_polling() {
        fn park(clock: &impl Clock) {
            let at = clock.now().saturating_add(Duration::from_millis(20));
            let mut parked = 0;
            while clock.now() < at {
                clock.park_until(at);
                parked += 1;
            }
            assert!(parked < 1000, "{parked}");
        }
        park(&MonotonicClock::new());
        #[cfg(feature = "quanta")]
        park(&QuantaClock::new());
        park(&SystemClock);
        park(&Started(MonotonicClock::new()));
    }

    /// A clock that implements only the required method.
    struct Started(MonotonicClock);

    impl Clock for Started {
        fn now(&self) -> Timestamp {
            self.0.now()
        }
    }

    #[cfg(feature = "async")]
    #[test]
    fn a_future_waits_for_a_clock_that_has_only_a_time() {
        let clock = Started(MonotonicClock::new());
        let funnel = crate::Funnel::new(crate::Quota::new(1, Duration::from_millis(5)).unwrap());
        let limiter = crate::Keyed::<u8, _>::new(funnel).with_clock(&clock);
        for _ in 0..3 {
            pollster::block_on(limiter.wait_ready(&1)).unwrap();
        }
        assert!(clock.now() >= Timestamp::ZERO.saturating_add(Duration::from_millis(10)));
    }
}
