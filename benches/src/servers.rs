//! `servers`: requests per second of zset-server and redis-server, and the memory of both.
//!
//! Both servers run at the same time with the same members and take turns; the other one is idle
//! meanwhile. The client is redis-benchmark, the customary tool: a single process on the same
//! machine, so rates are those of client and server together.

pub(crate) mod process;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::arguments::{MAX_CALLS, MAX_N, MAX_ROUNDS, within};
use crate::record::{self, Record};
use crate::table::{median, write_header};
use crate::tables::draw_all;
use crate::workload::as_f64;

use process::{Load, Running, add_members, requests_a_second};

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Members, 100 to 100000000.
    #[arg(long, default_value_t = 1_000_000, value_parser = within(100, MAX_N))]
    pub n: usize,
    /// Requests at a time, 1 to 100000000.
    #[arg(long, default_value_t = 200_000, value_parser = within(1, MAX_CALLS))]
    pub requests: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 5, value_parser = within(1, MAX_ROUNDS))]
    pub rounds: usize,
    /// The program `zset-server` [default: the one in the same folder as this].
    // Cargo puts both programs into the same folder.
    #[arg(long = "zset-server", value_name = "PATH", hide_default_value = true,
        default_value_os_t = std::env::current_exe().unwrap_or_default().with_file_name("zset-server"))]
    pub zset: PathBuf,
    /// The program, or another such as valkey-server.
    #[arg(long = "redis-server", value_name = "PATH", default_value = "redis-server")]
    pub redis: PathBuf,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// The number of concurrent connections.
const CLIENTS: usize = 50;

/// How many requests each connection sends before it waits for the replies, and the table of the
/// results.
const PIPELINES: [(usize, &str); 2] = [(1, "one at a time"), (16, "16 at a time")];

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
/// Returns an error if writing to `out` fails, if a program does not start or misbehaves, or if the
/// results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    write_header(out)?;
    let Options { n, requests, rounds, .. } = options;
    writeln!(out, "- n: {n}, requests: {requests}, clients: {CLIENTS}, rounds: {rounds}")?;
    let rounds: Vec<_> =
        (0..*rounds).map(|number| round(options, number)).collect::<io::Result<_>>()?;
    let mut records = Vec::new();
    for (place, (_, table)) in PIPELINES.into_iter().enumerate() {
        for (row, command) in COMMANDS.into_iter().enumerate() {
            let label = label(command);
            let what = (&*label, "requests/s");
            push(&mut records, (table, *n), what, &rounds, |round| round.rates[place][row]);
        }
    }
    let what = ("peak, all members inserted", "MiB");
    push(&mut records, ("memory", *n), what, &rounds, |round| round.memory);
    write!(out, "\n{}", draw_all(&records))?;
    record::save(options.save.as_deref(), &records)
}

/// Adds records with the medians over the rounds.
fn push(
    records: &mut Vec<Record>,
    table: (&str, usize),
    what: (&str, &str),
    rounds: &[Round],
    pair: impl Fn(&Round) -> Pair,
) {
    for (place, name) in NAMES.into_iter().enumerate() {
        let value = median(rounds.iter().map(|round| pair(round)[place]));
        let ratio = rounds.iter().map(|round| pair(round)[0] / pair(round)[place]);
        let ratio = if place == 0 { None } else { median(ratio) };
        let rounds = rounds.len();
        records.push(Record { rounds, ratio, ..Record::new(table, name, what, value) });
    }
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
        for (place, (pipeline, _)) in PIPELINES.into_iter().enumerate() {
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
        let mut records = Vec::new();
        push(&mut records, ("", 0), ("", ""), &rounds, |round| round.memory);
        let values = records.iter().map(|it| (it.value, it.ratio)).collect::<Vec<_>>();
        assert_eq!(values, [(Some(4.0), None), (Some(4.0), Some(1.0))]);
    }
}
