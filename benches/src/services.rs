//! `services`: the limiters of zset-redis compared with a bare `PING`, an empty script, and the
//! pipeline of commands that is customary instead.
//!
//! Client and server run on the same machine, so rates are those of both together. The server's CPU
//! time for each decision, from its `INFO`, depends less on what else the machine does; it bounds
//! the decisions of a core.

mod contenders;

use std::io::{self, Error, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinSet, yield_now};
use zset_redis::redis::aio::MultiplexedConnection;
use zset_redis::redis::{self, Client};

use crate::arguments::{MAX_KEYS, MAX_ROUNDS, within};
use crate::random;
use crate::record::{self, Record};
use crate::rounds::Rounds;
use crate::servers::process::Running;
use crate::table::write_header;
use crate::tables::{SERVICES, draw_all};
use crate::workload::as_f64;

use contenders::{ALL, Caller, Contender, PING, PIPELINE};

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Keys of the tables with many keys, 1 to 10000000.
    #[arg(long = "n", value_name = "N", default_value_t = 10_000, value_parser = within(1, MAX_KEYS))]
    pub keys: usize,
    /// How long each contender runs in a round, 1 to 60000 milliseconds.
    #[arg(long, default_value_t = 300, value_parser = within(1, 60_000))]
    pub millis: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 7, value_parser = within(1, MAX_ROUNDS))]
    pub rounds: usize,
    /// The program to start, or another such as valkey-server.
    #[arg(long = "redis-server", value_name = "PATH", default_value = "redis-server")]
    pub redis: PathBuf,
    /// A server that runs already; keys that begin with `zset-bench` stay until they expire.
    #[arg(long)]
    pub url: Option<String>,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

impl Options {
    fn duration(&self) -> Duration {
        Duration::from_millis(self.millis as u64)
    }
}

/// Who calls: a table for each, with one key and with many.
#[derive(Clone, Copy)]
struct Load {
    title: &'static str,
    callers: usize,
    connections: usize,
}

const LOADS: [Load; 3] = [
    Load { title: "1 caller", callers: 1, connections: 1 },
    Load { title: "50 callers on a connection", callers: 50, connections: 1 },
    Load { title: "50 callers with a connection each", callers: 50, connections: 50 },
];

/// How often a caller lets others run even if its calls never wait.
const CALLS_WITHOUT_WAITING: u64 = 32;

/// The result of one contender in one round.
#[derive(Clone, Copy, Default)]
struct Measured {
    rate: f64,
    p50: f64,
    p99: f64,
    /// CPU time of the server for each decision, in microseconds.
    server: f64,
}

/// Measures and prints the tables.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, if the server does not start or a call fails, or if
/// the results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    write_header(out)?;
    let Options { keys, rounds, .. } = options;
    let duration = options.duration();
    writeln!(out, "- keys: {keys}, rounds: {rounds} of {duration:?} for each contender")?;
    let server = Server::start(options)?;
    writeln!(out, "- server: {}", server.version()?)?;
    let mut records = Vec::new();
    for load in LOADS {
        for keys in [1, *keys] {
            records.extend(server.records(options, load, keys)?);
        }
    }
    writeln!(out, "\n{}", draw_all(&records))?;
    record::save(options.save.as_deref(), &records)
}

/// The server, and the runtime of the callers.
struct Server {
    client: Client,
    runtime: Runtime,
    /// `None` if it ran already.
    process: Option<Running>,
}

impl Server {
    fn start(options: &Options) -> io::Result<Server> {
        let process = match options.url {
            Some(_) => None,
            None => {
                Some(Running::start(&options.redis, &[], &["--save", "", "--appendonly", "no"])?)
            }
        };
        let port = process.as_ref().map_or(0, |process| process.port);
        let url = options.url.clone().unwrap_or_else(|| format!("redis://127.0.0.1:{port}/"));
        let client = Client::open(url).map_err(Error::other)?;
        // One thread: the server needs a core as well.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Server { client, runtime, process })
    }

    /// Returns a value of `INFO`.
    fn info(&self, name: &str) -> io::Result<String> {
        let mut connection = self.client.get_connection().map_err(Error::other)?;
        let text: String = redis::cmd("INFO").query(&mut connection).map_err(Error::other)?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(str::to_owned).ok_or_else(|| Error::other(format!("INFO has no {name}")))
    }

    fn version(&self) -> io::Result<String> {
        match self.info("valkey_version") {
            Ok(version) => Ok(format!("Valkey {version}")),
            Err(_) => Ok(format!("Redis {}", self.info("redis_version")?)),
        }
    }

    /// Returns the CPU time that the server has used, in microseconds.
    fn cpu_time(&self) -> io::Result<f64> {
        let parse = |text: String| text.parse::<f64>().map_err(Error::other);
        Ok((parse(self.info("used_cpu_user")?)? + parse(self.info("used_cpu_sys")?)?) * 1e6)
    }

    fn records(&self, options: &Options, load: Load, keys: usize) -> io::Result<Vec<Record>> {
        let contenders: Vec<_> = ALL.into_iter().filter(|it| (it.fits)(load)).collect();
        let measure = |place: usize, round: &u64| {
            let Contender { name, measure, .. } = contenders[place];
            let name = format!("zset-bench:{}:{name}:{round}", load.title);
            measure(&Run { server: self, load, keys, name, duration: options.duration() })
        };
        let rounds = Rounds::try_measure(contenders.len(), options.rounds, |round| round, measure)?;
        let place = |name| contenders.iter().position(|it| it.name == name).unwrap_or(0);
        let [ping, pipeline] = [PING, PIPELINE].map(place);
        let table = format!("{SERVICES}, {}", load.title);
        let records = contenders.iter().enumerate().flat_map(|(place, contender)| {
            let over =
                |value: fn(&Measured) -> f64| rounds.median(|round| Some(value(&round[place])));
            let ratio = |to: usize| rounds.ratio(place, to, |it: &Measured| Some(it.rate));
            [
                ("decisions/s", over(|it| it.rate), ratio(ping)),
                ("it / pipeline", ratio(pipeline), None),
                ("p50 µs", over(|it| it.p50), None),
                ("p99 µs", over(|it| it.p99), None),
                ("server's CPU µs", over(|it| it.server), None),
            ]
            .map(|(what, value, ratio)| {
                let record = Record::new((&table, keys), contender.name, (what, ""), value);
                Record { rounds: options.rounds, ratio, ..record }
            })
        });
        Ok(records.collect())
    }
}

/// The measurement of one contender in one round.
struct Run<'a> {
    server: &'a Server,
    load: Load,
    keys: usize,
    /// What keys on the server begin with.
    name: String,
    duration: Duration,
}

impl Run<'_> {
    fn client(&self) -> &Client {
        &self.server.client
    }

    /// Measures callers, which `new` makes for a connection each.
    fn measure<C: Caller>(
        &self,
        new: impl Fn(MultiplexedConnection) -> Result<C, Box<dyn std::error::Error + Send + Sync>>,
    ) -> io::Result<Measured> {
        let Run { server, load, duration, .. } = *self;
        if server.process.is_some() {
            let mut connection = server.client.get_connection().map_err(Error::other)?;
            redis::cmd("FLUSHALL").exec(&mut connection).map_err(Error::other)?;
        }
        let mut callers = Vec::new();
        for _ in 0..load.connections {
            let connection = server.client.get_multiplexed_async_connection();
            let connection = server.runtime.block_on(connection).map_err(Error::other)?;
            callers.push(new(connection).map_err(Error::other)?);
        }
        let callers: Vec<_> = callers.iter().cycle().take(load.callers).cloned().collect();
        // The first calls open connections and send the script.
        self.call_all(&callers, duration / 10)?;
        let (start, before) = (Instant::now(), server.cpu_time()?);
        let latencies = self.call_all(&callers, duration)?;
        let (elapsed, after) = (start.elapsed(), server.cpu_time()?);
        let calls = as_f64(latencies.len() as usize);
        let micros = |part| as_f64(latencies.value_at_quantile(part) as usize) / 1e3;
        Ok(Measured {
            rate: calls / elapsed.as_secs_f64(),
            p50: micros(0.5),
            p99: micros(0.99),
            server: (after - before) / calls,
        })
    }

    /// Lets all callers call at the same time, with random keys; returns the nanoseconds of each
    /// call.
    fn call_all<C: Caller>(&self, callers: &[C], duration: Duration) -> io::Result<Histogram<u64>> {
        let names: Arc<[String]> = (0..self.keys as u64).map(random::string).collect();
        self.server.runtime.block_on(async {
            let mut tasks = JoinSet::new();
            let end = Instant::now() + duration;
            for (seed, caller) in callers.iter().enumerate() {
                tasks.spawn(call(caller.clone(), names.clone(), seed as u64, end));
            }
            let mut all = latencies_of_none()?;
            while let Some(latencies) = tasks.join_next().await {
                all.add(latencies.map_err(Error::other)??).map_err(Error::other)?;
            }
            Ok(all)
        })
    }
}

/// Returns a histogram of nanoseconds up to a minute.
fn latencies_of_none() -> io::Result<Histogram<u64>> {
    Histogram::new_with_max(60_000_000_000, 3).map_err(Error::other)
}

async fn call(
    caller: impl Caller,
    keys: Arc<[String]>,
    seed: u64,
    end: Instant,
) -> io::Result<Histogram<u64>> {
    let mut latencies = latencies_of_none()?;
    let mut start = Instant::now();
    for number in random::numbers(seed << 32) {
        let key = &keys[number as usize % keys.len()];
        caller.call(key).await?;
        let now = Instant::now();
        latencies.saturating_record((now - start).as_nanos() as u64);
        start = now;
        if now >= end {
            break;
        }
        if latencies.len().is_multiple_of(CALLS_WITHOUT_WAITING) {
            yield_now().await;
            start = Instant::now();
        }
    }
    Ok(latencies)
}
