//! `limiters`: the limiters of `zset_std` compared with those of the `governor` crate.
//!
//! All take turns at the same calls; see [`rounds`](crate::rounds).

pub mod clock;
/// The measured limiters, a file per crate.
pub mod contenders {
    mod governor;
    mod ours;

    pub use governor::{DirectGovernor, KeyedGovernor};
    pub use ours::{KeyedWindow, ManyFunnels, OneFunnel};
}
mod keyed;
mod one_key;
pub mod workload;

use std::io::{self, Write};
use std::path::PathBuf;

use zset_std::{FixedWindow, Quota, WindowCounter, WindowLog};

use clock::GivenClock;
use contenders::{KeyedGovernor, KeyedWindow, ManyFunnels};

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

/// A limiter's answer in its own type, so that a call computes all of it.
pub trait Answer {
    /// Returns whether the unit is allowed.
    fn is_allowed(&self) -> bool;
}

/// A limiter for a single key.
pub trait OneKey {
    /// The answer to a call.
    type Answer: Answer;

    /// Allows or denies one unit.
    fn check(&mut self) -> Self::Answer;

    /// Uses up the whole quota of a new limiter.
    fn fill(&mut self);
}

/// A keyed limiter, with its default hasher and number of shards.
pub trait Keyed: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The answer to a call.
    type Answer: Answer;

    /// Returns a limiter without keys.
    fn new(quota: Quota, clock: GivenClock) -> Self;

    /// Allows or denies one unit of a key.
    fn check(&mut self, key: u64) -> Self::Answer;

    /// Uses up the whole quota of a new key.
    fn fill(&mut self, key: u64);

    /// Returns the number of keys.
    fn len(&self) -> usize;

    /// Returns whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An operation to perform for each keyed limiter: a `for` loop over types.
pub trait Visitor {
    /// Performs the operation for `L`.
    fn visit<L: Keyed>(&mut self);
}

/// Visits every keyed limiter. The second one is governor's, which the others are compared with.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<ManyFunnels>();
    visitor.visit::<KeyedGovernor>();
    visitor.visit::<KeyedWindow<WindowLog>>();
    visitor.visit::<KeyedWindow<WindowCounter>>();
    visitor.visit::<KeyedWindow<FixedWindow>>();
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
