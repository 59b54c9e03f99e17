//! `instructions`: callgrind's counts for the main operations, in a crate that is built as a user's
//! is, compared with a committed baseline, and with the same crate built with link-time
//! optimization.
//!
//! Instruction counts do not depend on the load of the machine, so a limit of a few percent neither
//! misses regressions nor reports false ones. Cache misses are shown but not checked: they also
//! depend on memory addresses.

mod baseline;
mod comparison;
mod count;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use baseline::Baseline;
use comparison::Comparison;

/// The path of the baseline.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.csv");

/// The exit code if counts differ but were made with other tools, which may be the cause.
const OTHER_TOOLS: u8 = 2;

/// The command that writes a new baseline.
const ACCEPT: &str = "cargo run --release -p zset-bench -- instructions --accept";

/// Counts, prints a table, and checks the counts; the exit code is the result. With `accept`,
/// writes them as the new baseline instead.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, if the baseline cannot be read or written, or if the
/// benchmarks fail to run.
pub fn run(accept: bool, out: &mut impl Write) -> io::Result<ExitCode> {
    let path = Path::new(PATH);
    // Read before the benchmarks, which take minutes. An unreadable baseline is replaced as well.
    let before = Baseline::read(path);
    let before = if accept { before.unwrap_or_default() } else { before? };
    let now = count::count()?;
    let comparison = Comparison { before: &before, now: &now };
    let table = comparison.table();
    writeln!(out, "- baseline: {}\n- now: {}\n\n{table}", before.origin, now.origin)?;
    if accept {
        now.write(path)?;
        writeln!(out, "This is the baseline now, to be committed: {PATH}")?;
        return Ok(ExitCode::SUCCESS);
    }
    write!(out, "{}", comparison.verdict())?;
    Ok(match comparison.failures().is_empty() {
        true => ExitCode::SUCCESS,
        false if before.origin == now.origin => ExitCode::FAILURE,
        false => ExitCode::from(OTHER_TOOLS),
    })
}
