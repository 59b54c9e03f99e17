//! What is called: limiters, and what they are compared with.

use std::io::{self, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use zset_redis::redis::aio::MultiplexedConnection;
use zset_redis::redis::{self, Script};
use zset_redis::zset_std::Quota;
use zset_redis::{
    FixedWindow, Funnel, LeasedWindow, OnFailure, SlidingWindow, WindowCounter, blocking,
};

use super::{Load, Measured, Run};

/// What is called; clones share a connection.
pub(super) trait Caller: Clone + Send + Sync + 'static {
    /// Makes a call, which must be allowed.
    fn call(&self, key: &str) -> impl Future<Output = io::Result<()>> + Send;
}

/// A row of the tables.
#[derive(Clone, Copy)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    /// Returns whether it is measured with a load.
    pub(super) fits: fn(Load) -> bool,
    pub(super) measure: fn(&Run<'_>) -> io::Result<Measured>,
}

impl Contender {
    const fn new(name: &'static str, measure: fn(&Run<'_>) -> io::Result<Measured>) -> Self {
        Contender { name, fits: |_| true, measure }
    }
}

/// A bare `PING`.
pub(super) const PING: &str = "PING";

/// The pipeline of commands.
pub(super) const PIPELINE: &str = "pipeline";

const DENY: OnFailure = OnFailure::Deny;

/// All contenders.
pub(super) const ALL: [Contender; 9] = [
    Contender::new(PING, |it| it.measure(|to| Ok(Ping(to)))),
    Contender::new("empty script", |it| {
        it.measure(|to| Ok(Empty(to, Arc::new(Script::new("return 1")))))
    }),
    Contender::new("Funnel", |it| {
        it.measure(|to| Ok(Funnel::new(to, &it.name, level(it.keys), DENY)?))
    }),
    Contender::new("FixedWindow", |it| {
        it.measure(|to| Ok(FixedWindow::new(to, &it.name, level(it.keys), DENY)?))
    }),
    Contender::new("WindowCounter", |it| {
        it.measure(|to| Ok(WindowCounter::new(to, &it.name, level(it.keys), DENY)?))
    }),
    Contender::new("SlidingWindow", |it| {
        it.measure(|to| Ok(SlidingWindow::new(to, &it.name, log(), DENY)?))
    }),
    Contender {
        // Its leases are those of one process.
        fits: |load| load.connections == 1,
        ..Contender::new("LeasedWindow", |it| {
            it.measure(|to| Ok(LeasedWindow::new(to, &it.name, log(), DENY)?))
        })
    },
    Contender::new(PIPELINE, |it| {
        it.measure(|to| Ok(Pipeline(to, it.name.as_str().into(), Arc::default())))
    }),
    Contender {
        // Its calls are those of one thread.
        fits: |load| load.callers == 1,
        ..Contender::new("blocking Funnel", |it| {
            let pool = || blocking::Pool::new(it.client().clone());
            it.measure(|_| Ok(blocking::Funnel::new(pool(), &it.name, level(it.keys), DENY)?))
        })
    },
];

/// The period of the logs: so short that entries leave them during a measurement.
const SHORT: Duration = Duration::from_secs(1);

/// The period of the other limiters: so long that states stay.
const LONG: Duration = Duration::from_secs(100_000);

/// The units of all keys together in a period: so many that all calls are allowed.
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
    Funnel<MultiplexedConnection>, std::convert::identity;
    FixedWindow<MultiplexedConnection>, std::convert::identity;
    WindowCounter<MultiplexedConnection>, std::convert::identity;
    SlidingWindow<MultiplexedConnection>, std::convert::identity;
    LeasedWindow<MultiplexedConnection>, std::convert::identity;
    blocking::Funnel, std::future::ready;
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

/// The customary sliding window: the client's time, and denied calls count too.
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
