//! Each limiter over each kind of connection.

use std::time::Duration;

use crate::servers::{Cluster, Kind, PATIENCE, Server};
use redis::aio::ConnectionManagerConfig;
use zset_redis::blocking::{Connect, Pool};
use zset_redis::{AsyncConnection, Keyed, LimiterError, OnFailure, ServerLimiter};
use zset_std::{
    AnyLimiter, AsyncKeyedLimiter, FixedWindow, Funnel, Limits, Quota, SlidingWindow, WindowCounter,
};

fn quota() -> Quota {
    Quota::new(3, Duration::from_secs(3600)).unwrap()
}

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
}

/// Tests each limiter over a connection.
async fn all_awaited<C: AsyncConnection>(connection: C, name: &str) {
    let new = || (connection.clone(), name, quota(), OnFailure::Error);
    let (c, name, quota, deny) = new();
    awaited(Keyed::new(c, name, SlidingWindow::new(quota), deny).unwrap().with_deadline(PATIENCE))
        .await;
    let (c, name, quota, deny) = new();
    awaited(Keyed::new(c, name, Funnel::new(quota), deny).unwrap().with_deadline(PATIENCE)).await;
    let (c, name, quota, deny) = new();
    awaited(Keyed::new(c, name, FixedWindow::new(quota), deny).unwrap().with_deadline(PATIENCE))
        .await;
    let (c, name, quota, deny) = new();
    awaited(Keyed::new(c, name, WindowCounter::new(quota), deny).unwrap().with_deadline(PATIENCE))
        .await;
    let rules = [AnyLimiter::from(SlidingWindow::new(quota)), AnyLimiter::from(Funnel::new(quota))];
    let limits =
        Keyed::new(connection, &format!("{name} limits"), Limits::new(rules), OnFailure::Error);
    awaited(limits.unwrap().with_deadline(PATIENCE)).await;
}

fn all_blocking<M: Connect>(pool: &Pool<M>) {
    fn check<M: Connect, L: ServerLimiter>(limiter: &Keyed<Pool<M>, L>) {
        let limiter = limiter.clone().with_deadline(PATIENCE);
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
    let new = || (pool.clone(), "blocking", quota(), OnFailure::Error);
    let (p, name, quota, deny) = new();
    check(&Keyed::new(p, name, SlidingWindow::new(quota), deny).unwrap());
    let (p, name, quota, deny) = new();
    check(&Keyed::new(p, name, Funnel::new(quota), deny).unwrap());
    let (p, name, quota, deny) = new();
    check(&Keyed::new(p, name, FixedWindow::new(quota), deny).unwrap());
    let (p, name, quota, deny) = new();
    check(&Keyed::new(p, name, WindowCounter::new(quota), deny).unwrap());
    let rules =
        [AnyLimiter::from(WindowCounter::new(quota)), AnyLimiter::from(SlidingWindow::new(quota))];
    check(
        &Keyed::new(pool.clone(), "blocking limits", Limits::new(rules), OnFailure::Error).unwrap(),
    );
}

fn one_server(kind: Kind) {
    let Some(server) = Server::start(kind) else { return };
    all_blocking(&Pool::new(server.client()));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let multiplexed = server.multiplexed().await;
        all_awaited(multiplexed, "multiplexed").await;
        let config = ConnectionManagerConfig::new().set_response_timeout(None);
        let manager = server.client().get_connection_manager_with_config(config).await.unwrap();
        all_awaited(manager, "manager").await;
    });
}

#[test]
fn redis() {
    one_server(Kind::Redis);
}

#[test]
fn valkey() {
    one_server(Kind::Valkey);
}

#[test]
fn cluster() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    all_blocking(&Pool::new(cluster.client()));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        all_awaited(cluster.client().get_async_connection().await.unwrap(), "cluster").await;
    });
}
