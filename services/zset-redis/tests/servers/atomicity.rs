//! Tests that no window has more than the limit when eight connections take units of one key.
//!
//! A second limit, which never denies, logs all units with the server's times. One script takes the
//! units of both limits, so the log has exactly the units that the first limit allowed.

use std::thread;
use std::time::{Duration, Instant};

use redis::ConnectionLike;
use zset_redis::blocking::{Connect, Pool};
use zset_std::{AnyLimiter, Limits, Quota, SlidingWindow};

use crate::servers::{Cluster, Kind, NAMES, Server, algorithms, keyed, log, per_hour, replay};

const CONNECTIONS: usize = 8;
const RUNNING: Duration = Duration::from_millis(1500);

/// Takes units as fast as possible, each thread with its own limiter and pool, and compares the
/// allowed units with the log on the server.
fn check<M: Connect>(pool: impl Fn() -> Pool<M> + Sync, connection: &mut impl ConnectionLike) {
    let quota = Quota::new(20, Duration::from_millis(20)).unwrap();
    let all_units = AnyLimiter::from(SlidingWindow::new(per_hour(u32::MAX)));
    for (name, limiter) in NAMES.into_iter().zip(algorithms(quota)) {
        let take_units = || {
            let limits = keyed(pool(), name, Limits::new([limiter, all_units]));
            let (start, mut allowed) = (Instant::now(), 0);
            while start.elapsed() < RUNNING {
                for n in [1, 2, 1, 5] {
                    if limits.check_n("ann", n).unwrap().is_allowed() {
                        allowed += u64::from(n);
                    }
                }
            }
            allowed
        };
        let allowed: u64 = thread::scope(|scope| {
            let threads = [(); CONNECTIONS].map(|()| scope.spawn(take_units));
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let entries = log(connection, &format!("{name}:{{ann}}:sliding_window:1"));
        let (units, full) = replay(entries, limiter);
        assert_eq!(units, allowed, "{limiter:?}");
        assert!(full > 10, "{limiter:?} was full only {full} times");
    }
}

#[test]
fn no_window_has_more_than_the_limit() {
    for server in Server::of_each_kind() {
        check(|| server.pool(), &mut server.connection());
    }
}

#[test]
fn no_window_has_more_than_the_limit_in_a_cluster() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    check(|| cluster.pool(), &mut cluster.client().get_connection().unwrap());
}
