//! A replica takes over: on request, which loses nothing, and after a crash of its primary.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use zset_redis::blocking::Pool;
use zset_redis::{Keyed, LimiterError, OnFailure};
use zset_std::{Decision, SlidingWindow};

use crate::limiters::{DEADLINE, KEY, cluster_client, lasting_quota};
use crate::servers::{Cluster, Kind, PATIENCE};
use crate::under_load::{DURABLE, cluster};

fn take_over(kind: Kind) {
    cluster(kind, |cluster| {
        let primary = cluster.owner(cluster.slot(KEY));
        let replica = cluster.add_replica(primary, DURABLE);
        cluster.take_over(replica);
        cluster.wait_until_replicated(primary);
    });
}

#[test]
fn redis() {
    take_over(Kind::Redis);
}

#[test]
fn valkey() {
    take_over(Kind::Valkey);
}

/// The number of threads of each kind of connection.
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
fn crash(kind: Kind) {
    // The default is 15 seconds.
    let settings = ["--cluster-node-timeout", "1000"];
    let Some(mut cluster) = Cluster::start_with(kind, &settings) else { return };
    let runtime = Runtime::new().unwrap();
    let client = cluster_client(&cluster);
    let connection = runtime.block_on(client.get_async_connection()).unwrap();
    let quota = lasting_quota();
    let awaited =
        Keyed::new(connection, "failover", SlidingWindow::new(quota), OnFailure::Error).unwrap();
    let awaited = awaited.with_deadline(DEADLINE);
    let blocking =
        Keyed::new(Pool::new(client), "failover", SlidingWindow::new(quota), OnFailure::Error);
    let blocking = blocking.unwrap().with_deadline(DEADLINE);

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
    // Some replies were lost with the connections.
    let least = quota.count() - 2 * THREADS;
    assert!((least..=2 * quota.count()).contains(&allowed), "{allowed} units");
    assert!(!blocking.check(KEY).unwrap().is_allowed());
    assert!(blocking.check("another").unwrap().is_allowed());
}

#[test]
fn redis_after_a_crash() {
    crash(Kind::Redis);
}

#[test]
fn valkey_after_a_crash() {
    crash(Kind::Valkey);
}
