//! Servers as child processes.

use std::fmt::Display;
use std::fs;
use std::io::{self, Error};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take to start. Only a failing run waits this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// The arguments of redis-server after the port, which disable saving.
pub(crate) const UNSAVED: [&str; 4] = ["--save", "", "--appendonly", "no"];

/// A server that runs until this value is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) port: u16,
}

impl Running {
    /// Starts a server and waits until it accepts connections. `before` and `after` are the
    /// arguments before and after the port.
    pub(crate) fn start(program: &Path, before: &[&str], after: &[&str]) -> io::Result<Self> {
        let failed = |error: &dyn Display| failed(&program.display(), error);
        // The system picks a free port, which is most likely still free when the server binds it.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let child = Command::new(program)
            .args(before)
            .args(["--port", &port.to_string()])
            .args(after)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(&error))?;
        let mut server = Running { child, port };
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = server.child.try_wait()? {
                return Err(failed(&format!("it has ended: {status}")));
            }
            if start.elapsed() > PATIENCE {
                return Err(failed(&"it does not listen"));
            }
            sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    /// Returns the server's peak memory in bytes, as reported by Linux.
    pub(crate) fn peak_memory(&self) -> io::Result<usize> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        parse_peak(&status)
            .ok_or_else(|| Error::other("the system does not report the peak memory"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The server has nothing to save, so it is killed. It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse_peak(status: &str) -> Option<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

/// Adds a program's name to an error.
pub(crate) fn failed(program: &dyn Display, error: &dyn Display) -> Error {
    Error::other(format!("{program}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_what_linux_reports() {
        let status = "VmPeak:\t 9 kB\nVmHWM:\t    5128 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(parse_peak(status), Some(5_251_072));
        assert_eq!(parse_peak("VmPeak:\t 9 kB\n"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Running::start(Path::new("/nowhere/server"), &[], &[]).err().unwrap();
        assert!(error.to_string().starts_with("/nowhere/server: "), "{error}");
    }
}
