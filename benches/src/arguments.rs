//! The command line. Each report has its options next to it.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Parser, Subcommand};

use crate::member::Kind;
use crate::memory::Request;
use crate::{contenders, docs, fixed, layer, limiters, report, servers, services, sets, uses};

/// The maximum number of rounds.
pub(crate) const MAX_ROUNDS: usize = 1_000;

/// The maximum number of elements in a set: larger sets exceed the memory of common machines.
pub(crate) const MAX_N: usize = 100_000_000;

/// The maximum number of keys of a limiter, for the same reason.
pub(crate) const MAX_KEYS: usize = 10_000_000;

/// The maximum number of calls in a round: their arguments are generated in advance and held in
/// memory.
pub(crate) const MAX_CALLS: usize = 100_000_000;

/// Measures zset, and what is made of it, against its alternatives.
///
/// The tables of the docs are drawn from benches/results.csv, to which `--save` adds results.
#[derive(Parser, Debug)]
#[command(name = "zset-bench", subcommand_required = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A command, with its options.
#[derive(Subcommand, Clone, PartialEq, Eq, Debug)]
pub enum Command {
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
    /// with those that are committed; more than 3 % more instructions fail. It takes valgrind and
    /// gungraun-runner.
    Instructions {
        /// Writes benches/instructions.csv, which is committed.
        #[arg(long)]
        accept: bool,
    },
    /// ns per request through a layer that limits requests by address, compared with
    /// `tower_governor` and no layer.
    Layer(layer::Options),
    /// Tables of ns per call and bytes per key for the limiters of one key and of many.
    Limiters(limiters::Options),
    /// Tables of ns per operation for queues, boards, feeds and expiring sets.
    Uses(uses::Options),
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

/// Parses a number from `min` to `max`.
pub(crate) fn within(min: usize, max: usize) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(min as u64..=max as u64)
}

/// Parses the beginning of the [name](sets::name) of an operation on sorted sets.
pub(crate) fn operation(start: &str) -> Result<String, String> {
    let rows = contenders::all(Kind::Integers).times.rows();
    let names: Vec<_> = rows.into_iter().map(sets::name).collect();
    if names.iter().any(|name| name.starts_with(start)) {
        return Ok(start.to_owned());
    }
    Err(format!("`{start}` begins none of {}", names.join(", ")))
}

pub(crate) fn kind(name: &str) -> Result<Kind, String> {
    let kind = Kind::from_name(name);
    kind.ok_or_else(|| format!("`{name}` is none of {}", Kind::ALL.map(Kind::name).join(", ")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn parse_line(line: &str) -> Result<Command, String> {
        let words = std::iter::once("zset-bench").chain(line.split_whitespace());
        Cli::try_parse_from(words).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    pub(crate) fn report(line: &str) -> report::Options {
        match parse_line(line) {
            Ok(Command::Report(options)) => options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_of_a_report_replace_the_defaults_and_those_of_quick() {
        let all = report("report");
        assert_eq!((all.sizes[0], all.sizes.len(), all.kinds.as_slice()), (10, 7, &Kind::ALL[..]));
        assert_eq!((all.operations.len(), all.rounds), (0, None));
        let quick = report("report --tail 0 --quick --ops=pop,rank");
        assert_eq!((quick.sizes, quick.kinds), (vec![1_000, 100_000], vec![Kind::Integers]));
        assert_eq!((quick.tail, quick.updates, quick.rounds), (0, 100_000, Some(3)));
        assert_eq!(quick.operations, ["pop", "rank"]);
        let expected = Request { contender: 3, n: 100, kind: Kind::Strings, updates: 7 };
        assert_eq!(parse_line("memory-of strings 3 100 7"), Ok(Command::MemoryOf(expected)));
    }

    #[test]
    fn good_arguments_are_accepted_and_bad_ones_are_errors() {
        for line in [
            "bytes --save c",
            "docs",
            "docs copy",
            "instructions --accept",
            "layer --n 1 --requests 6 --rounds 4 --save e",
            "limiters --n 1,20 --rounds 1 --calls 5 --save a",
            "uses --n=700 --rounds 2",
            "fixed --calls 9 --rounds 2",
            "servers --n 800 --requests 9 --zset-server zset --redis-server valkey-server",
            "services --n 5 --millis 20 --rounds 2 --url redis://a/",
        ] {
            assert_eq!(parse_line(line).err(), None, "{line}");
        }
        for line in [
            "",
            "slow",
            "report more",
            "report --n 9",
            "report --n 1000,,1000",
            "report --n 100000001",
            "report --ops insert,upsert",
            "report --members bytes",
            "report --rounds 0",
            "report --tail x",
            "memory-of strings 1 2 3",
            "bytes --save",
            "docs one two",
            "instructions accept",
            "limiters --n 0",
            "limiters --calls 0",
            "uses --n 100,200",
            "servers --n 1,2",
        ] {
            assert!(parse_line(line).is_err(), "{line:?} was accepted");
        }
    }
}
