//! Tests of limiters, boards and queues over each kind of connection.

use zset_redis::blocking::{Connect, Pool};
use zset_redis::{AsyncConnection, Keyed, LimiterError, ServerLimiter};
use zset_std::{AsyncKeyedLimiter, Limits};

use crate::servers::{
    Cluster, Kind, Server, algorithms, block_on, keyed, leased, manager, per_hour,
};
use crate::{leaderboard, queues};

/// Uses a limiter of three units an hour.
async fn awaited(limiter: impl AsyncKeyedLimiter<str, Error = LimiterError>) {
    for remaining in [2, 1, 0] {
        let decision = limiter.check_n("ann", 1).await.unwrap();
        assert!(decision.is_allowed());
        assert_eq!((decision.limit, decision.remaining), (3, remaining));
    }
    assert!(!limiter.check_n("ann", 1).await.unwrap().is_allowed());
    assert!(!limiter.peek_n("ann", 1).await.unwrap().is_allowed());
    assert!(limiter.check_n("", 3).await.unwrap().is_allowed());
    assert_eq!(limiter.check_n("}{", 4).await.unwrap().retry_after(), None);
    assert!(limiter.peek_n("}{", 3).await.unwrap().is_allowed());
}

async fn all_awaited<C: AsyncConnection>(connection: C) {
    let [window, funnel, ..] = algorithms(per_hour(3));
    for limiter in algorithms(per_hour(3)) {
        println!("{limiter:?}");
        awaited(keyed(connection.clone(), "awaited", limiter)).await;
    }
    awaited(keyed(connection.clone(), "limits", Limits::new([window, funnel]))).await;
    awaited(leased(connection.clone(), "leased", per_hour(3))).await;
    leaderboard::awaited(connection.clone()).await;
    queues::awaited(connection).await;
}

fn blocking<M: Connect>(limiter: &Keyed<Pool<M>, impl ServerLimiter>) {
    for remaining in [2, 1, 0] {
        assert_eq!(limiter.check("ann").unwrap().remaining, remaining);
    }
    assert!(limiter.over_limit("ann").unwrap());
    assert_eq!(limiter.refund("ann", 2).unwrap(), 2);
    limiter.record("ann", 1).unwrap();
    assert_eq!(limiter.peek_n("ann", 0).unwrap().remaining, 1);
    assert!(limiter.check_n(&[0xFF, 0, b'\r', b'\n'], 3).unwrap().is_allowed());
    assert!(limiter.reset("ann").unwrap());
    assert!(!limiter.reset("ann").unwrap());
}

fn all_blocking<M: Connect>(pool: &Pool<M>) {
    let [window, .., counter] = algorithms(per_hour(3));
    for limiter in algorithms(per_hour(3)) {
        println!("blocking: {limiter:?}");
        blocking(&keyed(pool.clone(), "blocking", limiter));
    }
    blocking(&keyed(pool.clone(), "blocking limits", Limits::new([counter, window])));
}

#[test]
fn everything_works_over_each_connection_to_a_server() {
    for server in Server::of_each_kind() {
        all_blocking(&server.pool());
        block_on(async {
            all_awaited(server.multiplexed().await).await;
            server.ask("FLUSHALL");
            all_awaited(manager(&server.client()).await).await;
        });
    }
}

#[test]
fn everything_works_over_each_connection_to_a_cluster() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    all_blocking(&cluster.pool());
    block_on(async { all_awaited(cluster.connect().await).await });
}
