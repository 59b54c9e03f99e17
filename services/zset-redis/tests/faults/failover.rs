//! Tests that a replica takes over, both on request, which loses nothing, and after its primary has
//! crashed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use zset_redis::LimiterError;
use zset_redis::blocking::Pool;
use zset_std::{Decision, SlidingWindow};

use crate::limiters::{DEADLINE, KEY, cluster_client, lasting_quota};
use crate::servers::{Cluster, Kind, PATIENCE, keyed};
use crate::under_load::{DURABLE, each_cluster};

#[test]
fn a_replica_takes_over_on_request() {
    let take_over = |cluster: &mut Cluster| {
        let primary = cluster.owner(cluster.slot(KEY));
        let replica = cluster.add_replica(primary, DURABLE);
        cluster.take_over(replica);
        cluster.nodes[primary].wait_until_replicated();
    };
    each_cluster(take_over, drop);
}

/// The number of threads for each kind of connection.
const THREADS: u32 = 2;

/// Makes calls until one is denied, and counts the allowed units.
fn exhaust(allowed: &AtomicU32, mut check: impl FnMut() -> Result<Decision, LimiterError>) {
    let mut last_reply = Instant::now();
    loop {
        match check() {
            Ok(decision) if decision.is_allowed() => _ = allowed.fetch_add(1, Ordering::Relaxed),
            Ok(_) => return,
            Err(error) => {
                assert!(matches!(error, LimiterError::Failure(_)), "{error}");
                assert!(last_reply.elapsed() < PATIENCE, "no recovery: {error}");
                sleep(Duration::from_millis(5));
                continue;
            }
        }
        last_reply = Instant::now();
    }
}

/// The primary is killed before the limit is reached. The units that it had not replicated are
/// lost: at most the limit.
#[test]
fn a_replica_takes_over_after_a_crash() {
    // The default timeout of 15 seconds would make the test slow.
    let settings = ["--cluster-node-timeout", "1000"];
    for kind in Kind::each() {
        let Some(mut cluster) = Cluster::start_with(kind, &settings) else { continue };
        let runtime = Runtime::new().unwrap();
        let client = cluster_client(&cluster);
        let connection = runtime.block_on(client.get_async_connection()).unwrap();
        let quota = lasting_quota();
        let awaited = keyed(connection, "failover", SlidingWindow::new(quota));
        let awaited = awaited.with_deadline(DEADLINE);
        let blocking = keyed(Pool::new(client), "failover", SlidingWindow::new(quota));
        let blocking = blocking.with_deadline(DEADLINE);

        assert!(blocking.check(KEY).unwrap().is_allowed());
        let primary = cluster.owner(cluster.slot(KEY));
        let replica = cluster.add_replica(primary, &settings);
        let allowed = AtomicU32::new(1);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| exhaust(&allowed, || blocking.check(KEY)));
                scope.spawn(|| exhaust(&allowed, || runtime.block_on(awaited.check(KEY))));
            }
            while allowed.load(Ordering::Relaxed) < quota.count() / 3 {
                sleep(Duration::from_millis(1));
            }
            cluster.nodes[primary].crash();
        });
        cluster.wait_until_primary(replica);
        let allowed = allowed.into_inner();
        // Each thread may have lost the reply to an allowed call.
        let least = quota.count() - 2 * THREADS;
        assert!((least..=2 * quota.count()).contains(&allowed), "{allowed} units");
        assert!(!blocking.check(KEY).unwrap().is_allowed());
        assert!(blocking.check("another").unwrap().is_allowed());
    }
}
