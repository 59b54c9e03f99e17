//! The subjects: the limiters of `zset_std`.

use zset_std::{Clock, Decision, Funnel, Keyed, Limiter, Quota};

use crate::limiters::Limits;
use crate::limiters::clock::GivenClock;

/// A `zset_std::Funnel`, called at the time of a clock.
pub struct OneFunnel<C>(Funnel, C);

impl<C: Clock> OneFunnel<C> {
    /// Returns an empty funnel with a clock.
    pub fn new(quota: Quota, clock: C) -> Self {
        OneFunnel(Funnel::new(quota), clock)
    }
}

impl<C: Clock> Limits for OneFunnel<C> {
    type Answer = Decision;

    #[inline]
    fn is_allowed(answer: &Self::Answer) -> bool {
        answer.is_allowed()
    }

    #[inline]
    fn check(&mut self, _key: u64) -> Decision {
        self.0.watering(1, self.1.now())
    }

    fn fill(&mut self, _key: u64) {
        let filled = self.0.watering(self.0.capacity(), self.1.now());
        assert!(filled.is_allowed(), "a new funnel takes its capacity");
    }
}

/// A `zset_std::Keyed<u64, _>`; that of a `Funnel` is called `Funnels`.
pub struct ManyKeys<L: Limiter> {
    limiter: Keyed<u64, L>,
    capacity: u32,
    clock: GivenClock,
}

/// Returns how to make a limiter without keys, given how to make an unused one for a key.
pub fn many_keys<L: Limiter>(unused: fn(Quota) -> L) -> impl Fn(Quota, GivenClock) -> ManyKeys<L> {
    move |quota, clock| ManyKeys {
        limiter: Keyed::of(unused(quota)),
        capacity: quota.capacity(),
        clock,
    }
}

impl<L: Limiter> Limits for ManyKeys<L> {
    type Answer = Decision;

    #[inline]
    fn is_allowed(answer: &Self::Answer) -> bool {
        answer.is_allowed()
    }

    #[inline]
    fn check(&mut self, key: u64) -> Decision {
        self.limiter.at(self.clock.now()).check_n(&key, 1)
    }

    fn fill(&mut self, key: u64) {
        let filled = self.limiter.at(self.clock.now()).check_n(&key, self.capacity);
        assert!(filled.is_allowed(), "a new key takes the whole quota");
    }

    fn keys(&self) -> usize {
        self.limiter.len()
    }
}
