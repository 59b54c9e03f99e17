//! The `governor` crate: the generic cell rate algorithm, with one word per key.

use std::num::NonZeroU32;

use governor::clock::{Clock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, RateLimiter};
use zset_std::Quota;

use crate::limiters::clock::GivenClock;
use crate::limiters::{Answer, Keyed, OneKey};

/// Converts a quota: the same burst and the same interval between units, except for fractions of a
/// nanosecond, which governor drops.
fn translate(quota: Quota) -> governor::Quota {
    governor::Quota::with_period(quota.period() / quota.count())
        .expect("an interval is a nanosecond at least")
        .allow_burst(capacity(quota))
}

fn capacity(quota: Quota) -> NonZeroU32 {
    NonZeroU32::new(quota.capacity()).expect("no quota has a capacity of zero")
}

impl<P: Reference> Answer for Result<(), NotUntil<P>> {
    #[inline]
    fn is_allowed(&self) -> bool {
        self.is_ok()
    }
}

/// A direct limiter.
pub struct DirectGovernor<C: Clock> {
    limiter: RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>,
    capacity: NonZeroU32,
}

impl<C: Clock> DirectGovernor<C> {
    /// Returns a limiter with a clock.
    pub fn new(quota: Quota, clock: C) -> Self {
        let limiter = RateLimiter::direct_with_clock(translate(quota), clock);
        DirectGovernor { limiter, capacity: capacity(quota) }
    }
}

impl<C: Clock> OneKey for DirectGovernor<C> {
    type Answer = Result<(), NotUntil<C::Instant>>;

    #[inline]
    fn check(&mut self) -> Self::Answer {
        self.limiter.check()
    }

    fn fill(&mut self) {
        let filled = self.limiter.check_n(self.capacity);
        assert!(matches!(filled, Ok(Ok(()))), "a new limiter takes its burst");
    }
}

/// A keyed limiter with governor's default store, a dashmap.
pub struct KeyedGovernor {
    limiter: RateLimiter<u64, DefaultKeyedStateStore<u64>, GivenClock, NoOpMiddleware<Nanos>>,
    capacity: NonZeroU32,
}

/// The instants of a [`GivenClock`].
type Nanos = <GivenClock as Clock>::Instant;

impl Keyed for KeyedGovernor {
    const NAME: &'static str = "governor";

    type Answer = Result<(), NotUntil<Nanos>>;

    fn new(quota: Quota, clock: GivenClock) -> Self {
        let limiter = RateLimiter::dashmap_with_clock(translate(quota), clock);
        KeyedGovernor { limiter, capacity: capacity(quota) }
    }

    #[inline]
    fn check(&mut self, key: u64) -> Self::Answer {
        self.limiter.check_key(&key)
    }

    fn fill(&mut self, key: u64) {
        let filled = self.limiter.check_key_n(&key, self.capacity);
        assert!(matches!(filled, Ok(Ok(()))), "a new key takes its burst");
    }

    fn len(&self) -> usize {
        self.limiter.len()
    }
}
