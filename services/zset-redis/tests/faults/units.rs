//! The units that the server has allowed: a log of all units compared with each tested rule.

use std::time::Duration;

use redis::ConnectionLike;
use zset_redis::Rule;
use zset_std::{AnyLimiter, FixedWindow, Funnel, Quota, SlidingWindow, WindowCounter};

use crate::limiters::{KEY, quota};
use crate::servers::{log, replay};

/// The number of tested rules.
pub(crate) const RULES: usize = 4;

/// Returns the rules, each with its limiter in this process.
fn tested() -> [(Rule, AnyLimiter); RULES] {
    let quota = quota();
    [
        (Rule::sliding_window(quota).unwrap(), SlidingWindow::new(quota).into()),
        (Rule::funnel(quota).unwrap(), Funnel::new(quota).into()),
        (Rule::fixed_window(quota).unwrap(), FixedWindow::new(quota).into()),
        (Rule::window_counter(quota).unwrap(), WindowCounter::new(quota).into()),
    ]
}

/// Returns a rule, and a second one that never denies and logs all units with the server's times.
pub(crate) fn rules(index: usize) -> Vec<Rule> {
    let all_units = Quota::new(u32::MAX, Duration::from_secs(3600)).unwrap();
    vec![tested()[index].0, Rule::sliding_window(all_units).unwrap()]
}

pub(crate) fn name(index: usize) -> String {
    format!("faults{index}")
}

/// Checks that the server has allowed no more than the limit, and all units that clients were
/// granted.
pub(crate) fn check(allowed: &[u64; RULES], connection: &mut impl ConnectionLike) {
    for (index, (rule, limiter)) in tested().into_iter().enumerate() {
        let key = format!("{}:{{{KEY}}}:sliding_window:1", name(index));
        let (units, full) = replay(log(connection, &key), &rule, limiter);
        // The server may have allowed units whose replies were lost.
        let known = allowed[index];
        assert!(units >= known, "{rule:?} has {units} units, and clients were allowed {known}");
        assert!(full > 1, "{rule:?} was full only {full} times");
    }
}
