//! `cargo budgets`: the resources that zset needs on a microcontroller, compared with the budgets
//! and a committed baseline.
//!
//! Builds the [minimal programs](../../minimal) for a Cortex-M0, reads their sizes and the linked
//! code from their images, and runs the measuring programs in QEMU. `--accept` writes the baseline,
//! and from it the table of docs/firmware.md.

mod baseline;
mod contents;
mod image;
mod measure;
mod programs;
mod table;

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use baseline::{Baseline, Comparison};

/// The result of all functions that read files and run programs.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The folder of the workspace.
const FIRMWARE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The path of the baseline.
const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/baseline.csv");

/// The page with the table.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/firmware.md");

/// The exit code if values differ but were measured with other tools, which may be the cause.
const OTHER_TOOLS: u8 = 2;

/// What to do with the measurements.
#[derive(Clone, Copy, PartialEq)]
enum Task {
    /// Fail if they exceed the baseline.
    Check,
    /// Write them as the new baseline.
    Accept,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let task = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["--check"] => Task::Check,
        ["--accept"] => Task::Accept,
        _ => return Err("usage: cargo budgets [--check | --accept]".into()),
    };
    let programs = programs::build()?;
    let mut now = Baseline { origin: programs::origin()?, rows: Vec::new() };
    let mut failures = contents::check(&programs)?;
    now.rows.extend(contents::sizes(&programs)?);
    for program in &programs.measure {
        now.rows.extend(measure::run(program)?);
    }
    println!("{}", table::of(&now));

    if task == Task::Accept {
        now.write(Path::new(BASELINE))?;
        table::write(Path::new(PAGE), &now)?;
        println!("This is the baseline now, to be committed: {BASELINE}");
    }
    let before = Baseline::read(Path::new(BASELINE))?;
    let comparison = Comparison { before: &before, now: &now };
    let changes = comparison.failures();
    let is_other = before.origin != now.origin;
    if is_other {
        println!("The baseline was measured with {}; this with {}.", before.origin, now.origin);
    }
    if !table::is_written(Path::new(PAGE), &before)? {
        failures.push("the table of docs/firmware.md is not that of the baseline".into());
    }
    let is_failure = !failures.is_empty() || comparison.is_over_budget() || !is_other;
    failures.extend(changes);
    failures.iter().for_each(|failure| println!("FAILED: {failure}"));
    Ok(match (failures.is_empty(), is_failure) {
        (true, _) => {
            let over = now.rows.iter().filter(|row| row.is_over_budget()).count();
            println!("No figure is above the baseline. {over} are above their budgets, as before.");
            ExitCode::SUCCESS
        }
        (false, true) => {
            println!("If it is worth that, commit what `cargo budgets --accept` writes.");
            ExitCode::FAILURE
        }
        (false, false) => ExitCode::from(OTHER_TOOLS),
    })
}
