//! Options that several commands share, and the ranges of their values.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;

/// The maximum number of elements in a set: larger sets exceed the memory of common machines.
pub(crate) const MAX_N: usize = 100_000_000;

/// The maximum number of keys of a limiter: more exceed the memory of common machines.
pub(crate) const MAX_KEYS: usize = 10_000_000;

/// The maximum number of calls in a round: their arguments are generated in advance and held in
/// memory.
pub(crate) const MAX_CALLS: usize = 100_000_000;

/// Parses a number from `min` to `max`.
pub(crate) fn within(min: usize, max: usize) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(min as u64..=max as u64)
}

/// The options that most commands have.
#[derive(clap::Args, Clone, PartialEq, Eq, Default, Debug)]
pub struct Common {
    /// Rounds over which medians are taken, 1 to 1000 [default: as many as docs/benchmarks.md
    /// names].
    #[arg(long, value_parser = within(1, 1_000))]
    pub rounds: Option<usize>,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

impl Common {
    pub(crate) fn rounds_or(&self, default: usize) -> usize {
        self.rounds.unwrap_or(default)
    }
}
