//! The tables of the keyed limiters.

use zset_std::{FixedWindow, Funnel, Quota, WindowCounter, WindowLog};

use super::Limits;
use super::clock::GivenClock;
use super::contenders::governor::KeyedGovernor;
use super::contenders::ours::many_keys;
use super::workload::{Workload, hundred_a_minute};
use crate::allocator::live_bytes;
use crate::record::Record;
use crate::rounds::{Measured, Rounds};
use crate::table::median;
use crate::tables::LIMITERS;
use crate::workload::as_f64;

/// A keyed limiter: its name, and how it is [measured](measure_one).
pub type Contender = (&'static str, fn(&Workload) -> (Measured, [f64; 2]));

/// The keyed limiters.
pub const CONTENDERS: [Contender; 5] = [
    ("Funnels", |it| measure_one(it, many_keys(Funnel::new))),
    ("governor", |it| measure_one(it, KeyedGovernor::new)),
    ("SlidingWindow", |it| measure_one(it, many_keys(WindowLog::new))),
    ("WindowCounter", |it| measure_one(it, many_keys(WindowCounter::new))),
    ("FixedWindow", |it| measure_one(it, many_keys(FixedWindow::new))),
];

/// The position in [`CONTENDERS`] of the one that the others are compared with.
const GOVERNOR: usize = 1;

/// Measures all limiters with that many keys.
pub(super) fn measure(keys: usize, calls: usize, rounds: usize) -> Vec<Record> {
    let mut bytes = vec![Vec::new(); CONTENDERS.len()];
    let prepare = |seed| Workload::new(hundred_a_minute(), keys, calls, seed);
    let timed = Rounds::measure(CONTENDERS.len(), rounds, prepare, |place, workload| {
        let (measured, bytes_a_key) = (CONTENDERS[place].1)(workload);
        bytes[place].push(bytes_a_key);
        measured
    });

    let record = |(place, (name, _)): (usize, Contender)| {
        let median_bytes = |column: usize| median(bytes[place].iter().map(|at| at[column]));
        let allowed = |round: &[Measured]| {
            Some(100.0 * as_f64(round[place].answer as usize) / as_f64(round[place].calls))
        };
        [
            (
                "ns a call",
                "ns",
                timed.median(|round| round[place].nanos_a_call()),
                timed.ratio(place, GOVERNOR, Measured::nanos_a_call),
            ),
            ("allowed, %", "%", timed.median(allowed), None),
            ("bytes/key before", "bytes", median_bytes(0), None),
            ("bytes/key after", "bytes", median_bytes(1), None),
        ]
        .map(|(what, unit, value, ratio)| {
            let record = Record::new((LIMITERS, keys), name, (what, unit), value);
            Record { rounds, ratio, ..record }
        })
    };
    CONTENDERS.into_iter().enumerate().flat_map(record).collect()
}

/// Measures a limiter that `new` makes; returns the result and the bytes per key before and after
/// all calls.
pub fn measure_one<L: Limits>(
    workload: &Workload,
    new: impl Fn(Quota, GivenClock) -> L,
) -> (Measured, [f64; 2]) {
    let clock = GivenClock::default();
    let bytes_before = live_bytes();
    let mut limiter = workload.load(&clock, new);
    let bytes_a_key =
        |limiter: &L| as_f64((live_bytes() - bytes_before).unsigned_abs()) / as_f64(limiter.keys());
    let before = bytes_a_key(&limiter);
    // An untimed run first brings the limiter to its steady state.
    workload.run(&mut limiter, &clock);
    let measured = Measured::of(workload.calls(), || workload.run(&mut limiter, &clock));
    (measured, [before, bytes_a_key(&limiter)])
}
