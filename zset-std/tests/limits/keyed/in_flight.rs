//! Tests held units: the caller decides later whether to charge them.

use std::cell::Cell;

use super::*;
use crate::keyed_limiter::OnlyRequired;
use zset_std::At;

type Held<'a, L> = Hold<At<'a, L>, u32>;

/// Tries to hold units at a given time. The hold is settled at the same time.
fn try_hold<L: KeyedLimiter<u32>>(
    limiter: &L,
    key: u32,
    n: u32,
    second: u64,
) -> (Decision, Option<Held<'_, L>>) {
    Hold::new(At::new(limiter, at(second)), &key, n)
}

/// Holds units, which must be allowed.
fn hold<L: KeyedLimiter<u32>>(limiter: &L, key: u32, n: u32, second: u64) -> Held<'_, L> {
    try_hold(limiter, key, n, second).1.expect("allowed")
}

/// Tries to hold units, which must be denied; returns the wait in seconds.
fn denied<L: KeyedLimiter<u32>>(limiter: &L, key: u32, n: u32, second: u64) -> u64 {
    let (decision, hold) = try_hold(limiter, key, n, second);
    assert!(hold.is_none() && !decision.is_allowed());
    seconds(decision)
}

#[test]
fn units_on_record_and_in_flight_do_not_exceed_the_limit() {
    let limiter =
        Keyed::<u32, _>::new(SlidingWindow::new(per_minute(3))).with_clock(FakeClock::new());
    assert!(limiter.check(&1).is_allowed());
    let mut holds = Vec::new();
    for left in [1, 0] {
        let (decision, hold) = Hold::new(&limiter, &1, 1);
        assert_eq!((decision.is_allowed(), decision.remaining), (true, left));
        holds.extend(hold);
    }
    // A held unit may be released at any time, so a wait of one second is only a guess.
    let (decision, hold) = Hold::new(&limiter, &1, 1);
    assert_eq!((seconds(decision), decision.remaining, hold.is_none()), (1, 0, true));
    assert!(Hold::new(&limiter, &2, 1).0.is_allowed(), "another key");
    let (first, second) = (holds.pop().unwrap(), holds.pop().unwrap());
    limiter.clock().advance(Duration::from_secs(10));
    first.charge(1);
    assert_eq!(seconds(limiter.check(&1)), 1);
    assert_eq!(second.release(), 1);
    let (decision, third) = Hold::new(&limiter, &1, 1);
    assert_eq!((decision.is_allowed(), decision.remaining), (true, 0));
    limiter.clock().advance(Duration::from_secs(10));
    third.unwrap().charge(1);
    assert_eq!(limiter.at(at(69)).peek_n(&1, 0).remaining, 1);
    assert_eq!(limiter.at(at(70)).peek_n(&1, 0).remaining, 2, "counted since they were charged");
}

#[test]
fn a_dropped_hold_is_charged_whole() {
    let clock = FakeClock::new();
    let limiter = Keyed::<u32, _>::new(SlidingWindow::new(per_minute(4))).with_clock(clock.clone());
    let (_, held) = Hold::new(&limiter, &1, 3);
    clock.advance(Duration::from_secs(10));
    drop(held);
    clock.advance(Duration::from_secs(59));
    assert_eq!(limiter.peek_n(&1, 0).remaining, 1);
    clock.advance(Duration::from_secs(1));
    assert_eq!(limiter.peek_n(&1, 0).remaining, 4);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _hold = Hold::new(&limiter, &1, 3);
        panic!("before it is settled");
    }));
    assert!(panicked.is_err());
    assert_eq!(limiter.refund(&1, 4), 3);
}

thread_local! {
    /// How often this thread has asked [`FourInAll`] when a key is idle.
    pub(super) static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// An algorithm that implements only the required methods, and allows four units in all.
#[derive(Clone)]
pub(super) struct FourInAll;

impl Limiter for FourInAll {
    type State = u32;
    const NEW: u32 = 0;

    fn check_n(&self, used: &mut u32, n: u32, _: Timestamp) -> Decision {
        let room = 4_u32.saturating_sub(*used);
        let verdict = match n {
            5.. => Verdict::Never,
            _ if n > room => Verdict::Denied { retry_after: Duration::MAX },
            _ => Verdict::Allowed,
        };
        *used += if verdict == Verdict::Allowed { n } else { 0 };
        let remaining = 4_u32.saturating_sub(*used);
        Decision { verdict, limit: 4, remaining, reset_after: Duration::MAX }
    }

    fn record(&self, used: &mut u32, n: u32, _: Timestamp) {
        *used += n;
    }

    fn refund(&self, used: &mut u32, n: u32) -> u32 {
        let refunded = n.min(*used);
        *used -= refunded;
        refunded
    }

    fn idle_from(&self, used: &u32) -> Timestamp {
        ASKED.set(ASKED.get() + 1);
        if *used > 0 { Timestamp::MAX } else { Timestamp::ZERO }
    }
}

/// Tests each call that may allow units. Of four units, three are held and one is on record.
#[test]
fn every_call_sees_units_that_are_held() {
    fn each(limiter: impl Limiter, when_full: Option<WhenFull>) {
        let clock = FakeClock::new();
        let mut limiter = Keyed::<u32, _>::new(limiter).with_clock(clock.clone());
        if let Some(when_full) = when_full {
            // Key 0 occupies the only room, so key 1 uses the shared bucket.
            limiter = limiter.with_max_keys(1, when_full);
            assert!(limiter.check_n(&0, 4).is_allowed());
        }
        let held = hold(&limiter, 1, 3, 0);
        let one = limiter.check(&1);
        assert_eq!((one.is_allowed(), one.limit, one.remaining), (true, 4, 0));
        for n in 1..=4 {
            let decisions = [
                limiter.check_n(&1, n),
                limiter.peek_n(&1, n),
                limiter.decide(&1, n, at(0)),
                limiter.preview(&1, n, at(0)),
                limiter.at(at(0)).check_n(&1, n),
                limiter.at(at(0)).peek_n(&1, n),
                try_hold(&limiter, 1, n, 0).0,
            ];
            // A call for four units must also wait for the recorded unit to expire. That wait
            // depends on the algorithm.
            let wait =
                if n == 4 { decisions[0].retry_after() } else { Some(Duration::from_secs(1)) };
            for decision in decisions {
                assert_eq!((decision.retry_after(), decision.remaining), (wait, 0), "{n}");
            }
        }
        for decision in [limiter.check(&1), limiter.peek(&1)] {
            assert_eq!((seconds(decision), decision.remaining), (1, 0));
        }
        assert_eq!(limiter.check_n(&1, 5).verdict, Verdict::Never);
        assert!(limiter.check_n(&1, 0).is_allowed() && limiter.over_limit(&1));
        let waited = limiter.wait_ready(&1).timeout(Duration::from_millis(999)).block();
        assert_eq!(waited, Err(NotReady::TooLate));
        held.charge(2);
        limiter.check_invariants();
        let last = limiter.check(&1);
        assert_eq!((last.is_allowed(), last.remaining), (true, 0));
        // All four units are recorded now, so the wait is computed instead of guessed.
        assert!(limiter.check(&1).retry_after() >= Some(Duration::from_secs(2)));
        assert!(limiter.over_limit(&1));
    }
    let several = || Limits::new([4, 9].map(|count| SlidingWindow::new(per_minute(count))));
    for when_full in [None, Some(WhenFull::SharedBucket)] {
        for limiter in all(per_minute(4)) {
            each(limiter, when_full);
            each(Penalty::new(limiter, block(99, 600)), when_full);
        }
        each(several(), when_full);
        each(FourInAll, when_full);
        each(Penalty::new(FourInAll, block(99, 600)), when_full);
    }
}

#[test]
fn a_wait_ends_when_units_that_were_in_the_way_are_released() {
    let clock = FakeClock::new();
    let limiter = Keyed::<u32, _>::new(SlidingWindow::new(per_minute(4))).with_clock(clock.clone());
    let held = hold(&limiter, 1, 4, 0);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| limiter.wait_ready(&1).block());
        assert_eq!(held.release(), 4);
        while !waiter.is_finished() {
            clock.advance(Duration::from_secs(1));
            std::thread::yield_now();
        }
        assert_eq!(waiter.join().unwrap(), Ok(()));
    });
    assert_eq!(limiter.refund(&1, 4), 1);
}

#[test]
fn a_key_stays_while_units_of_it_are_held() {
    let counts = Arc::new(Counts::default());
    let limiter = one_key(SlidingWindow::new(per_minute(3)), WhenFull::RefuseNew)
        .with_observer(counts.clone());
    let (first, second) = (hold(&limiter, 1, 1, 0), hold(&limiter, 1, 1, 1000));
    assert_eq!(limiter.at(at(100)).sweep(usize::MAX), 0);
    assert_eq!(seconds(limiter.at(at(1000)).check(&2)), 1);
    assert_eq!(denied(&limiter, 2, 1, 1000), 1);
    assert_eq!(limiter.at(at(2000)).peek(&2).retry_after(), Some(Duration::from_secs(1)));
    limiter.check_invariants();
    assert_eq!(first.release(), 1);
    assert!(!limiter.at(at(1000)).check(&2).is_allowed(), "one is still held");
    second.charge(1);
    limiter.check_invariants();
    assert_eq!(seconds(limiter.at(at(1002)).check(&2)), 58);
    assert!(limiter.at(at(1060)).check(&2).is_allowed());
    limiter.check_invariants();
    assert_eq!(counts.all(), [3, 4, 1, 4]);
}

#[test]
fn a_peek_at_a_later_time_does_not_postpone_when_a_held_key_makes_room() {
    for others in [0, 100] {
        let limiter = Keyed::<u32, _>::new(SlidingWindow::new(per_minute(3)))
            .with_max_keys(others + 1, WhenFull::RefuseNew);
        let held = hold(&limiter, 1000, 1, 0);
        for key in 0..u32::try_from(others).unwrap() {
            assert!(limiter.at(at(0)).check(&key).is_allowed());
        }
        let before = limiter.at(at(0)).check(&2000);
        assert_eq!(seconds(before), 1, "the hold may end at any time");
        assert_eq!(limiter.at(at(1000)).peek(&2000).is_allowed(), others > 0);
        limiter.check_invariants();
        assert_eq!(limiter.at(at(0)).check(&2000), before);
        assert_eq!(held.release(), 1);
        limiter.check_invariants();
        assert!(limiter.at(at(0)).check(&2000).is_allowed());
    }
}

#[test]
fn a_key_that_is_reset_while_units_are_held_keeps_only_these() {
    let limiter = one_key(SlidingWindow::new(per_minute(3)), WhenFull::RefuseNew);
    let now = limiter.at(at(0));
    assert!(now.check(&1).is_allowed());
    let held = hold(&limiter, 1, 1, 0);
    assert_eq!(now.peek_n(&1, 0).remaining, 1);
    assert!(limiter.reset(&1));
    limiter.check_invariants();
    assert_eq!((now.peek_n(&1, 0).remaining, limiter.len()), (2, 1));
    // Key 1 keeps its room while a unit is held, so key 2 is denied.
    assert_eq!(seconds(now.check(&2)), 1);
    held.charge(1);
    limiter.check_invariants();
    assert_eq!(now.peek_n(&1, 0).remaining, 2);
    assert!(limiter.reset(&1) && !limiter.reset(&1));
    assert!(now.check(&2).is_allowed());
}

#[test]
fn a_denial_because_of_held_units_is_counted_once() {
    for by_check in [false, true] {
        let counts = Arc::new(Counts::default());
        let penalty = Penalty::new(SlidingWindow::new(per_minute(2)), block(3, 600));
        let limiter = Keyed::<u32, _>::new(penalty).with_observer(counts.clone());
        let held = hold(&limiter, 1, 2, 0);
        let denied = || {
            if by_check { seconds(limiter.at(at(0)).check(&1)) } else { denied(&limiter, 1, 1, 0) }
        };
        assert_eq!([denied(), denied(), denied(), denied()], [1, 1, 600, 600]);
        assert_eq!(counts.all()[1], 4);
        // Units that were held before the block are still recorded when they are charged.
        held.charge(2);
        assert_eq!(counts.all()[0], 1, "one decision");
        assert_eq!(limiter.refund(&1, 9), 2);
        assert_eq!(seconds(limiter.at(at(599)).check(&1)), 1, "a charge does not end a block");
        assert!(limiter.at(at(600)).check(&1).is_allowed());
    }
}

/// If a hold ended a row of denials, a client could end its row with a request that is not charged.
#[test]
fn only_units_that_are_charged_end_a_row_of_denials() {
    let penalty = Penalty::new(SlidingWindow::new(per_minute(2)), block(3, 600));
    let limiter = || {
        let limiter = Keyed::<u32, _>::new(penalty);
        assert!(limiter.at(at(0)).check(&1).is_allowed());
        for _ in 0..2 {
            assert_eq!(seconds(limiter.at(at(0)).check_n(&1, 2)), 60);
        }
        limiter
    };
    let after = |limiter: &Keyed<u32, _>| seconds(limiter.at(at(0)).check_n(&1, 2));
    let released = limiter();
    assert_eq!(hold(&released, 1, 1, 0).release(), 1);
    assert_eq!(after(&released), 600);
    let in_flight = limiter();
    let held = hold(&in_flight, 1, 1, 0);
    assert_eq!(after(&in_flight), 600);
    drop(held);
    let not_charged = limiter();
    hold(&not_charged, 1, 1, 0).charge(0);
    assert_eq!(after(&not_charged), 600);
    let charged = limiter();
    hold(&charged, 1, 1, 0).charge(1);
    assert_eq!([after(&charged), after(&charged), after(&charged)], [60, 60, 600]);
}

#[test]
fn a_limiter_that_cannot_hold_units_takes_them() {
    let limiter = OnlyRequired(Keyed::new(SlidingWindow::new(per_minute(3))));
    let [first, second, third] = [(); 3].map(|()| {
        let held = hold(&limiter, 1, 1, 0);
        assert!(held.is_on_record());
        held
    });
    assert_eq!(denied(&limiter, 1, 1, 0), 60);
    first.charge(1);
    assert_eq!(limiter.peek_n(&1, 0).remaining, 0);
    assert_eq!((second.release(), limiter.peek_n(&1, 0).remaining), (1, 1));
    drop(third);
    assert_eq!(limiter.peek_n(&1, 0).remaining, 1);
    hold(&limiter, 1, 1, 0).charge(0);
    assert_eq!(limiter.peek_n(&1, 0).remaining, 1);
    let (all, _) = (hold(&limiter, 1, 1, 0), limiter.reset(&1));
    assert_eq!(all.release(), 0, "as many as are on record");
    hold(&limiter, 1, 3, 0).charge(2);
    assert_eq!(limiter.peek_n(&1, 0).remaining, 1);
    assert!(!hold(&limiter.0, 1, 1, 0).is_on_record());
}

#[test]
fn a_hold_owns_its_key_and_may_own_its_limiter() {
    let keyed = Keyed::<Arc<str>, _>::new(SlidingWindow::new(per_minute(3)));
    let limiter: Arc<dyn KeyedLimiter<str> + Send + Sync> = Arc::new(keyed);
    let (decision, held) = Hold::new(Arc::clone(&limiter), &*String::from("ann"), 3);
    assert_eq!(decision.remaining, 0);
    let held = held.unwrap();
    assert_eq!(format!("{held:?}"), "Hold { key: \"ann\", units: 3, .. }");
    let released = std::thread::spawn(|| held.release()).join().unwrap();
    assert_eq!((released, limiter.peek_n("ann", 3).remaining), (3, 0));
}
