//! The `governor` crate: the generic cell rate algorithm, with one word per key.

use std::num::NonZeroU32;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, RateLimiter};
use zset_std::Quota;

use crate::limiters::workload::{GivenClock, Limits};

/// Converts a quota. The burst and the interval between units stay the same, except that governor
/// drops fractions of a nanosecond.
fn translate(quota: Quota) -> governor::Quota {
    governor::Quota::with_period(quota.period() / quota.count())
        .expect("an interval is a nanosecond at least")
        .allow_burst(capacity(quota))
}

fn capacity(quota: Quota) -> NonZeroU32 {
    NonZeroU32::new(quota.count()).expect("no quota has a count of zero")
}

/// A direct limiter.
pub struct DirectGovernor<C: Clock> {
    limiter: RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>,
    capacity: NonZeroU32,
}

/// Returns a direct limiter.
pub fn direct<C: Clock>(quota: Quota, clock: C) -> DirectGovernor<C> {
    let limiter = RateLimiter::direct_with_clock(translate(quota), clock);
    DirectGovernor { limiter, capacity: capacity(quota) }
}

impl<C: Clock> Limits for DirectGovernor<C> {
    type Answer = Result<(), NotUntil<C::Instant>>;

    #[inline]
    fn is_allowed(answer: &Self::Answer) -> bool {
        answer.is_ok()
    }

    #[inline]
    fn check(&mut self, _key: u64) -> Self::Answer {
        self.limiter.check()
    }

    fn fill(&mut self, _key: u64) {
        let filled = self.limiter.check_n(self.capacity);
        assert!(matches!(filled, Ok(Ok(()))), "a new limiter takes its burst");
    }
}

/// A keyed limiter with governor's default store, a dashmap.
pub struct KeyedGovernor {
    limiter: RateLimiter<u64, DefaultKeyedStateStore<u64>, GivenClock, NoOpMiddleware<Nanos>>,
    capacity: NonZeroU32,
}

/// Returns a limiter without keys.
pub fn keyed(quota: Quota, clock: GivenClock) -> KeyedGovernor {
    let limiter = RateLimiter::dashmap_with_clock(translate(quota), clock);
    KeyedGovernor { limiter, capacity: capacity(quota) }
}

impl Limits for KeyedGovernor {
    type Answer = Result<(), NotUntil<Nanos>>;

    #[inline]
    fn is_allowed(answer: &Self::Answer) -> bool {
        answer.is_ok()
    }

    #[inline]
    fn check(&mut self, key: u64) -> Self::Answer {
        self.limiter.check_key(&key)
    }

    fn fill(&mut self, key: u64) {
        let filled = self.limiter.check_key_n(&key, self.capacity);
        assert!(matches!(filled, Ok(Ok(()))), "a new key takes its burst");
    }

    fn keys(&self) -> usize {
        self.limiter.len()
    }
}
