//! The subjects: the limiters of `zset_std`.

use zset_std::{
    Clock, Decision, Direct, FixedWindow, Funnel, Keyed, Limiter, MonotonicClock, QuantaClock,
    Quota, SlidingWindow, WindowCounter,
};

use crate::limiters::workload::{GivenClock, Limits};

/// A `zset_std::Funnel`, called at the time of a clock.
pub struct OneFunnel<C>(Direct<Funnel>, C);

/// Returns an empty funnel with a clock that is set.
pub fn funnel(quota: Quota, clock: GivenClock) -> OneFunnel<GivenClock> {
    OneFunnel(Direct::new(Funnel::new(quota)), clock)
}

/// Returns an empty funnel with the clock of the operating system.
pub fn with_monotonic(quota: Quota) -> OneFunnel<MonotonicClock> {
    OneFunnel(Direct::new(Funnel::new(quota)), MonotonicClock::new())
}

/// Returns an empty funnel with the cycle counter.
pub fn with_quanta(quota: Quota) -> OneFunnel<QuantaClock> {
    OneFunnel(Direct::new(Funnel::new(quota)), QuantaClock::new())
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
        let filled = self.0.check_n(self.0.quota().capacity(), self.1.now());
        assert!(filled.is_allowed(), "a new funnel takes its capacity");
    }
}

/// A `zset_std::Keyed<u64, _>`.
pub struct ManyKeys<L: Limiter> {
    limiter: Keyed<u64, L>,
    capacity: u32,
    clock: GivenClock,
}

/// Returns a limiter without keys.
fn many_keys<L: Limiter>(algorithm: L, quota: Quota, clock: GivenClock) -> ManyKeys<L> {
    ManyKeys { limiter: Keyed::new(algorithm), capacity: quota.capacity(), clock }
}

/// Returns a keyed funnel.
pub fn funnels(quota: Quota, clock: GivenClock) -> ManyKeys<Funnel> {
    many_keys(Funnel::new(quota), quota, clock)
}

/// Returns a keyed sliding window.
pub fn sliding_windows(quota: Quota, clock: GivenClock) -> ManyKeys<SlidingWindow> {
    many_keys(SlidingWindow::new(quota), quota, clock)
}

/// Returns a keyed window counter.
pub fn window_counters(quota: Quota, clock: GivenClock) -> ManyKeys<WindowCounter> {
    many_keys(WindowCounter::new(quota), quota, clock)
}

/// Returns a keyed fixed window.
pub fn fixed_windows(quota: Quota, clock: GivenClock) -> ManyKeys<FixedWindow> {
    many_keys(FixedWindow::new(quota), quota, clock)
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
