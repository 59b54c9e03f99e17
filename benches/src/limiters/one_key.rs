//! The table of the limiters for a single key.

use std::hint::black_box;

use ::governor::clock;
use zset_std::{MonotonicClock, QuantaClock, Quota};

use crate::comparison::{Comparison, Contender, measured};
use crate::limiters::workload::{GivenClock, Limits, Workload, hundred_a_minute, quota};
use crate::limiters::{governor, zset};
use crate::measure::Measured;

/// The calls of one round: their number, and workloads with given times for two quotas.
pub struct Calls {
    count: usize,
    /// A hundred a minute.
    pub minute: Workload,
    /// A million a day.
    pub day: Workload,
}

impl Calls {
    /// Generates `count` calls for each quota, deterministically for each `seed`.
    pub fn new(count: usize, seed: u64) -> Self {
        let new = |quota| Workload::new(quota, 1, count, seed);
        // The daily quota tests large numbers: its count times its period in nanoseconds does not
        // fit in 64 bits.
        Calls { count, minute: new(hundred_a_minute()), day: new(quota(1_000_000, 86_400)) }
    }
}

/// Returns the table.
pub fn table() -> Comparison {
    let funnel = contender(
        "Funnel",
        zset::funnel,
        |quota| zset::funnel(quota, MonotonicClock::new()),
        |quota| zset::funnel(quota, QuantaClock::new()),
    );
    let governor = contender(
        "governor",
        governor::direct,
        |quota| governor::direct(quota, clock::MonotonicClock),
        |quota| governor::direct(quota, clock::QuantaClock::default()),
    );
    Comparison::new("one key", Calls::new, vec![funnel, governor])
}

/// Returns a contender, from three constructors: with a clock that is set, with the clock of the
/// operating system, and with the cycle counter.
fn contender<G: Limits + 'static, M: Limits + 'static, Q: Limits + 'static>(
    name: &'static str,
    given: fn(Quota, GivenClock) -> G,
    monotonic: fn(Quota) -> M,
    quanta: fn(Quota) -> Q,
) -> Contender<Calls> {
    let operations = [
        measured("100 a minute, time given", move |it: &Calls| at_given_time(&it.minute, given)),
        measured("1,000,000 a day, time given", move |it: &Calls| at_given_time(&it.day, given)),
        measured("all allowed, monotonic clock", move |it| all_allowed(it, monotonic)),
        measured("all denied, monotonic clock", move |it| all_denied(it, monotonic)),
        measured("all allowed, quanta clock", move |it| all_allowed(it, quanta)),
        measured("all denied, quanta clock", move |it| all_denied(it, quanta)),
    ];
    Contender::new(name, |_| (), |_, ()| 0, operations)
}

/// Measures a limiter at the times of a workload.
pub fn at_given_time<L: Limits>(workload: &Workload, new: fn(Quota, GivenClock) -> L) -> Measured {
    let clock = GivenClock::default();
    let mut limiter = workload.empty(&clock, new);
    limiter.fill(0);
    workload.measure(&mut limiter, &clock)
}

/// Measures a limiter with a quota so large that every call is allowed.
fn all_allowed<L: Limits>(calls: &Calls, new: fn(Quota) -> L) -> Measured {
    check_all(calls.count, new(quota(1_000_000_000, 1)))
}

/// Measures a limiter with a quota so small that no call is allowed.
fn all_denied<L: Limits>(calls: &Calls, new: fn(Quota) -> L) -> Measured {
    let mut limiter = new(quota(1, 3_600));
    limiter.fill(0);
    check_all(calls.count, limiter)
}

fn check_all<L: Limits>(calls: usize, mut limiter: L) -> Measured {
    Measured::of(calls, || {
        let mut allowed = 0;
        for _ in 0..calls {
            let answer = limiter.check(0);
            allowed += u64::from(L::is_allowed(&answer));
            // Passed by reference, so that the cost of moving the answer is not measured.
            black_box(&answer);
        }
        allowed
    })
}
