//! `limiters`: the limiters of `zset_std` beside those of the `governor` crate.
//!
//! All take turns with the same calls, see [`rounds`](crate::rounds).

pub mod clock;
pub mod contender;
pub mod contenders;
mod keyed;
mod one_key;
pub mod workload;

use std::io::{self, Write};

use crate::table::write_header;
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

/// What one limiter did in one round, and how many of its calls passed.
type Measured = crate::rounds::Measured<usize>;

/// What all limiters did in all rounds.
type Rounds = crate::rounds::Rounds<usize>;

impl Rounds {
    /// Shows the share of the calls that passed.
    fn allowed(&self, place: usize) -> String {
        let percent = self.median(|round| {
            let Measured { answer: allowed, calls, .. } = round[place];
            100.0 * as_f64(allowed) / as_f64(calls)
        });
        format!("{:.1} %", percent.unwrap_or_default())
    }
}
