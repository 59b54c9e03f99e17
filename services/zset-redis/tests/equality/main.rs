//! Tests that three types make the same decisions for the same random steps: `Direct` and `Keyed`
//! of zset-std, and `Keyed` of zset-redis.
//!
//! Each step has a time in microseconds. A limiter of zset-std remembers the time of a denial, but
//! the server does not, since a denial writes nothing. Therefore, [`episode`] restricts the times
//! that it draws. In [`server_clock`], steps use the server's clock instead.
//!
//! `ZSET_STEPS` is the number of steps for each limiter and each server, and `ZSET_SEED` the first
//! seed.

#![cfg(unix)]

mod edges;
mod episode;
mod reference;
mod server_clock;
#[path = "../support/mod.rs"]
mod servers;

use std::env;
use std::io::{self, Write};
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use zset_redis::{AsyncConnection, Keyed, ServerLimiter};
use zset_std::{AnyLimiter, Limits, Penalty};

use episode::{Episode, Outcome, Step};
use reference::{SORTS, Sort};
use servers::{Cluster, Kind, Server, keyed};

/// The default of `ZSET_STEPS`.
const STEPS: u64 = 100_000;
/// The default of `ZSET_SEED`.
const SEED: u64 = 1;
/// The number of steps in an episode. Each episode has its own key and quota.
const LEN: u64 = 200;
/// The number of concurrent episodes.
const LANES: u64 = 50;

fn variable(name: &str, default: u64) -> u64 {
    let text = env::var(name).ok().filter(|text| !text.is_empty());
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Runs all steps of a limiter.
fn run<C>(connection: &C, sort: Sort, title: &str, runtime: &Runtime)
where
    C: AsyncConnection,
{
    let (steps, first) = (variable("ZSET_STEPS", STEPS), variable("ZSET_SEED", SEED));
    let (episodes, start) = (steps.div_ceil(LEN), Instant::now());
    runtime.block_on(async {
        let mut lanes = JoinSet::new();
        for lane in 0..LANES.min(episodes) {
            let connection = connection.clone();
            lanes.spawn(async move {
                for i in (lane..episodes).step_by(LANES as usize) {
                    play(&connection, sort, first.wrapping_add(i)).await;
                }
            });
        }
        while let Some(lane) = lanes.join_next().await {
            if let Err(error) = lane {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    });
    let last = first.wrapping_add(episodes - 1);
    // Unlike the output of `eprintln`, this line is also shown for tests that pass.
    let _ = writeln!(
        io::stderr(),
        "{title} {sort:?}: {} steps, seeds {first} to {last}, {:.1?}",
        episodes * LEN,
        start.elapsed()
    );
}

/// The limiter on the server.
enum Ours<C: AsyncConnection> {
    Limits(Keyed<C, Limits<AnyLimiter>>),
    Penalized(Keyed<C, Penalty<Limits<AnyLimiter>>>),
}

async fn play<C: AsyncConnection>(connection: &C, sort: Sort, seed: u64) {
    let mut episode = Episode::new(sort, seed);
    let name = format!("{sort:?}");
    // This limiter has the first rule only, and shares the state of that rule with `ours`.
    let one = keyed(connection.clone(), &name, episode.rules[0]);
    let limits = Limits::new(episode.rules.clone());
    let ours = match episode.block() {
        None => Ours::Limits(keyed(connection.clone(), &name, limits)),
        Some(block) => {
            Ours::Penalized(keyed(connection.clone(), &name, Penalty::new(limits, block)))
        }
    };
    let key = seed.to_string();
    let mut done = Vec::new();
    for _ in 0..LEN {
        let step = episode.draw();
        let ours = match (&ours, step) {
            (_, Step::Check(Some(quota), n, now)) => {
                Outcome::Decision(one.at(now).check_with(&key, quota, n).await.unwrap())
            }
            (_, Step::Peek(Some(quota), n, now)) => {
                Outcome::Decision(one.at(now).peek_with(&key, quota, n).await.unwrap())
            }
            (Ours::Limits(limits), _) => take(limits, &key, &step).await,
            (Ours::Penalized(limits), _) => take(limits, &key, &step).await,
        };
        done.push(step);
        let theirs = episode.apply(&step);
        assert!(
            ours == theirs,
            "{sort:?}, ZSET_SEED={seed} ZSET_STEPS={LEN}: after {:#?}\n\
             of {:?}\nzset-redis: {ours:?}\nzset-std:   {theirs:?}",
            &done[done.len().saturating_sub(8)..],
            episode.rules,
        );
    }
}

async fn take<C: AsyncConnection, L: ServerLimiter + Clone>(
    limiter: &Keyed<C, L>,
    key: &str,
    step: &Step,
) -> Outcome {
    // A reset has no time, so it uses the limiter without a fixed clock.
    let limiter = step.time().map_or_else(|| limiter.clone(), |now| limiter.at(now));
    match *step {
        Step::Check(None, n, _) => Outcome::Decision(limiter.check_n(key, n).await.unwrap()),
        Step::Peek(None, n, _) => Outcome::Decision(limiter.peek_n(key, n).await.unwrap()),
        Step::Check(..) | Step::Peek(..) => panic!("not a step of limits"),
        Step::OverLimit(_) => Outcome::Bool(limiter.over_limit(key).await.unwrap()),
        Step::Record(n, _) => {
            limiter.record(key, n).await.unwrap();
            Outcome::None
        }
        Step::Refund(n, _) => Outcome::Units(limiter.refund(key, n).await.unwrap()),
        Step::Reset => {
            limiter.reset(key).await.unwrap();
            Outcome::None
        }
    }
}

#[test]
fn on_each_server() {
    for server in Server::of_each_kind() {
        let runtime = Runtime::new().unwrap();
        let connection = runtime.block_on(server.multiplexed());
        for sort in SORTS {
            run(&connection, sort, &format!("{:?}", server.kind), &runtime);
        }
    }
}

#[test]
fn on_a_cluster() {
    // Prefer Valkey, if it is installed.
    let kind = if Kind::Valkey.program().is_installed() { Kind::Valkey } else { Kind::Redis };
    let Some(cluster) = Cluster::start(kind) else { return };
    let runtime = Runtime::new().unwrap();
    let connection = runtime.block_on(cluster.connect());
    for sort in SORTS {
        run(&connection, sort, &format!("cluster of {kind:?}"), &runtime);
    }
}
