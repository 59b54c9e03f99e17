//! `limiters`: the limiters of `zset_std` beside those of the `governor` crate.
//!
//! As in [`quick`](crate::quick), all take turns with the same calls, ratios are taken within a
//! round, and what is printed are the medians over the rounds.

pub mod clock;
pub mod contender;
pub mod contenders;
mod keyed;
mod one_key;
pub mod workload;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::report::{median, write_header};
use crate::workload::as_f64;

pub use one_key::Row;

/// What the columns of bytes mean.
const LEGEND: &str = "\
Bytes before: each key was called once, so that a window of SlidingWindow has one entry.
Bytes after: all calls were made; a window has an entry for each that passed in the last minute.
";

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The numbers of keys, each at least one.
    pub keys: Vec<usize>,
    /// How many calls are timed in each round, at least one.
    pub calls: usize,
    /// How often everything is measured, at least once.
    pub rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { keys: vec![1_000, 1_000_000], calls: 1_000_000, rounds: 7 }
    }
}

/// Measures and prints a table for one key, and one for each number of keys.
///
/// # Errors
///
/// Those of writing to `out`.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { keys, calls, rounds } = options;
    write_header(out)?;
    writeln!(out, "- rounds: {rounds}, calls a round: {calls}")?;
    writeln!(out, "\n### One key\n\n{}", one_key::measure(*calls, *rounds))?;
    for &keys in keys {
        let table = keyed::measure(keys, *calls, *rounds);
        writeln!(out, "### {keys} keys, 100 a minute each\n\n{table}")?;
    }
    out.write_all(LEGEND.as_bytes())
}

/// What one limiter did in one round.
#[derive(Clone, Copy, Default)]
struct Measured {
    time: Duration,
    calls: usize,
    allowed: usize,
}

impl Measured {
    /// Times calls that return how many of them passed.
    fn of(calls: usize, make: impl FnOnce() -> usize) -> Self {
        let start = Instant::now();
        let allowed = make();
        Measured { time: start.elapsed(), calls, allowed }
    }

    fn nanos_a_call(self) -> f64 {
        self.time.as_secs_f64() * 1e9 / as_f64(self.calls)
    }

    fn percent_allowed(self) -> f64 {
        100.0 * as_f64(self.allowed) / as_f64(self.calls)
    }
}

/// What all limiters did in all rounds: `rounds[round][place]`.
struct Rounds(Vec<Vec<Measured>>);

impl Rounds {
    /// Measures `places` limiters in turns, each round with what is prepared for its number.
    fn measure<W>(
        places: usize,
        rounds: usize,
        prepare: impl Fn(u64) -> W,
        mut measure: impl FnMut(usize, &W) -> Measured,
    ) -> Self {
        let round = |round: usize| {
            let prepared = prepare(round as u64);
            let mut measured = vec![Measured::default(); places];
            // Each has its turn to be first.
            for turn in 0..places {
                let place = (round + turn) % places;
                measured[place] = measure(place, &prepared);
            }
            measured
        };
        Rounds((0..rounds).map(round).collect())
    }

    fn nanos_a_call(&self, place: usize) -> Option<f64> {
        median(self.0.iter().map(|round| round[place].nanos_a_call()))
    }

    fn ratio(&self, place: usize, to: usize) -> Option<f64> {
        median(self.0.iter().map(|round| round[place].nanos_a_call() / round[to].nanos_a_call()))
    }

    /// Shows the share of the calls that passed.
    fn allowed(&self, place: usize) -> String {
        let percent = median(self.0.iter().map(|round| round[place].percent_allowed()));
        format!("{:.1} %", percent.unwrap_or_default())
    }
}
