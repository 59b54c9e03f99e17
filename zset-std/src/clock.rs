//! Clocks and timestamps.

#[cfg(feature = "async")]
mod alarm;
#[cfg(feature = "std")]
mod fake;
#[cfg(feature = "std")]
mod monotonic;
#[cfg(feature = "quanta")]
mod quanta;
#[cfg(feature = "std")]
mod system;
#[cfg(feature = "std")]
mod timer;

#[cfg(feature = "quanta")]
pub use self::quanta::QuantaClock;
#[cfg(feature = "async")]
pub use timer::AsyncTimer;
#[cfg(feature = "std")]
pub(crate) use timer::waker_of_this_thread;
#[cfg(feature = "async")]
pub(crate) use {alarm::Alarm, timer::Sleep};
#[cfg(feature = "std")]
pub use {fake::FakeClock, monotonic::MonotonicClock, system::SystemClock, timer::Timer};

use core::time::Duration;

/// A point in time: nanoseconds since the origin of a clock.
///
/// Timestamps are comparable only with others of the same clock. The range is 584 years; arithmetic
/// saturates at both ends.
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
/// With the `serde` feature, a timestamp serializes as a number. Only timestamps of a [`SystemClock`]
/// are meaningful in another process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timestamp(u64);

impl Timestamp {
    /// The origin of the clock.
    pub const ZERO: Timestamp = Timestamp(0);

    /// The largest representable timestamp.
    pub const MAX: Timestamp = Timestamp(u64::MAX);

    /// Makes a timestamp `nanos` nanoseconds after the origin. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Timestamp;
    ///
    /// assert_eq!(Timestamp::from_nanos(0), Timestamp::ZERO);
    /// ```
    pub const fn from_nanos(nanos: u64) -> Self {
        Timestamp(nanos)
    }

    /// Returns the nanoseconds since the origin. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_std::Timestamp::from_nanos(7).as_nanos(), 7);
    /// ```
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the timestamp `duration` later, saturating at [`MAX`](Self::MAX). **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::Timestamp;
    ///
    /// let start = Timestamp::from_nanos(5);
    /// assert_eq!(start.saturating_add(Duration::from_nanos(2)), Timestamp::from_nanos(7));
    /// assert_eq!(Timestamp::MAX.saturating_add(Duration::from_secs(1)), Timestamp::MAX);
    /// ```
    pub fn saturating_add(self, duration: Duration) -> Self {
        Timestamp(self.0.saturating_add(nanos(duration)))
    }

    /// Returns the timestamp `duration` earlier, saturating at the origin. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::Timestamp;
    ///
    /// assert_eq!(Timestamp::ZERO.saturating_sub(Duration::from_secs(1)), Timestamp::ZERO);
    /// ```
    pub fn saturating_sub(self, duration: Duration) -> Self {
        Timestamp(self.0.saturating_sub(nanos(duration)))
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later than `self`. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::Timestamp;
    ///
    /// let (start, end) = (Timestamp::from_nanos(5), Timestamp::from_nanos(7));
    /// assert_eq!(end.saturating_duration_since(start), Duration::from_nanos(2));
    /// assert_eq!(start.saturating_duration_since(end), Duration::ZERO);
    /// ```
    pub fn saturating_duration_since(self, earlier: Timestamp) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Returns a duration in nanoseconds, saturating at `u64::MAX`.
pub(crate) fn nanos(duration: Duration) -> u64 {
    let seconds = duration.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(duration.subsec_nanos().into())
}

/// A source of the current time.
///
/// References to clocks and `Arc`s of clocks are clocks too, so several limiters can share one.
///
/// # Examples
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
pub trait Clock {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use core::cell::Cell;
    use std::sync::Arc;

    use super::*;

    /// A fixed time, and the sum of the times it was parked until.
    #[derive(Default)]
    struct Counting(Cell<u64>);

    impl Clock for Counting {
        fn now(&self) -> Timestamp {
            Timestamp::from_nanos(7)
        }
    }

    impl Timer for Counting {
        fn park_until(&self, at: Timestamp) {
            self.0.set(self.0.get() + at.as_nanos());
        }
    }

    fn use_clock(clock: impl Timer) {
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
        fn park(clock: &impl Timer) {
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
    }
}
