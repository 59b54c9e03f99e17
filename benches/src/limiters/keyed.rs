//! The tables of the keyed limiters.

use std::convert::Infallible;

use zset_std::{FixedWindow, Funnel, Quota, SlidingWindow, WindowCounter};

use crate::allocator::live_bytes;
use crate::limiters::governor;
use crate::limiters::workload::{GivenClock, Limits, Workload, hundred_a_minute};
use crate::limiters::zset::keyed;
use crate::measure::{Measured, as_f64, none, of, take_turns};
use crate::record::Record;

/// The name of the tables.
pub(crate) const TABLE: &str = "limiters";

/// A keyed limiter: its name, and how it is [measured](measure_one).
pub type Contender = (&'static str, fn(&Workload) -> (Measured, [f64; 2]));

/// The keyed limiters.
pub const CONTENDERS: [Contender; 5] = [
    ("Funnel", |it| measure_one(it, |quota, clock| keyed(Funnel::new, quota, clock))),
    ("governor", |it| measure_one(it, governor::keyed)),
    ("SlidingWindow", |it| measure_one(it, |quota, clock| keyed(SlidingWindow::new, quota, clock))),
    ("WindowCounter", |it| measure_one(it, |quota, clock| keyed(WindowCounter::new, quota, clock))),
    ("FixedWindow", |it| measure_one(it, |quota, clock| keyed(FixedWindow::new, quota, clock))),
];

/// The index in [`CONTENDERS`] of the limiter with which the others are compared.
const GOVERNOR: usize = 1;

/// Measures all limiters with this many keys.
pub(super) fn measure(keys: usize, calls: usize, rounds: usize) -> Vec<Record> {
    let prepare = |round| Ok(Workload::new(hundred_a_minute(), keys, calls, round as u64));
    let measure = |place: usize, workload: &Workload| {
        let (measured, [before, after]) = (CONTENDERS[place].1)(workload);
        let allowed = 100.0 * as_f64(measured.answer as usize) / as_f64(measured.calls);
        Ok::<_, Infallible>([measured.nanos_a_call().unwrap_or(0.0), allowed, before, after])
    };
    let Ok([nanos, allowed, before, after]) =
        take_turns(rounds, CONTENDERS.len(), prepare, measure);
    let (table, names) = ((TABLE, keys), CONTENDERS.map(|(name, _)| name));
    [
        nanos.records(table, ("ns a call", "ns"), &names, of(GOVERNOR)),
        allowed.records(table, ("allowed, %", "%"), &names, none),
        before.records(table, ("bytes/key before", "bytes"), &names, none),
        after.records(table, ("bytes/key after", "bytes"), &names, none),
    ]
    .concat()
}

/// Measures a limiter that `new` creates. Returns the result, and the bytes per key before and
/// after all calls.
pub fn measure_one<L: Limits>(
    workload: &Workload,
    new: fn(Quota, GivenClock) -> L,
) -> (Measured, [f64; 2]) {
    let clock = GivenClock::default();
    let bytes_before = live_bytes();
    let mut limiter = workload.load(&clock, new);
    let bytes_a_key =
        |limiter: &L| as_f64((live_bytes() - bytes_before).unsigned_abs()) / as_f64(limiter.keys());
    let before = bytes_a_key(&limiter);
    let measured = workload.measure(&mut limiter, &clock);
    (measured, [before, bytes_a_key(&limiter)])
}
