//! The table of the limiters for a single key.

use std::hint::black_box;

use governor::clock::{MonotonicClock as GovernorsMonotonic, QuantaClock as GovernorsQuanta};
use zset_std::{MonotonicClock, QuantaClock, Quota};

use super::Limits;
use super::clock::GivenClock;
use super::contenders::{governor::DirectGovernor, ours::OneFunnel};
use super::workload::{Workload, hundred_a_minute, quota};
use crate::comparison::{Comparison, Contender};
use crate::rounds::Measured;

/// The calls of one round, for two quotas: a hundred a minute, and a million a day.
pub type Calls = [Workload; 2];

/// Generates `count` calls for each quota, deterministically for each `seed`.
pub fn calls(count: usize, seed: u64) -> Calls {
    // Products of the second one's numbers exceed 64 bits.
    [hundred_a_minute(), quota(1_000_000, 86_400)].map(|it| Workload::new(it, 1, count, seed))
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
    Comparison::new("one key", calls).of_n(1).with(funnel).with(governor)
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
    let given_times = move |workload: &Workload| (at_given_time(workload, given), ());
    let count = |[calls, _]: &Calls| calls.calls();
    Contender::new(name, |_: &Calls| (), |_, ()| 0)
        .row("100 a minute, time given", move |[minute, _]| given_times(minute))
        .row("1,000,000 a day, time given", move |[_, day]| given_times(day))
        .row("all allowed, monotonic clock", move |it| (of_new(count(it), monotonic(all)), ()))
        .row("all denied, monotonic clock", move |it| (of_full(count(it), monotonic(none)), ()))
        .row("all allowed, quanta clock", move |it| (of_new(count(it), quanta(all)), ()))
        .row("all denied, quanta clock", move |it| (of_full(count(it), quanta(none)), ()))
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
