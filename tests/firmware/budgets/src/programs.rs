//! Builds the programs.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::{FIRMWARE, Result};

/// The target of all programs: the smallest controllers.
const TARGET: &str = "thumbv6m-none-eabi";

/// The programs that print measurements.
const MEASURE: [&str; 2] = ["measure", "measure_whole"];

/// A minimal program with a type, and the same program without it.
pub(crate) struct Minimal {
    /// The type, as measurements name it.
    pub(crate) subject: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) baseline: PathBuf,
    /// Whether the program has an allocator.
    pub(crate) has_heap: bool,
    /// Whether scores are integers, so no floating-point arithmetic may be linked.
    pub(crate) has_integer_scores: bool,
}

/// The programs to build.
pub(crate) struct Programs {
    pub(crate) minimal: [Minimal; 4],
    /// The tests of types that work without an allocator.
    pub(crate) no_allocator: PathBuf,
    /// The programs that print the other measurements.
    pub(crate) measure: [PathBuf; 2],
}

/// Builds all programs.
pub(crate) fn build() -> Result<Programs> {
    let folder = match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(FIRMWARE).join("target"),
    };
    let folder = folder.join(TARGET).join("release");
    let build = |package: &str, arguments: &[&str], bins: &[&str]| -> Result<()> {
        let bins = bins.iter().flat_map(|bin| ["--bin", bin]);
        cargo(["build", "--release", "--target", TARGET, "-p", package])
            .args(arguments)
            .args(bins)
            .run()
    };
    build("zset-firmware", &["--no-default-features"], &["no_allocator"])?;
    build("zset-minimal", &["--features", "measure"], &MEASURE)?;
    // All programs of one build share its features, so those without an allocator are built
    // separately.
    build(
        "zset-minimal",
        &["--no-default-features"],
        &["empty", "fixed_sorted_set", "packed_zset"],
    )?;
    build("zset-minimal", &[], &["empty_heap", "minimal_sorted_set", "minimal_zset"])?;

    let minimal = |subject, program: &str, has_heap, has_integer_scores| Minimal {
        subject,
        program: folder.join(program),
        baseline: folder.join(if has_heap { "empty_heap" } else { "empty" }),
        has_heap,
        has_integer_scores,
    };
    Ok(Programs {
        minimal: [
            minimal("FixedSortedSet", "fixed_sorted_set", false, true),
            minimal("PackedZSet", "packed_zset", false, false),
            minimal("SortedSet", "minimal_sorted_set", true, true),
            minimal("ZSet", "minimal_zset", true, false),
        ],
        no_allocator: folder.join("no_allocator"),
        measure: MEASURE.map(|program| folder.join(program)),
    })
}

/// Returns the versions of the tools that affect the measurements.
pub(crate) fn origin() -> Result<String> {
    let rustc = first_line(Command::new("rustc").arg("--version"))?;
    let qemu = first_line(Command::new(crate::measure::QEMU).arg("--version"))?;
    // Without the suffix of a distribution.
    let qemu = qemu.split(" (").next().unwrap_or_default().replace(" emulator version", "");
    Ok(format!("{rustc}, {qemu}"))
}

fn first_line(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().next().ok_or_else(|| format!("{command:?} prints nothing"))?.to_owned())
}

fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    // The `cargo` that runs this program, if any.
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(FIRMWARE);
    command
}

trait Run {
    /// Runs a command; it is an error if it fails.
    fn run(&mut self) -> Result<()>;
}

impl Run for Command {
    fn run(&mut self) -> Result<()> {
        let status = self.status()?;
        if status.success() { Ok(()) } else { Err(format!("{self:?} ended with {status}").into()) }
    }
}
