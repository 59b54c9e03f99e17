//! The table of the limiters for a single key.

use std::hint::black_box;
use std::time::Duration;

use governor::clock::{MonotonicClock as GovernorsMonotonic, QuantaClock as GovernorsQuanta};
use zset_std::{MonotonicClock, QuantaClock, Quota};

use super::Limits;
use super::clock::GivenClock;
use super::contenders::{governor::DirectGovernor, ours::OneFunnel};
use super::workload::{Workload, hundred_a_minute};
use crate::comparison::{Comparison, Contender};
use crate::rounds::Measured;

/// The calls of one round, for two quotas.
pub struct Calls {
    /// A hundred per minute.
    pub minute: Workload,
    /// A million per day: products of the two exceed 64 bits.
    pub day: Workload,
}

impl Calls {
    /// Generates `count` calls for each quota, deterministically for each `seed`.
    pub fn new(count: usize, seed: u64) -> Self {
        Calls {
            minute: Workload::new(hundred_a_minute(), 1, count, seed),
            day: Workload::new(quota(1_000_000, 86_400), 1, count, seed),
        }
    }
}

/// Returns the table.
pub fn table() -> Comparison<Calls> {
    let funnel = contender(
        "Funnel",
        OneFunnel::new,
        |quota| OneFunnel::new(quota, MonotonicClock::new()),
        |quota| OneFunnel::new(quota, QuantaClock::new()),
    );
    let governor = contender(
        "governor",
        DirectGovernor::new,
        |quota| DirectGovernor::new(quota, GovernorsMonotonic),
        |quota| DirectGovernor::new(quota, GovernorsQuanta::default()),
    );
    Comparison::new("one key", Calls::new).of_n(1).with(funnel).with(governor)
}

/// Returns a contender with all operations, given how to make it with a clock that is set, with the
/// operating system's time, and with the time of the processor's counter.
fn contender<G: Limits + 'static, M: Limits + 'static, Q: Limits + 'static>(
    name: &'static str,
    given: fn(Quota, GivenClock) -> G,
    monotonic: fn(Quota) -> M,
    quanta: fn(Quota) -> Q,
) -> Contender<Calls, ()> {
    // So large that every call is allowed, and so small that none is.
    let (all, none) = (quota(1_000_000_000, 1), quota(1, 3_600));
    let count = |calls: &Calls| calls.minute.calls();
    Contender::new(name, |_: &Calls| (), |_, ()| 0)
        .row("100 a minute, time given", move |calls| (at_given_time(&calls.minute, given), ()))
        .row("1,000,000 a day, time given", move |calls| (at_given_time(&calls.day, given), ()))
        .row("all allowed, monotonic clock", move |it| (of_new(count(it), monotonic(all)), ()))
        .row("all denied, monotonic clock", move |it| (of_full(count(it), monotonic(none)), ()))
        .row("all allowed, quanta clock", move |it| (of_new(count(it), quanta(all)), ()))
        .row("all denied, quanta clock", move |it| (of_full(count(it), quanta(none)), ()))
}

fn quota(count: u32, seconds: u64) -> Quota {
    Quota::new(count, Duration::from_secs(seconds)).expect("neither is zero")
}

/// Measures a limiter at the times of a workload.
pub fn at_given_time<L: Limits>(workload: &Workload, new: fn(Quota, GivenClock) -> L) -> Measured {
    let clock = GivenClock::default();
    let mut limiter = new(workload.quota(), clock.clone());
    limiter.fill(0);
    // An untimed run first, as with keyed limiters.
    workload.run(&mut limiter, &clock);
    Measured::of(workload.calls(), || workload.run(&mut limiter, &clock))
}

fn of_full<L: Limits>(calls: usize, mut limiter: L) -> Measured {
    limiter.fill(0);
    of_new(calls, limiter)
}

fn of_new<L: Limits>(calls: usize, mut limiter: L) -> Measured {
    Measured::of(calls, || {
        let mut allowed = 0;
        for _ in 0..calls {
            let answer = limiter.check(0);
            allowed += u64::from(L::is_allowed(&answer));
            // Through a reference: moving the answer is not part of a call.
            black_box(&answer);
        }
        allowed
    })
}
