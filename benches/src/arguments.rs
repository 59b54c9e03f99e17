//! The command line.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Error, Parser, ValueExt};

use crate::member::Kind;
use crate::memory::Request;
use crate::operation::Operation;
use crate::workload::MIN_N;
use crate::{docs, fixed, instructions, layer, limiters, report, servers, services, uses};

/// The maximum number of elements in a set: larger sets exceed the memory of common machines.
const MAX_N: usize = 100_000_000;

/// The maximum number of keys of a limiter, for the same reason.
const MAX_KEYS: usize = 10_000_000;

/// The maximum number of calls in a round: their arguments are generated in advance and held in
/// memory.
const MAX_CALLS: usize = 100_000_000;

/// The text of `--help`.
pub const USAGE: &str = "\
Measures zset, and what is made of it, against what else one would take.

Usage: zset-bench report [--quick] [--n N,...] [--members KIND,...] [--ops OP,...]
                         [--rounds ROUNDS] [--tail N] [--updates NUMBER] [--out FOLDER] [--save FILE]
       zset-bench bytes [--save FILE]
       zset-bench instructions [--accept]
       zset-bench layer [--n N] [--requests NUMBER] [--rounds ROUNDS] [--save FILE]
       zset-bench limiters [--n N,...] [--calls CALLS] [--rounds ROUNDS] [--save FILE]
       zset-bench uses [--n N] [--rounds ROUNDS] [--save FILE]
       zset-bench fixed [--calls CALLS] [--rounds ROUNDS] [--save FILE]
       zset-bench servers [--n N] [--requests NUMBER] [--rounds ROUNDS]
                          [--zset-server PATH] [--redis-server PATH] [--save FILE]
       zset-bench services [--n N] [--millis MILLIS] [--rounds ROUNDS]
                           [--redis-server PATH | --url URL] [--save FILE]
       zset-bench docs [FOLDER]

--save adds the results to a CSV file, where they replace those of the same tables and contenders. The file
of the docs is benches/results.csv.

docs: draws the tables of docs/benchmarks.md and of README.md, and docs/*.svg, from that file; nothing is
measured. FOLDER is the repository [default: the repository of this build].

report: times, memory and the longest calls of sorted sets, as a page, as Markdown and as data. All of it
takes about three hours and 8 GB; the files are written after each size. It needs Linux for resident memory,
and its `apt-cache` for real names.
  --quick             what takes less than a minute: 1000 and 100000 u64, 3 rounds, calls to 100000,
                      100000 updates
  --n N,...           sizes of the sets, 100 to 100000000 [default: powers of ten to 10000000]
  --members KIND,...  what they hold [default: all]: u64, strings (of 20 bytes), names (of packages)
  --ops OP,...        what to do to them [default: all]
  --rounds ROUNDS     rounds to take the medians of, 1 to 1000 [default: 5; 3 beyond 1000000 elements]
  --tail N            how far sets grow whose single calls are timed; 0 is none [default: 10000000]
  --updates NUMBER    random updates before the second look at memory, and of single calls
                      [default: 1000000]
  --out FOLDER        where the files go [default: target/zset-report]

bytes: the memory of a ZSet of 128 and of 1000000 members of 20 bytes.

instructions: instructions and cache misses of the main operations, as callgrind counts them, beside those
that are committed; more than 3 % more instructions fail. It takes valgrind and gungraun-runner.
  --accept  write benches/instructions.csv, which is committed

layer: ns per request through a layer that limits requests by address, beside tower_governor and no layer.
  --n N              addresses, 1 to 10000000 [default: 1000]
  --requests NUMBER  requests in a round, 1 to 100000000 [default: 50000]
  --rounds ROUNDS    rounds to take the medians of, 1 to 1000 [default: 15]

limiters: tables of ns per call and bytes per key for the limiters of one key and of many.
  --n N,...        numbers of keys, 1 to 10000000 [default: 1000,1000000]
  --calls CALLS    calls in a round, 1 to 100000000 [default: 1000000]
  --rounds ROUNDS  rounds to take the medians of, 1 to 1000 [default: 7]

uses: tables of ns per operation for queues, boards, feeds, schedules and expiring sets.
  --n N            elements in each, 100 to 100000000 [default: 100000]
  --rounds ROUNDS  rounds to take the medians of, 1 to 1000 [default: 7]

fixed: tables of ns per operation and bytes for FixedSortedSet and the collections of heapless, with room for
16, 64, 256 and 1024 elements.
  --calls CALLS    calls in a round, 1 to 100000000 [default: 3000]
  --rounds ROUNDS  rounds to take the medians of, 1 to 1000 [default: 101]

servers: requests a second and peak memory of zset-server beside redis-server. It takes redis-benchmark
and redis-cli to ask them.
  --n N                members, 100 to 100000000 [default: 1000000]
  --requests NUMBER    requests at a time, 1 to 100000000 [default: 200000]
  --rounds ROUNDS      rounds to take the medians of, 1 to 1000 [default: 5]
  --zset-server PATH   the program [default: the one in the same folder as this]
  --redis-server PATH  the program, or another such as valkey-server [default: redis-server]

services: decisions a second, latencies and the server's CPU time of the limiters of zset-redis, beside PING,
an empty script, and a pipeline of MULTI, ZREMRANGEBYSCORE, ZADD, ZCARD, EXPIRE and EXEC.
  --n N                keys of the tables with many keys, 1 to 10000000 [default: 10000]
  --millis MILLIS      how long each contender runs in a round, 1 to 60000 [default: 300]
  --rounds ROUNDS      rounds to take the medians of, 1 to 1000 [default: 7]
  --redis-server PATH  the program to start, or another such as valkey-server [default: redis-server]
  --url URL            a server that runs already; keys that begin with `zset-bench` stay until they expire
";

/// A parsed command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Print [`USAGE`].
    Help,
    /// See [`report`].
    Report(report::Options),
    /// Measure the memory of one set, in a child process of a report.
    MemoryOf(Request),
    /// See [`bytes`](crate::bytes): the file that the results are saved in.
    Bytes(Option<PathBuf>),
    /// See [`docs`]: the repository.
    Docs(PathBuf),
    /// See [`instructions`].
    Instructions(instructions::Task),
    /// See [`layer`].
    Layer(layer::Options),
    /// See [`limiters`].
    Limiters(limiters::Options),
    /// See [`uses`].
    Uses(uses::Options),
    /// See [`fixed`].
    Fixed(fixed::Options),
    /// See [`servers`].
    Servers(servers::Options),
    /// See [`services`].
    Services(services::Options),
}

/// Parses the arguments.
///
/// # Errors
///
/// Returns a message for the user if an argument is unknown, missing or out of range.
pub fn parse(mut parser: Parser) -> Result<Command, Error> {
    match parser.next()? {
        None => Err("which command?".into()),
        Some(Arg::Short('h') | Arg::Long("help")) => Ok(Command::Help),
        Some(Arg::Value(command)) => match command.string()?.as_str() {
            "report" => parse_report(&mut parser),
            "memory-of" => parse_memory_of(&mut parser),
            "bytes" => parse_bytes(&mut parser),
            "docs" => parse_docs(&mut parser),
            "instructions" => parse_instructions(&mut parser),
            "layer" => parse_layer(&mut parser),
            "limiters" => parse_limiters(&mut parser),
            "uses" => parse_uses(&mut parser),
            "fixed" => parse_fixed(&mut parser),
            "servers" => parse_servers(&mut parser),
            "services" => parse_services(&mut parser),
            other => Err(format!("unknown command `{other}`").into()),
        },
        Some(other) => Err(other.unexpected()),
    }
}

fn parse_report(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = report::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            // Options after it still apply.
            Arg::Long("quick") => options = report::Options::quick(),
            Arg::Long("n") => {
                options.sizes = parser.value()?.parse_with(|text| list(text, size))?;
            }
            Arg::Long("members") => {
                options.kinds = parser.value()?.parse_with(|text| list(text, kind))?;
            }
            Arg::Long("ops") => {
                options.operations = parser.value()?.parse_with(|text| list(text, operation))?;
            }
            Arg::Long("rounds") => options.rounds = Some(parser.value()?.parse_with(rounds)?),
            Arg::Long("tail") => {
                options.tail = parser.value()?.parse_with(|text| number(text, 0, MAX_N))?;
            }
            Arg::Long("updates") => {
                options.updates = parser.value()?.parse_with(|text| number(text, 0, MAX_CALLS))?;
            }
            Arg::Long("out") => options.folder = parser.value()?.into(),
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Report(options))
}

fn parse_memory_of(parser: &mut Parser) -> Result<Command, Error> {
    let kind = parser.value()?.parse_with(kind)?;
    let contender = parser.value()?.parse()?;
    let n = parser.value()?.parse_with(size)?;
    let updates = parser.value()?.parse_with(|text| number(text, 0, MAX_CALLS))?;
    Ok(Command::MemoryOf(Request { contender, n, kind, updates }))
}

fn parse_bytes(parser: &mut Parser) -> Result<Command, Error> {
    let mut save = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("save") => save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Bytes(save))
}

fn parse_docs(parser: &mut Parser) -> Result<Command, Error> {
    let mut folder = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(path) if folder.is_none() => folder = Some(path.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Docs(folder.unwrap_or_else(|| docs::FOLDER.into())))
}

fn parse_instructions(parser: &mut Parser) -> Result<Command, Error> {
    let mut task = instructions::Task::Check;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("accept") => task = instructions::Task::Accept,
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Instructions(task))
}

fn parse_layer(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = layer::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => {
                options.n = parser.value()?.parse_with(|text| number(text, 1, MAX_KEYS))?;
            }
            Arg::Long("requests") => {
                options.requests = parser.value()?.parse_with(|text| number(text, 1, MAX_CALLS))?;
            }
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Layer(options))
}

fn parse_limiters(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = limiters::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => {
                let keys = |text: &str| number(text, 1, MAX_KEYS);
                options.keys = parser.value()?.parse_with(|text| list(text, keys))?;
            }
            Arg::Long("calls") => options.calls = parser.value()?.parse_with(calls)?,
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Limiters(options))
}

fn parse_uses(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = uses::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => options.n = parser.value()?.parse_with(size)?,
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Uses(options))
}

fn parse_fixed(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = fixed::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("calls") => options.calls = parser.value()?.parse_with(calls)?,
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Fixed(options))
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
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Servers(options))
}

fn parse_services(parser: &mut Parser) -> Result<Command, Error> {
    let mut options = services::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("n") => {
                options.keys = parser.value()?.parse_with(|text| number(text, 1, MAX_KEYS))?;
            }
            Arg::Long("millis") => {
                let millis = parser.value()?.parse_with(|text| number(text, 1, 60_000))?;
                options.duration = Duration::from_millis(millis as u64);
            }
            Arg::Long("rounds") => options.rounds = parser.value()?.parse_with(rounds)?,
            Arg::Long("redis-server") => options.redis = parser.value()?.into(),
            Arg::Long("url") => options.url = Some(parser.value()?.string()?),
            Arg::Long("save") => options.save = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Services(options))
}

fn list<T>(text: &str, item: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(item).collect()
}

fn size(text: &str) -> Result<usize, String> {
    number(text, MIN_N, MAX_N)
}

fn calls(text: &str) -> Result<usize, String> {
    number(text, 1, MAX_CALLS)
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

fn operation(name: &str) -> Result<Operation, String> {
    Operation::from_name(name).ok_or_else(|| {
        let names = Operation::ALL.map(Operation::name).join(", ");
        format!("`{name}` is none of {names}")
    })
}

fn kind(name: &str) -> Result<Kind, String> {
    let kind = Kind::from_name(name);
    kind.ok_or_else(|| format!("`{name}` is none of {}", Kind::ALL.map(Kind::name).join(", ")))
}
