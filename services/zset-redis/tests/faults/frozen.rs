//! A server that is stopped with SIGSTOP accepts connections, but does not reply.

use std::thread::sleep;
use std::time::Duration;

use redis::cluster::ClusterClient;
use tokio::runtime::Runtime;
use zset_redis::blocking::Pool;
use zset_redis::{Failure, LimiterError};

use crate::limiters::{DEADLINE, KEY, lasting_funnel};
use crate::load::Report;
use crate::servers::{Cluster, Kind, Server, keyed};
use crate::under_load::{Connections, each_cluster, each_server};

fn freeze(server: &Server) {
    server.stop();
    sleep(3 * DEADLINE);
    server.proceed();
}

fn all_time_out(report: Report) {
    for (name, failures) in report.failures {
        assert!(matches!(failures[..], [Failure::Timeout, ..]), "{name}: {failures:?}");
    }
}

#[test]
fn a_server_does_not_reply_for_some_time() {
    each_server(Connections::All, |server| freeze(server), all_time_out);
}

#[test]
fn a_node_of_a_cluster_does_not_reply_for_some_time() {
    let freeze_owner = |cluster: &mut Cluster| {
        freeze(&cluster.nodes[cluster.owner(cluster.slot(KEY))]);
    };
    each_cluster(freeze_owner, all_time_out);
}

/// A call to a slot that has moved makes the client contact all nodes.
#[test]
fn one_node_of_a_cluster_does_not_stop_calls_to_others_if_the_client_has_timeouts() {
    const DEADLINE: Duration = Duration::from_secs(2);

    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let runtime = Runtime::new().unwrap();
    let brief = Duration::from_millis(200);
    let default = ClusterClient::new(cluster.nodes.iter().map(Server::url)).unwrap();
    let timeouts = cluster.advised_client(brief, brief);
    let [default, awaited] = [&default, &timeouts].map(|client| {
        let connection = runtime.block_on(client.get_async_connection()).unwrap();
        let funnel = keyed(connection, "frozen", lasting_funnel()).with_deadline(DEADLINE);
        assert!(runtime.block_on(funnel.check(KEY)).unwrap().is_allowed());
        funnel
    });
    let blocking = keyed(Pool::new(timeouts), "frozen", lasting_funnel()).with_deadline(DEADLINE);

    let slot = cluster.slot(KEY);
    let owner = cluster.owner(slot);
    cluster.migrate(slot, owner, (owner + 1) % 3, Duration::ZERO);
    let frozen = &cluster.nodes[(owner + 2) % 3];
    frozen.stop();
    // On a busy machine, other nodes may exceed the timeouts too, so try several times.
    let awaited = (0..10).any(|_| runtime.block_on(awaited.check(KEY)).is_ok());
    // The first of these calls also opens the pool's first connection, so it may time out.
    let blocking = (0..10).any(|_| blocking.check(KEY).is_ok());
    let default = runtime.block_on(default.check(KEY));
    frozen.proceed();
    assert!(awaited && blocking, "{awaited} {blocking}");
    assert!(matches!(default, Err(LimiterError::Failure(Failure::Timeout))), "{default:?}");
}
