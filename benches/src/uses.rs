//! `uses`: the queues, boards, feeds and expiring sets of `zset_std`, compared with the
//! alternatives available to a program.
//!
//! [`times`] has the collections ordered by due time, [`boards`] and [`feeds`] the rest, and
//! [`programs`] the sets of `zset_core` in four programs. Each has a trait for its contenders and a
//! workload shared by all of them. The contenders take turns; see [`comparison`].

pub mod boards;
pub mod feeds;
pub mod programs;
pub mod times;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::arguments::{MAX_N, MAX_ROUNDS, within};
use crate::comparison::{self, Sheet};

/// The legend of the tables.
const LEGEND: &str = "\
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
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 7, value_parser = within(1, MAX_ROUNDS))]
    pub rounds: usize,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// Measures and prints a table for each type.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if the results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { n, rounds, save } = options;
    comparison::run(sheets(), (*n, *rounds), LEGEND, save.as_deref(), out)
}

/// Returns the sum of digests that are visited one by one, as in most programs.
#[inline]
fn sum(digests: impl Iterator<Item = u64>) -> u64 {
    let mut sum = 0_u64;
    for digest in digests {
        sum = sum.wrapping_add(digest);
    }
    sum
}

/// Returns all tables, to be filled.
pub fn sheets() -> Vec<Box<dyn Sheet>> {
    vec![
        Box::new(times::queues()),
        Box::new(boards::boards()),
        Box::new(feeds::feeds()),
        Box::new(times::expiring_sets()),
        Box::new(programs::queues()),
        Box::new(programs::expiries()),
        Box::new(programs::pools()),
        Box::new(programs::servers_sets()),
    ]
}
