//! Scripts: one command per line.

use std::fmt;
use std::io::{self, BufRead, Write as _};

use super::{Next, Shell, ShellError, write_out};

/// The amount of output that is written at once; the rest is written at the end of the script.
const WRITTEN_AT_ONCE: usize = 16 * 1024;

impl Shell {
    /// Runs a script; adds the number of lines that cannot be split into arguments to `bad_lines`.
    pub(super) fn run_script(
        &mut self,
        place: &impl fmt::Display,
        mut script: impl BufRead,
        bad_lines: &mut usize,
    ) -> Result<Next, ShellError> {
        let (mut line, mut out, mut next) = (Vec::new(), String::new(), Next::Go);
        let mut number = 0;
        while next == Next::Go {
            line.clear();
            number += 1;
            let read = script.read_until(b'\n', &mut line);
            let read =
                read.map_err(|error| ShellError::Read { place: place.to_string(), error })?;
            if read == 0 {
                break;
            }
            if let Ok(after) = self.run_line(&line, &mut out) {
                next = after;
            } else {
                *bad_lines += 1;
                // Write the output of the previous lines first.
                write_out(&std::mem::take(&mut out))?;
                let _ = writeln!(io::stderr(), "{place}:{number}: unbalanced quotes");
            }
            if out.len() >= WRITTEN_AT_ONCE {
                write_out(&std::mem::take(&mut out))?;
            }
        }
        write_out(&out)?;
        Ok(next)
    }
}
