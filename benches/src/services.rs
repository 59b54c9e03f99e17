//! `services` compares the limiters of zset-redis with a bare `PING`, an empty script, and the
//! usual pipeline of commands.
//!
//! Client and server run on the same machine, so the rates depend on both. The server's CPU time
//! per decision, which its `INFO` reports, depends less on other load. It bounds the number of
//! decisions per second that a core can make.

use std::io::{self, Error};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::Histogram;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinSet, yield_now};
use zset_redis::redis::aio::MultiplexedConnection;
use zset_redis::redis::{self, Client, Script};
use zset_redis::zset_std::{FixedWindow, Funnel, Quota, SlidingWindow, WindowCounter};
use zset_redis::{Keyed, LeasedWindow, OnFailure, blocking};

use crate::measure::{Rounds, as_f64, none, of, take_turns};
use crate::options::{Common, MAX_KEYS, within};
use crate::process::{Running, UNSAVED};
use crate::random::{numbers, string};
use crate::record::Record;

/// The prefix of the names of the tables.
pub(crate) const TABLES: &str = "services";

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Keys of the tables with many keys, 1 to 10000000.
    #[arg(long = "n", value_name = "N", default_value_t = 10_000, value_parser = within(1, MAX_KEYS))]
    keys: usize,
    /// How long each contender runs in a round, 1 to 60000 milliseconds.
    #[arg(long, default_value_t = 300, value_parser = within(1, 60_000))]
    millis: usize,
    /// The program to start, or another such as valkey-server.
    #[arg(long = "redis-server", value_name = "PATH", default_value = "redis-server")]
    redis: PathBuf,
    /// A server that runs already; keys that begin with `zset-bench` stay until they expire.
    #[arg(long)]
    url: Option<String>,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// The callers of a table. Each load has one table with a single key, and one with many.
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

/// After this many calls, a caller lets others run, even if its calls never wait.
const CALLS_WITHOUT_WAITING: u64 = 32;

/// Measures a table for each load, with one key and with many.
pub fn measure(options: &Options) -> io::Result<Vec<Record>> {
    let server = Server::start(options)?;
    let mut records = Vec::new();
    for load in LOADS {
        for keys in [1, options.keys] {
            records.extend(server.records(options, load, keys)?);
        }
    }
    Ok(records)
}

/// The server, and the runtime of the callers.
struct Server {
    client: Client,
    runtime: Runtime,
    /// `None` if the server was already running.
    process: Option<Running>,
}

impl Server {
    fn start(options: &Options) -> io::Result<Server> {
        let (process, url) = if let Some(url) = &options.url {
            (None, url.clone())
        } else {
            let process = Running::start(&options.redis, &[], &UNSAVED)?;
            let url = format!("redis://127.0.0.1:{}/", process.port);
            (Some(process), url)
        };
        let client = Client::open(url).map_err(Error::other)?;
        // The runtime has a single thread, since the server needs a core as well.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Server { client, runtime, process })
    }

    /// Returns the CPU time that the server has used, in microseconds.
    fn cpu_time(&self) -> io::Result<f64> {
        let mut connection = self.client.get_connection().map_err(Error::other)?;
        let info: String = redis::cmd("INFO").query(&mut connection).map_err(Error::other)?;
        let seconds = ["used_cpu_user:", "used_cpu_sys:"].map(|name| {
            let value = info.lines().find_map(|line| line.strip_prefix(name)?.parse::<f64>().ok());
            value.ok_or_else(|| Error::other(format!("INFO has no {name}")))
        });
        let [user, system] = seconds;
        Ok((user? + system?) * 1e6)
    }

    fn records(&self, options: &Options, load: Load, keys: usize) -> io::Result<Vec<Record>> {
        let contenders: Vec<_> = ALL.into_iter().filter(|it| (it.fits)(load)).collect();
        let names: Vec<_> = contenders.iter().map(|it| it.name).collect();
        let duration = Duration::from_millis(options.millis as u64);
        let measure = |place: usize, round: &usize| {
            let name = format!("zset-bench:{}:{}:{round}", load.title, names[place]);
            (contenders[place].measure)(&Run { server: self, load, keys, name, duration })
        };
        let rounds = options.common.rounds_or(7);
        let [rate, p50, p99, cpu] = take_turns(rounds, names.len(), Ok, measure)?;
        let place = |name| names.iter().position(|it| *it == name).unwrap_or(0);
        let [to_ping, to_pipeline] = [PING, PIPELINE].map(|name| of(place(name)));
        let ratios = |round: &Vec<_>| (0..names.len()).map(|it| to_pipeline(round, it)).collect();
        let ratio = Rounds(rate.0.iter().map(ratios).collect());
        let title = format!("{TABLES}, {}", load.title);
        let table = (title.as_str(), keys);
        let records = [
            rate.records(table, ("decisions/s", ""), &names, to_ping),
            ratio.records(table, ("it / pipeline", ""), &names, none),
            p50.records(table, ("p50 µs", ""), &names, none),
            p99.records(table, ("p99 µs", ""), &names, none),
            cpu.records(table, ("server's CPU µs", ""), &names, none),
        ];
        Ok(records.concat())
    }
}

/// The results of a contender in a round: decisions per second, and in microseconds the median
/// latency, the 99th percentile, and the server's CPU time per decision.
type Values = [f64; 4];

/// The measurement of one contender in one round.
struct Run<'a> {
    server: &'a Server,
    load: Load,
    keys: usize,
    /// The prefix of the keys on the server.
    name: String,
    duration: Duration,
}

impl Run<'_> {
    fn client(&self) -> &Client {
        &self.server.client
    }

    /// Measures callers. `new` creates one for each connection.
    fn measure<C: Caller>(
        &self,
        new: impl Fn(MultiplexedConnection) -> Result<C, Box<dyn std::error::Error + Send + Sync>>,
    ) -> io::Result<Values> {
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
        // The first calls are not measured, since they open connections and send the script.
        self.call_all(&callers, duration / 10)?;
        let (start, before) = (Instant::now(), server.cpu_time()?);
        let latencies = self.call_all(&callers, duration)?;
        let (elapsed, after) = (start.elapsed(), server.cpu_time()?);
        let calls = as_f64(latencies.len() as usize);
        let micros = |part| as_f64(latencies.value_at_quantile(part) as usize) / 1e3;
        let rate = calls / elapsed.as_secs_f64();
        Ok([rate, micros(0.5), micros(0.99), (after - before) / calls])
    }

    /// Runs all callers concurrently, with random keys. Returns a histogram of the latencies of
    /// calls.
    fn call_all<C: Caller>(&self, callers: &[C], duration: Duration) -> io::Result<Histogram<u64>> {
        let names: Arc<[String]> = (0..self.keys as u64).map(string).collect();
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

/// Returns an empty histogram for times up to a minute, in nanoseconds.
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
    for number in numbers(seed << 32) {
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

/// A client that makes calls. Clones share a connection.
trait Caller: Clone + Send + Sync + 'static {
    /// Makes a call, which must be allowed.
    fn call(&self, key: &str) -> impl Future<Output = io::Result<()>> + Send;
}

/// A row of the tables.
#[derive(Clone, Copy)]
struct Contender {
    name: &'static str,
    /// Returns whether the contender is measured with a load.
    fits: fn(Load) -> bool,
    measure: fn(&Run<'_>) -> io::Result<Values>,
}

impl Contender {
    const fn new(name: &'static str, measure: fn(&Run<'_>) -> io::Result<Values>) -> Self {
        Contender { name, fits: |_| true, measure }
    }
}

/// A bare `PING`.
const PING: &str = "PING";

/// The pipeline of commands.
const PIPELINE: &str = "pipeline";

const DENY: OnFailure = OnFailure::Error;

/// All contenders.
const ALL: [Contender; 9] = [
    Contender::new(PING, |it| it.measure(|to| Ok(Ping(to)))),
    Contender::new("empty script", |it| {
        it.measure(|to| Ok(Empty(to, Arc::new(Script::new("return 1")))))
    }),
    Contender::new("Funnel", |it| {
        it.measure(|to| Ok(Keyed::new(to, &it.name, Funnel::new(level(it.keys)), DENY)?))
    }),
    Contender::new("FixedWindow", |it| {
        it.measure(|to| Ok(Keyed::new(to, &it.name, FixedWindow::new(level(it.keys)), DENY)?))
    }),
    Contender::new("WindowCounter", |it| {
        it.measure(|to| Ok(Keyed::new(to, &it.name, WindowCounter::new(level(it.keys)), DENY)?))
    }),
    Contender::new("SlidingWindow", |it| {
        it.measure(|to| Ok(Keyed::new(to, &it.name, SlidingWindow::new(log()), DENY)?))
    }),
    Contender {
        // Measured with one connection only, since all callers of a process share its leases.
        fits: |load| load.connections == 1,
        ..Contender::new("LeasedWindow", |it| {
            it.measure(|to| Ok(LeasedWindow::new(to, &it.name, log(), DENY)?))
        })
    },
    Contender::new(PIPELINE, |it| {
        it.measure(|to| Ok(Pipeline(to, it.name.as_str().into(), Arc::default())))
    }),
    Contender {
        // Measured with one caller only, since each blocking caller would need a thread.
        fits: |load| load.callers == 1,
        ..Contender::new("blocking Funnel", |it| {
            let pool = || blocking::Pool::new(it.client().clone());
            it.measure(|_| Ok(Keyed::new(pool(), &it.name, Funnel::new(level(it.keys)), DENY)?))
        })
    },
];

/// The period of the logs: so short that entries expire during a measurement.
const SHORT: Duration = Duration::from_secs(1);

/// The period of the other limiters: so long that their states do not expire during a measurement.
const LONG: Duration = Duration::from_secs(100_000);

/// The units per period of a log or, in the other limiters, of all keys together: so many that all
/// calls are allowed.
const UNITS: usize = 100_000_000;

/// Returns the quota of the logs.
fn log() -> Quota {
    Quota::new(UNITS as u32, SHORT).expect("neither is zero")
}

/// Returns the quota of a key of the other limiters.
fn level(keys: usize) -> Quota {
    Quota::new((UNITS / keys) as u32, LONG).expect("there are fewer keys than units")
}

macro_rules! limiters {
    ($($Limiter:ty, $check:expr;)*) => {$(
        impl Caller for $Limiter {
            async fn call(&self, key: &str) -> io::Result<()> {
                let decision = self.check(key);
                match $check(decision).await.map_err(Error::other)? {
                    decision if decision.is_allowed() => Ok(()),
                    decision => Err(Error::other(format!("{decision:?}"))),
                }
            }
        }
    )*};
}

limiters! {
    Keyed<MultiplexedConnection, Funnel>, std::convert::identity;
    Keyed<MultiplexedConnection, FixedWindow>, std::convert::identity;
    Keyed<MultiplexedConnection, WindowCounter>, std::convert::identity;
    Keyed<MultiplexedConnection, SlidingWindow>, std::convert::identity;
    LeasedWindow<MultiplexedConnection>, std::convert::identity;
    Keyed<blocking::Pool, Funnel>, std::future::ready;
}

/// A bare `PING`.
#[derive(Clone)]
struct Ping(MultiplexedConnection);

impl Caller for Ping {
    async fn call(&self, _key: &str) -> io::Result<()> {
        redis::cmd("PING").exec_async(&mut self.0.clone()).await.map_err(Error::other)
    }
}

/// A script that does nothing.
#[derive(Clone)]
struct Empty(MultiplexedConnection, Arc<Script>);

impl Caller for Empty {
    async fn call(&self, key: &str) -> io::Result<()> {
        let call = self.1.key(key);
        let reply = call.invoke_async::<i64>(&mut self.0.clone()).await;
        reply.map(drop).map_err(Error::other)
    }
}

/// The customary sliding window. It relies on the client's clock, and counts denied calls too.
#[derive(Clone)]
struct Pipeline(MultiplexedConnection, Arc<str>, Arc<AtomicU64>);

impl Caller for Pipeline {
    async fn call(&self, key: &str) -> io::Result<()> {
        let Pipeline(connection, name, calls) = self;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(Error::other)?;
        let (now, period) = (now.as_micros() as u64, SHORT.as_micros() as u64);
        let key = format!("{name}:{key}");
        let member = format!("{now}:{}", calls.fetch_add(1, Ordering::Relaxed));
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        pipeline.cmd("ZREMRANGEBYSCORE").arg(&key).arg(0).arg(now - period).ignore();
        pipeline.cmd("ZADD").arg(&key).arg(now).arg(member).ignore();
        pipeline.cmd("ZCARD").arg(&key);
        pipeline.cmd("EXPIRE").arg(&key).arg(SHORT.as_secs()).ignore();
        let (count,): (usize,) =
            pipeline.query_async(&mut connection.clone()).await.map_err(Error::other)?;
        if count <= UNITS { Ok(()) } else { Err(Error::other(format!("{count} in a window"))) }
    }
}
