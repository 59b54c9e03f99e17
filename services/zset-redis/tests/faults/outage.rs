//! No call exceeds its deadline, whatever it waits for.

use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::cluster::ClusterClient;
use tokio::runtime::Runtime;
use zset_redis::blocking::Pool;
use zset_redis::{Failure, Keyed, LimiterError, OnFailure};
use zset_std::{Funnel, Quota};

use crate::limiters::KEY;
use crate::servers::{Cluster, Kind, Server};

fn quota() -> Quota {
    Quota::new(3, Duration::from_secs(3600)).unwrap()
}

/// Setting up a connection takes several commands, and the client waits for all their replies.
#[test]
fn opening_a_connection_to_a_frozen_server_takes_no_longer_than_the_deadline() {
    const DEADLINE: Duration = Duration::from_millis(1500);

    let Some(server) = Server::start(Kind::Redis) else { return };
    let client = redis::Client::open(format!("{}1", server.url())).unwrap();
    let funnel =
        Keyed::new(Pool::new(client), "outage", Funnel::new(quota()), OnFailure::Error).unwrap();
    let funnel = funnel.with_deadline(DEADLINE);
    server.stop();
    let start = Instant::now();
    let result = funnel.check(KEY);
    let elapsed = start.elapsed();
    server.proceed();
    assert!(matches!(result, Err(LimiterError::Failure(Failure::Timeout))), "{result:?}");
    assert!(elapsed < 2 * DEADLINE, "{elapsed:?}");
    assert!(funnel.check("bob").unwrap().is_allowed());
}

/// While no node serves a slot, cluster clients wait and repeat the command.
fn serve_later(check: impl Fn(&Cluster, &dyn Fn())) {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    // All nodes know the script, so a single command takes the units.
    let pool = Pool::new(cluster.client());
    let funnel = Keyed::new(pool, "outage", Funnel::new(quota()), OnFailure::Error).unwrap();
    for key in 0..20 {
        assert!(funnel.check(&key.to_string()).unwrap().is_allowed());
    }
    let slot = cluster.slot(KEY);
    for node in &cluster.nodes {
        node.ask(&format!("CLUSTER DELSLOTS {slot}"));
    }
    check(&cluster, &|| {
        cluster.nodes[0].ask(&format!("CLUSTER ADDSLOTS {slot}"));
        cluster.wait_until_ok();
        // Longer than the client's first wait by default.
        sleep(Duration::from_secs(3));
    });
}

#[test]
fn a_call_to_a_cluster_that_has_timed_out_takes_no_units_later() {
    serve_later(|cluster, serve| {
        let client = ClusterClient::new(cluster.nodes.iter().map(Server::url)).unwrap();
        let funnel =
            Keyed::new(Pool::new(client), "outage", Funnel::new(quota()), OnFailure::Error)
                .unwrap();
        let brief = funnel.clone().with_deadline(Duration::from_millis(200));
        for _ in 0..3 {
            assert!(brief.check(KEY).is_err());
        }
        serve();
        let funnel = funnel.with_deadline(Duration::from_secs(10));
        assert_eq!(funnel.peek_n(KEY, 0).unwrap().remaining, 3);
    });
}

#[test]
fn an_awaited_call_to_a_cluster_that_has_timed_out_takes_no_units_later() {
    serve_later(|cluster, serve| {
        let runtime = Runtime::new().unwrap();
        let connection = runtime.block_on(cluster.client().get_async_connection()).unwrap();
        let funnel =
            zset_redis::Keyed::new(connection, "outage", Funnel::new(quota()), OnFailure::Error);
        let funnel = funnel.unwrap();
        let brief = funnel.clone().with_deadline(Duration::from_millis(200));
        for _ in 0..3 {
            assert!(runtime.block_on(brief.check(KEY)).is_err());
        }
        serve();
        let funnel = funnel.with_deadline(Duration::from_secs(10));
        assert_eq!(runtime.block_on(funnel.peek_n(KEY, 0)).unwrap().remaining, 3);
    });
}
