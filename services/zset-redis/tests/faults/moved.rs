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
    let funnels: Vec<_> = (0..4)
        .map(|_| {
            let funnel = Funnel::new(quota);
            let funnel = Keyed::new(manager.clone(), "moved", funnel, OnFailure::Error);
            funnel.unwrap().with_deadline(PATIENCE)
        })
        .collect();
    let leased = LeasedWindow::new(manager.clone(), "moved", quota, OnFailure::Error).unwrap();
    let leased = leased.with_deadline(PATIENCE);
    let board = Leaderboard::new(manager.clone(), "moved").with_deadline(PATIENCE);
    let queue = DelayQueue::new(manager, "moved").with_deadline(PATIENCE);
    let blocking_board = blocking::Leaderboard::new(pool, "moved").with_deadline(PATIENCE);

    let call_all = |round: u32| {
        assert!(blocking.check(KEY).unwrap().is_allowed());
        blocking_board.submit("bob", round).unwrap();
        runtime.block_on(async {
            // Many concurrent calls of several limiters, which replace the connection together.
            let calls: Vec<_> = (0..400)
                .map(|key: usize| {
                    let funnel = funnels[key % funnels.len()].clone();
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

/// Opens managers to a server that refuses all commands over their first connections, and makes
/// 1000 calls through limiters over them at the same time. No call may fail. Returns the number of
/// new connections.
///
/// Commands sent after the one that closes a connection get no reply.
fn replace(managers: u32, limiters_of_each: u32) -> u32 {
    let (client, connections) = fake(move |connection, to| {
        let is_refused = connection < managers;
        let reply: &[u8] = if is_refused { b"-READONLY a replica\r\n" } else { b":1\r\n" };
        let _ = to.write_all(reply);
    });
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let mut limiters = Vec::new();
        for _ in 0..managers {
            let config = ConnectionManagerConfig::new().set_response_timeout(None);
            let manager = client.get_connection_manager_with_config(config).await.unwrap();
            limiters.extend((0..limiters_of_each).map(|_| {
                let funnel = Funnel::new(lasting_quota());
                let limiter = Keyed::new(manager.clone(), "moved", funnel, OnFailure::Error);
                limiter.unwrap().with_deadline(PATIENCE)
            }));
        }
        let calls: Vec<_> = (0..1000)
            .map(|call| {
                let limiter = limiters[call % limiters.len()].clone();
                tokio::spawn(async move { limiter.reset(KEY).await })
            })
            .collect();
        for call in calls {
            assert!(call.await.unwrap().unwrap());
        }
    });
    connections.load(Ordering::SeqCst) - managers
}

#[test]
fn a_connection_is_not_replaced_under_other_calls() {
    for _ in 0..8 {
        assert_eq!(replace(1, 1), 1);
    }
}

#[test]
fn limiters_over_clones_of_a_manager_replace_its_connection_once() {
    for _ in 0..8 {
        assert_eq!(replace(1, 5), 1);
    }
}

/// The managers have the same settings, so a limiter cannot know whose connection was replaced.
#[test]
fn limiters_over_several_managers_replace_the_connection_of_each() {
    for _ in 0..4 {
        assert_eq!(replace(3, 1), 3);
        assert!((3..=6).contains(&replace(3, 2)));
    }
}
