//! The subjects: the limiters of `zset_std`.

use zset_std::{
    Clock, Decision, FixedWindow, Funnel, Funnels, Limiter, Quota, WindowCounter, WindowLog,
};

use crate::limiters::clock::GivenClock;
use crate::limiters::{Answer, Keyed, OneKey};

impl Answer for Decision {
    #[inline]
    fn is_allowed(&self) -> bool {
        Decision::is_allowed(self)
    }
}

/// A `zset_std::Funnel`, called at the time of a clock.
pub struct OneFunnel<C> {
    funnel: Funnel,
    clock: C,
}

impl<C: Clock> OneFunnel<C> {
    /// Returns an empty funnel with a clock.
    pub fn new(quota: Quota, clock: C) -> Self {
        OneFunnel { funnel: Funnel::new(quota), clock }
    }
}

impl<C: Clock> OneKey for OneFunnel<C> {
    type Answer = Decision;

    #[inline]
    fn check(&mut self) -> Decision {
        self.funnel.watering(1, self.clock.now())
    }

    fn fill(&mut self) {
        let filled = self.funnel.watering(self.funnel.capacity(), self.clock.now());
        assert!(filled.is_allowed(), "a new funnel takes its capacity");
    }
}

/// `zset_std::Funnels<u64>`.
pub struct ManyFunnels {
    funnels: Funnels<u64>,
    capacity: u32,
    clock: GivenClock,
}

impl Keyed for ManyFunnels {
    const NAME: &'static str = "Funnels";

    type Answer = Decision;

    fn new(quota: Quota, clock: GivenClock) -> Self {
        ManyFunnels { funnels: Funnels::new(quota), capacity: quota.capacity(), clock }
    }

    #[inline]
    fn check(&mut self, key: u64) -> Decision {
        self.funnels.at(self.clock.now()).check_n(&key, 1)
    }

    fn fill(&mut self, key: u64) {
        let filled = self.funnels.at(self.clock.now()).check_n(&key, self.capacity);
        assert!(filled.is_allowed(), "a new key takes its capacity");
    }

    fn len(&self) -> usize {
        self.funnels.len()
    }
}

/// A `zset_std::Keyed<u64, _>`.
pub struct KeyedWindow<L: Limiter> {
    windows: zset_std::Keyed<u64, L>,
    count: u32,
    clock: GivenClock,
}

/// A limiter for a single key, of which [`KeyedWindow`] holds one per key.
pub trait Window: Limiter {
    /// The name of the keyed limiter shown in the tables.
    const NAME: &'static str;

    /// Returns an unused limiter.
    fn new(quota: Quota) -> Self;
}

macro_rules! windows {
    ($($limiter:ident $name:literal),*) => {$(
        impl Window for $limiter {
            const NAME: &'static str = $name;

            fn new(quota: Quota) -> Self {
                $limiter::new(quota)
            }
        }
    )*};
}

windows!(WindowLog "SlidingWindow", WindowCounter "WindowCounter", FixedWindow "FixedWindow");

impl<L: Window> Keyed for KeyedWindow<L> {
    const NAME: &'static str = L::NAME;

    type Answer = Decision;

    fn new(quota: Quota, clock: GivenClock) -> Self {
        let windows = zset_std::Keyed::of(L::new(quota));
        KeyedWindow { windows, count: quota.count(), clock }
    }

    #[inline]
    fn check(&mut self, key: u64) -> Decision {
        self.windows.at(self.clock.now()).check_n(&key, 1)
    }

    fn fill(&mut self, key: u64) {
        let filled = self.windows.at(self.clock.now()).check_n(&key, self.count);
        assert!(filled.is_allowed(), "a new key takes its count");
    }

    fn len(&self) -> usize {
        self.windows.len()
    }
}
