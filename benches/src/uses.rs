//! `uses`: the queues, boards, feeds and expiring sets of `zset_std`, and the sets of `zset_core` in
//! four programs, compared with the alternatives available to a program.

pub mod boards;
pub mod feeds;
pub mod programs;
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
    /// Elements in each, 100 to 100000000; in the sets of the programs at most.
    #[arg(long, default_value_t = 100_000, value_parser = within(100, MAX_N))]
    pub n: usize,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// Measures a table for each type and each program.
pub fn measure(options: &Options) -> Vec<Record> {
    let rounds = options.common.rounds_or(7);
    let tables = tables(options.n).into_iter().flat_map(|(table, sizes)| {
        let measure = move |n| table.measure(&table.plan(n, rounds));
        sizes.into_iter().flat_map(measure)
    });
    tables.collect()
}

/// Returns all tables, each with its numbers of elements: none above `most`.
pub fn tables(most: usize) -> Vec<(Comparison, Vec<usize>)> {
    [
        (queues::queues(), vec![most]),
        (boards::boards(), vec![most]),
        (feeds::feeds(), vec![most]),
        (queues::expiring_sets(), vec![most]),
        (programs::queues(), vec![100, 10_000]),
        (programs::expiries(), vec![1_000, 100_000]),
        (programs::pools(), vec![1_000, 100_000]),
        (programs::servers_sets(), vec![100]),
    ]
    .map(|(table, sizes)| {
        let mut sizes: Vec<_> = sizes.into_iter().map(|size| size.min(most)).collect();
        sizes.dedup();
        (table, sizes)
    })
    .into()
}
