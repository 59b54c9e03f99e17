//! The calls made to every limiter, generated in advance.
//!
//! Keys are chosen at random, all with the same probability. Between calls, time advances by a
//! random step. On average, the calls for a key demand one and a half times its quota. So in the
//! long run, two thirds of the calls are allowed, in an order that defeats branch prediction.

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use governor::nanos::Nanos;
use rand::RngExt;
use zset_std::{Quota, Timestamp};

use crate::measure::Measured;
use crate::random::{generator, repeat};

/// A limiter with its clock. A limiter for a single key ignores the key. A limiter for many keys
/// has its default hasher and default number of shards.
pub trait Limits {
    /// The answer to a call, in the limiter's own type, so that a call computes all of it.
    type Answer;

    /// Allows or denies one unit of a key.
    fn check(&mut self, key: u64) -> Self::Answer;

    /// Returns whether an answer allows the unit.
    fn is_allowed(answer: &Self::Answer) -> bool;

    /// Uses up the whole quota of a new key.
    fn fill(&mut self, key: u64);

    /// Returns the number of keys.
    fn keys(&self) -> usize {
        1
    }
}

/// A clock that is set explicitly, in nanoseconds. It implements the clock traits of both crates.
/// Clones share their time.
///
/// Each crate has such a clock for tests, but these are atomic, one of them with sequentially
/// consistent ordering. The benchmark would measure the clock instead of the limiters.
#[derive(Clone, Default, Debug)]
pub struct GivenClock(Rc<Cell<u64>>);

impl zset_std::Clock for GivenClock {
    #[inline]
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.0.get())
    }
}

impl governor::clock::Clock for GivenClock {
    type Instant = Nanos;

    #[inline]
    fn now(&self) -> Nanos {
        Nanos::new(self.0.get())
    }
}

/// The quota of the tables: a hundred per minute. The interval between two units is a whole number
/// of nanoseconds, so the limiters of both crates agree although they round fractions differently.
pub fn hundred_a_minute() -> Quota {
    quota(100, 60)
}

/// Returns the quota of this many units in this many seconds.
pub(super) fn quota(count: u32, seconds: u64) -> Quota {
    Quota::new(count, Duration::from_secs(seconds)).expect("neither is zero")
}

/// One call.
#[derive(Clone, Copy, Debug)]
struct Call {
    key: u64,
    /// The time of the call, in nanoseconds since the start.
    after: u64,
}

/// The keys and the calls of one round, for a quota.
pub struct Workload {
    quota: Quota,
    keys: Vec<u64>,
    calls: Vec<Call>,
    /// The longest step between two calls, in nanoseconds.
    longest_step: u64,
}

impl Workload {
    /// Generates `count` calls for `keys` keys, at least 1, deterministically for each `seed`.
    pub fn new(quota: Quota, keys: usize, count: usize, seed: u64) -> Self {
        let mut rng = generator(seed);
        let keys: Vec<u64> = repeat(keys, || rng.random());
        // On average, consecutive calls for the same key are two thirds of `period / count` apart.
        let asked = u128::from(quota.count()) * 3 * keys.len() as u128;
        let longest_step = (4 * quota.period().as_nanos() / asked) as u64;
        let mut now = 0;
        let calls = repeat(count, || {
            now += rng.random_range(0..=longest_step);
            Call { key: keys[rng.random_range(0..keys.len())], after: now }
        });
        Workload { quota, keys, calls, longest_step }
    }

    /// Returns a limiter without keys.
    pub fn empty<L: Limits>(&self, clock: &GivenClock, new: fn(Quota, GivenClock) -> L) -> L {
        new(self.quota, clock.clone())
    }

    /// Returns a limiter that holds all keys: half of them have used one unit, the others their
    /// whole quota.
    pub fn load<L: Limits>(&self, clock: &GivenClock, new: fn(Quota, GivenClock) -> L) -> L {
        let mut limiter = self.empty(clock, new);
        for (place, &key) in self.keys.iter().enumerate() {
            clock.0.set(clock.0.get() + self.longest_step / 2);
            if place % 2 == 0 {
                limiter.fill(key);
            } else {
                black_box(limiter.check(key));
            }
        }
        limiter
    }

    /// Measures all calls. An untimed run first brings the limiter to its steady state.
    pub fn measure<L: Limits>(&self, limiter: &mut L, clock: &GivenClock) -> Measured {
        self.run(limiter, clock, |_| ());
        Measured::of(self.calls.len(), || {
            let mut allowed = 0;
            self.run(limiter, clock, |is_allowed| allowed += u64::from(is_allowed));
            allowed
        })
    }

    /// Makes all calls, starting at the clock's time; calls `each` with whether a call was allowed.
    #[inline]
    pub fn run<L: Limits>(&self, limiter: &mut L, clock: &GivenClock, mut each: impl FnMut(bool)) {
        let start = clock.0.get();
        for &Call { key, after } in &self.calls {
            clock.0.set(start + after);
            let answer = limiter.check(key);
            each(L::is_allowed(&answer));
            // Passed by reference, so that the cost of moving the answer is not measured.
            black_box(&answer);
        }
    }
}
