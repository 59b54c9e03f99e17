//! The subjects: the limiters of `zset_std`.

use zset_std::{Clock, Decision, Direct, Funnel, Keyed, Limiter, Quota};

use crate::limiters::workload::{GivenClock, Limits};

/// A `zset_std::Funnel`, called at the time of a clock.
pub struct OneFunnel<C>(Direct<Funnel>, C);

/// Returns an empty funnel.
pub fn funnel<C>(quota: Quota, clock: C) -> OneFunnel<C> {
    OneFunnel(Direct::new(Funnel::new(quota)), clock)
}

impl<C: Clock> Limits for OneFunnel<C> {
    type Answer = Decision;

    #[inline]
    fn is_allowed(answer: &Self::Answer) -> bool {
        answer.is_allowed()
    }

    #[inline]
    fn check(&mut self, _key: u64) -> Decision {
        self.0.check(self.1.now())
    }

    fn fill(&mut self, _key: u64) {
        let filled = self.0.check_n(self.0.quota().count(), self.1.now());
        assert!(filled.is_allowed(), "a new funnel takes its capacity");
    }
}

/// A `zset_std::Keyed<u64, _>`.
pub struct ManyKeys<L: Limiter> {
    limiter: Keyed<u64, L>,
    count: u32,
    clock: GivenClock,
}

/// Returns a limiter without keys, with the algorithm that `new` creates.
pub fn keyed<L: Limiter>(new: fn(Quota) -> L, quota: Quota, clock: GivenClock) -> ManyKeys<L> {
    ManyKeys { limiter: Keyed::new(new(quota)), count: quota.count(), clock }
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
        let filled = self.limiter.at(self.clock.now()).check_n(&key, self.count);
        assert!(filled.is_allowed(), "a new key takes the whole quota");
    }

    fn keys(&self) -> usize {
        self.limiter.len()
    }
}
