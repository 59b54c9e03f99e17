//! Creates limiters, boards and queues that use a server, with a [long deadline](PATIENCE) for each
//! call.

use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use tokio::runtime::Runtime;
use zset_redis::blocking::{self, Pool};
use zset_redis::{Connection, Keyed, LeasedWindow, OnFailure, ServerLimiter};
use zset_std::{AnyLimiter, FixedWindow, Funnel, Quota, SlidingWindow, Timestamp, WindowCounter};

use super::{PATIENCE, Server};

pub(crate) const HOUR: Duration = Duration::from_secs(3600);

pub(crate) fn per_hour(count: u32) -> Quota {
    Quota::new(count, HOUR).unwrap()
}

pub(crate) fn at_micros(micros: u64) -> Timestamp {
    Timestamp::from_nanos(micros * 1000)
}

pub(crate) fn at_seconds(seconds: u64) -> Timestamp {
    Timestamp::from_nanos(seconds * 1_000_000_000)
}

/// The names of the [`algorithms`] in keys.
pub(crate) const NAMES: [&str; 4] = ["sliding_window", "funnel", "fixed_window", "window_counter"];

/// Returns each algorithm with this quota.
pub(crate) fn algorithms(quota: Quota) -> [AnyLimiter; 4] {
    [
        SlidingWindow::new(quota).into(),
        Funnel::new(quota).into(),
        FixedWindow::new(quota).into(),
        WindowCounter::new(quota).into(),
    ]
}

/// Returns a limiter over a connection. Its calls return an error if the server fails.
pub(crate) fn keyed<C: Connection, L: ServerLimiter>(
    connection: C,
    name: &str,
    limiter: L,
) -> Keyed<C, L> {
    Keyed::new(connection, name, limiter, OnFailure::Error).unwrap().with_deadline(PATIENCE)
}

/// Like [`keyed`], for leases.
pub(crate) fn leased<C: Connection>(connection: C, name: &str, quota: Quota) -> LeasedWindow<C> {
    LeasedWindow::new(connection, name, quota, OnFailure::Error).unwrap().with_deadline(PATIENCE)
}

/// Opens a connection that reconnects and has no response timeout.
pub(crate) async fn manager(client: &redis::Client) -> ConnectionManager {
    let config = ConnectionManagerConfig::new().set_response_timeout(None);
    client.get_connection_manager_with_config(config).await.expect("it listens")
}

/// Runs a future on a new runtime.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    Runtime::new().unwrap().block_on(future)
}

impl Server {
    pub(crate) fn pool(&self) -> Pool {
        Pool::new(self.client())
    }

    pub(crate) fn keyed<L: ServerLimiter>(&self, name: &str, limiter: L) -> Keyed<Pool, L> {
        keyed(self.pool(), name, limiter)
    }

    pub(crate) fn board(&self, name: &str) -> blocking::Leaderboard {
        blocking::Leaderboard::new(self.pool(), name).with_deadline(PATIENCE)
    }

    pub(crate) fn queue(&self, name: &str) -> blocking::DelayQueue {
        blocking::DelayQueue::new(self.pool(), name).with_deadline(PATIENCE)
    }
}
