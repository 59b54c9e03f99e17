//! Tests that concurrent calls, taken together, are allowed exactly the limit.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::thread;

use super::*;

/// The number of rounds. They are one period apart, so all keys are idle again and may be swept.
const ROUNDS: u64 = 2_000;

/// The limit of each key, and the number of units requested per key and round.
const LIMIT: u32 = 5;
const REQUESTS: usize = 8;

/// A barrier at which threads wait for each other before each round. Unlike std's `Barrier`, it
/// releases the other threads when one panics, so that the test fails instead of hanging.
struct Start {
    threads: usize,
    arrived: AtomicUsize,
    broken: AtomicBool,
}

impl Start {
    fn wait(&self, round: usize) {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        let mut polls = 0;
        while self.arrived.load(Ordering::Acquire) < (round + 1) * self.threads {
            assert!(!self.broken.load(Ordering::Relaxed), "another thread has panicked");
            polls += 1;
            if polls < 100 { hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

/// Held by each thread; releases the others if the thread panics.
struct ReleaseOnPanic<'a>(&'a Start);

impl Drop for ReleaseOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs all rounds on this many threads, then checks how many units were allowed.
fn exactly_the_limit_passes(limiter: AnyLimiter, threads: usize, keys: u64) {
    let limiter = Keyed::<u64, _>::new(limiter).with_max_keys(keys as usize, WhenFull::RefuseNew);
    let passed: Vec<AtomicU32> = (0..ROUNDS * keys).map(|_| AtomicU32::new(0)).collect();
    let start = Start { threads, arrived: AtomicUsize::new(0), broken: AtomicBool::new(false) };
    let request = |thread: u64, round: u64, now: Timestamp| {
        for _ in 0..REQUESTS / threads {
            for key in 0..keys {
                // With several keys, each thread starts its round at a different key.
                let key = (key + thread) % keys;
                let allowed = limiter.at(now).check_n(&key, 1).is_allowed();
                passed[(round * keys + key) as usize].fetch_add(allowed.into(), Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for thread in 0..threads as u64 {
            let (limiter, start) = (&limiter, &start);
            scope.spawn(move || {
                let _release = ReleaseOnPanic(start);
                let mut now = Timestamp::ZERO;
                for round in 0..ROUNDS {
                    now = after(now, Duration::from_secs(60));
                    start.wait(round as usize);
                    if thread == round % threads as u64 {
                        limiter.at(now).sweep(usize::MAX);
                    }
                    request(thread, round, now);
                }
            });
        }
    });
    for (index, passed) in passed.into_iter().enumerate() {
        let (round, key) = (index as u64 / keys, index as u64 % keys);
        assert_eq!(passed.into_inner(), LIMIT, "round {round}, key {key}, {threads} threads");
    }
    assert_eq!(limiter.len(), keys as usize);
    limiter.check_invariants();
}

#[test]
fn threads_get_exactly_the_limit() {
    for limiter in two(per_minute(LIMIT)) {
        for threads in [2, 4, 8] {
            exactly_the_limit_passes(limiter, threads, 1);
            exactly_the_limit_passes(limiter, threads, 8);
        }
    }
}
