//! Tests the bound on the number of keys: which keys are idle, and what happens to keys without
//! room.

use super::in_flight::{ASKED, FourInAll};
use super::*;

/// The list of deadlines is rebuilt only once most of it is stale.
#[test]
fn resets_examine_few_other_keys() {
    let limiter = Keyed::<u32, _>::new(FourInAll);
    for key in 0..1000 {
        assert!(limiter.check(&key).is_allowed());
    }
    ASKED.set(0);
    assert!((0..1000).all(|key| limiter.reset(&key)));
    assert!(ASKED.get() < 1000, "{} keys examined", ASKED.get());
}

#[test]
fn a_key_that_is_idle_only_at_the_last_timestamp_is_never_swept() {
    for limiter in two(per_minute(1)) {
        let limiter = Keyed::<u32, _>::new(limiter);
        assert!(limiter.at(Timestamp::MAX).check(&1).is_allowed());
        assert_eq!(limiter.at(Timestamp::MAX).sweep(9), 0);
    }
}

#[test]
fn many_refunds_leave_few_deadlines() {
    for limiter in two(per_minute(3)) {
        let limiter = Keyed::<u32, _>::new(limiter);
        for _ in 0..1000 {
            assert!(limiter.at(at(0)).check_n(&1, 3).is_allowed());
            limiter.refund(&1, 3);
            limiter.check_invariants();
        }
    }
}

/// A new key sweeps the only idle key, even if many keys in use have earlier deadlines that have
/// passed.
#[test]
fn a_new_key_is_refused_only_if_no_key_is_idle() {
    let cases = [5_u32, 6, 7, 50, 1000].map(|others| two(per_minute(3)).map(|it| (others, it)));
    for (others, limiter) in cases.into_iter().flatten() {
        let limiter =
            Keyed::<u32, _>::new(limiter).with_max_keys(others as usize + 1, WhenFull::RefuseNew);
        for key in 0..others {
            assert!(limiter.at(at(0)).check_n(&key, 1).is_allowed());
        }
        let idle = others;
        assert!(limiter.at(at(1)).check_n(&idle, 1).is_allowed());
        for key in 0..others {
            assert!(limiter.at(at(50)).check_n(&key, 2).is_allowed());
        }
        // At second 61, only the key `idle` can be swept; all others are still in use.
        assert!(limiter.at(at(61)).check_n(&1_000_000, 1).is_allowed(), "{others} others");
        for key in 0..others {
            assert!(limiter.at(at(61)).check_n(&key, 0).remaining < 3, "a key in use was swept");
        }
        assert!(!limiter.at(at(61)).check_n(&2_000_000, 1).is_allowed());
        limiter.check_invariants();
    }
}

#[test]
fn a_refused_key_reports_the_limit_of_the_given_quota() {
    for limiter in all(per_minute(1)) {
        let limiter = one_key(limiter, WhenFull::RefuseNew);
        let now = limiter.at(at(0));
        assert!(now.check_n(&1, 1).is_allowed());
        for n in [1, 5] {
            let decision = now.check_with(&2, per_minute(5), n);
            assert_eq!(now.peek_with(&2, per_minute(5), n), decision);
            assert_eq!((decision.limit, decision.remaining), (5, 0));
            let is_counter = matches!(limiter.limiter(), AnyLimiter::WindowCounter(_));
            assert_eq!(seconds(decision), if is_counter { 120 } else { 60 }, "{limiter:?}");
        }
    }
}

/// The wait never ends, so a waiter must not poll.
#[test]
fn waiters_do_not_spin_on_a_limiter_without_room() {
    let funnels = Keyed::<u32, _>::new(Funnel::new(per_minute(1)))
        .with_max_keys(0, WhenFull::RefuseNew)
        .with_clock(FakeClock::new());
    let wait = funnels.check(&1).retry_after().unwrap();
    assert!(wait > Duration::from_secs(1_000_000_000), "{wait:?}");
    let waiting = funnels.wait_ready(&1).timeout(Duration::from_secs(86_400));
    assert_eq!(waiting.block(), Err(NotReady::TooLate));
}

#[test]
fn units_charged_under_another_quota_are_refunded_under_it() {
    let minute = funnel(1, Duration::from_secs(60), 2);
    let second = funnel(1, Duration::from_secs(1), 1000);
    let funnels = Keyed::<u32, _>::new(minute);
    assert!(funnels.at(at(0)).check_n(&1, 1).is_allowed());
    assert!(funnels.at(at(0)).check_with(&1, second, 1).is_allowed());
    assert_eq!(funnels.refund_with(&1, second, 1), 1);
    assert_eq!(funnels.at(at(0)).peek_n(&1, 0).reset_after, Duration::from_secs(60));
    assert_eq!(funnels.refund_with(&2, second, 1), 0);
    for mut one in all(per_minute(3)).map(Direct::new) {
        one.record(2, at(0));
        assert_eq!(one.refund_with(per_minute(9), 1), 1, "{one:?}");
    }
}

/// A key that is repeatedly reset and reinserted leaves deadlines behind; each is visited once.
#[test]
fn passed_deadlines_of_one_key_are_merged() {
    for limiter in two(per_minute(1)) {
        let limiter = Keyed::<u32, _>::new(limiter).with_max_keys(1000, WhenFull::RefuseNew);
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
        // Key 0 is used again just as its many deadlines pass. The sweep replaces them with a
        // single later deadline.
        assert!(limiter.at(at(1060)).check_n(&0, 1).is_allowed());
        assert_eq!(limiter.at(at(1061)).sweep(100_000), 999);
        limiter.check_invariants();
        assert_eq!(limiter.at(at(1120)).sweep(8), 1, "one deadline is left");
    }
}

#[test]
fn a_changed_quota_moves_key_deadlines() {
    let counters = one_key(FixedWindow::new(per_minute(1)), WhenFull::RefuseNew);
    assert!(counters.at(at(0)).check_n(&1, 1).is_allowed());
    counters.set_quota(quota(1, 1));
    counters.check_invariants();
    assert!(counters.at(at(1)).check_n(&2, 1).is_allowed(), "key 1 is idle");
}

/// A peek at a later time does not affect a call at an earlier one.
#[test]
fn a_peek_does_not_advance_the_time() {
    for limiter in two(per_minute(3)) {
        let limiter = one_key(limiter, WhenFull::SharedBucket);
        assert!(limiter.at(at(0)).check_n(&1, 3).is_allowed());
        for key in [1, 2] {
            assert!(limiter.at(at(1000)).peek_n(&key, 3).is_allowed());
        }
        assert_eq!(seconds(limiter.at(at(10)).check_n(&1, 3)), 50);
    }
}

/// The shards, and the shared bucket of the keys without room, have seen different times.
#[test]
fn a_wait_counts_from_the_callers_time_after_the_clock_steps_back() {
    let tick = nanos(1);
    for (keys, when_full) in [(2, WhenFull::RefuseNew), (1, WhenFull::SharedBucket)] {
        for limiter in two(per_minute(3)) {
            let limiter = Keyed::<u32, _>::new(limiter).with_max_keys(keys, when_full);
            for key in [1, 2] {
                assert!(limiter.at(at(100)).check_n(&key, 3).is_allowed());
                let denied = limiter.at(at(40)).check_n(&key, 3);
                assert_eq!((seconds(denied), denied.reset_after), (120, Duration::from_secs(120)));
                assert_eq!(limiter.at(at(40)).peek_n(&key, 3), denied);
            }
            for key in [1, 2] {
                assert!(!limiter.at(at(160).saturating_sub(tick)).peek_n(&key, 3).is_allowed());
                assert!(limiter.at(at(160)).peek_n(&key, 3).is_allowed());
            }
        }
    }
}

/// A later call for the key or, in the shared bucket, for any key must not use an earlier time.
#[test]
fn a_check_a_record_and_both_ends_of_a_hold_advance_the_time() {
    for (limiter, max_keys) in two(per_minute(3)).into_iter().flat_map(|it| [(it, 0), (it, 1)]) {
        let limiter = || {
            let limiter = Keyed::<u32, _>::new(limiter).with_clock(FakeClock::new());
            limiter.with_max_keys(max_keys, WhenFull::SharedBucket)
        };
        let expect = |limiter: &Keyed<u32, _, FakeClock>, wait| {
            // Without room, these keys use the same bucket, although they are in different shards.
            for key in 1..if max_keys == 0 { 100 } else { 2 } {
                assert_eq!(seconds(limiter.at(at(40)).check_n(&key, 3)), wait);
            }
        };
        let [checked, recorded, started, ended] = [(); 4].map(|()| limiter());
        assert!(checked.at(at(100)).check_n(&1, 3).is_allowed());
        expect(&checked, 120);
        assert_eq!(recorded.at(at(100)).record(&1, 3), Ok(()));
        expect(&recorded, 120);
        let hold = Hold::new(started.at(at(100)), &1, 3);
        expect(&started, 61);
        drop(hold);
        let hold = Hold::new(&ended, &1, 3);
        ended.clock().advance(Duration::from_secs(100));
        drop(hold);
        expect(&ended, 120);
    }
}
