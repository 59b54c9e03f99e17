//! Tests limiters, mostly by comparing them with an exact recount of the units.

mod counters;
mod funnel;
mod keyed;
mod keyed_limiter;
mod limits;
mod model;
mod no_units;
mod observed;
mod pairs;
mod penalty;
mod record;
mod reference;
mod sliding_window;
mod throttle;

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use zset_std::limit::{Block, NotReady};
use zset_std::{
    AnyLimiter, Decision, Direct, FakeClock, FixedWindow, Funnel, Hold, Keyed, KeyedLimiter,
    Limiter, Limits, Penalty, Quota, SingleQuota, SlidingWindow, Timestamp, Verdict, WhenFull,
    WindowCounter,
};

use observed::Counts;

/// Quotas with periods of a few nanoseconds, so that times often fall on window boundaries, and
/// quotas with periods of up to five seconds.
///
/// The quotas are funnels, which also have a capacity. Windows use only the quota.
fn quotas() -> impl Strategy<Value = Funnel> {
    let period = prop_oneof![1..20u64, 1..5_000_000_000u64];
    (1..12u32, period, 1..20u32)
        .prop_map(|(count, period, capacity)| funnel(count, nanos(period), capacity))
}

/// The parts of a funnel's quota that the models read.
trait Rate {
    fn count(&self) -> u32;
    fn period(&self) -> Duration;
}

impl Rate for Funnel {
    fn count(&self) -> u32 {
        self.quota().count()
    }

    fn period(&self) -> Duration {
        self.quota().period()
    }
}

fn funnel(count: u32, period: Duration, capacity: u32) -> Funnel {
    Funnel::new(Quota::new(count, period).unwrap()).with_capacity(capacity).unwrap()
}

fn quota(count: u32, seconds: u64) -> Quota {
    Quota::new(count, Duration::from_secs(seconds)).unwrap()
}

fn per_minute(count: u32) -> Quota {
    quota(count, 60)
}

fn block(denials: u32, seconds: u64) -> Block {
    Block::after(denials.try_into().unwrap(), Duration::from_secs(seconds))
}

/// Returns a limiter of the algorithm with this number.
fn any_limiter(kind: usize, quota: impl Into<Funnel>) -> AnyLimiter {
    let funnel = quota.into();
    match kind {
        0 => SlidingWindow::new(funnel.quota()).into(),
        1 => WindowCounter::new(funnel.quota()).into(),
        2 => FixedWindow::new(funnel.quota()).into(),
        _ => funnel.into(),
    }
}

/// Returns a limiter of each algorithm.
fn all(quota: Quota) -> [AnyLimiter; 4] {
    [0, 1, 2, 3].map(|kind| any_limiter(kind, quota))
}

/// Returns a limiter with room for one key.
fn one_key<L: Limiter>(limiter: L, when_full: WhenFull) -> Keyed<u32, L> {
    Keyed::new(limiter).with_max_keys(1, when_full)
}

/// Moves a time by some quarters of a period and a few nanoseconds, forward or back.
fn step(now: Timestamp, quota: Funnel, quarters: i8, nanos: i8) -> Timestamp {
    let quarter = i128::try_from(quota.period().as_nanos()).unwrap() / 4;
    let by = quarter * i128::from(quarters) + i128::from(nanos);
    let now = i128::from(now.as_nanos()) + by;
    Timestamp::from_nanos(u64::try_from(now.max(0)).unwrap())
}

/// Steps of time in quarters of a period and nanoseconds, mostly forward.
fn steps() -> impl Strategy<Value = (i8, i8)> {
    (prop_oneof![4 => 0..3i8, 1 => -3..9i8], -3..4i8)
}

/// Generates the bound on keys, if any, and what happens to new keys above it.
fn bounds() -> impl Strategy<Value = Option<(usize, WhenFull)>> {
    let when_full = prop_oneof![Just(WhenFull::RefuseNew), Just(WhenFull::SharedBucket)];
    prop::option::of((1..4_usize, when_full))
}

fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

fn at(seconds: u64) -> Timestamp {
    after(Timestamp::ZERO, Duration::from_secs(seconds))
}

fn after(now: Timestamp, duration: Duration) -> Timestamp {
    now.saturating_add(duration)
}

/// Returns the wait in seconds, which must be a whole number; 0 if the units are allowed.
fn seconds(decision: Decision) -> u64 {
    let wait = decision.retry_after().unwrap();
    assert_eq!(wait.subsec_nanos(), 0, "{wait:?}");
    wait.as_secs()
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
