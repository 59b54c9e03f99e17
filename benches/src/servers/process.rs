//! Child processes: the servers and their clients.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, Error, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rand::RngExt as _;

use crate::random::generator;

/// How long a server may take to start. Only a failing run waits this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many commands are written at once.
const COMMANDS_AT_ONCE: usize = 1000;

/// A server that runs until this is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) port: u16,
}

impl Running {
    /// Starts a server and waits until it accepts connections.
    pub(crate) fn start(program: &Path, before: &[&str], behind: &[&str]) -> io::Result<Self> {
        // The system picks a free port, which is most likely still free when the server binds it.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let child = Command::new(program)
            .args(before)
            .args(["--port", &port.to_string()])
            .args(behind)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(program.as_os_str(), &error))?;
        let mut server = Running { child, port };
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = server.child.try_wait()? {
                return Err(failed(program.as_os_str(), &format!("it has ended: {status}")));
            }
            if start.elapsed() > PATIENCE {
                return Err(failed(program.as_os_str(), &"it does not listen"));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    /// Returns the server's peak memory in bytes, as reported by Linux.
    pub(super) fn peak_memory(&self) -> io::Result<usize> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(path)?;
        parse_peak(&status)
            .ok_or_else(|| Error::other("the system does not report the peak memory"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The server has nothing to save and may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse_peak(status: &str) -> Option<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

/// Adds the program's name to an error.
fn failed(program: &OsStr, error: &dyn std::fmt::Display) -> Error {
    Error::other(format!("{}: {error}", program.display()))
}

/// Adds `n` 20-byte members with random scores, in the order of their names.
pub(super) fn add_members(server: &Running, key: &str, n: usize) -> io::Result<()> {
    let mut client = Command::new("redis-cli")
        .args(["-p", &server.port.to_string(), "--pipe"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed("redis-cli".as_ref(), &error))?;
    if let Some(mut pipe) = client.stdin.take() {
        let mut rng = generator(1);
        let mut text = String::new();
        for number in 0..n {
            let score = rng.random_range(0.0..1e6_f64);
            // Writing to a string cannot fail.
            let _ = write!(text, "ZADD {key} {score} members:{number:012}\r\n");
            if number % COMMANDS_AT_ONCE == COMMANDS_AT_ONCE - 1 {
                pipe.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        pipe.write_all(text.as_bytes())?;
    }
    let output = client.wait_with_output()?;
    let report = String::from_utf8_lossy(&output.stdout);
    if report.contains(&format!("errors: 0, replies: {n}\n")) {
        return Ok(());
    }
    Err(failed("redis-cli".as_ref(), &report))
}

/// The load on a server.
pub(super) struct Load {
    /// Concurrent connections.
    pub(super) clients: usize,
    /// Requests that each connection sends before it waits for the replies.
    pub(super) pipeline: usize,
    /// Requests in total.
    pub(super) requests: usize,
    /// The number of members from which random ones are picked.
    pub(super) members: usize,
}

/// Runs a command repeatedly with redis-benchmark; returns the requests per second.
pub(super) fn requests_a_second(
    server: &Running,
    load: &Load,
    command: &[&str],
) -> io::Result<f64> {
    let program = OsStr::new("redis-benchmark");
    let output = Command::new(program)
        .args(["--csv", "-p", &server.port.to_string()])
        .args(["-c", &load.clients.to_string(), "-P", &load.pipeline.to_string()])
        .args(["-n", &load.requests.to_string(), "-r", &load.members.to_string()])
        .args(command)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_rate(&text).filter(|_| output.status.success()).ok_or_else(|| failed(program, &text))
}

/// Parses the requests per second from redis-benchmark's output: the second column of the last
/// line.
fn parse_rate(csv: &str) -> Option<f64> {
    let last = csv.lines().rfind(|line| line.starts_with('"'))?;
    // The first column is the command, which contains no quotes or commas.
    last.split(',').nth(1)?.trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_stands_in_the_second_column_of_the_last_line() {
        let csv = "\"test\",\"rps\",\"avg_latency_ms\"\n\"ZPOPMIN zset\",\"61728.39\",\"0.415\"\n";
        assert_eq!(parse_rate(csv), Some(61728.39));
        assert_eq!(parse_rate("\"test\",\"rps\",\"avg_latency_ms\"\n"), None);
        assert_eq!(parse_rate("Could not connect"), None);
    }

    #[test]
    fn the_peak_is_read_from_what_linux_reports() {
        assert_eq!(
            parse_peak("VmPeak:\t 9 kB\nVmHWM:\t    5128 kB\nVmRSS:\t 1 kB\n"),
            Some(5_251_072)
        );
        assert_eq!(parse_peak("VmPeak:\t 9 kB\n"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Running::start(Path::new("/nowhere/server"), &[], &[]).err().unwrap();
        assert!(error.to_string().starts_with("/nowhere/server: "), "{error}");
    }
}
