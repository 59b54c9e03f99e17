//! `instructions`: what callgrind counts for the main operations, beside a baseline that is committed.
//!
//! Instructions do not depend on how busy a machine is, so that a check of a few percent neither misses
//! a loss nor finds one where there is none. Cache misses are shown, but do not decide: they also
//! depend on where things happen to lie in memory.

mod baseline;
mod comparison;
mod count;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use baseline::Baseline;
use comparison::Comparison;

/// What to do with the counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Fail if they are not as the baseline says.
    Check,
    /// Write them as the new baseline.
    Accept,
}

/// Where the baseline is.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.csv");

/// The exit code where counts differ that other tools have made, which may be why.
const OTHER_TOOLS: u8 = 2;

/// Writes a new baseline.
const ACCEPT: &str = "cargo run --release -p zset-bench -- instructions --accept";

/// Counts, prints a table, and does its task; the exit code is that of the check.
///
/// # Errors
///
/// Those of writing to `out`, of a baseline that cannot be read or written, and of benchmarks that do
/// not run.
pub fn run(task: Task, out: &mut impl Write) -> io::Result<ExitCode> {
    let path = Path::new(PATH);
    // Before the benchmarks, which take minutes.
    let before = match (task, Baseline::read(path)) {
        (Task::Check, before) => before?,
        // One that cannot be read is replaced as well.
        (Task::Accept, before) => before.unwrap_or_default(),
    };
    let now = count::count()?;
    let comparison = Comparison { before: &before, now: &now };
    writeln!(
        out,
        "- baseline: {}\n- now: {}\n\n{}",
        before.origin,
        now.origin,
        comparison.table()
    )?;
    match task {
        Task::Check => {
            write!(out, "{}", comparison.verdict())?;
            Ok(match comparison.failures().is_empty() {
                true => ExitCode::SUCCESS,
                false if before.origin == now.origin => ExitCode::FAILURE,
                false => ExitCode::from(OTHER_TOOLS),
            })
        }
        Task::Accept => {
            now.write(path)?;
            writeln!(out, "This is the baseline now, to be committed: {PATH}")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
