//! [`QuantaClock`]: the processor's time counter, checked against the operating system's clock.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Clock, MonotonicClock, Timestamp};

/// A [`MonotonicClock`] that is faster to read [in a loop](#when-it-pays). Its origin is the time
/// of its creation. Requires the `quanta` feature.
///
/// It reads the processor's time counter through the crate [`quanta`](https://docs.rs/quanta). At
/// most about once a millisecond, it also reads the operating system's clock. This has the
/// following effects:
///
/// - It never steps back, on any thread.
/// - It is never more than a millisecond ahead of the operating system's clock, even if the machine
///   was suspended, a virtual machine has moved, or the counter runs too fast. So a limiter never
///   grants more than it would a millisecond later.
/// - It advances in steps of about a microsecond or more, and is usually behind by less than a
///   microsecond. If the counter is too slow, the clock is behind by more: for example, a counter
///   that is 1 % too slow adds 1 % of a millisecond.
///
/// # When it pays
///
/// In a loop under Linux, on a Xeon and on an EPYC, a reading takes at most half as long as that of
/// a `MonotonicClock`. This matters if a loop checks a [`Funnel`](crate::Funnel), but not in a
/// request that takes microseconds. If readings are more than a microsecond apart, each also writes
/// the latest time, so nothing is saved. If they are more than a millisecond apart, each reads both
/// clocks, which is slower than a `MonotonicClock`.
///
/// quanta reads the processor's counter on x86-64 if the counter is invariant, and on 64-bit ARM
/// except on iOS. On other machines it reads the operating system's clock, so a `QuantaClock` is
/// slower there than a `MonotonicClock`.
///
/// To share a clock between limiters, use a reference or an `Arc`. Reading the time panics on
/// `wasm32-unknown-unknown`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Funnel, Keyed, QuantaClock, Quota};
///
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let limiter = Keyed::<u32, _>::new(Funnel::new(quota)).with_clock(QuantaClock::new());
/// assert!(limiter.check(&7).is_allowed());
/// assert!(!limiter.check(&7).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Debug)]
pub struct QuantaClock {
    counter: quanta::Clock,
    system: MonotonicClock,
    checked: Checked,
}

impl QuantaClock {
    /// Creates a clock that starts now. **O(1)**.
    ///
    /// The first clock in a process measures the rate of the counter, usually for one millisecond,
    /// and for 200 at most.
    pub fn new() -> Self {
        let counter = quanta::Clock::new();
        QuantaClock { counter, system: MonotonicClock::new(), checked: Checked::default() }
    }
}

impl Default for QuantaClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for QuantaClock {
    #[inline]
    fn now(&self) -> Timestamp {
        let counter = || self.counter.delta_as_nanos(0, self.counter.raw());
        Timestamp::from_nanos(self.checked.now(counter, || self.system.now().as_nanos()))
    }

    fn park_until(&self, at: Timestamp) {
        self.system.park_until(at);
    }

    #[cfg(feature = "async")]
    fn sleep_until(&self, at: Timestamp) -> super::Sleep {
        self.system.sleep_until(at)
    }
}

/// The time of a counter, in nanoseconds, corrected to the system's clock at each check.
///
/// Every returned time is a value of `latest`, which never decreases. Each value written to
/// `latest` is a reading of the system's clock, or less than [`CHECK_AFTER`] after one. So a wrong
/// counter is harmless, and so is a stale `offset` or `system`.
#[derive(Debug, Default)]
struct Checked {
    /// The latest time that was returned.
    latest: AtomicU64,
    /// The system's time at the latest check.
    system: AtomicU64,
    /// The difference between the system's time and the counter's at the latest check, modulo 2^64.
    offset: AtomicU64,
}

/// `latest` is advanced if the counter is this many nanoseconds ahead of it. Writing `latest` costs
/// as much as reading the counter, and more if other threads read `latest`.
const STEP: u64 = 1_000;

/// The system's clock is read again after this many nanoseconds.
const CHECK_AFTER: u64 = 1_000_000;

impl Checked {
    #[inline]
    fn now(&self, counter: impl Fn() -> u64, system: impl FnOnce() -> u64) -> u64 {
        let now = counter().wrapping_add(self.offset.load(Ordering::Relaxed));
        let latest = self.latest.load(Ordering::Relaxed);
        if now.wrapping_sub(latest) < STEP { latest } else { self.advance(now, counter, system) }
    }

    #[inline(never)]
    fn advance(
        &self,
        mut now: u64,
        counter: impl Fn() -> u64,
        system: impl FnOnce() -> u64,
    ) -> u64 {
        if now.wrapping_sub(self.system.load(Ordering::Relaxed)) >= CHECK_AFTER {
            now = system();
            self.system.store(now, Ordering::Relaxed);
            // Read the counter after the system's clock: if the thread is interrupted between the
            // two, this clock lags behind instead of running ahead.
            self.offset.store(now.wrapping_sub(counter()), Ordering::Relaxed);
        }
        self.latest.fetch_max(now, Ordering::Relaxed).max(now)
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use std::sync::atomic::Ordering::{Acquire, Release};
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_never_steps_back_across_threads() {
        let clock = QuantaClock::new();
        // A time that one of the threads has read from the clock.
        let seen = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200_000 {
                        let earlier = seen.load(Acquire);
                        let now = clock.now().as_nanos();
                        assert!(now >= earlier, "{now} after {earlier}");
                        seen.store(now, Release);
                    }
                });
            }
        });
    }

    #[test]
    fn a_steady_counter_is_followed_to_the_microsecond() {
        let (checked, start) = (Checked::default(), u64::MAX - 5_000_000);
        let mut last = 0;
        for now in (0..10_000_000).step_by(70) {
            let time = checked.now(|| start.wrapping_add(now), || now);
            assert!((time..time + STEP).contains(&now), "{time} at {now}");
            assert!(time >= last, "{time} after {last}");
            last = time;
        }
    }

    #[test]
    fn after_a_pause_or_a_restart_of_the_counter_the_time_is_that_of_the_system() {
        let checked = Checked::default();
        for (counter, system) in [
            (7_000_000_000, 10),
            // The machine is suspended three times, for an hour each: the counter first stops, then
            // restarts at zero, then keeps counting.
            (7_001_000_000, 3_600_000_000_000),
            (0, 7_200_000_000_000),
            (3_600_000_000_000, 10_800_000_000_000),
            // The virtual machine has moved to a host that has been running for longer.
            (900_000_000_000_000, 10_800_000_001_000),
        ] {
            assert_eq!(checked.now(|| counter, || system), system);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_counter_shows_the_time_never_steps_back_or_ahead_of_the_system(
            readings in prop::collection::vec(
                (prop_oneof![0..3_000_000_u64, any::<u64>()], 0..3_000_000_u64), 1..100,
            ),
        ) {
            let checked = Checked::default();
            let (mut counter, mut system, mut last) = (0_u64, 0, 0);
            for (counted, elapsed) in readings {
                counter = counter.wrapping_add(counted);
                system += elapsed;
                let now = checked.now(|| counter, || system);
                prop_assert!(now >= last, "{now} after {last}");
                prop_assert!(now < system + CHECK_AFTER, "{now} at {system}");
                last = now;
            }
        }
    }
}
