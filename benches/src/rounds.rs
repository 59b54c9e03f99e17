//! Rounds in which contenders take turns.
//!
//! A machine's speed drifts by more than the contenders differ. So each round's workload is
//! generated once and given to all of them, ratios are taken within a round, and the printed values
//! are medians over the rounds.

use std::time::{Duration, Instant};

use crate::record::Record;
use crate::table::median;
use crate::workload::as_f64;

/// The result of one contender in one round.
#[derive(Clone, Copy, Default, Debug)]
pub struct Measured<A> {
    /// The total time of all calls.
    pub time: Duration,
    /// The number of calls.
    pub calls: usize,
    /// The combined answers of the calls.
    pub answer: A,
}

impl<A> Measured<A> {
    /// Runs `make`, which makes `calls` calls, and times it.
    pub fn of(calls: usize, make: impl FnOnce() -> A) -> Self {
        let start = Instant::now();
        let answer = measured_calls(make);
        Measured { time: start.elapsed(), calls, answer }
    }

    /// Returns the time per call.
    pub fn nanos_a_call(&self) -> f64 {
        self.time.as_secs_f64() * 1e9 / as_f64(self.calls)
    }
}

/// Makes the calls and nothing else: callgrind counts what runs inside this function.
#[inline(never)]
fn measured_calls<A>(make: impl FnOnce() -> A) -> A {
    make()
}

/// The results of all contenders in all rounds: `rounds[round][place]`.
pub(crate) struct Rounds<A>(Vec<Vec<Measured<A>>>);

impl<A: Clone + Default> Rounds<A> {
    /// Measures `places` contenders in turn, in each round with the workload prepared for its
    /// number.
    pub(crate) fn measure<W>(
        places: usize,
        rounds: usize,
        prepare: impl Fn(u64) -> W,
        mut measure: impl FnMut(usize, &W) -> Measured<A>,
    ) -> Self {
        let round = |round: usize| {
            let prepared = prepare(round as u64);
            let mut measured = vec![Measured::default(); places];
            // Rotate which contender goes first.
            for turn in 0..places {
                let place = (round + turn) % places;
                measured[place] = measure(place, &prepared);
            }
            measured
        };
        Rounds((0..rounds).map(round).collect())
    }

    /// Returns the median time per call.
    pub(crate) fn nanos_a_call(&self, place: usize) -> Option<f64> {
        self.median(|round| round[place].nanos_a_call())
    }

    /// Returns the median ratio of the time per call to that of another contender.
    pub(crate) fn ratio(&self, place: usize, to: usize) -> Option<f64> {
        self.median(|round| round[place].nanos_a_call() / round[to].nanos_a_call())
    }

    /// Returns a record for each contender, with the ratio of the first one to each other.
    pub(crate) fn records(&self, names: &[&str], table: &str, n: usize, what: &str) -> Vec<Record> {
        let record = |(place, name): (usize, &&str)| Record {
            table: table.into(),
            n,
            contender: (*name).into(),
            what: what.into(),
            unit: "ns".into(),
            rounds: self.0.len(),
            value: self.nanos_a_call(place),
            ratio: if place == 0 { None } else { self.ratio(0, place) },
            ..Record::default()
        };
        names.iter().enumerate().map(record).collect()
    }

    /// Returns the median over the rounds of a per-round value.
    pub(crate) fn median(&self, figure: impl Fn(&[Measured<A>]) -> f64) -> Option<f64> {
        median(self.0.iter().map(|round| figure(round)))
    }
}
