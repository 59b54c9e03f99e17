//! `servers`: requests per second of zset-server and redis-server, and the memory of both.
//!
//! Both servers run at the same time with the same members and take turns; the other one is idle
//! meanwhile. The client is redis-benchmark, the customary tool: a single process on the same machine, so
//! rates are those of client and server together.

mod process;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::table::{Table, median, write_header};
use crate::workload::as_f64;

use process::{Load, Running, add_members, requests_a_second};

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The number of members, at least 100.
    pub n: usize,
    /// The number of requests in each measurement.
    pub requests: usize,
    /// The number of rounds, at least one.
    pub rounds: usize,
    /// The program `zset-server`.
    pub zset: PathBuf,
    /// The program `redis-server`, or another one with the same options.
    pub redis: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        // Cargo puts both programs into the same folder.
        let here = std::env::current_exe().unwrap_or_default();
        Options {
            n: 1_000_000,
            requests: 200_000,
            rounds: 5,
            zset: here.with_file_name("zset-server"),
            redis: "redis-server".into(),
        }
    }
}

/// The number of concurrent connections.
const CLIENTS: usize = 50;

/// How many requests each connection sends before it waits for the replies.
const PIPELINES: [usize; 2] = [1, 16];

/// The measured commands, in order: the last one removes members.
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

/// A value for each contender.
type Pair = [f64; NAMES.len()];

/// The results of one round.
struct Round {
    /// Peak memory in mebibytes, once all members are inserted.
    memory: Pair,
    /// Requests per second, for each of [`PIPELINES`] and each of [`COMMANDS`].
    rates: Vec<Vec<Pair>>,
}

/// Measures and prints a table for each pipeline length.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if a program does not start or misbehaves.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    write_header(out)?;
    let Options { n, requests, rounds, .. } = options;
    writeln!(out, "- n: {n}, requests: {requests}, clients: {CLIENTS}, rounds: {rounds}")?;
    let rounds: Vec<_> =
        (0..*rounds).map(|number| round(options, number)).collect::<io::Result<_>>()?;
    for (place, pipeline) in PIPELINES.into_iter().enumerate() {
        let mut table = Table::comparing("requests/s", &NAMES);
        for (row, command) in COMMANDS.into_iter().enumerate() {
            push(&mut table, &label(command), &rounds, |round| round.rates[place][row]);
        }
        write!(out, "\n### Pipeline {pipeline}\n\n{table}")?;
    }
    let mut table = Table::comparing("MiB", &NAMES);
    push(&mut table, "peak memory", &rounds, |round| round.memory);
    write!(out, "\n### Memory of {n} members of 20 bytes\n\n{table}")
}

/// Adds a row with the medians over the rounds.
fn push(table: &mut Table, label: &str, rounds: &[Round], pair: impl Fn(&Round) -> Pair) {
    let figure = |place: usize| median(rounds.iter().map(|round| pair(round)[place]));
    let ratio = |place: usize| {
        median(rounds.iter().map(|round| {
            let pair = pair(round);
            pair[0] / pair[place]
        }))
    };
    table.push_comparison(label, NAMES.len(), figure, ratio);
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

fn round(options: &Options, number: usize) -> io::Result<Round> {
    let servers = [
        Running::start(&options.zset, &["serve"], &[])?,
        Running::start(&options.redis, &[], &["--save", "", "--appendonly", "no"])?,
    ];
    let mut memory = Pair::default();
    for (server, memory) in servers.iter().zip(&mut memory) {
        add_members(server, KEY, options.n)?;
        *memory = as_f64(server.peak_memory()?) / as_f64(1 << 20);
    }
    let mut rates = vec![vec![Pair::default(); COMMANDS.len()]; PIPELINES.len()];
    for (row, command) in COMMANDS.into_iter().enumerate() {
        for (place, pipeline) in PIPELINES.into_iter().enumerate() {
            // Rotate which contender goes first.
            for turn in 0..servers.len() {
                let server = (number + turn) % servers.len();
                let Options { n: members, requests, .. } = *options;
                let load = Load { clients: CLIENTS, pipeline, requests, members };
                rates[place][row][server] = requests_a_second(&servers[server], &load, command)?;
            }
        }
    }
    Ok(Round { memory, rates })
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
    fn ratios_are_taken_within_a_round() {
        let round = |memory| Round { memory, rates: Vec::new() };
        let rounds = [round([1.0, 2.0]), round([30.0, 10.0]), round([4.0, 4.0])];
        let mut table = Table::comparing("MiB", &NAMES);
        push(&mut table, "memory", &rounds, |round| round.memory);
        let last = table.to_string();
        let cells: Vec<_> = last.lines().last().unwrap().split('|').map(str::trim).collect();
        assert_eq!(cells, ["", "memory", "4.00", "4.00", "1.00", ""]);
    }
}
