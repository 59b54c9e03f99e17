//! The program `zset-bench`, which prints tables of all contenders and saves results for
//! docs/benchmarks.md.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use zset_bench::allocator::Counting;
use zset_bench::results::publish;
use zset_bench::sets::memory::Request;
use zset_bench::sets::memory_of;
use zset_bench::{
    bytes, docs, fixed, instructions, layer, limiters, lists, report, servers, services, uses,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Measures zset, and the crates built on it, against alternatives.
///
/// The tables of the docs are drawn from benches/results.csv, to which `--save` adds results.
#[derive(Parser, Debug)]
#[command(name = "zset-bench", subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// A command, with its options.
#[derive(Subcommand, PartialEq, Eq, Debug)]
enum Command {
    /// Times, memory and the longest calls of sorted sets, as a page, as Markdown and as data. All
    /// of it takes about two hours and 8 GB; the files are written after each size. Resident
    /// memory needs Linux.
    Report(report::Options),
    /// Measures the memory of one set, in a child process of a report.
    #[command(hide = true)]
    MemoryOf(Request),
    /// The memory of a `ZSet` of 128 and of 1000000 members of 20 bytes.
    Bytes {
        /// Adds the results to a CSV file.
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
    },
    /// Draws the tables of docs/benchmarks.md and of README.md, and docs/*.svg, from
    /// benches/results.csv; nothing is measured.
    Docs {
        /// The repository [default: the one of this build].
        #[arg(default_value = docs::FOLDER, hide_default_value = true)]
        folder: PathBuf,
    },
    /// Instructions and cache misses of the main operations, as callgrind counts them, compared
    /// with those that are committed; an increase in instructions above 3 % fails. Needs valgrind
    /// and gungraun-runner.
    Instructions {
        /// Writes benches/instructions.csv, which is committed.
        #[arg(long)]
        accept: bool,
        /// A checkout of the code before the change, to be counted and compared if the committed
        /// counts were made with other tools.
        #[arg(long, value_name = "FOLDER", conflicts_with = "accept")]
        parent: Option<PathBuf>,
    },
    /// ns per request through a layer that limits requests by address, compared with
    /// `tower_governor` and no layer.
    Layer(layer::Options),
    /// Tables of ns per call and bytes per key for the limiters of one key and of many.
    Limiters(limiters::Options),
    /// Tables of ns per operation for queues, boards, feeds and expiring sets.
    Uses(uses::Options),
    /// Tables of ns per operation for a `SkipList` and a `BTreeSet` of pairs, both without a map.
    Lists(lists::Options),
    /// Tables of ns per operation and bytes for `FixedSortedSet` and the collections of heapless,
    /// with room for 16, 64, 256 and 1024 elements.
    Fixed(fixed::Options),
    /// Requests a second and peak memory of zset-server compared with redis-server;
    /// needs redis-benchmark and redis-cli.
    Servers(servers::Options),
    /// Decisions a second, latencies and the server's CPU time of the limiters of zset-redis,
    /// compared with PING, an empty script, and a pipeline of MULTI, ZREMRANGEBYSCORE, ZADD, ZCARD,
    /// EXPIRE and EXEC.
    Services(services::Options),
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(code) => code,
        // The reader has closed the pipe, as in `zset-bench report | head -20`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Unlike `eprint!`, `writeln!` does not panic if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> io::Result<ExitCode> {
    let mut out = io::stdout();
    let (records, legend, save) = match command {
        Command::Layer(it) => (layer::measure(it), layer::LEGEND, &it.common.save),
        Command::Limiters(it) => (limiters::measure(it), limiters::LEGEND, &it.common.save),
        Command::Uses(it) => (uses::measure(it), uses::LEGEND, &it.common.save),
        Command::Lists(it) => (lists::measure(it), lists::LEGEND, &it.common.save),
        Command::Fixed(it) => (fixed::measure(it), fixed::LEGEND, &it.common.save),
        Command::Servers(it) => (servers::measure(it)?, "", &it.common.save),
        Command::Services(it) => (services::measure(it)?, "", &it.common.save),
        Command::Bytes { save } => (bytes::measure(), "", save),
        Command::Report(options) => {
            return report::run(options, &mut out).map(|()| ExitCode::SUCCESS);
        }
        Command::MemoryOf(request) => {
            return writeln!(out, "{}", memory_of(*request).line()).map(|()| ExitCode::SUCCESS);
        }
        Command::Docs { folder } => return docs::run(folder, &mut out).map(|()| ExitCode::SUCCESS),
        // The exit code of this command is the result of its check.
        Command::Instructions { accept, parent } => {
            return instructions::run(*accept, parent.as_deref(), &mut out);
        }
    };
    publish(&records, legend, save.as_deref(), &mut out)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, String> {
        let words = std::iter::once("zset-bench").chain(line.split_whitespace());
        Cli::try_parse_from(words).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    #[test]
    fn good_arguments_are_accepted_and_bad_ones_are_errors() {
        for line in [
            "report --quick --members strings --ops insert,bulk",
            "memory-of strings 3 100 7",
            "bytes --save c",
            "docs",
            "instructions --accept",
            "instructions --parent target/parent",
            "layer --n 1 --requests 6 --rounds 4 --save e",
            "limiters --n 1,20 --rounds 1 --calls 5 --save a",
            "uses --n=700 --rounds 2",
            "lists --n 10,100 --rounds 1",
            "fixed --calls 9 --rounds 2",
            "servers --n 800 --requests 9 --zset-server zset --redis-server valkey-server",
            "services --n 5 --millis 20 --rounds 2 --url redis://a/",
        ] {
            assert_eq!(parse(line).err(), None, "{line}");
        }
        for line in [
            "",
            "report --n 9",
            "report --n 1000,,1000",
            "report --n 100000001",
            "report --ops insert,upsert",
            "report --members bytes",
            "report --rounds 0",
            "report --tail x",
            "memory-of strings 1 2 3",
            "bytes --save",
            "limiters --n 0",
            "uses --n 100,200",
            "servers --n 1,2",
        ] {
            assert!(parse(line).is_err(), "{line:?} was accepted");
        }
    }
}
