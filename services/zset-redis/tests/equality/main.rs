//! The same random steps through the three holders of a key result in the same decisions: `Direct`
//! and `Keyed` of zset-std, and `Keyed` of zset-redis.
//!
//! Times are given, in microseconds. A denial writes nothing to the server, so unlike a limiter of
//! zset-std, the server has not seen its time; [`episode`] restricts the drawn times accordingly.
//! In [`server_clock`], the time is the server's.
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
use zset_redis::{AsyncConnection, Keyed, OnFailure, ServerLimiter};
use zset_std::{
    AnyLimiter, Decision, FixedWindow, Funnel, Limits, Penalty, SingleQuota, SlidingWindow,
    WindowCounter,
};

use episode::{Episode, Outcome, Step};
use reference::Sort;
use servers::{Cluster, Kind, PATIENCE, Server};

/// The default of `ZSET_STEPS`.
const STEPS: u64 = 100_000;
/// The default of `ZSET_SEED`.
const SEED: u64 = 1;
/// The number of steps in an episode, which has its own key and quota.
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
    // Not by `eprintln`, whose output is shown only for failing tests.
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
    let rules = episode.rules.clone();
    let limits = Limits::new(rules);
    let ours = match episode.block() {
        None => Ours::Limits(
            Keyed::new(connection.clone(), &name, limits, OnFailure::Error)
                .unwrap()
                .with_deadline(PATIENCE),
        ),
        Some(block) => Ours::Penalized(
            Keyed::new(connection.clone(), &name, Penalty::new(limits, block), OnFailure::Error)
                .unwrap()
                .with_deadline(PATIENCE),
        ),
    };
    let key = seed.to_string();
    let mut done = Vec::new();
    for _ in 0..LEN {
        let step = episode.draw();
        let ours = match step {
            Step::CheckWith(quota, n, now) | Step::PeekWith(quota, n, now) => {
                let is_check = matches!(step, Step::CheckWith(..));
                let own = episode.rules[0].quota();
                let connection = connection.clone();
                // It shares its state with the limits.
                macro_rules! with {
                    ($limiter:ident, $terms:expr) => {{
                        let limiter = $limiter::new(own);
                        let limiter = Keyed::new(connection, &name, limiter, OnFailure::Error);
                        let limiter = limiter.unwrap().with_deadline(PATIENCE).at(now);
                        take_with(&limiter, &key, ($terms, n, is_check)).await
                    }};
                }
                Outcome::Decision(match sort {
                    Sort::SlidingWindow => with!(SlidingWindow, quota.quota()),
                    Sort::Funnel => with!(Funnel, quota),
                    Sort::FixedWindow => with!(FixedWindow, quota.quota()),
                    Sort::WindowCounter => with!(WindowCounter, quota.quota()),
                    Sort::Limits | Sort::Penalty => panic!("they have several quotas"),
                })
            }
            step => match &ours {
                Ours::Limits(limits) => take(limits, &key, &step).await,
                Ours::Penalized(limits) => take(limits, &key, &step).await,
            },
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

async fn take_with<C, L>(
    limiter: &Keyed<C, L>,
    key: &str,
    (terms, n, is_check): (L::Terms, u32, bool),
) -> Decision
where
    C: AsyncConnection,
    L: ServerLimiter + SingleQuota,
{
    if is_check {
        limiter.check_with(key, terms, n).await.unwrap()
    } else {
        limiter.peek_with(key, terms, n).await.unwrap()
    }
}

async fn take<C: AsyncConnection, L: ServerLimiter>(
    limiter: &Keyed<C, L>,
    key: &str,
    step: &Step,
) -> Outcome {
    match *step {
        Step::Check(n, now) => Outcome::Decision(limiter.at(now).check_n(key, n).await.unwrap()),
        Step::Peek(n, now) => Outcome::Decision(limiter.at(now).peek_n(key, n).await.unwrap()),
        Step::CheckWith(..) | Step::PeekWith(..) => panic!("not a step of limits"),
        Step::OverLimit(now) => Outcome::Bool(limiter.at(now).over_limit(key).await.unwrap()),
        Step::Record(n, now) => {
            limiter.at(now).record(key, n).await.unwrap();
            Outcome::None
        }
        Step::Refund(n, now) => Outcome::Units(limiter.at(now).refund(key, n).await.unwrap()),
        Step::Reset => {
            limiter.reset(key).await.unwrap();
            Outcome::None
        }
    }
}

fn on_server(kind: Kind, sort: Sort) {
    let Some(server) = Server::start(kind) else { return };
    let runtime = Runtime::new().unwrap();
    let connection = runtime.block_on(server.multiplexed());
    run(&connection, sort, &format!("{kind:?}"), &runtime);
}

fn on_cluster(sort: Sort) {
    // Valkey, unless only Redis is installed.
    let kind = if Kind::Valkey.program().is_installed() { Kind::Valkey } else { Kind::Redis };
    let Some(cluster) = Cluster::start(kind) else { return };
    let runtime = Runtime::new().unwrap();
    let connection = runtime.block_on(cluster.client().get_async_connection()).unwrap();
    run(&connection, sort, &format!("cluster of {kind:?}"), &runtime);
}

/// Defines the tests of each limiter: one with each server.
macro_rules! tests {
    ($($name:ident: $sort:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn redis() {
                on_server(Kind::Redis, $sort);
            }

            #[test]
            fn valkey() {
                on_server(Kind::Valkey, $sort);
            }

            #[test]
            fn cluster() {
                on_cluster($sort);
            }
        }
    )*};
}

tests! {
    sliding_window: Sort::SlidingWindow;
    funnel: Sort::Funnel;
    fixed_window: Sort::FixedWindow;
    window_counter: Sort::WindowCounter;
    limits: Sort::Limits;
    penalty: Sort::Penalty;
}
