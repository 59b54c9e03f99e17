//! `limiters`: the limiters of `zset_std` compared with those of the `governor` crate.
//!
//! All take turns at the same calls; see [`rounds`](crate::rounds).

pub mod clock;
pub mod contender;
pub mod contenders;
mod keyed;
mod one_key;
pub mod workload;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::arguments::{calls, keys, rounds};
use crate::record;
use crate::table::write_header;
use crate::tables::draw;
use crate::workload::as_f64;

pub use one_key::Row;

/// The legend of the tables.
const LEGEND: &str = "\
Bytes before: each key was called once, so that a window of SlidingWindow has one entry.
Bytes after: all calls were made; a window has an entry for each that passed in the last minute.
";

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Numbers of keys, 1 to 10000000.
    #[arg(long = "n", value_name = "N", value_delimiter = ',', default_value = "1000,1000000",
        value_parser = keys)]
    pub keys: Vec<usize>,
    /// Calls in a round, 1 to 100000000.
    #[arg(long, default_value_t = 1_000_000, value_parser = calls)]
    pub calls: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 7, value_parser = rounds)]
    pub rounds: usize,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// Measures and prints a table for one key, and one for each number of keys.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if the results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { keys, calls, rounds, save } = options;
    write_header(out)?;
    writeln!(out, "- rounds: {rounds}, calls a round: {calls}")?;
    let mut records = one_key::measure(*calls, *rounds);
    write!(out, "\n{}", draw(&records))?;
    for &keys in keys {
        let measured = keyed::measure(keys, *calls, *rounds);
        write!(out, "\n{}", draw(&measured))?;
        records.extend(measured);
    }
    write!(out, "\n{LEGEND}")?;
    record::save(save.as_deref(), &records)
}

/// The result of one limiter in one round; the answer is the number of calls allowed.
type Measured = crate::rounds::Measured<usize>;

/// The results of all limiters in all rounds.
type Rounds = crate::rounds::Rounds<usize>;

impl Rounds {
    /// Returns the percentage of the calls that were allowed.
    fn allowed(&self, place: usize) -> Option<f64> {
        self.median(|round| {
            let Measured { answer: allowed, calls, .. } = round[place];
            100.0 * as_f64(allowed) / as_f64(calls)
        })
    }
}
