//! The subjects: the limiters of `zset_std`.

use zset_std::{Clock, Decision, Funnel, Funnels, Keyed, Limiter, Quota};

use crate::limiters::Limits;
use crate::limiters::clock::GivenClock;

/// A `zset_std::Funnel`, called at the time of a clock.
pub struct OneFunnel<C>(Funnel, C);

/// `zset_std::Funnels<u64>`.
pub struct ManyFunnels(Funnels<u64>, u32, GivenClock);

/// A `zset_std::Keyed<u64, _>`.
pub struct KeyedWindow<L: Limiter>(Keyed<u64, L>, u32, GivenClock);

impl<C: Clock> OneFunnel<C> {
    /// Returns an empty funnel with a clock.
    pub fn new(quota: Quota, clock: C) -> Self {
        OneFunnel(Funnel::new(quota), clock)
    }
}

impl ManyFunnels {
    /// Returns funnels without keys.
    pub fn new(quota: Quota, clock: GivenClock) -> Self {
        ManyFunnels(Funnels::new(quota), quota.capacity(), clock)
    }
}

impl<L: Limiter> KeyedWindow<L> {
    /// Returns a limiter without keys, given an unused one for a key.
    pub fn new(unused: L, quota: Quota, clock: GivenClock) -> Self {
        KeyedWindow(Keyed::of(unused), quota.count(), clock)
    }
}

/// The methods that are the same in all.
macro_rules! decision {
    () => {
        type Answer = Decision;

        #[inline]
        fn is_allowed(decision: &Decision) -> bool {
            decision.is_allowed()
        }
    };
}

/// The methods that are the same for many keys.
macro_rules! many_keys {
    () => {
        decision!();

        #[inline]
        fn check(&mut self, key: u64) -> Decision {
            self.0.at(self.2.now()).check_n(&key, 1)
        }

        fn fill(&mut self, key: u64) {
            let filled = self.0.at(self.2.now()).check_n(&key, self.1);
            assert!(filled.is_allowed(), "a new key takes the whole quota");
        }

        fn keys(&self) -> usize {
            self.0.len()
        }
    };
}

impl<C: Clock> Limits for OneFunnel<C> {
    decision!();

    #[inline]
    fn check(&mut self, _key: u64) -> Decision {
        self.0.watering(1, self.1.now())
    }

    fn fill(&mut self, _key: u64) {
        let filled = self.0.watering(self.0.capacity(), self.1.now());
        assert!(filled.is_allowed(), "a new funnel takes its capacity");
    }
}

impl Limits for ManyFunnels {
    many_keys!();
}

impl<L: Limiter> Limits for KeyedWindow<L> {
    many_keys!();
}
