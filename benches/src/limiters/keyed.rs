//! The tables of the keyed limiters.

use super::clock::GivenClock;
use super::contender::Keyed;
use super::contenders::{Visitor, visit_all};
use super::workload::{Workload, hundred_a_minute};
use super::{Measured, Rounds};
use crate::allocator::live_bytes;
use crate::table::{Table, median, show, show_ratio};
use crate::workload::as_f64;

/// The positions in [`visit_all`] of those that the others are compared with.
const FUNNELS: usize = 0;
const GOVERNOR: usize = 1;

/// Measures all limiters with that many keys.
pub(super) fn measure(keys: usize, calls: usize, rounds: usize) -> Table {
    let mut roster = Roster(Vec::new());
    visit_all(&mut roster);
    let entrants = roster.0;
    let mut bytes = vec![Vec::new(); entrants.len()];
    let prepare = |seed| Workload::new(hundred_a_minute(), keys, calls, seed);
    let rounds = Rounds::measure(entrants.len(), rounds, prepare, |place, workload| {
        let (measured, bytes_a_key) = (entrants[place].measure)(workload);
        bytes[place].push(bytes_a_key);
        measured
    });

    let head = [
        "ns a call",
        "median",
        "it / Funnels",
        "it / governor",
        "allowed",
        "bytes/key before",
        "bytes/key after",
    ];
    let mut table = Table::new(head.map(String::from).into());
    for (place, entrant) in entrants.iter().enumerate() {
        let median_bytes = |column: usize| show(median(bytes[place].iter().map(|at| at[column])));
        table.push(vec![
            entrant.name.into(),
            show(rounds.nanos_a_call(place)),
            show_ratio(rounds.ratio(place, FUNNELS)),
            show_ratio(rounds.ratio(place, GOVERNOR)),
            rounds.allowed(place),
            median_bytes(0),
            median_bytes(1),
        ]);
    }
    table
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
