//! The address of the server moves to another server, and connections to the first stay open.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::aio::ConnectionManagerConfig;
use tokio::runtime::Runtime;
use zset_redis::blocking::{self, Pool};
use zset_redis::{DelayQueue, Keyed, Leaderboard, LeasedWindow, OnFailure};
use zset_std::Funnel;

use crate::limiters::{KEY, lasting_quota};
use crate::servers::{Forwarder, Kind, PATIENCE, Server, fake};

/// `REPLICAOF`: the demoted primary refuses all calls, and each succeeds at the new one.
fn demote(kind: Kind) {
    let Some(old) = Server::start(kind) else { return };
    let new = Server::start(kind).expect("it is installed");
    let runtime = Runtime::new().unwrap();
    let forwarder = Forwarder::to(&old);
    let client = forwarder.client();
    let quota = lasting_quota();

    let pool = Pool::new(client.clone());
    let blocking = Keyed::new(pool.clone(), "moved", Funnel::new(quota), OnFailure::Error).unwrap();
    let blocking = blocking.with_deadline(PATIENCE);
    let config = ConnectionManagerConfig::new().set_response_timeout(None);
    let manager = runtime.block_on(client.get_connection_manager_with_config(config)).unwrap();
    let funnel =
        Keyed::new(manager.clone(), "moved", Funnel::new(quota), OnFailure::Error).unwrap();
    let funnel = funnel.with_deadline(PATIENCE);
    let leased = LeasedWindow::new(manager.clone(), "moved", quota, OnFailure::Error).unwrap();
    let leased = leased.with_deadline(PATIENCE);
    let board = Leaderboard::new(manager.clone(), "moved").with_deadline(PATIENCE);
    let queue = DelayQueue::new(manager, "moved").with_deadline(PATIENCE);
    let blocking_board = blocking::Leaderboard::new(pool, "moved").with_deadline(PATIENCE);

    let call_all = |round: u32| {
        assert!(blocking.check(KEY).unwrap().is_allowed());
        blocking_board.submit("bob", round).unwrap();
        runtime.block_on(async {
            // Many concurrent calls, which replace the connection together.
            let calls: Vec<_> = (0..20)
                .map(|key: u32| {
                    let funnel = funnel.clone();
                    tokio::spawn(async move { funnel.check(&key.to_string()).await })
                })
                .collect();
            for call in calls {
                assert!(call.await.unwrap().unwrap().is_allowed());
            }
            board.submit("ann", round).await.unwrap();
            queue.push_after("x", Duration::ZERO).await.unwrap();
            assert!(leased.check(&round.to_string()).await.unwrap().is_allowed());
        });
    };
    call_all(0);
    for (from, to) in [(&old, &new), (&new, &old)] {
        to.ask("REPLICAOF NO ONE");
        from.ask(&format!("REPLICAOF 127.0.0.1 {}", to.port));
        forwarder.move_to(to);
        call_all(1);
        wait_for_link(from);
    }
}

fn wait_for_link(replica: &Server) {
    let start = Instant::now();
    while !replica.ask("INFO replication").contains("master_link_status:up") {
        assert!(start.elapsed() < PATIENCE, "the replica has no data");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn redis() {
    demote(Kind::Redis);
}

#[test]
fn valkey() {
    demote(Kind::Valkey);
}

/// Returns the client of a server that refuses all commands on its first connection, and the number
/// of its connections.
fn refusing_first(refusal: &'static str) -> (redis::Client, Arc<AtomicU32>) {
    fake(move |connection, to| {
        let reply = if connection == 0 { format!("-{refusal}\r\n") } else { ":1\r\n".to_owned() };
        let _ = to.write_all(reply.as_bytes());
    })
}

#[test]
fn a_call_that_a_server_has_refused_is_repeated_over_a_new_connection() {
    for refusal in ["READONLY a replica", "MASTERDOWN no link", "LOADING the data"] {
        let (client, connections) = refusing_first(refusal);
        let pool = Pool::new(client);
        let limiter = Keyed::new(pool, "moved", Funnel::new(lasting_quota()), OnFailure::Error);
        let limiter = limiter.unwrap().with_deadline(PATIENCE);
        // A connection that the call itself has opened is not replaced.
        assert!(limiter.reset(KEY).is_err());
        assert!(limiter.reset(KEY).unwrap());
        assert_eq!(connections.load(Ordering::SeqCst), 2, "{refusal}");
    }
}

/// The manager opens its connection before the first call.
#[test]
fn a_manager_repeats_a_call_that_a_server_has_refused_over_a_new_connection() {
    let runtime = Runtime::new().unwrap();
    for refusal in ["READONLY a replica", "MASTERDOWN no link", "LOADING the data"] {
        let (client, connections) = refusing_first(refusal);
        runtime.block_on(async {
            let config = ConnectionManagerConfig::new().set_response_timeout(None);
            let manager = client.get_connection_manager_with_config(config).await.unwrap();
            let limiter =
                Keyed::new(manager, "moved", Funnel::new(lasting_quota()), OnFailure::Error);
            assert!(limiter.unwrap().with_deadline(PATIENCE).reset(KEY).await.unwrap());
        });
        assert_eq!(connections.load(Ordering::SeqCst), 2, "{refusal}");
    }
}

/// Commands sent after the one that closes a connection get no reply.
#[test]
fn a_connection_is_not_replaced_under_other_calls() {
    let runtime = Runtime::new().unwrap();
    for _ in 0..8 {
        let (client, connections) = refusing_first("READONLY a replica");
        runtime.block_on(async {
            let config = ConnectionManagerConfig::new().set_response_timeout(None);
            let manager = client.get_connection_manager_with_config(config).await.unwrap();
            let limiter =
                Keyed::new(manager, "moved", Funnel::new(lasting_quota()), OnFailure::Error);
            let limiter = limiter.unwrap().with_deadline(PATIENCE);
            let calls: Vec<_> = (0..1000)
                .map(|_| {
                    let limiter = limiter.clone();
                    tokio::spawn(async move { limiter.reset(KEY).await })
                })
                .collect();
            for call in calls {
                assert!(call.await.unwrap().unwrap());
            }
        });
        assert_eq!(connections.load(Ordering::SeqCst), 2);
    }
}
