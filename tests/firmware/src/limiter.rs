//! The model test of limiters for one key. It makes seeded random calls, and compares the decisions
//! with a recount of the allowed units.

use core::ops::RangeBounds;
use core::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_std::{Direct, Funnel, Limiter, Quota, Timestamp, Verdict};

/// The number of calls to each limiter.
const CALLS: usize = 100;

/// The allowed calls in order: the time in nanoseconds and the number of units of each.
pub struct Allowed {
    calls: [(u64, u32); CALLS],
    len: usize,
}

impl Allowed {
    fn calls(&self) -> &[(u64, u32)] {
        &self.calls[..self.len]
    }

    /// Returns the number of units allowed within a range of times.
    fn units(&self, times: impl RangeBounds<u64>) -> u64 {
        self.calls()
            .iter()
            .filter(|(time, _)| times.contains(time))
            .map(|(_, n)| u64::from(*n))
            .sum()
    }
}

/// Returns whether `n` units, from 1 to the limit, are allowed at `now` under the funnel's quota.
pub type Allows = fn(&Allowed, Funnel, n: u32, now: u64) -> bool;

/// A leaky bucket has room if the units allowed from each earlier call on do not exceed the
/// capacity plus what has leaked since that call.
pub fn funnel_allows(allowed: &Allowed, funnel: Funnel, n: u32, now: u64) -> bool {
    let (count, capacity) = (u64::from(funnel.quota().count()), u64::from(funnel.capacity()));
    let mut units = u64::from(n);
    units <= capacity
        && allowed.calls().iter().rev().all(|&(time, n)| {
            units += u64::from(n);
            let period = nanos(funnel.quota().period());
            units * period <= capacity * period + (now - time) * count
        })
}

pub fn fixed_window_allows(allowed: &Allowed, funnel: Funnel, n: u32, now: u64) -> bool {
    let start = now - now % nanos(funnel.quota().period());
    allowed.units(start..) + u64::from(n) <= u64::from(funnel.quota().count())
}

/// Units of the previous window count in proportion to its overlap with the sliding window.
pub fn window_counter_allows(allowed: &Allowed, funnel: Funnel, n: u32, now: u64) -> bool {
    let period = nanos(funnel.quota().period());
    let start = now - now % period;
    let previous = allowed.units(start.saturating_sub(period)..start);
    let weighed = (previous * (start + period - now)).div_ceil(period);
    weighed + allowed.units(start..) + u64::from(n) <= u64::from(funnel.quota().count())
}

/// The window is half-open: a unit stops counting after exactly a period.
pub fn sliding_window_allows(allowed: &Allowed, funnel: Funnel, n: u32, now: u64) -> bool {
    let first = (now + 1).saturating_sub(nanos(funnel.quota().period()));
    allowed.units(first..) + u64::from(n) <= u64::from(funnel.quota().count())
}

/// Compares the decisions of limiters with random quotas with those of a recount.
pub fn run_limiter_model<L: Limiter>(
    new: impl Fn(Funnel) -> L,
    limit: fn(Funnel) -> u32,
    allows: Allows,
    seed: u64,
) {
    let mut random = SmallRng::seed_from_u64(seed);
    for _ in 0..40 {
        let funnel = random_funnel(&mut random);
        let limit = limit(funnel);
        let mut limiter = Direct::new(new(funnel));
        let mut allowed = Allowed { calls: [(0, 0); CALLS], len: 0 };
        let mut newest = random.random_range(0..1 << 40);
        assert!(limiter.check_n(0, Timestamp::from_nanos(newest)).is_allowed());
        for _ in 0..CALLS {
            let now = step(&mut random, newest, funnel);
            newest = newest.max(now);
            let n = random.random_range(0..limit + 2);
            let fits = |allowed: &Allowed, n, time: u64| {
                n == 0 || n <= limit && allows(allowed, funnel, n, time.max(newest))
            };

            let peeked = limiter.peek_n(n, Timestamp::from_nanos(now));
            let mut before = limiter.clone();
            let decision = limiter.check_n(n, Timestamp::from_nanos(now));
            assert_eq!((peeked, decision.limit), (decision, limit));
            assert_eq!(decision.verdict == Verdict::Never, n > limit);
            assert_eq!(decision.is_allowed(), fits(&allowed, n, now));
            if let Verdict::Denied { retry_after } = decision.verdict {
                let retry = now + nanos(retry_after);
                assert!(fits(&allowed, n, retry) && !fits(&allowed, n, retry - 1));
                assert!(!before.check_n(n, Timestamp::from_nanos(retry - 1)).is_allowed());
                assert!(before.check_n(n, Timestamp::from_nanos(retry)).is_allowed());
            }
            if decision.is_allowed() && n > 0 {
                allowed.calls[allowed.len] = (newest, n);
                allowed.len += 1;
            }
            let most = (0..=limit).rev().find(|&n| fits(&allowed, n, now));
            assert_eq!(Some(decision.remaining), most);
            let reset = now + nanos(decision.reset_after);
            assert!(fits(&allowed, limit, reset));
            assert!(reset == now || !fits(&allowed, limit, reset - 1));
        }
    }
}

/// Returns a funnel with a period of a few nanoseconds, so that times often fall on its boundaries,
/// or with a period of up to five seconds.
fn random_funnel(random: &mut SmallRng) -> Funnel {
    let longest = if random.random() { 20 } else { 5_000_000_000 };
    let period = Duration::from_nanos(random.random_range(1..longest));
    let quota = Quota::new(random.random_range(1..6), period);
    let funnel = quota.map(Funnel::new);
    let funnel = funnel.and_then(|funnel| funnel.with_capacity(random.random_range(1..8)));
    funnel.expect("the numbers are small")
}

/// Returns a time some quarters of a period and a few nanoseconds after `newest`, or occasionally
/// up to half a period before it.
fn step(random: &mut SmallRng, newest: u64, funnel: Funnel) -> u64 {
    let quarter = nanos(funnel.quota().period()) / 4;
    match random.random_range(0..8) {
        0..6 => newest + random.random_range(0..3) * quarter + random.random_range(0..3),
        6 => newest + random.random_range(0..12) * quarter,
        _ => newest.saturating_sub(random.random_range(0..3) * quarter),
    }
}

fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

/// Returns the limit of a window.
pub fn count(funnel: Funnel) -> u32 {
    funnel.quota().count()
}
