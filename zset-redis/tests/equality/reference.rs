//! [`Reference`]: the limiter of zset-std for the rules of one of zset-redis.

use rand::RngExt;
use rand::rngs::SmallRng;
use std::time::Duration;
use zset_redis::Rule;
use zset_std::{
    AnyLimiter, FixedWindow, Funnel, Limits, Quota, Timestamp, WindowCounter, WindowLog,
};

/// Which limiter is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    SlidingWindow,
    Funnel,
    FixedWindow,
    WindowCounter,
    /// Two or three of them.
    Limits,
}

/// A limiter of one key.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    new: Limits<AnyLimiter>,
    pub(crate) limits: Limits<AnyLimiter>,
}

impl Reference {
    /// Draws quotas; returns the rules and the reference for them.
    pub(crate) fn draw(sort: Sort, random: &mut SmallRng) -> (Vec<Rule>, Reference) {
        let sorts = match sort {
            Sort::Limits => {
                let all =
                    [Sort::SlidingWindow, Sort::Funnel, Sort::FixedWindow, Sort::WindowCounter];
                (0..random.random_range(2..=3)).map(|_| all[random.random_range(0..4)]).collect()
            }
            sort => vec![sort],
        };
        let drawn: Vec<_> = sorts.into_iter().map(|sort| limiter(sort, quota(random))).collect();
        let rules = drawn.iter().map(|(rule, _)| *rule).collect();
        let new = Limits::all(drawn.into_iter().map(|(_, limiter)| limiter));
        (rules, Reference { limits: new.clone(), new })
    }

    pub(crate) fn reset(&mut self) {
        self.limits = self.new.clone();
    }

    /// Records units beyond the limit, if the limiter of zset-std can.
    pub(crate) fn record(&mut self, n: u32, now: Timestamp) {
        for limiter in self.limits.as_mut_slice() {
            let AnyLimiter::WindowLog(log) = limiter else { panic!("it does not record units") };
            log.record(n, now);
        }
    }

    pub(crate) fn can_record(&self) -> bool {
        self.limits.as_slice().iter().all(|limiter| matches!(limiter, AnyLimiter::WindowLog(_)))
    }
}

fn limiter(sort: Sort, quota: Quota) -> (Rule, AnyLimiter) {
    let (rule, limiter) = match sort {
        Sort::SlidingWindow => (Rule::sliding_window(quota), WindowLog::new(quota).into()),
        Sort::Funnel => (Rule::funnel(quota), Funnel::new(quota).into()),
        Sort::FixedWindow => (Rule::fixed_window(quota), FixedWindow::new(quota).into()),
        Sort::WindowCounter => (Rule::window_counter(quota), WindowCounter::new(quota).into()),
        Sort::Limits => panic!("it has no quota of its own"),
    };
    (rule.unwrap(), limiter)
}

/// Draws a quota, which may be as large as any.
fn quota(random: &mut SmallRng) -> Quota {
    const LONGEST: u64 = (1 << 51) - 1;
    loop {
        let count = match random.random_range(0..10) {
            0 => 1,
            1..6 => random.random_range(2..20),
            6 => random.random_range(20..1000),
            7 => 999_983,
            8 => u32::MAX - random.random_range(0..3),
            _ => random.random_range(1..=u32::MAX),
        };
        let micros = match random.random_range(0..10) {
            0 => random.random_range(1..10),
            1..4 => random.random_range(10..10_000),
            4..6 => 1_000_000,
            6 => 1_000_003,
            7 => 86_400_000_000,
            8 => LONGEST - random.random_range(0..3),
            _ => random.random_range(1..=LONGEST),
        };
        let quota = Quota::new(count, Duration::from_micros(micros)).unwrap();
        let capacity = match random.random_range(0..3) {
            0 => count,
            1 => random.random_range(1..30),
            _ => random.random_range(1..=u32::MAX),
        };
        // The capacity is only of the funnel. It may take too long to leak out.
        if let Ok(quota) = quota.with_capacity(capacity)
            && Rule::funnel(quota).is_ok()
        {
            return quota;
        }
    }
}
