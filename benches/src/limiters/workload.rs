//! What is asked of every limiter, made up before the clock starts.
//!
//! Keys are asked for in a random order, each as often as any other, and time goes on by a random
//! step from one call to the next, so that one and a half times as much is asked of each key as it
//! may have. In the long run two thirds of the calls pass, in an order that no processor predicts.

use std::hint::black_box;
use std::time::Duration;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use zset_std::Quota;

use super::clock::GivenClock;
use super::contender::{Answer, Keyed, OneKey};

/// The quota of the tables: a hundred a minute. The interval between two units is a whole number of
/// nanoseconds, so the limiters of both crates, which round fractions differently, agree.
pub fn hundred_a_minute() -> Quota {
    Quota::new(100, Duration::from_mins(1)).expect("neither is zero")
}

/// One call.
#[derive(Clone, Copy, Debug)]
struct Call {
    key: u64,
    /// When, in nanoseconds since the first.
    after: u64,
}

/// The keys and the calls of one round, for a quota.
pub struct Workload {
    quota: Quota,
    keys: Vec<u64>,
    calls: Vec<Call>,
    /// The longest step from one call to the next, in nanoseconds.
    longest_step: u64,
}

impl Workload {
    /// Makes up `count` calls for `keys` keys, the same for the same `seed`.
    ///
    /// # Panics
    ///
    /// Panics if there are no keys.
    pub fn new(quota: Quota, keys: usize, count: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let keys: Vec<u64> = std::iter::repeat_with(|| rng.random()).take(keys).collect();
        // On average two thirds of an interval from one call for a key to the next.
        let asked = u128::from(quota.count()) * 3 * keys.len() as u128;
        let longest_step = (4 * quota.period().as_nanos() / asked) as u64;
        let mut now = 0;
        let calls = std::iter::repeat_with(|| {
            now += rng.random_range(0..=longest_step);
            Call { key: keys[rng.random_range(0..keys.len())], after: now }
        });
        let calls = calls.take(count).collect();
        Workload { quota, keys, calls, longest_step }
    }

    /// Returns the quota that the calls are made up for.
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// Returns how many calls [`run`](Self::run) makes.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Makes a limiter that knows all keys: half of them have one unit on record, the others as many
    /// as may be.
    pub fn load<L: Keyed>(&self, clock: &GivenClock) -> L {
        let mut limiter = L::new(self.quota, clock.clone());
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

    /// Makes all calls, from the time of the clock on; returns how many passed. This is what the
    /// front ends time, as often as they like.
    pub fn run<L: Keyed>(&self, limiter: &mut L, clock: &GivenClock) -> usize {
        self.make_calls(clock, |key| limiter.check(key))
    }

    /// Does what [`run`](Self::run) does with a limiter of one key.
    pub fn run_one<L: OneKey>(&self, limiter: &mut L, clock: &GivenClock) -> usize {
        self.make_calls(clock, |_| limiter.check())
    }

    #[inline]
    fn make_calls<A: Answer>(&self, clock: &GivenClock, mut check: impl FnMut(u64) -> A) -> usize {
        let start = clock.get();
        let mut allowed = 0;
        for &Call { key, after } in &self.calls {
            clock.set(start + after);
            let answer = check(key);
            allowed += usize::from(answer.is_allowed());
            // Where it is: to move it is not part of a call.
            black_box(&answer);
        }
        allowed
    }

    /// Does what [`run`](Self::run) does; returns which calls passed. For tests.
    pub fn verdicts<L: Keyed>(&self, limiter: &mut L, clock: &GivenClock) -> Vec<bool> {
        let mut verdicts = Vec::with_capacity(self.calls());
        self.make_calls(clock, |key| noted(limiter.check(key), &mut verdicts));
        verdicts
    }

    /// Does what [`run_one`](Self::run_one) does; returns which calls passed. For tests.
    pub fn verdicts_of_one<L: OneKey>(&self, limiter: &mut L, clock: &GivenClock) -> Vec<bool> {
        let mut verdicts = Vec::with_capacity(self.calls());
        self.make_calls(clock, |_| noted(limiter.check(), &mut verdicts));
        verdicts
    }
}

/// Notes the verdict of an answer, and returns the answer.
fn noted<A: Answer>(answer: A, verdicts: &mut Vec<bool>) -> A {
    verdicts.push(answer.is_allowed());
    answer
}
