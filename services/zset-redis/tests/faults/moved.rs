//! Moves the address of a server to another server, while connections to the first server stay
//! open.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use zset_redis::blocking::{self, Pool};
use zset_redis::{DelayQueue, Leaderboard};

use crate::limiters::{KEY, lasting_funnel, lasting_quota};
use crate::servers::{Forwarder, PATIENCE, Server, block_on, fake, keyed, leased, manager};

/// `REPLICAOF`: the demoted primary refuses all calls, and each succeeds at the new one.
#[test]
fn calls_follow_the_address_from_a_demoted_primary_to_the_new_one() {
    for old in Server::of_each_kind() {
        let new = Server::start(old.kind).expect("it is installed");
        let runtime = Runtime::new().unwrap();
        let forwarder = Forwarder::to(&old);
        let client = forwarder.client();

        let pool = Pool::new(client.clone());
        let blocking = keyed(pool.clone(), "moved", lasting_funnel());
        let blocking_board = blocking::Leaderboard::new(pool, "moved").with_deadline(PATIENCE);
        let manager = runtime.block_on(manager(&client));
        let funnels = [(); 4].map(|()| keyed(manager.clone(), "moved", lasting_funnel()));
        let leased = leased(manager.clone(), "moved", lasting_quota());
        let board = Leaderboard::new(manager.clone(), "moved").with_deadline(PATIENCE);
        let queue = DelayQueue::new(manager, "moved").with_deadline(PATIENCE);

        let call_all = |round: u32| {
            assert!(blocking.check(KEY).unwrap().is_allowed());
            blocking_board.submit("bob", round).unwrap();
            runtime.block_on(async {
                // After a move, many concurrent calls find that their connection must be replaced.
                let mut calls = JoinSet::new();
                for key in 0..400 {
                    let funnel = funnels[key % funnels.len()].clone();
                    calls.spawn(async move { funnel.check(&key.to_string()).await });
                }
                for decision in calls.join_all().await {
                    assert!(decision.unwrap().is_allowed());
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
            from.wait_until_replicated();
        }
    }
}

/// The replies of servers that refuse all commands.
const REFUSALS: [&str; 3] = ["READONLY a replica", "MASTERDOWN no link", "LOADING the data"];

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
    for refusal in REFUSALS {
        let (client, connections) = refusing_first(refusal);
        let limiter = keyed(Pool::new(client), "moved", lasting_funnel());
        // This call has itself opened the connection, so the connection is not replaced.
        assert!(limiter.reset(KEY).is_err());
        assert!(limiter.reset(KEY).unwrap());
        assert_eq!(connections.load(Ordering::SeqCst), 2, "{refusal}");
    }
}

/// The manager opens its connection before the first call, so that call is repeated too.
#[test]
fn a_manager_repeats_a_call_that_a_server_has_refused_over_a_new_connection() {
    for refusal in REFUSALS {
        let (client, connections) = refusing_first(refusal);
        block_on(async {
            let limiter = keyed(manager(&client).await, "moved", lasting_funnel());
            assert!(limiter.reset(KEY).await.unwrap());
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
    block_on(async {
        let mut limiters = Vec::new();
        for _ in 0..managers {
            let manager = manager(&client).await;
            limiters.extend(
                (0..limiters_of_each).map(|_| keyed(manager.clone(), "moved", lasting_funnel())),
            );
        }
        let mut calls = JoinSet::new();
        for call in 0..1000 {
            let limiter = limiters[call % limiters.len()].clone();
            calls.spawn(async move { limiter.reset(KEY).await });
        }
        for reset in calls.join_all().await {
            assert!(reset.unwrap());
        }
    });
    connections.load(Ordering::SeqCst) - managers
}

#[test]
fn a_connection_is_replaced_once_and_not_under_other_calls() {
    for (managers, limiters_of_each, replaced) in [
        (1, 1, 1..=1),
        (1, 5, 1..=1),
        (3, 1, 3..=3),
        // The managers have the same settings, so a limiter cannot tell whose connection another
        // limiter has replaced, and may replace a connection again.
        (3, 2, 3..=6),
    ] {
        for _ in 0..8 {
            let new = replace(managers, limiters_of_each);
            assert!(replaced.contains(&new), "{managers}, {limiters_of_each}: {new}");
        }
    }
}
