//! `limiters` compares the limiters of `zset_std` with those of the `governor` crate.

pub mod governor;
pub mod keyed;
pub mod one_key;
pub mod workload;
pub mod zset;

use crate::comparison::Plan;
use crate::options::{Common, MAX_CALLS, MAX_KEYS, within};
use crate::record::Record;

pub(crate) use keyed::TABLE as KEYED;

/// The legend of the tables.
pub const LEGEND: &str = "\
Bytes before: each key was called once, so that a window of SlidingWindow has one entry.
Bytes after: all calls were made; a window has an entry for each that passed in the last minute.
";

/// The number of parts into which each round of the limiters of one key is split. Parts can be
/// short, since nothing has to be loaded. The more often the limiters take turns, the less other
/// load on the machine matters.
const CUTS: usize = 10;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Numbers of keys, 1 to 10000000.
    #[arg(long = "n", value_name = "N", value_delimiter = ',', default_value = "1000,1000000",
        value_parser = within(1, MAX_KEYS))]
    keys: Vec<usize>,
    /// Calls in a round, 1 to 100000000.
    #[arg(long, default_value_t = 1_000_000, value_parser = within(1, MAX_CALLS))]
    calls: usize,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// Measures a table for one key, and one for each number of keys.
pub fn measure(options: &Options) -> Vec<Record> {
    let Options { keys, calls, common } = options;
    let rounds = common.rounds_or(7);
    let one_key = one_key::table();
    let count = calls.div_ceil(CUTS);
    let mut records = one_key.measure(&Plan { count, ..one_key.plan(1, rounds * CUTS) });
    for &keys in keys {
        records.extend(keyed::measure(keys, *calls, rounds));
    }
    records
}
