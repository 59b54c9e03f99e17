//! Steps at the server's time, over blocking connections.
//!
//! A second limit, which never denies, has a log of the times of all allowed units. The time of a denial is
//! between two calls of TIME, so the decision must be that of a time between them. Durations are rounded up to
//! microseconds.

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

use super::servers::{Kind, PATIENCE, Server};
use super::{SEED, variable};

const STEPS: u32 = 2000;

fn time(connection: &mut Connection) -> u64 {
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(connection).unwrap();
    seconds * 1_000_000 + micros
}

/// Returns the time of the last units that were allowed.
fn recorded(connection: &mut Connection, key: &str) -> u64 {
    let mut last = redis::cmd("ZRANGE");
    let last: [(String, u64); 1] =
        last.arg(key).arg(&[-1, -1]).arg("WITHSCORES").query(connection).unwrap();
    last[0].1
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

fn compare(server: &Server, rule: Rule, mut reference: AnyLimiter) {
    let seed = variable("ZSET_SEED", SEED);
    let mut random = SmallRng::seed_from_u64(seed);
    let all_units = Quota::new(u32::MAX, Duration::from_secs(3600)).unwrap();
    let rules = [rule, Rule::sliding_window(all_units).unwrap()];
    let name = format!("{rule:?}").replace(['{', '}'], "");
    let log = format!("{name}:{{ann}}:sliding_window:1");
    let limits = Limits::all(Pool::new(server.client()), &name, rules, OnFailure::Deny).unwrap();
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
        let is_same = if ours.is_allowed() && n > 0 {
            allowed += 1;
            let now = recorded(&mut connection, &log);
            assert!((start..=end).contains(&now), "{now} is not in {start}..={end}");
            rounded(reference.check_n_at(n, at(now))) == ours
        } else {
            (start..=end).any(|now| rounded(reference.peek_at(n, at(now))) == ours)
        };
        assert!(is_same, "{rule:?}, ZSET_SEED={seed}, step {step}, {n} units: {ours:?}");
    }
    assert!((STEPS / 20..STEPS * 19 / 20).contains(&allowed), "{rule:?}: {allowed} allowed");
}

fn compare_all(kind: Kind) {
    let Some(server) = Server::start(kind) else { return };
    let quota = Quota::new(131, Duration::from_millis(97)).unwrap();
    compare(&server, Rule::sliding_window(quota).unwrap(), WindowLog::new(quota).into());
    compare(&server, Rule::funnel(quota).unwrap(), Funnel::new(quota).into());
    compare(&server, Rule::fixed_window(quota).unwrap(), FixedWindow::new(quota).into());
    compare(&server, Rule::window_counter(quota).unwrap(), WindowCounter::new(quota).into());
}

#[test]
fn redis() {
    compare_all(Kind::Redis);
}

#[test]
fn valkey() {
    compare_all(Kind::Valkey);
}
