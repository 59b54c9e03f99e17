//! `servers` measures the requests per second of zset-server and redis-server, and the memory of
//! both.
//!
//! Both servers run at the same time, hold the same members, and are measured in turn. While one is
//! measured, the other is idle. The client is redis-benchmark, the usual tool. It is a single
//! process on the same machine, so the rates depend on the client as well as on the server.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rand::RngExt;

use crate::measure::{as_f64, take_turns, to_peers};
use crate::options::{Common, MAX_CALLS, MAX_N, within};
use crate::process::{Running, UNSAVED, failed};
use crate::random::generator;
use crate::record::Record;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Members, 100 to 100000000.
    #[arg(long, default_value_t = 1_000_000, value_parser = within(100, MAX_N))]
    n: usize,
    /// Requests at a time, 1 to 100000000.
    #[arg(long, default_value_t = 200_000, value_parser = within(1, MAX_CALLS))]
    requests: usize,
    /// The program `zset-server` [default: the one in the same folder as this].
    // Cargo puts both programs into the same folder.
    #[arg(long = "zset-server", value_name = "PATH", hide_default_value = true,
        default_value_os_t = std::env::current_exe().unwrap_or_default().with_file_name("zset-server"))]
    zset: PathBuf,
    /// The program `redis-server`, or another such as valkey-server.
    #[arg(long = "redis-server", value_name = "PATH", default_value = "redis-server")]
    redis: PathBuf,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// The number of concurrent connections.
const CLIENTS: usize = 50;

/// How many requests each connection sends before it waits for the replies, and the name of the
/// table with the results.
const PIPELINES: [(usize, &str); 2] = [(1, "one at a time"), (16, "16 at a time")];

/// The measured commands, in order. The one that removes members comes last.
const COMMANDS: [&[&str]; 5] = [
    &["ZADD", KEY, RANDOM, MEMBER],
    &["ZRANK", KEY, MEMBER],
    &["ZRANGE", KEY, "0", "99"],
    &["ZSCORE", KEY, MEMBER],
    &["ZPOPMIN", KEY],
];

const KEY: &str = "zset";

/// The placeholder that redis-benchmark replaces by a random twelve-digit number in each request.
const RANDOM: &str = "__rand_int__";

/// A member, which has 20 bytes once the placeholder is replaced.
const MEMBER: &str = "members:__rand_int__";

/// The names of the contenders, the subject first.
const NAMES: [&str; 2] = ["zset-server", "redis-server"];

/// The number of values of a server in a round: the rates of each command with each pipeline, and
/// the memory.
const VALUES: usize = PIPELINES.len() * COMMANDS.len() + 1;

/// Measures a table for each pipeline length, and one of the memory.
pub fn measure(options: &Options) -> io::Result<Vec<Record>> {
    let start = |_| {
        let zset = Running::start(&options.zset, &["serve"], &[])?;
        Ok([zset, Running::start(&options.redis, &[], &UNSAVED)?])
    };
    let measure = |place: usize, servers: &[Running; 2]| measure_one(&servers[place], options);
    let rounds = take_turns(options.common.rounds_or(5), NAMES.len(), start, measure)?;
    let tables = PIPELINES.into_iter().flat_map(|(_, table)| COMMANDS.map(|it| (table, label(it))));
    let mut records = Vec::new();
    for ((table, label), rounds) in tables.zip(&rounds) {
        let what = (label.as_str(), "requests/s");
        records.extend(rounds.records((table, options.n), what, &NAMES, to_peers(1)));
    }
    let what = ("peak, all members inserted", "MiB");
    let memory = rounds[VALUES - 1].records(("memory", options.n), what, &NAMES, to_peers(1));
    records.extend(memory);
    Ok(records)
}

fn measure_one(server: &Running, options: &Options) -> io::Result<[f64; VALUES]> {
    let mut values = [0.0; VALUES];
    add_members(server, options.n)?;
    values[VALUES - 1] = as_f64(server.peak_memory()?) / as_f64(1 << 20);
    for (row, command) in COMMANDS.into_iter().enumerate() {
        for (at, (pipeline, _)) in PIPELINES.into_iter().enumerate() {
            let rate = requests_a_second(server, options, pipeline, command)?;
            values[at * COMMANDS.len() + row] = rate;
        }
    }
    Ok(values)
}

/// Returns a command as shown to a reader.
fn label(command: &[&str]) -> String {
    let words = command.iter().filter(|word| **word != KEY).map(|word| match *word {
        RANDOM => "score",
        MEMBER => "member",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Adds `n` members with random scores, in the order of their names.
fn add_members(server: &Running, n: usize) -> io::Result<()> {
    let mut client = Command::new("redis-cli")
        .args(["-p", &server.port.to_string(), "--pipe"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&"redis-cli", &error))?;
    if let Some(pipe) = client.stdin.take() {
        let (mut pipe, mut rng) = (BufWriter::new(pipe), generator(1));
        for number in 0..n {
            let score = rng.random_range(0.0..1e6_f64);
            write!(pipe, "ZADD {KEY} {score} members:{number:012}\r\n")?;
        }
        pipe.flush()?;
    }
    let output = client.wait_with_output()?;
    let report = String::from_utf8_lossy(&output.stdout);
    if report.contains(&format!("errors: 0, replies: {n}\n")) {
        return Ok(());
    }
    Err(failed(&"redis-cli", &report))
}

/// Runs a command repeatedly with redis-benchmark, and returns the requests per second.
fn requests_a_second(
    server: &Running,
    options: &Options,
    pipeline: usize,
    command: &[&str],
) -> io::Result<f64> {
    let program = "redis-benchmark";
    let output = Command::new(program)
        .args(["--csv", "-p", &server.port.to_string()])
        .args(["-c", &CLIENTS.to_string(), "-P", &pipeline.to_string()])
        .args(["-n", &options.requests.to_string(), "-r", &options.n.to_string()])
        .args(command)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(&program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_rate(&text).filter(|_| output.status.success()).ok_or_else(|| failed(&program, &text))
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
    fn a_command_is_shown_without_what_is_the_same_in_all() {
        assert_eq!(label(COMMANDS[0]), "ZADD score member");
        assert_eq!(label(COMMANDS[2]), "ZRANGE 0 99");
    }

    #[test]
    fn the_rate_stands_in_the_second_column_of_the_last_line() {
        let csv = "\"test\",\"rps\",\"avg_latency_ms\"\n\"ZPOPMIN zset\",\"61728.39\",\"0.415\"\n";
        assert_eq!(parse_rate(csv), Some(61728.39));
        assert_eq!(parse_rate("\"test\",\"rps\",\"avg_latency_ms\"\n"), None);
        assert_eq!(parse_rate("Could not connect"), None);
    }
}
