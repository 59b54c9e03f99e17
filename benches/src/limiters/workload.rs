//! The calls made to every limiter, generated in advance.
//!
//! Keys are called in random order, equally often, and time advances by a random step between
//! calls, such that demand is one and a half times the quota of each key. In the long run two
//! thirds of the calls are allowed, in an order that defeats branch prediction.

use std::hint::black_box;
use std::time::Duration;

use rand::RngExt;
use zset_std::Quota;

use super::Limits;
use super::clock::GivenClock;
use crate::random::{generator, repeat};

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
    /// Generates `count` calls for `keys` keys, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if there are no keys.
    pub fn new(quota: Quota, keys: usize, count: usize, seed: u64) -> Self {
        let mut rng = generator(seed);
        let keys: Vec<u64> = repeat(keys, || rng.random());
        // On average, two thirds of an interval between two calls for a key.
        let asked = u128::from(quota.count()) * 3 * keys.len() as u128;
        let longest_step = (4 * quota.period().as_nanos() / asked) as u64;
        let mut now = 0;
        let calls = repeat(count, || {
            now += rng.random_range(0..=longest_step);
            Call { key: keys[rng.random_range(0..keys.len())], after: now }
        });
        Workload { quota, keys, calls, longest_step }
    }

    /// Returns the quota that the calls are generated for.
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// Returns the number of calls that [`run`](Self::run) makes.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Returns a limiter that holds all keys: half of them have used one unit, the others their
    /// whole quota.
    pub fn load<L: Limits>(&self, clock: &GivenClock, new: impl Fn(Quota, GivenClock) -> L) -> L {
        let mut limiter = new(self.quota, clock.clone());
        for (place, &key) in self.keys.iter().enumerate() {
            clock.set(clock.get() + self.longest_step / 2);
            if place % 2 == 0 {
                limiter.fill(key);
            } else {
                black_box(limiter.check(key));
            }
        }
        limiter
    }

    /// Makes all calls, starting at the clock's time; returns how many were allowed. The front ends
    /// time this, any number of times.
    pub fn run<L: Limits>(&self, limiter: &mut L, clock: &GivenClock) -> u64 {
        let mut allowed = 0;
        self.make_calls(limiter, clock, |is_allowed| allowed += u64::from(is_allowed));
        allowed
    }

    /// Like [`run`](Self::run), but returns which calls were allowed. For tests.
    pub fn verdicts<L: Limits>(&self, limiter: &mut L, clock: &GivenClock) -> Vec<bool> {
        let mut verdicts = Vec::with_capacity(self.calls());
        self.make_calls(limiter, clock, |is_allowed| verdicts.push(is_allowed));
        verdicts
    }

    #[inline]
    fn make_calls<L: Limits>(
        &self,
        limiter: &mut L,
        clock: &GivenClock,
        mut each: impl FnMut(bool),
    ) {
        let start = clock.get();
        for &Call { key, after } in &self.calls {
            clock.set(start + after);
            let answer = limiter.check(key);
            each(L::is_allowed(&answer));
            // Through a reference: moving the answer is not part of a call.
            black_box(&answer);
        }
    }
}
