//! The bound on keys: which keys are idle, and what happens to keys without room.

use super::*;
use zset_std::limit::NotReady;
use zset_std::{AnyLimiter, FakeClock, Funnel, Keyed, SlidingWindow, WindowCounter};

/// Creates a limiter with this bound on keys.
fn full<L: OfQuota>(keys: usize, when_full: WhenFull) -> Keyed<u32, L> {
    let quota = Quota::new(3, Duration::from_secs(60)).unwrap();
    make::<u32, L>(quota, keys, when_full, Arc::new(Counts::default()))
}

fn a_refund_makes_room<L: OfQuota>() {
    let limiter: Keyed<u32, L> = full(1, WhenFull::RefuseNew);
    assert!(limiter.at(at(0)).check_n(&1, 3).is_allowed());
    limiter.refund(&1, 3);
    limiter.check_invariants();
    assert!(limiter.at(at(1)).check_n(&2, 1).is_allowed(), "key 1 is idle");

    let limiter: Keyed<u32, L> = full(1, WhenFull::RefuseNew);
    assert!(limiter.at(at(0)).check_n(&1, 3).is_allowed());
    limiter.refund(&1, 3);
    assert_eq!(limiter.at(at(1)).sweep(100), 1);
    assert_eq!(limiter.len(), 0);
}

#[test]
fn a_fully_refunded_key_is_idle_at_once() {
    a_refund_makes_room::<SlidingWindow>();
    a_refund_makes_room::<Funnel>();
}

#[test]
fn many_refunds_leave_few_deadlines() {
    fn refund<L: OfQuota>() {
        let limiter: Keyed<u32, L> = full(10, WhenFull::RefuseNew);
        for _ in 0..1000 {
            assert!(limiter.at(at(0)).check_n(&1, 3).is_allowed());
            limiter.refund(&1, 3);
            limiter.check_invariants();
        }
    }
    refund::<SlidingWindow>();
    refund::<Funnel>();
}

/// Verifies that a new key sweeps the only idle one, which is preceded in every shard by keys in
/// use whose deadlines have passed.
fn an_idle_key_makes_room<L: OfQuota>(others: u32) {
    let limiter: Keyed<u32, L> = full(others as usize + 1, WhenFull::RefuseNew);
    for key in 0..others {
        assert!(limiter.at(at(0)).check_n(&key, 1).is_allowed());
    }
    let idle = others;
    assert!(limiter.at(at(1)).check_n(&idle, 1).is_allowed());
    for key in 0..others {
        assert!(limiter.at(at(50)).check_n(&key, 2).is_allowed());
    }
    // A minute later, only the last key is idle.
    assert!(limiter.at(at(61)).check_n(&1_000_000, 1).is_allowed(), "{others} others");
    for key in 0..others {
        assert!(limiter.at(at(61)).check_n(&key, 0).remaining < 3, "a key in use was swept");
    }
    assert!(!limiter.at(at(61)).check_n(&2_000_000, 1).is_allowed());
    limiter.check_invariants();
}

#[test]
fn a_new_key_is_refused_only_if_no_key_is_idle() {
    for others in [5, 6, 7, 50, 1000] {
        an_idle_key_makes_room::<SlidingWindow>(others);
        an_idle_key_makes_room::<Funnel>(others);
    }
}

#[test]
fn a_key_without_room_uses_the_over_limit_of_the_shared_window() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let failures =
        Keyed::<u32, _>::new(SlidingWindow::new(quota)).with_max_keys(1, WhenFull::SharedBucket);
    failures.at(at(0)).record(&1, 1).unwrap();
    assert!(!failures.at(at(0)).over_limit(&2));
    for _ in 0..100 {
        failures.at(at(0)).record(&2, 1).unwrap();
    }
    assert!(failures.at(at(0)).over_limit(&2));
    assert!(!failures.at(at(0)).peek_n(&2, 1).is_allowed());
    assert!(!failures.at(at(0)).check_n(&2, 1).is_allowed());
    // The shared window is over its limit for all keys without room, until the units expire.
    assert!(failures.at(at(59)).over_limit(&3));
    assert!(!failures.at(at(60)).over_limit(&3));
}

#[test]
fn a_key_that_would_be_refused_is_over_its_limit() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let failures =
        Keyed::<u32, _>::new(SlidingWindow::new(quota)).with_max_keys(1, WhenFull::RefuseNew);
    failures.at(at(0)).record(&1, 1).unwrap();
    assert!(failures.at(at(0)).over_limit(&2));
    assert!(failures.at(at(0)).record(&2, 1).is_err());
    assert!(!failures.at(at(60)).over_limit(&2));
    assert!(failures.at(at(60)).record(&2, 1).is_ok());
}

#[test]
fn a_refused_key_reports_the_limit_of_the_given_quota() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let generous = Quota::new(5, Duration::from_secs(60)).unwrap();
    let windows =
        Keyed::<u32, _>::new(SlidingWindow::new(quota)).with_max_keys(1, WhenFull::RefuseNew);
    let funnels = Keyed::<u32, _>::new(Funnel::new(quota)).with_max_keys(1, WhenFull::RefuseNew);
    assert!(windows.at(at(0)).check_n(&1, 1).is_allowed());
    assert!(funnels.at(at(0)).check_n(&1, 1).is_allowed());
    let counters = Keyed::new(FixedWindow::new(quota)).with_max_keys(1, WhenFull::RefuseNew);
    assert!(counters.at(at(0)).check_n(&1, 1).is_allowed());
    for n in [1, 5] {
        let decisions = [
            counters.at(at(0)).check_with(&2, generous, n),
            counters.at(at(0)).peek_with(&2, generous, n),
            windows.at(at(0)).check_with(&2, generous, n),
            windows.at(at(0)).peek_with(&2, generous, n),
            funnels.at(at(0)).check_with(&2, generous, n),
            funnels.at(at(0)).peek_with(&2, generous, n),
        ];
        for decision in decisions {
            assert_eq!((decision.limit, decision.remaining), (5, 0));
            assert_eq!(decision.retry_after(), Some(Duration::from_secs(60)));
        }
    }
}

/// Units allowed under a longer period stay recorded while calls with a shorter one continue.
#[test]
fn a_key_is_kept_for_the_longest_period_of_its_calls() {
    fn keep(limiter: impl Into<AnyLimiter>) {
        let limiter = Keyed::new(limiter.into()).with_max_keys(1, WhenFull::RefuseNew);
        let hour = Quota::new(5, Duration::from_secs(3600)).unwrap();
        assert!(limiter.at(at(0)).check_with(&1, hour, 5).is_allowed());
        assert!(
            limiter.at(at(60)).check(&1).is_allowed() || limiter.at(at(600)).check(&1).is_allowed()
        );
        assert_eq!(limiter.at(at(1000)).sweep(9), 0, "an hour has not passed");
        assert!(!limiter.at(at(1000)).check_with(&1, hour, 1).is_allowed());
        assert_eq!(limiter.at(at(3 * 3600)).sweep(9), 1);
    }
    let minute = Quota::new(1, Duration::from_secs(60)).unwrap();
    keep(FixedWindow::new(minute));
    keep(WindowCounter::new(minute));
    keep(SlidingWindow::new(minute));
}

#[test]
fn keys_inserted_after_the_period_is_shortened_are_idle_sooner() {
    let day = Quota::new(1, Duration::from_secs(86_400)).unwrap();
    let windows =
        Keyed::<u32, _>::new(SlidingWindow::new(day)).with_max_keys(1, WhenFull::RefuseNew);
    windows.set_quota(Quota::new(1, Duration::from_secs(1)).unwrap());
    assert!(windows.at(at(0)).check_n(&1, 1).is_allowed());
    assert!(windows.at(at(1)).check_n(&2, 1).is_allowed());
}

/// The wait never ends, so a waiter must not poll.
#[test]
fn waiters_do_not_spin_on_a_limiter_without_room() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let funnels = Keyed::<u32, _>::new(Funnel::new(quota))
        .with_max_keys(0, WhenFull::RefuseNew)
        .with_clock(FakeClock::new());
    let wait = funnels.check(&1).retry_after().unwrap();
    assert!(wait > Duration::from_secs(1_000_000_000), "{wait:?}");
    let waiting = funnels.wait_ready(&1).timeout(Duration::from_secs(86_400));
    assert_eq!(waiting.block(), Err(NotReady::TooLate));
}

#[test]
fn units_charged_under_another_quota_are_refunded_under_it() {
    let funnel = |seconds, capacity| {
        let quota = Quota::new(1, Duration::from_secs(seconds)).unwrap();
        Funnel::new(quota).with_capacity(capacity).unwrap()
    };
    let (minute, second) = (funnel(60, 2), funnel(1, 1000));
    let funnels = Keyed::<u32, _>::new(minute);
    assert!(funnels.at(at(0)).check_n(&1, 1).is_allowed());
    assert!(funnels.at(at(0)).check_with(&1, second, 1).is_allowed());
    assert_eq!(funnels.refund_with(&1, second, 1), 1);
    assert_eq!(funnels.at(at(0)).peek_n(&1, 0).reset_after, Duration::from_secs(60));
    assert_eq!(funnels.refund_with(&2, second, 1), 0);
}

/// A key that is repeatedly reset and reinserted leaves deadlines behind; each is visited once.
#[test]
fn passed_deadlines_of_one_key_are_merged() {
    fn cycle<L: OfQuota>() {
        let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
        let limiter = make::<u32, L>(quota, 1000, WhenFull::RefuseNew, Arc::new(Counts::default()));
        for key in 0..1000 {
            assert!(limiter.at(at(1000)).check_n(&key, 1).is_allowed());
        }
        for i in 0..1500 {
            limiter.reset(&0);
            assert!(limiter.at(at(1000)).check_n(&0, 1).is_allowed());
            if i % 10 == 0 {
                limiter.check_invariants();
            }
        }
        // Key 0 is in use when its deadlines have passed; afterwards it has only one.
        assert!(limiter.at(at(1060)).check_n(&0, 1).is_allowed());
        assert_eq!(limiter.at(at(1061)).sweep(100_000), 999);
        limiter.check_invariants();
        assert_eq!(limiter.at(at(1120)).sweep(8), 1, "one deadline is left");
    }
    cycle::<SlidingWindow>();
    cycle::<Funnel>();
}

#[test]
fn a_changed_quota_moves_key_deadlines() {
    let minute = Quota::new(1, Duration::from_secs(60)).unwrap();
    let second = Quota::new(1, Duration::from_secs(1)).unwrap();
    let counters: Keyed<u32, _> = Keyed::new(FixedWindow::new(minute));
    let counters = counters.with_max_keys(1, WhenFull::RefuseNew);
    assert!(counters.at(at(0)).check_n(&1, 1).is_allowed());
    counters.set_quota(second);
    counters.check_invariants();
    assert!(counters.at(at(1)).check_n(&2, 1).is_allowed(), "key 1 is idle");
}

/// A peek at a later time does not affect a call at an earlier one.
#[test]
fn a_peek_does_not_advance_the_time() {
    fn peek<L: OfQuota>() {
        let limiter: Keyed<u32, L> = full(1, WhenFull::SharedBucket);
        assert!(limiter.at(at(0)).check_n(&1, 3).is_allowed());
        for key in [1, 2] {
            assert!(limiter.at(at(1000)).peek_n(&key, 3).is_allowed());
        }
        let denied = limiter.at(at(10)).check_n(&1, 3);
        assert_eq!(denied.retry_after(), Some(Duration::from_secs(50)));
    }
    peek::<SlidingWindow>();
    peek::<Funnel>();
}

/// The shards, and the shared bucket of the keys without room, have seen different times.
#[test]
fn a_wait_counts_from_the_callers_time_after_the_clock_steps_back() {
    fn step_back<L: OfQuota>(keys: usize, when_full: WhenFull) {
        let limiter: Keyed<u32, L> = full(keys, when_full);
        for key in [1, 2] {
            assert!(limiter.at(at(100)).check_n(&key, 3).is_allowed());
            let denied = limiter.at(at(40)).check_n(&key, 3);
            assert_eq!(denied.retry_after(), Some(Duration::from_secs(120)));
            assert_eq!(denied.reset_after, Duration::from_secs(120));
            assert_eq!(limiter.at(at(40)).peek_n(&key, 3), denied);
        }
        for key in [1, 2] {
            let tick = Duration::from_nanos(1);
            assert!(!limiter.at(at(160).saturating_sub(tick)).peek_n(&key, 3).is_allowed());
            assert!(limiter.at(at(160)).peek_n(&key, 3).is_allowed());
        }
    }
    for (keys, when_full) in [(2, WhenFull::RefuseNew), (1, WhenFull::SharedBucket)] {
        step_back::<SlidingWindow>(keys, when_full);
        step_back::<Funnel>(keys, when_full);
    }
}
