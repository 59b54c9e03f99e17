//! Checks the units that the server has allowed, by replaying a log of all units in each tested
//! limiter.

use redis::ConnectionLike;
use zset_std::{AnyLimiter, SlidingWindow};

use crate::limiters::{KEY, quota};
use crate::servers::{algorithms, log, per_hour, replay};

/// The number of tested limiters.
pub(crate) const RULES: usize = 4;

/// Returns a limiter, and a second one that never denies and logs all units with the server's
/// times.
pub(crate) fn rules(index: usize) -> Vec<AnyLimiter> {
    vec![algorithms(quota())[index], SlidingWindow::new(per_hour(u32::MAX)).into()]
}

pub(crate) fn name(index: usize) -> String {
    format!("faults{index}")
}

/// Checks that the server has allowed no more than the limit, and no fewer units than clients were
/// granted.
pub(crate) fn check(allowed: &[u64; RULES], connection: &mut impl ConnectionLike) {
    for (index, limiter) in algorithms(quota()).into_iter().enumerate() {
        let key = format!("{}:{{{KEY}}}:sliding_window:1", name(index));
        let (units, full) = replay(log(connection, &key), limiter);
        // The server may have allowed units whose replies were lost.
        let known = allowed[index];
        assert!(units >= known, "{limiter:?} has {units} units, and clients were allowed {known}");
        assert!(full > 1, "{limiter:?} was full only {full} times");
    }
}
