//! Tests threads that wait for units.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use zset_std::limit::NotReady;
use zset_std::{Clock, FakeClock, Keyed, MonotonicClock, Quota, SlidingWindow, Timestamp};

use crate::funnels;

#[test]
fn available_units_do_not_wait() {
    let (funnels, clock) = funnels();
    assert!(funnels.wait_ready("a").deadline(Timestamp::ZERO).block().is_ok());
    assert_eq!(funnels.peek_n("a", 0).remaining, 0);
    assert!(funnels.wait_ready("a").units(0).block().is_ok());
    assert_eq!(clock.now(), Timestamp::ZERO);
}

#[test]
fn waits_beyond_the_limit_or_the_deadline_are_errors_and_charge_nothing() {
    let (funnels, clock) = funnels();
    assert_eq!(funnels.wait_ready("a").units(2).block(), Err(NotReady::Never));
    assert!(funnels.is_empty());
    assert!(funnels.check("a").is_allowed());
    let short = Duration::from_nanos(999_999_999);
    assert_eq!(funnels.wait_ready("a").timeout(short).block(), Err(NotReady::TooLate));
    clock.advance(Duration::from_secs(1));
    assert!(funnels.check("a").is_allowed());
    for error in [NotReady::Never, NotReady::TooLate] {
        assert!(error.to_string().starts_with("units "));
    }
}

/// The limiter has seen a later time, so the wait is longer by the difference.
#[test]
fn a_deadline_too_early_after_a_clock_step_back_fails_at_once() {
    let (funnels, clock) = funnels();
    clock.advance(Duration::from_secs(100));
    assert!(funnels.check("a").is_allowed());
    // The caller's clock is a minute before the latest time that the limiter has seen.
    assert_eq!(
        funnels.at(Timestamp::from_nanos(40_000_000_000)).peek_n("a", 1).retry_after(),
        Some(Duration::from_secs(61))
    );
    clock.set(Timestamp::from_nanos(40_000_000_000));
    let short = Duration::from_nanos(60_999_999_999);
    assert_eq!(funnels.wait_ready("a").timeout(short).block(), Err(NotReady::TooLate));
}

/// No later time exists at which the units could be allowed.
#[test]
fn waits_at_the_last_time_of_the_clock_fail_at_once() {
    let (funnels, clock) = funnels();
    for now in [u64::MAX - 1, u64::MAX].map(Timestamp::from_nanos) {
        clock.set(now);
        let _ = funnels.check("a");
        for timeout in [Duration::ZERO, Duration::from_secs(60)] {
            let waiting = funnels.wait_ready("a").timeout(timeout);
            assert_eq!(waiting.block(), Err(NotReady::TooLate), "{now:?} {timeout:?}");
        }
        assert_eq!(funnels.wait_ready("a").block(), Err(NotReady::TooLate), "{now:?}");
    }
}

#[test]
fn a_thread_waits_by_the_clock_of_the_limiter() {
    let (funnels, clock) = funnels();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            // The first unit passes immediately; the other four wait.
            for _ in 0..5 {
                funnels.wait_ready("a").block().unwrap();
            }
            clock.now()
        });
        while !waiting.is_finished() {
            clock.advance(Duration::from_millis(100));
            thread::yield_now();
        }
        let end = waiting.join().unwrap();
        assert!(end >= Timestamp::ZERO.saturating_add(Duration::from_secs(4)), "{end:?}");
    });
}

/// With a real clock, the units that pass stay within the quota, and every thread gets all its
/// units.
#[test]
fn threads_waiting_for_one_key_all_pass_within_the_quota() {
    let quota = Quota::new(5, Duration::from_millis(20)).unwrap();
    for jitter in [Duration::ZERO, Duration::from_millis(1)] {
        let clock = MonotonicClock::new();
        let windows = Keyed::<u32, _>::new(SlidingWindow::new(quota)).with_clock(clock);
        let passed = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let before = clock.now();
                        windows.wait_ready(&1).jitter(jitter).block().unwrap();
                        passed.lock().unwrap().push((before, clock.now()));
                    }
                });
            }
        });
        let passed = passed.into_inner().unwrap();
        assert_eq!(passed.len(), 40);
        // The 40 units fill eight windows, so at least seven periods lie between the first and the
        // last.
        let first = passed.iter().map(|(before, _)| *before).min().unwrap();
        let last = passed.iter().map(|(_, after)| *after).max().unwrap();
        assert!(last.saturating_duration_since(first) >= Duration::from_millis(7 * 20));
        assert_eq!(windows.len(), 1);
    }
}

/// A clock that records whether a thread has fallen asleep.
#[derive(Clone, Default)]
struct Watched {
    clock: FakeClock,
    is_slept_by: Arc<AtomicBool>,
}

impl Clock for Watched {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn park_until(&self, until: Timestamp) {
        self.is_slept_by.store(true, Ordering::SeqCst);
        self.clock.park_until(until);
    }
}

#[test]
fn a_smaller_request_does_not_overtake_the_first_waiter() {
    let watched = Watched::default();
    let clock = &watched.clock;
    let quota = Quota::new(4, Duration::from_secs(4)).unwrap();
    let windows = Keyed::<u8, _>::new(SlidingWindow::new(quota)).with_clock(watched.clone());
    assert!(windows.check_n(&1, 3).is_allowed());
    clock.advance(Duration::from_secs(1));
    let order = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let wait = |units| {
            windows.wait_ready(&1).units(units).block().unwrap();
            order.lock().unwrap().push(units);
        };
        // A single unit would be allowed now, but the request for four units is ahead of it in the
        // line.
        let four = scope.spawn(move || wait(4));
        // Waits until the first thread sleeps. Its request is then in the line.
        while !watched.is_slept_by.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        let one = scope.spawn(move || wait(1));
        // At second 4, the first three units expire. Either the four units or the single unit can
        // then pass, but not both, because the clock does not advance until one thread has
        // finished.
        clock.set(Timestamp::ZERO.saturating_add(Duration::from_secs(4)));
        while !four.is_finished() && !one.is_finished() {
            thread::yield_now();
        }
        clock.advance(Duration::from_secs(4));
    });
    assert_eq!(order.into_inner().unwrap(), [4, 1]);
}

#[test]
fn a_later_waiter_times_out_at_its_deadline() {
    let (funnels, clock) = funnels();
    assert!(funnels.check("a").is_allowed());
    let soon = clock.now().saturating_add(Duration::from_millis(300));
    thread::scope(|scope| {
        let first = scope.spawn(|| funnels.wait_ready("a").block());
        // This waiter times out immediately if it is first in the line, and otherwise at its
        // deadline.
        let second = scope.spawn(|| funnels.wait_ready("a").deadline(soon).block());
        while !second.is_finished() {
            thread::yield_now();
            if clock.now() < soon {
                clock.advance(Duration::from_millis(10));
            }
        }
        assert_eq!(second.join().unwrap(), Err(NotReady::TooLate));
        while !first.is_finished() {
            clock.advance(Duration::from_millis(100));
            thread::yield_now();
        }
        assert!(first.join().unwrap().is_ok());
    });
}
