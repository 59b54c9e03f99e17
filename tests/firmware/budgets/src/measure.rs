//! Runs the measuring programs in QEMU.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::baseline::Row;

/// The emulator.
pub(crate) const QEMU: &str = "qemu-system-arm";

/// The timeout of the program, in seconds. It needs about ten on an idle machine.
const SECONDS: &str = "600";

/// Runs the program twice; it is an error if the outputs differ.
pub(crate) fn run(program: &Path) -> Result<Vec<Row>> {
    let (first, second) = (run_once(program)?, run_once(program)?);
    if first != second {
        return Err(format!("two runs of {} print different figures", program.display()).into());
    }
    first.lines().map(Row::parse).collect()
}

fn run_once(program: &Path) -> Result<String> {
    // Every instruction takes 1024 ns of the emulated machine's time, whatever the load of this
    // one.
    let arguments =
        ["-machine", "mps2-an386", "-icount", "shift=10", "-display", "none", "-monitor", "none"];
    let output = Command::new("timeout")
        .args([SECONDS, QEMU])
        .args(arguments)
        .args(["-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(program)
        .output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}: {error}", program.display(), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
