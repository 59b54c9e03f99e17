//! No call exceeds its deadline, regardless of what it waits for.

use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::cluster::ClusterClient;
use tokio::runtime::Runtime;
use zset_redis::blocking::Pool;
use zset_redis::{Failure, LimiterError};

use crate::limiters::{KEY, lasting_funnel, lasting_quota};
use crate::servers::{Cluster, Kind, Server, keyed};

/// Setting up a connection takes several commands, and the client waits for all their replies.
#[test]
fn opening_a_connection_to_a_frozen_server_takes_no_longer_than_the_deadline() {
    const DEADLINE: Duration = Duration::from_millis(1500);

    let Some(server) = Server::start(Kind::Redis) else { return };
    let client = redis::Client::open(format!("{}1", server.url())).unwrap();
    let funnel = keyed(Pool::new(client), "outage", lasting_funnel()).with_deadline(DEADLINE);
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
#[test]
fn calls_to_a_cluster_that_have_timed_out_take_no_units_later() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    // Load the script on all nodes. From now on, a single late command is enough to take units.
    let funnel = keyed(cluster.pool(), "outage", lasting_funnel());
    for key in 0..20 {
        assert!(funnel.check(&key.to_string()).unwrap().is_allowed());
    }
    let slot = cluster.slot(KEY);
    for node in &cluster.nodes {
        node.ask(&format!("CLUSTER DELSLOTS {slot}"));
    }
    let runtime = Runtime::new().unwrap();
    let client = ClusterClient::new(cluster.nodes.iter().map(Server::url)).unwrap();
    let blocking = keyed(Pool::new(client), "outage", lasting_funnel());
    let awaited = keyed(runtime.block_on(cluster.connect()), "outage", lasting_funnel());
    let brief = Duration::from_millis(200);
    for _ in 0..3 {
        assert!(blocking.clone().with_deadline(brief).check(KEY).is_err());
        assert!(runtime.block_on(awaited.clone().with_deadline(brief).check(KEY)).is_err());
    }
    cluster.nodes[0].ask(&format!("CLUSTER ADDSLOTS {slot}"));
    cluster.wait_until_ok();
    // Wait longer than the clients wait by default before they repeat a command.
    sleep(Duration::from_secs(3));
    let all = lasting_quota().count();
    assert_eq!(blocking.peek_n(KEY, 0).unwrap().remaining, all);
    assert_eq!(runtime.block_on(awaited.peek_n(KEY, 0)).unwrap().remaining, all);
}
