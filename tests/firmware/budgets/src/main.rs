//! `cargo budgets` measures the resources that zset needs on a microcontroller, and compares them
//! with `budgets.csv`. A value may exceed its last measurement by at most 5 %, and must not exceed
//! its budget.
//!
//! The command builds the [minimal programs](../../minimal) for a Cortex-M0 and reads their sizes,
//! then runs `measure` in QEMU. With `--accept`, it writes the measurements to `budgets.csv` and to
//! the table in docs/firmware.md.

mod measure;
mod table;

use std::env;
use std::error::Error;
use std::fs;
use std::process::ExitCode;

use table::Table;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The file with the last measurements and the budgets.
const BUDGETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../budgets.csv");

/// The page with the table.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/firmware.md");

fn main() -> Result<ExitCode> {
    let is_accepting = match env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => false,
        [ref option] if option == "--accept" => true,
        _ => return Err("usage: cargo budgets [--accept]".into()),
    };
    let mut before = Table::parse(&fs::read_to_string(BUDGETS)?)?;
    let page = fs::read_to_string(PAGE)?;
    let now = measure::all(&before)?;
    println!("{}", now.to_markdown());
    if is_accepting {
        fs::write(BUDGETS, now.to_csv())?;
        fs::write(PAGE, now.replace_in(&page)?)?;
        before = now.clone();
    }
    let failures = now.failures(&before);
    failures.iter().for_each(|failure| println!("FAILED: {failure}"));
    if !is_accepting && before.replace_in(&page)? != page {
        println!("FAILED: the table of docs/firmware.md is not that of budgets.csv");
        return Ok(ExitCode::FAILURE);
    }
    if failures.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("If it is worth that, commit what `cargo budgets --accept` writes.");
    if before.compiler != now.compiler {
        let (before, now) = (before.compiler, now.compiler);
        println!("The last values were measured with {before}; these with {now}.");
    }
    Ok(ExitCode::FAILURE)
}
