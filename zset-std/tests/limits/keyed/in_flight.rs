//! Units that are held while it is not known whether they count.

use super::*;
use zset_std::limit::{Block, Held};
use zset_std::{Decision, Keyed, KeyedLimiter, Penalty, SlidingWindow};

fn quota(count: u32) -> Quota {
    Quota::new(count, Duration::from_secs(60)).unwrap()
}

fn hold(limiter: &impl KeyedLimiter<u32>, key: u32, second: u64) -> Decision {
    limiter.hold(&key, 1, at(second)).0
}

fn seconds(decision: Decision) -> u64 {
    decision.retry_after().unwrap().as_secs()
}

#[test]
fn units_on_record_and_in_flight_do_not_exceed_the_limit() {
    let limiter = Keyed::<u32, _>::new(SlidingWindow::new(quota(3)));
    assert!(limiter.at(at(0)).check(&1).is_allowed());
    for left in [1, 0] {
        let held = hold(&limiter, 1, 0);
        assert_eq!((held.is_allowed(), held.remaining), (true, left));
    }
    // One of those in flight may be charged or released at any time.
    let denied = hold(&limiter, 1, 0);
    assert_eq!((seconds(denied), denied.remaining), (1, 0));
    assert_eq!(limiter.at(at(0)).peek_n(&1, 0).remaining, 2, "nothing is on record");
    let none = limiter.hold(&1, 0, at(0)).0;
    assert_eq!((none.is_allowed(), none.remaining), (true, 0));
    assert!(hold(&limiter, 2, 0).is_allowed(), "another key");
    limiter.charge(&1, Held::Key, 1, at(10));
    assert_eq!(seconds(hold(&limiter, 1, 10)), 1);
    assert_eq!(limiter.release(&1, Held::Key, 1), 1);
    let held = hold(&limiter, 1, 10);
    assert_eq!((held.is_allowed(), held.remaining), (true, 0));
    limiter.charge(&1, Held::Key, 1, at(20));
    assert_eq!(limiter.at(at(69)).peek_n(&1, 0).remaining, 1);
    assert_eq!(limiter.at(at(70)).peek_n(&1, 0).remaining, 2, "counted since they were charged");
    // No more than there is room for, if other calls have taken it.
    assert_eq!(limiter.hold(&1, 2, at(70)).0.remaining, 0);
    assert!(limiter.at(at(70)).check(&1).is_allowed());
    limiter.charge(&1, Held::Key, 2, at(70));
    assert_eq!(limiter.refund(&1, 9), 3);
}

#[test]
fn a_release_or_a_charge_of_no_units_ends_no_hold() {
    let limiter = Keyed::<u32, _>::new(SlidingWindow::new(quota(1)));
    assert!(hold(&limiter, 1, 0).is_allowed());
    let (none, held) = limiter.hold(&1, 0, at(0));
    assert!(none.is_allowed());
    limiter.release(&1, held, 0);
    limiter.charge(&1, held, 0, at(0));
    assert!(!hold(&limiter, 1, 0).is_allowed(), "the unit is still in flight");
    limiter.charge(&2, held, 0, at(0));
    assert_eq!(limiter.len(), 1);
}

/// As many keys as there is room for hold units; all others share the bucket, also when units are
/// charged.
#[test]
fn units_in_flight_of_new_keys_count_where_they_will_be_charged() {
    for in_use in [0, 1] {
        let limiter = Keyed::<u32, _>::new(SlidingWindow::new(quota(3)))
            .with_max_keys(1, WhenFull::SharedBucket);
        for _ in 0..in_use {
            assert!(limiter.at(at(0)).check(&100).is_allowed());
        }
        let holds = (0..20).map(|key| (key, limiter.hold(&key, 1, at(0))));
        let allowed: Vec<_> = holds.filter(|(_, (decision, _))| decision.is_allowed()).collect();
        let shared = allowed.iter().filter(|(_, (_, held))| *held == Held::Shared).count();
        assert_eq!((shared, allowed.len()), (3, 4 - in_use));
        limiter.check_invariants();
        assert_eq!(limiter.hold(&19, 0, at(0)).0.remaining, 0);
        assert!(!limiter.preview_hold(&19, 1, at(0)).is_allowed());
        for (index, (key, (_, held))) in allowed.into_iter().enumerate() {
            if index == 2 {
                assert_eq!(limiter.release(&key, held, 1), 1);
            } else {
                limiter.charge(&key, held, 1, at(0));
            }
            limiter.check_invariants();
        }
        assert_eq!(limiter.len(), 1);
        assert!(limiter.at(at(59)).check(&50).is_allowed(), "one was released");
        assert!(!limiter.at(at(59)).check(&50).is_allowed());
        assert!(limiter.at(at(60)).check(&50).is_allowed());
    }
}

#[test]
fn a_key_stays_while_units_of_it_are_held() {
    let counts = Arc::new(Counts::default());
    let limiter = make::<u32, SlidingWindow>(quota(3), 1, WhenFull::RefuseNew, counts.clone());
    assert!(hold(&limiter, 1, 0).is_allowed() && hold(&limiter, 1, 0).is_allowed());
    assert_eq!(limiter.at(at(100)).sweep(usize::MAX), 0);
    assert_eq!(seconds(limiter.at(at(100)).check(&2)), 1);
    assert_eq!(seconds(hold(&limiter, 2, 100)), 1);
    assert_eq!(limiter.at(at(1000)).peek(&2).retry_after(), Some(Duration::from_secs(1)));
    limiter.check_invariants();
    assert_eq!(limiter.release(&1, Held::Key, 1), 1);
    assert!(!limiter.at(at(1000)).check(&2).is_allowed(), "one is still held");
    limiter.charge(&1, Held::Key, 1, at(1000));
    limiter.check_invariants();
    assert_eq!(seconds(limiter.at(at(1002)).check(&2)), 58);
    assert!(limiter.at(at(1060)).check(&2).is_allowed());
    limiter.check_invariants();
    let counts = [&counts.allowed, &counts.denied, &counts.swept, &counts.refused];
    assert_eq!(counts.map(|count| count.load(Ordering::Relaxed)), [2, 4, 1, 4]);
}

#[test]
fn a_peek_at_a_later_time_does_not_postpone_when_a_held_key_makes_room() {
    for others in [0, 100] {
        let limiter = Keyed::<u32, _>::new(SlidingWindow::new(quota(3)))
            .with_max_keys(others + 1, WhenFull::RefuseNew);
        assert!(hold(&limiter, 1000, 0).is_allowed());
        for key in 0..u32::try_from(others).unwrap() {
            assert!(limiter.at(at(0)).check(&key).is_allowed());
        }
        let before = limiter.at(at(0)).check(&2000);
        assert_eq!(seconds(before), 1, "the hold may end at any time");
        assert_eq!(limiter.at(at(1000)).peek(&2000).is_allowed(), others > 0);
        limiter.check_invariants();
        assert_eq!(limiter.at(at(0)).check(&2000), before);
        assert_eq!(limiter.release(&1000, Held::Key, 1), 1);
        limiter.check_invariants();
        assert!(limiter.at(at(0)).check(&2000).is_allowed());
    }
}

#[test]
fn a_key_that_is_reset_while_units_are_held_is_inserted_when_they_are_charged() {
    let limiter =
        Keyed::<u32, _>::new(SlidingWindow::new(quota(3))).with_max_keys(1, WhenFull::RefuseNew);
    assert!(hold(&limiter, 1, 0).is_allowed());
    assert!(limiter.reset(&1));
    limiter.check_invariants();
    limiter.charge(&1, Held::Key, 1, at(0));
    assert_eq!(limiter.at(at(0)).peek_n(&1, 0).remaining, 2);
    assert!(hold(&limiter, 1, 0).is_allowed());
    assert!(limiter.reset(&1) && limiter.at(at(0)).check(&2).is_allowed());
    limiter.charge(&1, Held::Key, 1, at(0));
    limiter.check_invariants();
    assert_eq!((limiter.len(), limiter.at(at(60)).sweep(usize::MAX)), (1, 1));
}

#[test]
fn a_denial_of_held_units_is_counted_once() {
    let block = Block::after(3.try_into().unwrap(), Duration::from_secs(600));
    let counts = Arc::new(Counts::default());
    let penalty = Penalty::new(SlidingWindow::new(quota(2)), block);
    let limiter = Keyed::<u32, _>::new(penalty).with_observer(counts.clone());
    let hold = || seconds(hold(&limiter, 1, 0));
    assert_eq!([hold(), hold(), hold(), hold()], [0, 0, 1, 1]);
    // An allowed unit ends a row of denials.
    assert_eq!(limiter.release(&1, Held::Key, 1), 1);
    assert_eq!([hold(), hold(), hold(), hold()], [0, 1, 1, 600]);
    assert_eq!(counts.denied.load(Ordering::Relaxed), 5);
    assert_eq!(counts.allowed.load(Ordering::Relaxed), 0);
    // Units that were held before the block are recorded, and count for longer than it.
    limiter.charge(&1, Held::Key, 2, at(590));
    assert_eq!(counts.allowed.load(Ordering::Relaxed), 1);
    assert_eq!(seconds(limiter.at(at(600)).check_n(&1, 2)), 50);
}

#[test]
fn a_preview_of_a_hold_returns_the_decision_of_the_hold() {
    let block = Block::after(2.try_into().unwrap(), Duration::from_secs(600));
    let penalty = Penalty::new(SlidingWindow::new(quota(2)), block);
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        let limiter = Keyed::<u32, _>::new(penalty).with_max_keys(1, when_full);
        // The second denial because of units in flight starts a block. Then the clock steps back.
        for second in [0, 0, 0, 0, 0, 10, 5, 700, 690] {
            for (key, n) in [(1, 0), (2, 0), (1, 1), (2, 1), (1, 3)] {
                let peeked = limiter.preview_hold(&key, n, at(second));
                assert_eq!(limiter.preview_hold(&key, n, at(second)), peeked);
                assert_eq!(limiter.hold(&key, n, at(second)).0, peeked, "{key}, {second}");
            }
        }
    }
}

/// A limiter that only has the required methods.
struct Wrapped(Keyed<u32, SlidingWindow>);

impl KeyedLimiter<u32> for Wrapped {
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
fn a_limiter_that_cannot_hold_units_takes_them() {
    let limiter = Wrapped(Keyed::new(SlidingWindow::new(quota(3))));
    for _ in 0..3 {
        let (decision, held) = limiter.hold(&1, 1, at(0));
        assert_eq!((seconds(decision), held), (0, Held::Taken));
    }
    assert_eq!(seconds(hold(&limiter, 1, 0)), 60);
    limiter.charge(&1, Held::Taken, 1, at(0));
    assert_eq!(limiter.peek_n(&1, 0).remaining, 0);
    assert_eq!((limiter.release(&1, Held::Taken, 1), limiter.peek_n(&1, 0).remaining), (1, 1));
    assert_eq!(limiter.release(&1, Held::Taken, 9), 2, "as many as are on record");
}
