//! Steps at the server's time, over blocking connections.
//!
//! The time of an allowed step is on record on the server. That of a denied one is between two calls of TIME, so
//! the decision must be that of a time between them. Durations are rounded up to microseconds.

use std::thread::sleep;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use redis::Connection;
use zset_redis::blocking::{Limits, Pool};
use zset_redis::{OnFailure, Rule};
use zset_std::{
    AnyLimiter, Decision, FixedWindow, Funnel, Limiter, Quota, Timestamp, Verdict, WindowCounter,
    WindowLog,
};

use super::servers::{Kind, PATIENCE, Server, log, numbers};
use super::{SEED, variable};

const STEPS: u32 = 2000;

fn time(connection: &mut Connection) -> u64 {
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(connection).unwrap();
    seconds * 1_000_000 + micros
}

/// Returns the latest time on record for a key, or `None` if it has expired.
fn recorded(connection: &mut Connection, key: &str) -> Option<u64> {
    if key.contains("sliding_window") {
        return log(connection, key).last().map(|&(time, _)| time);
    }
    let state: Option<Vec<u8>> = redis::cmd("GET").arg(key).query(connection).unwrap();
    numbers(&state?).last().copied()
}

fn rounded(decision: Decision) -> Decision {
    let round = |duration: Duration| {
        Duration::from_nanos((duration.as_nanos() as u64).next_multiple_of(1000))
    };
    let verdict = match decision.verdict {
        Verdict::Denied { retry_after } => Verdict::Denied { retry_after: round(retry_after) },
        verdict => verdict,
    };
    Decision { verdict, reset_after: round(decision.reset_after), ..decision }
}

fn compare(server: &Server, rule: Rule, mut reference: AnyLimiter, key: &str) {
    let seed = variable("ZSET_SEED", SEED);
    let mut random = SmallRng::seed_from_u64(seed);
    let limits = Limits::all(Pool::new(server.client()), "clock", [rule], OnFailure::Deny).unwrap();
    let limits = limits.with_deadline(PATIENCE);
    let (mut connection, mut allowed) = (server.connection(), 0);
    for step in 0..STEPS {
        if random.random_ratio(1, 20) {
            sleep(Duration::from_micros(random.random_range(0..5000)));
        }
        let n = random.random_range(0..5).min(3);
        let start = time(&mut connection);
        let ours = limits.check_n("ann", n).unwrap();
        let end = time(&mut connection);
        let at = |micros: u64| Timestamp::from_nanos(micros * 1000);
        let is_taken = ours.is_allowed() && n > 0;
        allowed += u32::from(is_taken);
        let now = if is_taken { recorded(&mut connection, key) } else { None };
        let is_same = if let Some(now) = now {
            assert!((start..=end).contains(&now), "{now} is not in {start}..={end}");
            rounded(reference.check_n_at(n, at(now))) == ours
        } else {
            // Units that have expired no longer count, so the reference need not record them.
            (start..=end).any(|now| rounded(reference.peek_at(n, at(now))) == ours)
        };
        assert!(is_same, "{rule:?}, ZSET_SEED={seed}, step {step}, {n} units: {ours:?}");
    }
    assert!((STEPS / 20..STEPS * 19 / 20).contains(&allowed), "{rule:?}: {allowed} allowed");
}

fn compare_all(kind: Kind) {
    let Some(server) = Server::start(kind) else { return };
    let quota = Quota::new(131, Duration::from_millis(97)).unwrap();
    let key = |limiter| format!("clock:{{ann}}:{limiter}:0");
    compare(
        &server,
        Rule::sliding_window(quota).unwrap(),
        WindowLog::new(quota).into(),
        &key("sliding_window"),
    );
    compare(&server, Rule::funnel(quota).unwrap(), Funnel::new(quota).into(), &key("funnel"));
    compare(
        &server,
        Rule::fixed_window(quota).unwrap(),
        FixedWindow::new(quota).into(),
        &key("fixed_window"),
    );
    compare(
        &server,
        Rule::window_counter(quota).unwrap(),
        WindowCounter::new(quota).into(),
        &key("window_counter"),
    );
}

#[test]
fn redis() {
    compare_all(Kind::Redis);
}

#[test]
fn valkey() {
    compare_all(Kind::Valkey);
}
