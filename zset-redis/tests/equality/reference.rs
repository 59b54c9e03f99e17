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
        let drawn = sorts.into_iter().map(|sort| {
            let quota = quota(random);
            let is_whole = sort == Sort::Funnel && random.random();
            limiter(sort, if is_whole { with_whole_interval(quota) } else { quota })
        });
        let drawn: Vec<_> = drawn.collect();
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

    /// Draws a quota for a call, if there is one limiter only: one that the server takes and for
    /// which both round alike.
    pub(crate) fn quota_of_call(&self, random: &mut SmallRng) -> Option<Quota> {
        let [limiter] = self.limits.as_slice() else { return None };
        let own = limiter.quota();
        let drawn = quota(random);
        let quota = match limiter {
            AnyLimiter::WindowLog(_) => {
                Quota::new(drawn.count(), drawn.period().min(own.period())).unwrap()
            }
            // If the count changes, both round up, but the server to microseconds. So either there
            // are no parts of microseconds to round, or the count stays.
            AnyLimiter::Funnel(_) if has_whole_interval(own) => with_whole_interval(drawn),
            AnyLimiter::Funnel(_) => {
                let drawn = Quota::new(own.count(), drawn.period())
                    .unwrap()
                    .with_capacity(drawn.capacity());
                drawn.ok().filter(|quota| Rule::funnel(*quota).is_ok())?
            }
            _ => Quota::new(drawn.count(), own.period()).unwrap(),
        };
        Some(quota)
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

fn has_whole_interval(quota: Quota) -> bool {
    quota.period().as_micros() % u128::from(quota.count()) == 0
}

/// Returns a similar quota, in which a unit leaks out of a funnel in whole microseconds.
fn with_whole_interval(quota: Quota) -> Quota {
    let count = u64::from(quota.count());
    let interval = (quota.period().as_micros() as u64 / count).max(1);
    let whole = Quota::new(quota.count(), Duration::from_micros(interval * count)).unwrap();
    whole.with_capacity(quota.capacity()).unwrap()
}
