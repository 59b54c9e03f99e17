//! The tables of the keyed limiters.

use super::Keyed;
use super::clock::GivenClock;
use super::workload::{Workload, hundred_a_minute};
use super::{Measured, Rounds};
use super::{Visitor, visit_all};
use crate::allocator::live_bytes;
use crate::record::Record;
use crate::table::median;
use crate::tables::LIMITERS;
use crate::workload::as_f64;

/// The position in [`visit_all`] of the contender that the others are compared with.
const GOVERNOR: usize = 1;

/// Measures all limiters with that many keys.
pub(super) fn measure(keys: usize, calls: usize, rounds: usize) -> Vec<Record> {
    let mut roster = Roster(Vec::new());
    visit_all(&mut roster);
    let entrants = roster.0;
    let mut bytes = vec![Vec::new(); entrants.len()];
    let prepare = |seed| Workload::new(hundred_a_minute(), keys, calls, seed);
    let timed = Rounds::measure(entrants.len(), rounds, prepare, |place, workload| {
        let (measured, bytes_a_key) = (entrants[place].measure)(workload);
        bytes[place].push(bytes_a_key);
        measured
    });

    let mut records = Vec::new();
    for (place, entrant) in entrants.iter().enumerate() {
        let median_bytes = |column: usize| median(bytes[place].iter().map(|at| at[column]));
        for (what, unit, value, ratio) in [
            ("ns a call", "ns", timed.nanos_a_call(place), timed.ratio(place, GOVERNOR)),
            ("allowed, %", "%", timed.allowed(place), None),
            ("bytes/key before", "bytes", median_bytes(0), None),
            ("bytes/key after", "bytes", median_bytes(1), None),
        ] {
            records.push(Record {
                table: LIMITERS.into(),
                n: keys,
                contender: entrant.name.into(),
                what: what.into(),
                unit: unit.into(),
                rounds,
                value,
                ratio,
                ..Record::default()
            });
        }
    }
    records
}

/// A limiter as function pointers, since a list cannot hold types.
struct Entrant {
    name: &'static str,
    measure: fn(&Workload) -> (Measured, [f64; 2]),
}

struct Roster(Vec<Entrant>);

impl Visitor for Roster {
    fn visit<L: Keyed>(&mut self) {
        self.0.push(Entrant { name: L::NAME, measure: measure_one::<L> });
    }
}

/// Measures `L`; returns the result and the bytes per key before and after all calls.
fn measure_one<L: Keyed>(workload: &Workload) -> (Measured, [f64; 2]) {
    let clock = GivenClock::default();
    let bytes_before = live_bytes();
    let mut limiter = workload.load::<L>(&clock);
    let bytes_a_key =
        |limiter: &L| as_f64((live_bytes() - bytes_before).unsigned_abs()) / as_f64(limiter.len());
    let before = bytes_a_key(&limiter);
    // An untimed run first brings the limiter to its steady state.
    workload.run(&mut limiter, &clock);
    let measured = Measured::of(workload.calls(), || workload.run(&mut limiter, &clock));
    (measured, [before, bytes_a_key(&limiter)])
}
