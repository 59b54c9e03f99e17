//! The limiters under load: each rule over each kind of connection.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection};
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use tokio::runtime::{Handle, Runtime};
use zset_redis::blocking::{Connect, Pool};
use zset_redis::{AsyncConnection, Failure, Keyed, LimiterError, OnFailure};
use zset_std::{AnyLimiter, Decision, Limits, Quota};

use crate::servers::{Cluster, Server};

pub(crate) const DEADLINE: Duration = Duration::from_millis(500);

pub(crate) const KEY: &str = "ann";

/// Calls a limiter from any thread.
pub(crate) type Check = Box<dyn FnMut() -> Result<Decision, LimiterError> + Send>;

pub(crate) type Observer = Arc<dyn Fn(&Failure) + Send + Sync>;

/// The settings of a limiter besides its connection.
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) rules: Vec<AnyLimiter>,
    pub(crate) on_failure: OnFailure,
    pub(crate) observer: Observer,
}

/// Returns the quota of all rules. A window is longer than a restart takes.
pub(crate) fn quota() -> Quota {
    Quota::new(10, Duration::from_millis(500)).unwrap()
}

/// Returns a quota whose keys do not expire during a test.
pub(crate) fn lasting_quota() -> Quota {
    Quota::new(1000, Duration::from_secs(3600)).unwrap()
}

/// A connection that limiters share.
pub(crate) enum Connection {
    Multiplexed(MultiplexedConnection),
    Manager(ConnectionManager),
    Pool(Pool<redis::Client>),
    Cluster(ClusterConnection),
    ClusterPool(Pool<ClusterClient>),
}

impl Connection {
    pub(crate) fn multiplexed(server: &Server, runtime: &Runtime) -> Connection {
        let client = server.client();
        let connection = runtime.block_on(client.get_multiplexed_async_connection());
        Connection::Multiplexed(connection.unwrap())
    }

    /// The connections to one server that reconnect.
    pub(crate) fn to_server(server: &Server, runtime: &Runtime) -> Vec<Connection> {
        let config = ConnectionManagerConfig::new().set_max_delay(Duration::from_millis(500));
        let client = server.client();
        let manager = runtime.block_on(client.get_connection_manager_with_config(config)).unwrap();
        vec![Connection::Manager(manager), Connection::Pool(Pool::new(client))]
    }

    pub(crate) fn to_cluster(cluster: &Cluster, runtime: &Runtime) -> Vec<Connection> {
        let client = cluster_client(cluster);
        let connection = runtime.block_on(client.get_async_connection()).unwrap();
        vec![Connection::Cluster(connection), Connection::ClusterPool(Pool::new(client))]
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Connection::Multiplexed(_) => "MultiplexedConnection",
            Connection::Manager(_) => "ConnectionManager",
            Connection::Pool(_) => "Pool",
            Connection::Cluster(_) => "cluster_async::ClusterConnection",
            Connection::ClusterPool(_) => "Pool<ClusterClient>",
        }
    }

    /// Creates a limiter.
    pub(crate) fn limiter(&self, runtime: &Runtime, settings: Settings) -> Check {
        let runtime = runtime.handle();
        match self {
            Connection::Multiplexed(connection) => awaited(connection, runtime, settings),
            Connection::Manager(connection) => awaited(connection, runtime, settings),
            Connection::Cluster(connection) => awaited(connection, runtime, settings),
            Connection::Pool(pool) => blocking(pool, settings),
            Connection::ClusterPool(pool) => blocking(pool, settings),
        }
    }
}

/// Returns a client with settings like those recommended in the docs.
pub(crate) fn cluster_client(cluster: &Cluster) -> ClusterClient {
    ClusterClientBuilder::new(cluster.nodes.iter().map(Server::url))
        .connection_timeout(DEADLINE)
        .response_timeout(DEADLINE)
        .overall_response_timeout(None)
        .min_retry_wait(10)
        .max_retry_wait(100)
        .build()
        .unwrap()
}

fn awaited<C>(connection: &C, runtime: &Handle, settings: Settings) -> Check
where
    C: AsyncConnection,
{
    let Settings { name, rules, on_failure, observer } = settings;
    let limits = Keyed::new(connection.clone(), &name, Limits::new(rules), on_failure).unwrap();
    let limits = limits.with_deadline(DEADLINE).with_failure_observer(move |error| observer(error));
    let runtime = runtime.clone();
    Box::new(move || runtime.block_on(limits.check(KEY)))
}

fn blocking<M: Connect + 'static>(pool: &Pool<M>, settings: Settings) -> Check {
    let Settings { name, rules, on_failure, observer } = settings;
    let limits = Keyed::new(pool.clone(), &name, Limits::new(rules), on_failure).unwrap();
    let limits = limits.with_deadline(DEADLINE).with_failure_observer(move |error| observer(error));
    Box::new(move || limits.check(KEY))
}
