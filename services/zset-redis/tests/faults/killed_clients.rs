//! `CLIENT KILL`: calls whose connection was closed fail, and other calls open a new one.

use std::slice;
use std::thread::sleep;
use std::time::Duration;

use tokio::runtime::Runtime;
use zset_redis::{Failure, Keyed, LimiterError, OnFailure};
use zset_std::Funnel;

use crate::limiters::{KEY, lasting_quota};
use crate::servers::{Kind, Server};
use crate::under_load::{Connections, cluster, one_server};

fn kill(servers: &[Server]) {
    for _ in 0..10 {
        for server in servers {
            server.kill_clients();
        }
        sleep(Duration::from_millis(50));
    }
}

fn kill_clients_of_one_server(kind: Kind) {
    let fault = |server: &mut Server| kill(slice::from_ref(server));
    let report = one_server(kind, Connections::Replaced, fault);
    let failures =
        report.map(|report| report.failures.iter().map(|(_, of)| of.len()).sum::<usize>());
    assert_ne!(failures, Some(0), "no connection was closed");
}

#[test]
fn redis() {
    kill_clients_of_one_server(Kind::Redis);
}

#[test]
fn valkey() {
    kill_clients_of_one_server(Kind::Valkey);
}

/// The reason why the docs recommend `ConnectionManager`.
#[test]
fn a_multiplexed_connection_is_not_replaced() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let client = server.client();
        let connection = client.get_multiplexed_async_connection().await.unwrap();
        let funnel =
            Keyed::new(connection, "killed", Funnel::new(lasting_quota()), OnFailure::Error)
                .unwrap();
        assert!(funnel.check(KEY).await.unwrap().is_allowed());
        server.kill_clients();
        for _ in 0..5 {
            assert!(matches!(
                funnel.check(KEY).await,
                Err(LimiterError::Failure(Failure::Redis(_)))
            ));
        }
    });
}

// A cluster client repeats commands, so there may be no failures.

#[test]
fn redis_cluster() {
    cluster(Kind::Redis, |cluster| kill(&cluster.nodes));
}

#[test]
fn valkey_cluster() {
    cluster(Kind::Valkey, |cluster| kill(&cluster.nodes));
}
