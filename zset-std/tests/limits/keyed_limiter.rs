//! Code that is generic over keyed limiters.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use zset_std::{
    Decision, FakeClock, FixedWindow, Funnels, Keyed, KeyedLimiter, Quota, SlidingWindow,
    Timestamp, Verdict, WindowCounter,
};

fn minute() -> Duration {
    Duration::from_secs(60)
}

/// Uses every method; the limiter allows two units a minute.
fn use_all<L: KeyedLimiter<str> + ?Sized>(limiter: &L, clock: &FakeClock) {
    assert_eq!(limiter.now(), Timestamp::ZERO);
    assert_eq!(limiter.peek("ann", 2).verdict, Verdict::Allowed);
    assert!(limiter.check("ann").is_allowed());
    assert!(limiter.check_at("ann", Timestamp::ZERO).is_allowed());
    assert!(!limiter.check_n("ann", 1).is_allowed());
    assert_eq!(limiter.check_n("ann", 3).verdict, Verdict::Never);
    assert!(limiter.check_n("bob", 2).is_allowed());

    assert_eq!(limiter.refund("ann", 1), 1);
    assert_eq!(limiter.peek_at("ann", 1, Timestamp::ZERO).remaining, 0);
    assert!(limiter.check_n_at("ann", 1, Timestamp::ZERO).is_allowed());
    assert!(limiter.reset("ann"));
    assert!(!limiter.reset("ann"));
    assert!(limiter.check_n("ann", 2).is_allowed());

    clock.advance(2 * minute());
    assert_eq!(limiter.now(), Timestamp::ZERO.saturating_add(2 * minute()));
    assert!(limiter.check("bob").is_allowed());
}

fn use_behind_pointers<L: KeyedLimiter<str> + 'static>(new: impl Fn(FakeClock) -> L) {
    let clock = FakeClock::new();
    use_all(&new(clock.clone()), &clock);
    let clock = FakeClock::new();
    use_all(&&new(clock.clone()), &clock);
    let clock = FakeClock::new();
    use_all(&Arc::new(new(clock.clone())), &clock);
    let clock = FakeClock::new();
    let boxed: Box<dyn KeyedLimiter<str>> = Box::new(new(clock.clone()));
    use_all(&boxed, &clock);
    let clock = FakeClock::new();
    use_all::<dyn KeyedLimiter<str>>(&new(clock.clone()), &clock);
}

#[test]
fn keyed_limiters_work_behind_pointers() {
    let quota = Quota::new(2, minute()).unwrap();
    use_behind_pointers(|clock| SlidingWindow::<String>::new(quota).with_clock(clock));
    use_behind_pointers(|clock| Funnels::<String>::new(quota).with_clock(clock));
    use_behind_pointers(|clock| {
        Keyed::<String, _>::of(WindowCounter::new(quota)).with_clock(clock)
    });
    use_behind_pointers(|clock| Keyed::<String, _>::of(FixedWindow::new(quota)).with_clock(clock));
}

/// A user-defined limiter that allows a total number of units for all keys together.
struct Budget {
    limit: u32,
    left: Cell<u32>,
}

impl KeyedLimiter<str> for Budget {
    fn now(&self) -> Timestamp {
        Timestamp::ZERO
    }

    fn check_n_at(&self, key: &str, n: u32, now: Timestamp) -> Decision {
        let decision = self.peek_at(key, n, now);
        self.left.set(decision.remaining);
        decision
    }

    fn peek_at(&self, _: &str, n: u32, _: Timestamp) -> Decision {
        let (verdict, remaining) = match self.left.get().checked_sub(n) {
            Some(remaining) => (Verdict::Allowed, remaining),
            None => (Verdict::Never, self.left.get()),
        };
        Decision { verdict, limit: self.limit, remaining, reset_after: Duration::MAX }
    }

    fn refund(&self, _: &str, n: u32) -> u32 {
        let refunded = n.min(self.limit - self.left.get());
        self.left.set(self.left.get() + refunded);
        refunded
    }

    fn reset(&self, _: &str) -> bool {
        false
    }
}

#[test]
fn users_can_implement_keyed_limiter() {
    fn spend(limiter: &impl KeyedLimiter<str>) -> usize {
        (0..10).filter(|_| limiter.check("ann").is_allowed()).count()
    }

    let budget = Budget { limit: 3, left: Cell::new(3) };
    assert_eq!(spend(&budget), 3);
    assert_eq!(budget.refund("ann", 9), 3);
    assert_eq!(spend(&&budget), 3);
}
