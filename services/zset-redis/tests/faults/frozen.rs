//! SIGSTOP: the server accepts connections, but does not reply.

use std::thread::sleep;
use std::time::Duration;

use redis::cluster::ClusterClient;
use tokio::runtime::Runtime;
use zset_redis::blocking::Pool;
use zset_redis::{Failure, Keyed, LimiterError, OnFailure};
use zset_std::Funnel;

use crate::limiters::{DEADLINE, KEY, lasting_quota};
use crate::load::Report;
use crate::servers::{Cluster, Kind, Server};
use crate::under_load::{Connections, cluster, one_server};

fn freeze(server: &Server) {
    server.stop();
    sleep(3 * DEADLINE);
    server.proceed();
}

fn all_time_out(report: Option<Report>) {
    for (name, failures) in report.into_iter().flat_map(|report| report.failures) {
        assert!(matches!(failures[..], [Failure::Timeout, ..]), "{name}: {failures:?}");
    }
}

#[test]
fn redis() {
    all_time_out(one_server(Kind::Redis, Connections::All, |server| freeze(server)));
}

#[test]
fn valkey() {
    all_time_out(one_server(Kind::Valkey, Connections::All, |server| freeze(server)));
}

fn freeze_in_cluster(kind: Kind) {
    all_time_out(cluster(kind, |cluster| freeze(&cluster.nodes[cluster.owner(cluster.slot(KEY))])));
}

#[test]
fn redis_cluster() {
    freeze_in_cluster(Kind::Redis);
}

#[test]
fn valkey_cluster() {
    freeze_in_cluster(Kind::Valkey);
}

/// A call to a slot that has moved makes the client contact all nodes.
#[test]
fn one_node_of_a_cluster_does_not_stop_calls_to_others_if_the_client_has_timeouts() {
    const DEADLINE: Duration = Duration::from_secs(2);

    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let runtime = Runtime::new().unwrap();
    let brief = Duration::from_millis(200);
    let default = ClusterClient::builder(cluster.nodes.iter().map(Server::url));
    let timeouts = ClusterClient::builder(cluster.nodes.iter().map(Server::url))
        .connection_timeout(brief)
        .response_timeout(brief)
        .overall_response_timeout(None);
    let [default, timeouts] = [default, timeouts].map(|builder| builder.build().unwrap());
    let [default, awaited] = [&default, &timeouts].map(|client| {
        let connection = runtime.block_on(client.get_async_connection()).unwrap();
        let funnel =
            Keyed::new(connection, "frozen", Funnel::new(lasting_quota()), OnFailure::Error)
                .unwrap();
        let funnel = funnel.with_deadline(DEADLINE);
        assert!(runtime.block_on(funnel.check(KEY)).unwrap().is_allowed());
        funnel
    });
    let pool = Pool::new(timeouts);
    let blocking =
        Keyed::new(pool, "frozen", Funnel::new(lasting_quota()), OnFailure::Error).unwrap();
    let blocking = blocking.with_deadline(DEADLINE);

    let slot = cluster.slot(KEY);
    let owner = cluster.owner(slot);
    cluster.migrate(slot, owner, (owner + 1) % 3, Duration::ZERO);
    let frozen = &cluster.nodes[(owner + 2) % 3];
    frozen.stop();
    // On a busy machine, other nodes may exceed the timeouts too.
    let awaited = (0..10).any(|_| runtime.block_on(awaited.check(KEY)).is_ok());
    // Opens a connection.
    let blocking = (0..10).any(|_| blocking.check(KEY).is_ok());
    let default = runtime.block_on(default.check(KEY));
    frozen.proceed();
    assert!(awaited && blocking, "{awaited} {blocking}");
    assert!(matches!(default, Err(LimiterError::Failure(Failure::Timeout))), "{default:?}");
}
