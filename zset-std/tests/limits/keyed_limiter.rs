//! Tests code that is generic over keyed limiters.

use super::*;
use zset_std::{AsyncKeyedLimiter, At};

fn minute() -> Duration {
    Duration::from_secs(60)
}

/// Uses the methods of a limiter that allows two units a minute.
fn use_all<L: KeyedLimiter<str> + ?Sized>(limiter: &L, clock: &FakeClock) {
    assert_eq!(limiter.now(), Timestamp::ZERO);
    assert_eq!(limiter.peek_n("ann", 2).verdict, Verdict::Allowed);
    assert!(limiter.check("ann").is_allowed());
    assert!(At::new(limiter, Timestamp::ZERO).check("ann").is_allowed());
    assert!(!limiter.check_n("ann", 1).is_allowed());
    assert_eq!(limiter.check_n("ann", 3).verdict, Verdict::Never);
    assert!(limiter.check_n("bob", 2).is_allowed());

    assert_eq!(limiter.refund("ann", 1), 1);
    assert_eq!(limiter.preview("ann", 1, Timestamp::ZERO).remaining, 0);
    assert!(!limiter.preview("ann", 2, Timestamp::ZERO).is_allowed());
    assert!(limiter.peek("ann").is_allowed());
    assert!(limiter.decide("ann", 1, Timestamp::ZERO).is_allowed());
    assert!(limiter.reset("ann"));
    assert!(!limiter.reset("ann"));
    assert!(limiter.check_n("ann", 2).is_allowed());

    clock.advance(2 * minute());
    assert_eq!(limiter.now(), Timestamp::ZERO.saturating_add(2 * minute()));
    assert!(limiter.check("bob").is_allowed());
}

#[test]
fn keyed_limiters_work_behind_pointers() {
    for limiter in all(per_minute(2)) {
        let new = |clock: &FakeClock| Keyed::<String, _>::new(limiter).with_clock(clock.clone());
        let uses: [&dyn Fn(&FakeClock); 5] = [
            &|clock| use_all(&new(clock), clock),
            &|clock| use_all(&&new(clock), clock),
            &|clock| use_all(&Arc::new(new(clock)), clock),
            &|clock| use_all(&(Box::new(new(clock)) as Box<dyn KeyedLimiter<str>>), clock),
            &|clock| use_all::<dyn KeyedLimiter<str>>(&new(clock), clock),
        ];
        for use_all in uses {
            use_all(&FakeClock::new());
        }
    }
}

/// Compares [`under`](KeyedLimiter::under) with the calls that take a quota.
fn compare_with_quotas_per_call<L: SingleQuota>(limiter: &L) {
    let keyed = || Keyed::<u32, _>::new(limiter.clone()).with_clock(FakeClock::new());
    let (by_call, by_view) = (keyed(), Arc::new(keyed()));
    let behind: &dyn KeyedLimiter<u32> = &by_view;
    for step in 0..400_u64 {
        let (key, count, n) = ((step % 3) as u32, (step * step % 7) as u32 + 1, step as u32 % 4);
        let quota = Funnel::new(per_minute(count));
        let (terms, now) = (L::Terms::from(quota), at(step * 5));
        let view = behind.under(quota).unwrap();
        assert_eq!(view.preview(&key, n, now), by_call.at(now).peek_with(&key, terms, n));
        assert_eq!(view.decide(&key, n, now), by_call.at(now).check_with(&key, terms, n));
        if step % 5 == 0 {
            assert_eq!(view.refund(&key, 2), by_call.refund_with(&key, terms, 2));
        }
        if step % 50 == 0 {
            assert_eq!(view.reset(&key), by_call.reset(&key));
        }
        by_view.check_invariants();
    }
    by_view.clock().advance(minute());
    assert_eq!(behind.under(limiter.terms().unwrap()).unwrap().now(), at(60));
    assert_eq!(by_view.len(), by_call.len());
}

#[test]
fn units_held_under_the_quota_of_a_call_are_charged_or_released() {
    let limiter = Keyed::<u32, _>::new(FixedWindow::new(per_minute(9)));
    let limiter = limiter.with_clock(FakeClock::new());
    let hold = || Hold::under(&limiter, &1, Some(Funnel::new(per_minute(5))), 3);
    let (decision, released) = hold();
    assert_eq!(decision.remaining, 2);
    assert_eq!(released.unwrap().release(), 3);
    assert_eq!(limiter.peek_n(&1, 0).remaining, 9);
    hold().1.unwrap().charge(1);
    assert_eq!(limiter.peek_n(&1, 0).remaining, 8);
    let (_, place) = limiter.hold_raw(&1, 3, at(0));
    assert_eq!(limiter.settle_raw(&1, place, 3, 1, at(0)), 2);
}

#[test]
fn a_limiter_under_another_quota_decides_as_calls_that_take_it() {
    for limiter in all(per_minute(2)).into_iter().chain([funnel(2, minute(), 5).into()]) {
        compare_with_quotas_per_call(&limiter);
        compare_with_quotas_per_call(&Penalty::new(limiter, block(3, 120)));
    }
    compare_with_quotas_per_call(&funnel(2, minute(), 5));
    compare_with_quotas_per_call(&SlidingWindow::new(per_minute(2)));
    compare_with_quotas_per_call(&WindowCounter::new(per_minute(2)));
}

#[test]
fn limiters_of_one_quota_know_it() {
    let (quota, funnel) = (per_minute(2), funnel(2, minute(), 5));
    let one: [(Box<dyn KeyedLimiter<u32>>, Funnel); 4] = [
        (Box::new(Keyed::new(funnel)), funnel),
        (Box::new(Arc::new(Keyed::new(SlidingWindow::new(quota)))), quota.into()),
        (Box::new(Keyed::new(AnyLimiter::from(WindowCounter::new(quota)))), quota.into()),
        (Box::new(Keyed::new(FixedWindow::new(quota))), quota.into()),
    ];
    for (limiter, terms) in one {
        assert_eq!(limiter.terms(), Some(terms));
        // `At` does not support `under`, because the limiter it returns would read the clock.
        let at: &dyn KeyedLimiter<u32> = &At::new(&*limiter, Timestamp::ZERO);
        assert!(at.terms() == Some(terms) && at.under(terms).is_none());
    }
    let keyed = Keyed::<u32, _>::new(funnel);
    assert_eq!(AsyncKeyedLimiter::<u32>::terms(&keyed), Some(funnel));
    let several: Box<dyn KeyedLimiter<u32>> = Box::new(Keyed::new(Limits::new([funnel])));
    assert_eq!(several.terms(), None);
    let of_user = OnlyRequired(Keyed::new(SlidingWindow::new(quota)));
    assert!(of_user.terms().is_none() && of_user.under(funnel).is_none());
}

/// A limiter that implements only the required methods.
pub(super) struct OnlyRequired(pub(super) Keyed<u32, SlidingWindow>);

impl KeyedLimiter<u32> for OnlyRequired {
    fn now(&self) -> Timestamp {
        at(0)
    }

    fn decide(&self, key: &u32, n: u32, now: Timestamp) -> Decision {
        self.0.decide(key, n, now)
    }

    fn preview(&self, key: &u32, n: u32, now: Timestamp) -> Decision {
        self.0.preview(key, n, now)
    }

    fn refund(&self, key: &u32, n: u32) -> u32 {
        self.0.refund(key, n)
    }

    fn reset(&self, key: &u32) -> bool {
        self.0.reset(key)
    }
}

#[test]
fn users_can_implement_keyed_limiter() {
    fn spend(limiter: &impl KeyedLimiter<u32>) -> usize {
        (0..10).filter(|_| limiter.check(&1).is_allowed()).count()
    }

    let limiter = OnlyRequired(Keyed::new(SlidingWindow::new(per_minute(3))));
    assert_eq!(spend(&limiter), 3);
    assert_eq!(limiter.refund(&1, 9), 3);
    assert_eq!(spend(&&limiter), 3);
}

/// With all names imported, method calls are unambiguous: through each pointer, and for each pair
/// of traits.
mod all_imported {
    use std::sync::Arc;
    use std::time::Duration;

    use zset_std::limit::*;
    use zset_std::*;

    fn quota() -> Quota {
        Quota::new(100, Duration::from_secs(60)).unwrap()
    }

    /// Calls the methods whose names `KeyedLimiter` and `AsyncKeyedLimiter` share.
    macro_rules! use_keyed {
        ($limiter:expr) => {
            use_keyed!($limiter, |limiter, now| limiter.at(now))
        };
        ($new:expr, |$limiter:ident, $now:ident| $at:expr) => {{
            let $limiter = $new;
            let (key, $now) = (&1_u32, Timestamp::ZERO);
            assert_eq!($limiter.check(key).remaining, 99);
            assert_eq!($at.check(key).remaining, 98);
            assert_eq!($limiter.check_n(key, 2).remaining, 96);
            assert_eq!($at.check_n(key, 2).remaining, 94);
            assert_eq!($limiter.peek_n(key, 4).remaining, 90);
            assert_eq!($at.peek_n(key, 4).remaining, 90);
            assert_eq!($limiter.refund(key, 3), 3);
            assert!($limiter.reset(key));
        }};
    }

    macro_rules! use_dyn {
        ($limiter:expr) => {
            use_keyed!($limiter, |limiter, now| At::new(&*limiter, now))
        };
    }

    macro_rules! use_keyed_through_pointers {
        ($new:expr) => {
            use_keyed!($new);
            use_keyed!(&$new);
            use_keyed!(&&$new);
            use_keyed!(Arc::new($new));
            use_keyed!(&Arc::new($new));
            use_keyed!(Box::new($new));
            use_keyed!(Arc::new(Box::new($new)));
            use_dyn!(Box::new($new) as Box<dyn KeyedLimiter<u32>>);
            use_dyn!(Arc::new($new) as Arc<dyn KeyedLimiter<u32> + Send + Sync>);
            use_dyn!(&(&$new as &dyn KeyedLimiter<u32>));
        };
    }

    #[test]
    fn calls_of_keyed_limiters_are_unambiguous() {
        let (clock, of) = (FakeClock::new(), Funnel::new(quota()));
        use_keyed_through_pointers!(Keyed::new(of).with_clock(clock.clone()));
        use_keyed_through_pointers!(Keyed::new(AnyLimiter::from(of)).with_clock(clock.clone()));
        use_keyed_through_pointers!(Keyed::new(Limits::new([of])).with_clock(clock.clone()));
        let quota_per_call = Arc::new(Keyed::<u32, _>::new(of));
        assert_eq!(quota_per_call.check_with(&1, quota(), 1).remaining, 99);
        assert_eq!(quota_per_call.peek_with(&1, quota(), 1).remaining, 98);
    }

    fn generic<L: KeyedLimiter<u32>>(limiter: L) -> u32 {
        limiter.check_n(&2, 1).remaining
    }

    async fn awaited<L: AsyncKeyedLimiter<u32>>(limiter: &L) -> u32 {
        let checked = limiter.check_n(&3, 1).await.ok().unwrap().remaining;
        assert_eq!(limiter.peek_n(&3, 1).await.ok().unwrap().remaining, checked - 1);
        limiter.refund(&3, 1).await.ok().unwrap()
    }

    #[test]
    fn generic_code_calls_the_trait_of_its_bound() {
        let limiter = Arc::new(Keyed::new(Funnel::new(quota())));
        assert_eq!(generic(&*limiter), 99);
        assert_eq!(generic(Box::new(&limiter)), 98);
        assert_eq!(generic(Arc::clone(&limiter)), 97);
        assert_eq!(pollster::block_on(awaited(&*limiter)), 1);
    }

    macro_rules! use_single {
        ($limiter:expr) => {{
            let limiter = &mut $limiter;
            assert_eq!(limiter.quota(), quota());
            assert_eq!(limiter.check_n(2, Timestamp::ZERO).remaining, 98);
            assert_eq!(limiter.peek_n(2, Timestamp::ZERO).remaining, 96);
            assert_eq!(limiter.refund(1), 1);
            limiter.set_quota(quota());
            limiter.reset();
            assert_eq!(limiter.peek_n(0, Timestamp::ZERO).remaining, 100);
        }};
    }

    macro_rules! use_single_through_pointers {
        ($limiter:expr) => {
            use_single!(Direct::new($limiter));
            use_single!(&mut Direct::new($limiter));
            use_single!(Box::new(Direct::new($limiter)));
        };
    }

    #[test]
    fn calls_of_limiters_of_one_key_are_unambiguous() {
        use_single_through_pointers!(Funnel::new(quota()));
        use_single_through_pointers!(SlidingWindow::new(quota()));
        use_single_through_pointers!(WindowCounter::new(quota()));
        use_single_through_pointers!(FixedWindow::new(quota()));
        use_single_through_pointers!(AnyLimiter::from(Funnel::new(quota())));
        let limits = Limits::new([AnyLimiter::from(Funnel::new(quota()))]);
        let mut limits = Box::new(Direct::new(limits));
        assert_eq!(limits.check_n(2, Timestamp::ZERO).remaining, 98);
        assert_eq!(limits.refund(1), 1);
        limits.reset();
    }

    #[test]
    fn calls_of_clocks_queues_and_boards_are_unambiguous() {
        let clock = FakeClock::new();
        clock.advance(Duration::from_secs(1));
        let second = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
        for now in [clock.now(), Arc::new(clock.clone()).now(), Arc::new(&clock).now()] {
            assert_eq!(now, second);
        }
        clock.park_until(Timestamp::ZERO);
        Arc::new(clock.clone()).park_until(Timestamp::ZERO);

        let queue = Arc::new(SharedDelayQueue::new().with_clock(clock));
        queue.push("job", second).unwrap();
        assert_eq!(queue.len(), 1);
        let mut board = Box::new(Leaderboard::new());
        assert!(board.submit("ann", 7).is_changed());
        assert_eq!(Best::combine(&3, 4), Ok(4));
    }
}
