//! `CLIENT KILL`: calls whose connection was closed fail, and later calls open a new connection.

use std::slice;
use std::thread::sleep;
use std::time::Duration;

use zset_redis::{Failure, LimiterError};

use crate::limiters::{KEY, lasting_funnel};
use crate::servers::{Kind, Server, block_on, keyed};
use crate::under_load::{Connections, each_cluster, each_server};

fn kill(servers: &[Server]) {
    for _ in 0..10 {
        for server in servers {
            server.kill_clients();
        }
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_clients_of_a_server_are_killed() {
    let kill = |server: &mut Server| kill(slice::from_ref(server));
    each_server(Connections::Replaced, kill, |report| {
        let has_failures = report.failures.iter().any(|(_, failures)| !failures.is_empty());
        assert!(has_failures, "no connection was closed");
    });
}

/// A cluster client repeats commands, so there may be no failures.
#[test]
fn the_clients_of_a_cluster_are_killed() {
    each_cluster(|cluster| kill(&cluster.nodes), drop);
}

/// This is why the docs recommend `ConnectionManager`.
#[test]
fn a_multiplexed_connection_is_not_replaced() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        let funnel = keyed(connection, "killed", lasting_funnel());
        assert!(funnel.check(KEY).await.unwrap().is_allowed());
        server.kill_clients();
        for _ in 0..5 {
            let killed = funnel.check(KEY).await;
            assert!(matches!(killed, Err(LimiterError::Failure(Failure::Redis(_)))), "{killed:?}");
        }
    });
}
