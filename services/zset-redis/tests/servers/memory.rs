//! Tests that keys need as much memory on a server as the guide states.

use std::env;
use std::io::{self, Write};
use std::num::NonZeroU32;

use redis::Connection;
use tokio::task::JoinSet;
use zset_redis::ServerLimiter;
use zset_std::limit::Block;
use zset_std::{Funnel, Limits, Penalty, Quota};

use crate::servers::{HOUR, Kind, NAMES, Server, algorithms, block_on, keyed, per_hour};

/// The maximum number of entries in a listpack.
const COMPACT: u64 = 128;

fn memory(connection: &mut Connection, limiter: &str, index: usize) -> u64 {
    let key = format!("memory:{{ann}}:{limiter}:{index}");
    // `SAMPLES 0` measures all entries. A few samples would give an estimate, since the nodes of
    // entries have random heights.
    redis::cmd("MEMORY").arg("USAGE").arg(key).arg("SAMPLES").arg(0).query(connection).unwrap()
}

#[test]
fn keys_take_as_much_as_the_guide_says() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let limits = server.keyed("memory", Limits::new(algorithms(per_hour(u32::MAX))));
    let mut connection = server.connection();
    let check = |times| (0..times).for_each(|_| assert!(limits.check("ann").unwrap().is_allowed()));
    check(COMPACT);
    assert!(memory(&mut connection, "sliding_window", 0) / COMPACT < 36);
    check(5000 - COMPACT);
    let entry = memory(&mut connection, "sliding_window", 0) / 5000;
    assert!((100..140).contains(&entry), "{entry}");
    for (index, limiter) in NAMES.into_iter().enumerate().skip(1) {
        let memory = memory(&mut connection, limiter, index);
        assert!(memory <= 150, "{limiter}: {memory}");
    }
}

/// The number of keys; docs/many-machines.md has the results for a million.
fn keys() -> usize {
    env::var("ZSET_KEYS").map_or(20_000, |keys| keys.parse().expect("ZSET_KEYS is a number"))
}

/// Makes `calls` calls for each key, and prints and checks the growth of `used_memory` per key.
fn measure(kind: Kind, title: &str, limiter: impl ServerLimiter + Clone, calls: u32) {
    const LANES: usize = 200;

    let Some(server) = Server::start(kind) else { return };
    let keys = keys();
    let grown = block_on(async {
        let limiter = keyed(server.multiplexed().await, "requests", limiter);
        // This call loads the script, and grows the buffers to their final size.
        let _ = limiter.check("").await.unwrap();
        let before = server.info("used_memory");
        let mut lanes = JoinSet::new();
        for lane in 0..LANES {
            let limiter = limiter.clone();
            lanes.spawn(async move {
                for key in (lane..keys).step_by(LANES) {
                    for _ in 0..calls {
                        let _ = limiter.check(&format!("{key:013}")).await.unwrap();
                    }
                }
            });
        }
        lanes.join_all().await;
        server.info("used_memory") - before
    });
    let bytes = grown / keys as u64;
    // Unlike the output of `eprintln`, this line is also shown for tests that pass.
    let _ = writeln!(io::stderr(), "{kind:?}, {keys} keys: {title} {bytes} bytes");
    assert!((60..600).contains(&bytes), "{title}: {bytes} bytes a key");
}

#[test]
fn a_key_takes_as_much_as_the_guide_says() {
    let quota = Quota::new(1, 24 * HOUR).unwrap();
    let block = Block::after(NonZeroU32::new(3).unwrap(), 24 * HOUR);
    for kind in Kind::each() {
        for (title, limiter) in NAMES.into_iter().zip(algorithms(quota)) {
            measure(kind, title, limiter, 1);
        }
        // The second call for each key is denied.
        let penalty = Penalty::new(Funnel::new(quota), block);
        measure(kind, "funnel with a penalty, after a denial", penalty, 2);
    }
}
