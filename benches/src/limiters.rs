//! `limiters`: the limiters of `zset_std` compared with those of the `governor` crate.
//!
//! All take turns at the same calls; see [`rounds`](crate::rounds).

pub mod clock;
/// The measured limiters, a file per crate.
pub mod contenders {
    pub mod governor;
    pub mod ours;
}
pub mod keyed;
pub mod one_key;
pub mod workload;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::arguments::{MAX_CALLS, MAX_KEYS, MAX_ROUNDS, within};
use crate::comparison::Sheet;
use crate::record;
use crate::table::write_header;
use crate::tables::draw;

/// The legend of the tables.
const LEGEND: &str = "\
Bytes before: each key was called once, so that a window of SlidingWindow has one entry.
Bytes after: all calls were made; a window has an entry for each that passed in the last minute.
";

/// The number of parts each round of the limiters of one key is split into. Calls are short and
/// nothing has to be loaded, and the more often the limiters take turns, the less other load on the
/// machine matters.
const CUTS: usize = 10;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Numbers of keys, 1 to 10000000.
    #[arg(long = "n", value_name = "N", value_delimiter = ',', default_value = "1000,1000000",
        value_parser = within(1, MAX_KEYS))]
    pub keys: Vec<usize>,
    /// Calls in a round, 1 to 100000000.
    #[arg(long, default_value_t = 1_000_000, value_parser = within(1, MAX_CALLS))]
    pub calls: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 7, value_parser = within(1, MAX_ROUNDS))]
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
    let mut records = one_key::table().measure(calls.div_ceil(CUTS), rounds * CUTS);
    write!(out, "\n{}", draw(&records))?;
    for &keys in keys {
        let measured = keyed::measure(keys, *calls, *rounds);
        write!(out, "\n{}", draw(&measured))?;
        records.extend(measured);
    }
    write!(out, "\n{LEGEND}")?;
    record::save(save.as_deref(), &records)
}

/// A limiter with its clock, for one key, which it then ignores, or for many: one with its default
/// hasher and number of shards.
pub trait Limits {
    /// The answer to a call, in the limiter's own type, so that a call computes all of it.
    type Answer;

    /// Allows or denies one unit of a key.
    fn check(&mut self, key: u64) -> Self::Answer;

    /// Returns whether an answer allows the unit.
    fn is_allowed(answer: &Self::Answer) -> bool;

    /// Uses up the whole quota of a new key.
    fn fill(&mut self, key: u64);

    /// Returns the number of keys.
    fn keys(&self) -> usize {
        1
    }
}
