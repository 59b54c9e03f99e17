//! The memory of keys on a server, as stated in the guide.

#![cfg(unix)]

mod servers;

use std::time::Duration;

use redis::Connection;
use zset_redis::blocking::{Limits, Pool};
use zset_redis::{OnFailure, Rule};
use zset_std::Quota;

use servers::{Kind, PATIENCE, Server};

/// The most entries that a sorted set stores compactly.
const COMPACT: u64 = 128;

fn memory(connection: &mut Connection, limiter: &str, index: usize) -> u64 {
    let key = format!("memory:{{ann}}:{limiter}:{index}");
    // With few entries it would be an estimate, since their nodes have random heights.
    redis::cmd("MEMORY").arg("USAGE").arg(key).arg("SAMPLES").arg(0).query(connection).unwrap()
}

#[test]
fn keys_take_as_much_as_the_guide_says() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let quota = Quota::new(u32::MAX, Duration::from_secs(3600)).unwrap();
    let rules = [
        Rule::sliding_window(quota).unwrap(),
        Rule::funnel(quota).unwrap(),
        Rule::fixed_window(quota).unwrap(),
        Rule::window_counter(quota).unwrap(),
    ];
    let limits = Limits::all(Pool::new(server.client()), "memory", rules, OnFailure::Deny);
    let (limits, mut connection) = (limits.unwrap().with_deadline(PATIENCE), server.connection());
    for calls in 1..=5000 {
        assert!(limits.check("ann").unwrap().is_allowed());
        let log = |connection: &mut Connection| memory(connection, "sliding_window", 0) / calls;
        match calls {
            COMPACT => assert!(log(&mut connection) < 36),
            5000 => assert!((100..140).contains(&log(&mut connection)), "{}", log(&mut connection)),
            _ => {}
        }
    }
    for (index, limiter) in [(1, "funnel"), (2, "fixed_window"), (3, "window_counter")] {
        let memory = memory(&mut connection, limiter, index);
        assert!(memory <= 150, "{limiter}: {memory}");
    }
}
