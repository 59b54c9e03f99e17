//! Tests steps that use the server's clock: single calls over blocking connections, and concurrent
//! calls, of which the first is sent alone and the others share a script.
//!
//! The server records the time of an allowed step. The time of a denied step is between two calls
//! of `TIME`, so the decision must be right for some time between these calls. Durations are
//! rounded up to microseconds.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::thread::sleep;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use redis::Connection;
use redis::aio::MultiplexedConnection;
use tokio::runtime::{Builder, Handle};
use tokio::task::{JoinSet, yield_now};
use zset_redis::Keyed;
use zset_std::{AnyLimiter, Decision, Direct, FixedWindow, Limits, Quota, Timestamp, Verdict};

use super::servers::{NAMES, Server, algorithms, at_micros, keyed, log, numbers};
use super::{SEED, variable};

const STEPS: u32 = 2000;

/// The number of units of a quota. It does not divide the periods.
const UNITS: u32 = 131;

/// The number of steps that measure the speed of this machine.
const MEASURED: u32 = 100;

fn time(connection: &mut Connection) -> u64 {
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(connection).unwrap();
    seconds * 1_000_000 + micros
}

/// Returns the latest recorded time of a key, or `None` if it has expired.
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

/// Returns a quota that many steps exceed, however fast or busy the machine is: a step asks for
/// about three units, and a period takes about as long as 400 steps.
fn quota(server: &Server) -> Quota {
    let window = FixedWindow::new(Quota::new(u32::MAX, Duration::from_secs(1)).unwrap());
    let (limits, mut connection) = (server.keyed("pace", window), server.connection());
    let start = time(&mut connection);
    for _ in 0..MEASURED {
        assert!(limits.check("ann").unwrap().is_allowed());
        time(&mut connection);
    }
    let micros = time(&mut connection) - start;
    Quota::new(UNITS, Duration::from_micros(micros * 400 / u64::from(MEASURED) + 1)).unwrap()
}

/// Returns whether decisions for `n` units each, made at one time, equal those of the reference.
fn are_same(reference: &mut Direct<AnyLimiter>, ours: &[Decision], n: u32, now: Timestamp) -> bool {
    let theirs: Vec<_> = ours.iter().map(|_| rounded(reference.check_n(n, now))).collect();
    // All calls of a script receive the state after the last of these calls.
    let last = theirs[theirs.len() - 1];
    theirs.iter().map(|it| Decision { verdict: it.verdict, ..last }).eq(ours.iter().copied())
}

/// Makes concurrent checks of one unit: one is sent alone, the others while it runs. Returns their
/// decisions in the order of the calls, and the latest recorded time after the first.
async fn check_together(
    limits: &Keyed<MultiplexedConnection, Limits<AnyLimiter>>,
    mut multiplexed: MultiplexedConnection,
    calls: usize,
    recorded: impl FnOnce() -> Option<u64>,
) -> (Decision, Option<u64>, Vec<Decision>) {
    let tasks_before = Handle::current().metrics().num_alive_tasks();
    let mut alone = pin!(limits.check("ann"));
    let sent = poll_fn(|context| Poll::Ready(alone.as_mut().poll(context).is_pending())).await;
    assert!(sent, "it waits for its reply");
    // Once the reply to `PING` has arrived, the server has also run the check. The future of the
    // check is not polled, so the check is still in flight.
    redis::cmd("PING").exec_async(&mut multiplexed).await.unwrap();
    let recorded = recorded();
    let mut tasks = JoinSet::new();
    for index in 0..calls {
        let limits = limits.clone();
        tasks.spawn(async move { (index, limits.check("ann").await.unwrap()) });
    }
    let mut decisions = tasks.join_all().await;
    decisions.sort_by_key(|&(index, _)| index);
    let decisions = decisions.into_iter().map(|(_, decision)| decision).collect();
    // Wait until the flight is over.
    while Handle::current().metrics().num_alive_tasks() > tasks_before {
        yield_now().await;
    }
    (alone.await.unwrap(), recorded, decisions)
}

fn compare(server: &Server, quota: Quota, rule: AnyLimiter, key: &str) {
    let mut reference = Direct::new(rule);
    let seed = variable("ZSET_SEED", SEED);
    let mut random = SmallRng::seed_from_u64(seed);
    let alone = server.keyed("clock", Limits::new([rule]));
    // With one thread, all concurrent calls are already waiting when the flight sends them.
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let multiplexed = runtime.block_on(server.multiplexed());
    let awaited = keyed(multiplexed.clone(), "clock", Limits::new([rule]));
    let (mut connection, mut divided) = (server.connection(), 0);
    let (mut allowed, mut denied) = (0, 0);
    for step in 0..STEPS {
        if random.random_ratio(1, 20) {
            sleep(quota.period().mul_f64(random.random_range(0.0..0.05)));
        }
        let (n, calls) = match random.random_range(0..10) {
            0..5 => (1, random.random_range(2..10)),
            n => ((n - 5).min(3), 1),
        };
        let start = time(&mut connection);
        // For each script: its decisions, and the latest recorded time after it.
        let mut scripts = Vec::new();
        if calls == 1 {
            let decision = alone.check_n("ann", n).unwrap();
            scripts.push((vec![decision], recorded(&mut connection, key)));
        } else {
            let after_first = || recorded(&mut connection, key);
            let together = check_together(&awaited, multiplexed.clone(), calls, after_first);
            let (first, after_first, others) = runtime.block_on(together);
            scripts.push((vec![first], after_first));
            scripts.push((others, recorded(&mut connection, key)));
        }
        let end = time(&mut connection);
        for (ours, recorded) in scripts {
            let taken = ours.iter().filter(|it| it.is_allowed() && n > 0).count();
            allowed += u32::from(taken > 0);
            denied += u32::from(taken == 0);
            divided += u32::from((1..ours.len()).contains(&taken));
            let is_same = if let Some(now) = recorded.filter(|_| taken > 0) {
                assert!((start..=end).contains(&now), "{now} is not in {start}..={end}");
                are_same(&mut reference, &ours, n, at_micros(now))
            } else if taken > 0 {
                // The key has expired, so these units no longer count, and the reference need not
                // record them.
                (start..=end).any(|now| are_same(&mut reference.clone(), &ours, n, at_micros(now)))
            } else {
                (start..=end).any(|now| {
                    let theirs = rounded(reference.peek_n(n, at_micros(now)));
                    ours.iter().all(|it| *it == theirs)
                })
            };
            assert!(is_same, "{rule:?}, ZSET_SEED={seed}, step {step}, {n} units: {ours:?}");
        }
    }
    assert!(allowed > STEPS / 20 && denied > STEPS / 20, "{rule:?}: {allowed}, {denied} denied");
    assert!(divided > 0, "{rule:?}: no script allowed some calls only");
}

#[test]
fn each_server_decides_as_in_process() {
    for server in Server::of_each_kind() {
        let quota = quota(&server);
        for (name, rule) in NAMES.into_iter().zip(algorithms(quota)) {
            compare(&server, quota, rule, &format!("clock:{{ann}}:{name}:0"));
        }
    }
}
