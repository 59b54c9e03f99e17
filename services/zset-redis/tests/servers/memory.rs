//! The memory of keys on a server, as stated in the guide.

use std::time::Duration;

use redis::Connection;
use zset_redis::blocking::Pool;
use zset_redis::{Keyed, OnFailure};
use zset_std::{AnyLimiter, FixedWindow, Funnel, Limits, Quota, SlidingWindow, WindowCounter};

use crate::servers::{Kind, PATIENCE, Server};

/// The maximum number of entries of a listpack.
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
        AnyLimiter::from(SlidingWindow::new(quota)),
        AnyLimiter::from(Funnel::new(quota)),
        AnyLimiter::from(FixedWindow::new(quota)),
        AnyLimiter::from(WindowCounter::new(quota)),
    ];
    let limits =
        Keyed::new(Pool::new(server.client()), "memory", Limits::new(rules), OnFailure::Error);
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

/// Bytes of `used_memory` for each key of each limiter.
mod of_many_keys {
    use std::env;
    use std::io::{self, Write};
    use std::num::NonZeroU32;
    use std::time::Duration;

    use redis::aio::MultiplexedConnection;
    use tokio::runtime::Runtime;
    use tokio::task::JoinSet;
    use zset_redis::{Keyed, OnFailure, ServerLimiter, UnsupportedQuota};
    use zset_std::limit::Block;
    use zset_std::{FixedWindow, Funnel, Penalty, Quota, SlidingWindow, WindowCounter};

    use crate::servers::{Kind, PATIENCE, Server};

    /// The calls of a key: with the quota that is used here, the second one is denied.
    const ONE: u32 = 1;
    const ONE_AND_A_DENIAL: u32 = 2;

    /// The number of keys; docs/many-machines.md has the results for a million.
    fn keys() -> usize {
        env::var("ZSET_KEYS").map_or(20_000, |keys| keys.parse().expect("ZSET_KEYS is a number"))
    }

    fn used_memory(server: &Server) -> u64 {
        let info = server.ask("INFO memory");
        let line = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
        line.and_then(|bytes| bytes.trim().parse().ok()).expect("INFO has used_memory")
    }

    /// Makes these calls for each key, and returns the bytes a key.
    fn measure<L: ServerLimiter>(
        kind: Kind,
        limiter: impl FnOnce(
            MultiplexedConnection,
        ) -> Result<Keyed<MultiplexedConnection, L>, UnsupportedQuota>,
        calls: u32,
    ) -> Option<u64> {
        const LANES: usize = 200;

        let (server, keys) = (Server::start(kind)?, keys());
        let runtime = Runtime::new().unwrap();
        let grown = runtime.block_on(async {
            let connection = server.multiplexed().await;
            let limiter = limiter(connection).unwrap().with_deadline(PATIENCE);
            // Loads the script, and grows the buffers to their final size.
            let _ = limiter.check("").await.unwrap();
            let before = used_memory(&server);
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
            used_memory(&server) - before
        });
        Some(grown / keys as u64)
    }

    fn measure_all(kind: Kind) {
        let quota = Quota::new(1, Duration::from_secs(24 * 3600)).unwrap();
        let block = Block::after(NonZeroU32::new(3).unwrap(), Duration::from_secs(24 * 3600));
        let name = "requests";
        for (title, bytes) in [
            (
                "Funnel",
                measure(kind, |c| Keyed::new(c, name, Funnel::new(quota), OnFailure::Error), ONE),
            ),
            (
                "SlidingWindow",
                measure(
                    kind,
                    |c| Keyed::new(c, name, SlidingWindow::new(quota), OnFailure::Error),
                    ONE,
                ),
            ),
            (
                "FixedWindow",
                measure(
                    kind,
                    |c| Keyed::new(c, name, FixedWindow::new(quota), OnFailure::Error),
                    ONE,
                ),
            ),
            (
                "WindowCounter",
                measure(
                    kind,
                    |c| Keyed::new(c, name, WindowCounter::new(quota), OnFailure::Error),
                    ONE,
                ),
            ),
            (
                "Funnel with a penalty, after a denial",
                measure(
                    kind,
                    |c| {
                        let funnel = Penalty::new(Funnel::new(quota), block);
                        Keyed::new(c, name, funnel, OnFailure::Error)
                    },
                    ONE_AND_A_DENIAL,
                ),
            ),
        ] {
            let Some(bytes) = bytes else { return };
            // Not with `eprintln`, whose output only failing tests show.
            let _ = writeln!(io::stderr(), "{kind:?}, {} keys: {title} {bytes} bytes", keys());
            assert!((60..600).contains(&bytes), "{title}: {bytes} bytes a key");
        }
    }

    #[test]
    fn a_key_takes_as_much_as_the_guide_says_on_redis() {
        measure_all(Kind::Redis);
    }

    #[test]
    fn a_key_takes_as_much_as_the_guide_says_on_valkey() {
        measure_all(Kind::Valkey);
    }
}
