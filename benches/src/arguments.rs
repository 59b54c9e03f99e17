//! The command line.

use lexopt::{Arg, Error, Parser, ValueExt};

use crate::row::Row;
use crate::workload::RANGE;
use crate::{limiters, longest_insert, quick, servers, uses};

/// The most elements in a set: beyond, the contenders outgrow the memory of common machines.
const MAX_N: usize = 100_000_000;

/// The most keys of a limiter, for the same reason.
const MAX_KEYS: usize = 10_000_000;

/// The most calls in a round: they are made up before, and have to be in memory.
const MAX_CALLS: usize = 100_000_000;

/// What `--help` prints.
pub const USAGE: &str = "\
Measures zset, and what is made of it, against what else one would take.

Usage: zset-bench quick [--n N,...] [--ops OP,...] [--rounds ROUNDS]
       zset-bench longest-insert [--n N] [--rounds ROUNDS]
       zset-bench bytes
       zset-bench limiters [--n N,...] [--calls CALLS] [--rounds ROUNDS]
       zset-bench uses [--n N] [--rounds ROUNDS]
       zset-bench servers [--n N] [--requests NUMBER] [--rounds ROUNDS]
                          [--zset-server PATH] [--redis-server PATH]

quick: a table of ns per operation and bytes per entry for each size of set.
  --n N,...        sizes of the sets, 100 to 100000000 [default: 1000,100000,1000000]
  --ops OP,...     what to measure [default: all]: insert, update, small-step, score, rank,
                   select, range, pop-first, memory
  --rounds ROUNDS  rounds to take the medians of, 1 to 1000 [default: 5]

longest-insert: the longest single insert while a set grows from empty to N.
  --n N            size to grow to, 100 to 100000000 [default: 10000000]
  --rounds ROUNDS  how often to do it, 1 to 1000 [default: 3]

bytes: the memory of a ZSet of 128 and of 1000000 members of 20 bytes.

limiters: tables of ns per call and bytes per key for the limiters of one key and of many.
  --n N,...        numbers of keys, 1 to 10000000 [default: 1000,1000000]
  --calls CALLS    calls in a round, 1 to 100000000 [default: 1000000]
  --rounds ROUNDS  rounds to take the medians of, 1 to 1000 [default: 7]

uses: tables of ns per operation for queues, boards, feeds, schedules and expiring sets.
  --n N            elements in each, 100 to 100000000 [default: 100000]
  --rounds ROUNDS  rounds to take the medians of, 1 to 1000 [default: 7]

servers: requests a second and peak memory of zset-server beside redis-server. It takes redis-benchmark
and redis-cli to ask them.
  --n N                members, 100 to 100000000 [default: 1000000]
  --requests NUMBER    requests at a time, 1 to 100000000 [default: 200000]
  --rounds ROUNDS      rounds to take the medians of, 1 to 1000 [default: 5]
  --zset-server PATH   the program [default: the one in the same folder as this]
  --redis-server PATH  the program, or another such as valkey-server [default: redis-server]
";

/// What the program shall do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Print [`USAGE`].
    Help,
    /// See [`quick`].
    Quick(quick::Options),
    /// See [`longest_insert`].
    LongestInsert(longest_insert::Options),
    /// See [`bytes`](crate::bytes).
    Bytes,
    /// See [`limiters`].
    Limiters(limiters::Options),
    /// See [`uses`].
    Uses(uses::Options),
    /// See [`servers`].
    Servers(servers::Options),
}

/// Parses the arguments.
///
/// # Errors
///
/// A message for the user, if an argument is unknown, missing or out of range.
pub fn parse(mut parser: Parser) -> Result<Command, Error> {
    match parser.next()? {
        None => Err("which command?".into()),
        Some(Arg::Short('h') | Arg::Long("help")) => Ok(Command::Help),
        Some(Arg::Value(command)) => match command.string()?.as_str() {
            "quick" => parse_quick(&mut parser),
            "longest-insert" => parse_longest_insert(&mut parser),
            "bytes" => parse_bytes(&mut parser),
            "limiters" => parse_limiters(&mut parser),
            "uses" => parse_uses(&mut parser),
            "servers" => parse_servers(&mut parser),
            other => Err(format!("unknown command `{other}`").into()),
        },
        Some(other) => Err(other.unexpected()),
    }
}

fn parse_quick(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = quick::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => {
                options.sizes = parser.value()?.parse_with(|text| list(text, size))?;
            }
            Arg::Long("ops") => {
                options.rows = parser.value()?.parse_with(|text| list(text, row))?;
            }
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Quick(options))
}

fn parse_longest_insert(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = longest_insert::Options::default();
    let asks_for_help = parse_size(parser, &mut options.n, &mut options.rounds)?;
    Ok(if asks_for_help { Command::Help } else { Command::LongestInsert(options) })
}

/// Reads a size and a number of rounds; returns whether help is asked for.
fn parse_size(parser: &mut Parser, n: &mut usize, times: &mut usize) -> Result<bool, Error> {
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => *n = parser.value()?.parse_with(size)?,
            Arg::Long("rounds") => *times = parser.value()?.parse_with(rounds)?,
            Arg::Short('h') | Arg::Long("help") => return Ok(true),
            other => return Err(other.unexpected()),
        }
    }
    Ok(false)
}

fn parse_bytes(parser: &mut Parser) -> Result<Command, Error> {
    match parser.next()? {
        None => Ok(Command::Bytes),
        Some(Arg::Short('h') | Arg::Long("help")) => Ok(Command::Help),
        Some(other) => Err(other.unexpected()),
    }
}

fn parse_limiters(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = limiters::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => {
                let keys = |text: &str| number(text, 1, MAX_KEYS);
                options.keys = parser.value()?.parse_with(|text| list(text, keys))?;
            }
            Arg::Long("calls") => {
                options.calls = parser.value()?.parse_with(|text| number(text, 1, MAX_CALLS))?;
            }
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Limiters(options))
}

fn parse_uses(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = uses::Options::default();
    let asks_for_help = parse_size(parser, &mut options.n, &mut options.rounds)?;
    Ok(if asks_for_help { Command::Help } else { Command::Uses(options) })
}

fn parse_servers(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = servers::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => options.n = parser.value()?.parse_with(size)?,
            Arg::Long("requests") => {
                options.requests = parser.value()?.parse_with(|text| number(text, 1, MAX_CALLS))?;
            }
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Long("zset-server") => options.zset = parser.value()?.into(),
            Arg::Long("redis-server") => options.redis = parser.value()?.into(),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Servers(options))
}

fn list<T>(text: &str, item: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(item).collect()
}

fn size(text: &str) -> Result<usize, String> {
    number(text, RANGE, MAX_N)
}

fn rounds(text: &str) -> Result<usize, String> {
    number(text, 1, 1000)
}

fn number(text: &str, min: usize, max: usize) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(format!("`{text}` is not a number from {min} to {max}")),
    }
}

fn row(name: &str) -> Result<Row, String> {
    Row::from_name(name).ok_or_else(|| {
        let names = Row::ALL.map(Row::name).join(", ");
        format!("`{name}` is none of {names}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Operation;

    fn parse_line(line: &str) -> Result<Command, String> {
        parse(Parser::from_args(line.split_whitespace())).map_err(|error| error.to_string())
    }

    #[test]
    fn commands_have_defaults() {
        assert_eq!(parse_line("quick"), Ok(Command::Quick(quick::Options::default())));
        let expected = Command::LongestInsert(longest_insert::Options::default());
        assert_eq!(parse_line("longest-insert"), Ok(expected));
        assert_eq!(parse_line("bytes"), Ok(Command::Bytes));
        let expected = Command::Limiters(limiters::Options::default());
        assert_eq!(parse_line("limiters"), Ok(expected));
        assert_eq!(parse_line("uses"), Ok(Command::Uses(uses::Options::default())));
        assert_eq!(parse_line("servers"), Ok(Command::Servers(servers::Options::default())));
    }

    #[test]
    fn options_replace_the_defaults() {
        let expected = quick::Options {
            sizes: vec![1000, 200],
            rows: vec![Row::Time(Operation::PopFirst), Row::Memory],
            rounds: 2,
        };
        let line = "quick --n 1000,200 --ops=pop-first,memory --rounds 2";
        assert_eq!(parse_line(line), Ok(Command::Quick(expected)));

        let expected = longest_insert::Options { n: 500, rounds: 4 };
        let line = "longest-insert --rounds=4 --n 500";
        assert_eq!(parse_line(line), Ok(Command::LongestInsert(expected)));

        let expected = limiters::Options { keys: vec![1, 20], calls: 5, rounds: 1 };
        let line = "limiters --n 1,20 --rounds 1 --calls 5";
        assert_eq!(parse_line(line), Ok(Command::Limiters(expected)));

        let expected = Command::Uses(uses::Options { n: 700, rounds: 2 });
        assert_eq!(parse_line("uses --n=700 --rounds 2"), Ok(expected));

        let expected = servers::Options {
            n: 800,
            requests: 9,
            rounds: 1,
            zset: "zset".into(),
            redis: "valkey-server".into(),
        };
        let line = "servers --n 800 --requests 9 --rounds 1 --zset-server zset \
                    --redis-server valkey-server";
        assert_eq!(parse_line(line), Ok(Command::Servers(expected)));
    }

    #[test]
    fn help_wins_over_what_stands_before_it() {
        assert_eq!(parse_line("--help"), Ok(Command::Help));
        assert_eq!(parse_line("quick --rounds 2 -h"), Ok(Command::Help));
    }

    #[test]
    fn bad_arguments_are_errors() {
        for line in [
            "",
            "slow",
            "--n 1000",
            "quick more",
            "quick --members 3",
            "quick --n",
            "quick --n 99",
            "quick --n 1000,,1000",
            "quick --n 100000001",
            "quick --n -5",
            "quick --ops insert,upsert",
            "quick --rounds 0",
            "bytes --n 128",
            "longest-insert --n 1e6",
            "longest-insert --ops insert",
            "limiters --n 0",
            "limiters --calls 0",
            "limiters --ops insert",
            "uses --n 99",
            "uses --n 100,200",
            "uses --rounds 0",
            "uses --calls 5",
            "servers --n 1,2",
            "servers --requests 0",
            "servers --redis-server",
        ] {
            assert!(parse_line(line).is_err(), "{line:?} was accepted");
        }
    }
}
