//! What is called: limiters, and what they are compared with.

use std::io::{self, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use zset_redis::redis::aio::MultiplexedConnection;
use zset_redis::redis::{self, Client, Script};
use zset_redis::zset_std::Quota;
use zset_redis::{
    FixedWindow, Funnel, LeasedWindow, OnFailure, SlidingWindow, WindowCounter, blocking,
};

/// A row of the tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    Ping,
    Empty,
    Funnel,
    FixedWindow,
    WindowCounter,
    SlidingWindow,
    Leased,
    Pipeline,
    Blocking,
}

/// The period of the logs: so short that entries leave them during a measurement.
const SHORT: Duration = Duration::from_secs(1);

/// The period of the other limiters: so long that states stay.
const LONG: Duration = Duration::from_secs(100_000);

/// The units of all keys together in a period: so many that all calls are allowed.
const UNITS: usize = 100_000_000;

impl Contender {
    /// All contenders, with their names.
    pub(super) const ALL: [(Contender, &'static str); 9] = [
        (Contender::Ping, "PING"),
        (Contender::Empty, "empty script"),
        (Contender::Funnel, "Funnel"),
        (Contender::FixedWindow, "FixedWindow"),
        (Contender::WindowCounter, "WindowCounter"),
        (Contender::SlidingWindow, "SlidingWindow"),
        (Contender::Leased, "LeasedWindow"),
        (Contender::Pipeline, "pipeline"),
        (Contender::Blocking, "blocking Funnel"),
    ];

    pub(super) fn name(self) -> &'static str {
        Contender::ALL[self as usize].1
    }

    /// Returns whether it is measured with these numbers, which are those of one process with one
    /// thread.
    pub(super) fn fits(self, callers: usize, connections: usize) -> bool {
        match self {
            Contender::Blocking => callers == 1,
            Contender::Leased => connections == 1,
            _ => true,
        }
    }

    /// Returns a caller; keys on the server begin with `name`.
    pub(super) fn caller(
        self,
        client: &Client,
        connection: MultiplexedConnection,
        name: &str,
        keys: usize,
    ) -> Result<Caller, Box<dyn std::error::Error + Send + Sync>> {
        let log = Quota::new(UNITS as u32, SHORT)?;
        let level = Quota::new((UNITS / keys) as u32, LONG)?;
        let deny = OnFailure::Deny;
        Ok(match self {
            Contender::Ping => Caller::Ping(connection),
            Contender::Empty => Caller::Empty(connection, Arc::new(Script::new("return 1"))),
            Contender::Funnel => Caller::Funnel(Funnel::new(connection, name, level, deny)?),
            Contender::FixedWindow => {
                Caller::FixedWindow(FixedWindow::new(connection, name, level, deny)?)
            }
            Contender::WindowCounter => {
                Caller::WindowCounter(WindowCounter::new(connection, name, level, deny)?)
            }
            Contender::SlidingWindow => {
                Caller::SlidingWindow(SlidingWindow::new(connection, name, log, deny)?)
            }
            Contender::Leased => Caller::Leased(LeasedWindow::new(connection, name, log, deny)?),
            Contender::Pipeline => Caller::Pipeline(connection, name.into(), Arc::default()),
            Contender::Blocking => {
                let pool = blocking::Pool::new(client.clone());
                Caller::Blocking(blocking::Funnel::new(pool, name, level, deny)?)
            }
        })
    }
}

/// A caller; clones share a connection.
#[derive(Clone)]
pub(super) enum Caller {
    Ping(MultiplexedConnection),
    Empty(MultiplexedConnection, Arc<Script>),
    Funnel(Funnel<MultiplexedConnection>),
    FixedWindow(FixedWindow<MultiplexedConnection>),
    WindowCounter(WindowCounter<MultiplexedConnection>),
    SlidingWindow(SlidingWindow<MultiplexedConnection>),
    Leased(LeasedWindow<MultiplexedConnection>),
    Pipeline(MultiplexedConnection, Arc<str>, Arc<AtomicU64>),
    Blocking(blocking::Funnel),
}

impl Caller {
    /// Makes a call, which must be allowed.
    pub(super) async fn call(&self, key: &str) -> io::Result<()> {
        let decision = match self {
            Caller::Ping(connection) => {
                let reply = redis::cmd("PING").exec_async(&mut connection.clone()).await;
                return reply.map_err(Error::other);
            }
            Caller::Empty(connection, script) => {
                let call = script.key(key);
                let reply = call.invoke_async::<i64>(&mut connection.clone()).await;
                return reply.map(drop).map_err(Error::other);
            }
            Caller::Pipeline(connection, name, calls) => {
                return pipeline(connection, name, key, calls).await;
            }
            Caller::Funnel(limiter) => limiter.check(key).await,
            Caller::FixedWindow(limiter) => limiter.check(key).await,
            Caller::WindowCounter(limiter) => limiter.check(key).await,
            Caller::SlidingWindow(limiter) => limiter.check(key).await,
            Caller::Leased(limiter) => limiter.check(key).await,
            Caller::Blocking(limiter) => limiter.check(key),
        };
        match decision.map_err(Error::other)? {
            decision if decision.is_allowed() => Ok(()),
            decision => Err(Error::other(format!("{decision:?}"))),
        }
    }
}

/// The customary sliding window: the client's time, and denied calls count too.
async fn pipeline(
    connection: &MultiplexedConnection,
    name: &str,
    key: &str,
    calls: &AtomicU64,
) -> io::Result<()> {
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
