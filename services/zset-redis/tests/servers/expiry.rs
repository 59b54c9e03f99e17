//! Tests that keys do not expire while their units count, that no key is kept forever, and that a
//! denial writes nothing.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use redis::Connection;
use zset_std::{Limits, Quota};

use crate::servers::{Server, algorithms, log, numbers, per_hour};

const PERIOD: Duration = Duration::from_secs(1);

fn quota() -> Quota {
    Quota::new(3, PERIOD).unwrap()
}

/// Returns the keys, each with its value and its expiry time in milliseconds.
fn keys(connection: &mut Connection) -> BTreeMap<String, (Vec<u8>, i64)> {
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(connection).unwrap();
    let mut state = |key: &String| {
        let value = redis::cmd("DUMP").arg(key).query(connection).unwrap();
        (value, redis::cmd("PEXPIRETIME").arg(key).query(connection).unwrap())
    };
    keys.iter().map(|key| (key.clone(), state(key))).collect()
}

/// Returns the time until which the recorded units of a key count, in microseconds.
fn counts_until(connection: &mut Connection, key: &str) -> u64 {
    let period = PERIOD.as_micros() as u64;
    if key.contains("sliding_window") {
        return log(connection, key).last().unwrap().0 + period;
    }
    let numbers = numbers(&redis::cmd("GET").arg(key).query::<Vec<u8>>(connection).unwrap());
    match (key.split(':').nth(2).unwrap(), &numbers[..]) {
        ("funnel", [whole, part, ..]) => whole + u64::from(*part > 0),
        ("fixed_window", [_, newest]) => (newest / period + 1) * period,
        ("window_counter", [_, _, newest]) => (newest / period + 2) * period,
        _ => panic!("{key} has {numbers:?}"),
    }
}

#[test]
fn keys_expire_after_their_units() {
    for server in Server::of_each_kind() {
        let limits = server.keyed("expiry", Limits::new(algorithms(quota())));
        let mut connection = server.connection();
        let mut check = |step: &str| {
            let keys = keys(&mut connection);
            assert_eq!(keys.len(), 4, "{step}: {keys:?}");
            for (key, (_, expires)) in keys {
                let counts_until = counts_until(&mut connection, &key);
                // Expiry times are in milliseconds, and the key of a fixed window is kept for one
                // more period.
                let longest = counts_until + PERIOD.as_micros() as u64 + 1000;
                let expires = u64::try_from(expires).expect("the key expires") * 1000;
                assert!((counts_until..=longest).contains(&expires), "{step}: {key} {expires}");
            }
        };
        assert!(limits.check_n("ann", 2).unwrap().is_allowed());
        check("after a check");
        assert_eq!(limits.refund("ann", 1).unwrap(), 1);
        check("after a refund");
        limits.record("ann", 2).unwrap();
        check("after a record");
        sleep(2 * PERIOD + Duration::from_millis(5));
        assert_eq!(keys(&mut connection).len(), 0);

        // After a refund of all units, no key is left without an expiry time.
        assert!(limits.check_n("ann", 3).unwrap().is_allowed());
        limits.refund("ann", 3).unwrap();
        sleep(2 * PERIOD + Duration::from_millis(5));
        assert_eq!(keys(&mut connection).len(), 0);
    }
}

/// The units are allowed after exactly the wait that a denial reports, by the server's clock.
#[test]
fn waiting_is_enough() {
    for server in Server::of_each_kind() {
        for rule in algorithms(quota()) {
            let limiter = server.keyed("wait", rule);
            for n in [3, 1, 2, 3] {
                let peeked = limiter.peek_n("ann", n).unwrap();
                sleep(peeked.retry_after().unwrap());
                assert!(limiter.check_n("ann", n).unwrap().is_allowed(), "{rule:?}: {peeked:?}");
            }
        }
    }
}

#[test]
fn calls_that_take_no_units_write_nothing() {
    for server in Server::of_each_kind() {
        let [window, funnel, ..] = algorithms(per_hour(3));
        let limits = server.keyed("denied", Limits::new([window, funnel]));
        let mut connection = server.connection();
        assert!(limits.check_n("ann", 0).unwrap().is_allowed());
        assert!(!limits.check_n("ann", 4).unwrap().is_allowed());
        assert!(limits.peek_n("ann", 3).unwrap().is_allowed());
        limits.record("ann", 0).unwrap();
        assert_eq!(limits.refund("ann", 5).unwrap(), 0);
        assert_eq!(keys(&mut connection).len(), 0);

        assert!(limits.check_n("ann", 3).unwrap().is_allowed());
        let before = keys(&mut connection);
        assert_eq!(before.len(), 2);
        for n in 0..5 {
            let _ = (limits.check_n("ann", n).unwrap(), limits.peek_n("ann", n).unwrap());
        }
        assert_eq!(keys(&mut connection), before);
    }
}
