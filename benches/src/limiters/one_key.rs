//! The table of the limiters for a single key.

use std::hint::black_box;
use std::time::Duration;

use governor::clock::{MonotonicClock as GovernorsMonotonic, QuantaClock as GovernorsQuanta};
use zset_std::{MonotonicClock, QuantaClock, Quota};

use super::clock::GivenClock;
use super::contenders::{DirectGovernor, OneFunnel};
use super::workload::{Workload, hundred_a_minute};
use super::{Answer, OneKey};
use super::{Measured, Rounds};
use crate::record::Record;

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// A hundred per minute.
    Minute,
    /// A million per day: products of the two exceed 64 bits.
    Day,
    /// A quota so large that every call is allowed, at the operating system's time.
    ClockAllowed,
    /// A quota so small that no call is allowed, at the operating system's time.
    ClockDenied,
    /// The same as [`ClockAllowed`](Row::ClockAllowed), at the time of the processor's counter.
    QuantaAllowed,
    /// The same as [`ClockDenied`](Row::ClockDenied), at the time of the processor's counter.
    QuantaDenied,
}

impl Row {
    /// All rows, from top to bottom, with their labels.
    pub const ALL: [(Row, &'static str); 6] = [
        (Row::Minute, "100 a minute, time given"),
        (Row::Day, "1,000,000 a day, time given"),
        (Row::ClockAllowed, "all allowed, monotonic clock"),
        (Row::ClockDenied, "all denied, monotonic clock"),
        (Row::QuantaAllowed, "all allowed, quanta clock"),
        (Row::QuantaDenied, "all denied, quanta clock"),
    ];

    /// Returns the quota of the limiters.
    pub fn quota(self) -> Quota {
        let (count, seconds) = match self {
            Row::Minute => return hundred_a_minute(),
            Row::Day => (1_000_000, 86_400),
            Row::ClockAllowed | Row::QuantaAllowed => (1_000_000_000, 1),
            Row::ClockDenied | Row::QuantaDenied => (1, 3_600),
        };
        Quota::new(count, Duration::from_secs(seconds)).expect("neither is zero")
    }
}

/// The number of parts each round is split into. Calls are short and nothing has to be loaded, and
/// the more often the limiters take turns, the less other load on the machine matters.
const CUTS: usize = 10;

/// Measures all rows.
pub(super) fn measure(calls: usize, rounds: usize) -> Vec<Record> {
    let (calls, rounds) = (calls.div_ceil(CUTS), rounds * CUTS);
    let contenders: [fn(Row, &Workload) -> Measured; 2] = [
        |row, workload| {
            let monotonic = |quota| OneFunnel::new(quota, MonotonicClock::new());
            let quanta = |quota| OneFunnel::new(quota, QuantaClock::new());
            measure_one(row, workload, OneFunnel::new, monotonic, quanta)
        },
        |row, workload| {
            let monotonic = |quota| DirectGovernor::new(quota, GovernorsMonotonic);
            let quanta = |quota| DirectGovernor::new(quota, GovernorsQuanta::default());
            measure_one(row, workload, DirectGovernor::new, monotonic, quanta)
        },
    ];
    let row = |(row, label): (Row, &str)| {
        let prepare = |seed| Workload::new(row.quota(), 1, calls, seed);
        let rounds = Rounds::measure(contenders.len(), rounds, prepare, |place, workload| {
            contenders[place](row, workload)
        });
        rounds.records(&["Funnel", "governor"], "one key", 1, label)
    };
    Row::ALL.into_iter().flat_map(row).collect()
}

/// Measures a limiter, given how to make it with each clock.
fn measure_one<G: OneKey, M: OneKey, Q: OneKey>(
    row: Row,
    workload: &Workload,
    given: fn(Quota, GivenClock) -> G,
    monotonic: fn(Quota) -> M,
    quanta: fn(Quota) -> Q,
) -> Measured {
    let (quota, calls) = (row.quota(), workload.calls());
    match row {
        Row::Minute | Row::Day => measure_given_time(workload, |clock| given(quota, clock)),
        Row::ClockAllowed | Row::ClockDenied => measure_clock(row, calls, monotonic(quota)),
        Row::QuantaAllowed | Row::QuantaDenied => measure_clock(row, calls, quanta(quota)),
    }
}

fn measure_given_time<L: OneKey>(
    workload: &Workload,
    new: impl FnOnce(GivenClock) -> L,
) -> Measured {
    let clock = GivenClock::default();
    let mut limiter = new(clock.clone());
    limiter.fill();
    // An untimed run first, as with keyed limiters.
    workload.run_one(&mut limiter, &clock);
    Measured::of(workload.calls(), || workload.run_one(&mut limiter, &clock))
}

fn measure_clock<L: OneKey>(row: Row, calls: usize, mut limiter: L) -> Measured {
    if matches!(row, Row::ClockDenied | Row::QuantaDenied) {
        limiter.fill();
    }
    Measured::of(calls, || {
        let mut allowed = 0;
        for _ in 0..calls {
            let answer = limiter.check();
            allowed += usize::from(answer.is_allowed());
            // Through a reference: moving the answer is not part of a call.
            black_box(&answer);
        }
        allowed
    })
}
