//! Builds the programs, reads their sizes, and runs the measuring program in QEMU.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSection};

use crate::Result;
use crate::table::{Row, Table};

/// The folder of the workspace.
const FIRMWARE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The target of all programs: Cortex-M0, the smallest microcontrollers.
const TARGET: &str = "thumbv6m-none-eabi";

/// Returns all measurements, with the budgets copied from another table.
pub(crate) fn all(budgets: &Table) -> Result<Table> {
    let folder = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(FIRMWARE).join("target"), PathBuf::from);
    let folder = folder.join(TARGET).join("release");
    let mut lines = Vec::new();
    let mut add_sizes = |empty: &str, programs: [(&str, &str); 2]| -> Result<()> {
        let empty = flash(&folder.join(empty))?;
        for (name, program) in programs {
            lines.push(format!(
                "{name},flash,{}",
                flash(&folder.join(program))?.saturating_sub(empty)
            ));
        }
        Ok(())
    };
    // Each build replaces all programs, so the programs without an allocator are measured before
    // the next build.
    build(&["--package", "zset-minimal", "--bins", "--no-default-features"])?;
    add_sizes("empty", [("FixedSortedSet", "fixed_sorted_set"), ("PackedZSet", "packed_zset")])?;
    build(&["--package", "zset-minimal", "--bins"])?;
    add_sizes("empty_heap", [("SortedSet", "minimal_sorted_set"), ("ZSet", "minimal_zset")])?;
    build(&["--package", "zset-firmware", "--bin", "measure", "--features", "measure"])?;
    lines.extend(run(&folder.join("measure"))?.lines().map(str::to_owned));

    let mut rows = lines.iter().map(|line| Row::parse(line)).collect::<Result<Vec<_>>>()?;
    for row in &mut rows {
        let last = budgets.find(&row.subject, &row.measurement);
        row.budget = last.and_then(|row| row.budget);
    }
    Ok(Table { compiler: compiler()?, rows })
}

fn build(arguments: &[&str]) -> Result<()> {
    // Uses the `cargo` that runs this program, or else the one in `PATH`.
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--release", "--target", TARGET]).args(arguments).current_dir(FIRMWARE);
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}

/// Returns the number of bytes that a program occupies in flash: code, constants, and initial
/// values of variables.
fn flash(program: &Path) -> Result<u64> {
    let bytes = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let file = object::File::parse(&*bytes)?;
    let sections = [".text", ".rodata", ".data"].map(|name| file.section_by_name(name));
    Ok(sections.iter().flatten().map(|section| section.size()).sum())
}

/// Runs the measuring program in QEMU, and returns its output.
fn run(program: &Path) -> Result<String> {
    // With `shift=10`, every instruction takes 1024 ns of emulated time, however busy the host is.
    let mut command = Command::new("timeout");
    command.args(["600", "qemu-system-arm", "-machine", "mps2-an386", "-icount", "shift=10"]);
    command.args(["-display", "none", "-monitor", "none", "-serial", "none"]);
    command.args(["-semihosting-config", "enable=on,target=native", "-kernel"]).arg(program);
    let output = command.output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}: {error}", program.display(), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn compiler() -> Result<String> {
    let output = Command::new("rustc").arg("--version").output()?;
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
