//! Limiters, compared with exact recounts.

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

use std::time::Duration;

use proptest::prelude::*;
use zset_std::{Funnel, Quota, SingleQuota, Timestamp};

/// Quotas with periods of a few nanoseconds, so that times often fall on window boundaries, and
/// quotas of any length.
///
/// They are funnels, for the capacity; windows only use their quota.
fn quotas() -> impl Strategy<Value = Funnel> {
    let period = prop_oneof![1..20u64, 1..5_000_000_000u64];
    (1..12u32, period, 1..20u32).prop_map(|(count, period, capacity)| {
        let quota = Quota::new(count, Duration::from_nanos(period)).unwrap();
        Funnel::new(quota).with_capacity(capacity).unwrap()
    })
}

/// What the models read of a funnel.
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

/// The terms of an algorithm.
trait Terms {
    fn of(funnel: Funnel) -> Self;
}

impl Terms for Quota {
    fn of(funnel: Funnel) -> Self {
        funnel.quota()
    }
}

impl Terms for Funnel {
    fn of(funnel: Funnel) -> Self {
        funnel
    }
}

/// Returns the time after some quarter periods and a few nanoseconds, forwards or back.
fn step(now: Timestamp, quota: Funnel, quarters: i8, nanos: i8) -> Timestamp {
    let quarter = i128::try_from(quota.period().as_nanos()).unwrap() / 4;
    let by = quarter * i128::from(quarters) + i128::from(nanos);
    let now = i128::from(now.as_nanos()) + by;
    Timestamp::from_nanos(u64::try_from(now.max(0)).unwrap())
}

/// Steps of time, mostly forwards.
fn steps() -> impl Strategy<Value = (i8, i8)> {
    (prop_oneof![4 => 0..3i8, 1 => -3..9i8], -3..4i8)
}

fn at(seconds: u64) -> Timestamp {
    after(Timestamp::ZERO, Duration::from_secs(seconds))
}

fn after(now: Timestamp, duration: Duration) -> Timestamp {
    now.saturating_add(duration)
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
