//! The limiters under load: each rule over each kind of connection.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::ConnectionManagerConfig;
use redis::cluster::ClusterClient;
use tokio::runtime::Runtime;
use zset_redis::blocking::{Connect, Pool};
use zset_redis::{AsyncConnection, Failure, Keyed, LimiterError, OnFailure};
use zset_std::{AnyLimiter, Decision, Funnel, Limits, Quota};

use crate::servers::{Cluster, Server, per_hour};

pub(crate) const DEADLINE: Duration = Duration::from_millis(500);

pub(crate) const KEY: &str = "ann";

/// A function that calls a limiter, from any thread.
pub(crate) type Check = Box<dyn FnMut() -> Result<Decision, LimiterError> + Send>;

pub(crate) type Observer = Arc<dyn Fn(&Failure) + Send + Sync>;

/// The settings of a limiter except its connection.
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) rules: Vec<AnyLimiter>,
    pub(crate) on_failure: OnFailure,
    pub(crate) observer: Observer,
}

impl Settings {
    fn limiter<C: zset_redis::Connection>(self, connection: &C) -> Keyed<C, Limits<AnyLimiter>> {
        let Settings { name, rules, on_failure, observer } = self;
        let limits = Keyed::new(connection.clone(), &name, Limits::new(rules), on_failure).unwrap();
        limits.with_deadline(DEADLINE).with_failure_observer(move |error| observer(error))
    }
}

/// Returns the quota of all rules. A window is longer than a restart takes.
pub(crate) fn quota() -> Quota {
    Quota::new(10, Duration::from_millis(500)).unwrap()
}

/// Returns a quota whose keys do not expire during a test.
pub(crate) fn lasting_quota() -> Quota {
    per_hour(1000)
}

pub(crate) fn lasting_funnel() -> Funnel {
    Funnel::new(lasting_quota())
}

/// A connection that limiters share.
pub(crate) struct Connection {
    pub(crate) name: &'static str,
    /// Creates a limiter, and returns a function that checks a unit.
    pub(crate) limiter: Box<dyn Fn(Settings) -> Check>,
}

impl Connection {
    pub(crate) fn multiplexed(server: &Server, runtime: &Runtime) -> Connection {
        let client = server.client();
        let connection = runtime.block_on(client.get_multiplexed_async_connection());
        Connection::awaited("MultiplexedConnection", connection.unwrap(), runtime)
    }

    /// Returns the connections to one server that reconnect after a failure.
    pub(crate) fn to_server(server: &Server, runtime: &Runtime) -> Vec<Connection> {
        let config = ConnectionManagerConfig::new().set_max_delay(Duration::from_millis(500));
        let client = server.client();
        let manager = runtime.block_on(client.get_connection_manager_with_config(config)).unwrap();
        vec![
            Connection::awaited("ConnectionManager", manager, runtime),
            Connection::blocking("Pool", Pool::new(client)),
        ]
    }

    pub(crate) fn to_cluster(cluster: &Cluster, runtime: &Runtime) -> Vec<Connection> {
        let client = cluster_client(cluster);
        let connection = runtime.block_on(client.get_async_connection()).unwrap();
        vec![
            Connection::awaited("cluster_async::ClusterConnection", connection, runtime),
            Connection::blocking("Pool<ClusterClient>", Pool::new(client)),
        ]
    }

    fn awaited(name: &'static str, connection: impl AsyncConnection, runtime: &Runtime) -> Self {
        let runtime = runtime.handle().clone();
        let limiter = Box::new(move |settings: Settings| -> Check {
            let (limits, runtime) = (settings.limiter(&connection), runtime.clone());
            Box::new(move || runtime.block_on(limits.check(KEY)))
        });
        Connection { name, limiter }
    }

    fn blocking(name: &'static str, pool: Pool<impl Connect>) -> Self {
        let limiter = Box::new(move |settings: Settings| -> Check {
            let limits = settings.limiter(&pool);
            Box::new(move || limits.check(KEY))
        });
        Connection { name, limiter }
    }
}

pub(crate) fn cluster_client(cluster: &Cluster) -> ClusterClient {
    cluster.advised_client(DEADLINE, DEADLINE)
}
