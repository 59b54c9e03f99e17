//! `uses` compares the queues, boards, feeds and expiring sets of `zset_std` with alternatives
//! built on collections from std or other crates.

pub mod boards;
pub mod feeds;
pub mod queues;

use crate::comparison::Comparison;
use crate::options::{Common, MAX_N, within};
use crate::record::Record;

/// The legend of the tables.
pub const LEGEND: &str = "\
Each row starts with n elements, loaded anew. Rows that only add go on to 2n, so that every table grows
once. What takes linear time is done 500 times at most in a round.
tokio-util: its clock is set, so the wheel alone is measured, without the task that waits for it.
BTreeSet and VecDeque alone cannot tell whether an id is there, so none is posted twice.
";

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Elements in each, 100 to 100000000.
    #[arg(long, default_value_t = 100_000, value_parser = within(100, MAX_N))]
    pub n: usize,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// Measures a table for each type.
pub fn measure(options: &Options) -> Vec<Record> {
    let rounds = options.common.rounds_or(7);
    let measure = |table: Comparison| table.measure(&table.plan(options.n, rounds));
    tables().into_iter().flat_map(measure).collect()
}

/// Returns all tables.
pub fn tables() -> [Comparison; 4] {
    [queues::queues(), boards::boards(), feeds::feeds(), queues::expiring_sets()]
}
