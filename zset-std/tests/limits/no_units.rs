//! Tests calls for 0 units, which are always allowed and leave no trace.

use super::*;

/// Makes calls for 0 units to a limiter with a limit of three.
fn direct(limiter: impl Limiter) {
    let mut one = Direct::new(limiter);
    for (recorded, left) in [(0, 3), (2, 1), (2, 0)] {
        one.record(recorded, at(0));
        let before = [0, 1, 2].map(|n| one.peek_n(n, at(0)));
        assert_eq!((before[0].is_allowed(), before[0].remaining), (true, left));
        assert_eq!(one.check_n(0, at(0)), before[0]);
        assert_eq!(one.refund(0), 0);
        // Recording 0 units does not even record the time.
        one.record(0, at(500));
        assert_eq!([0, 1, 2].map(|n| one.peek_n(n, at(0))), before);
    }
}

#[test]
fn no_units_change_nothing_in_a_limiter_of_one_key() {
    for limiter in all(per_minute(3)) {
        direct(limiter);
        direct(Penalty::new(limiter, block(1, 600)));
    }
    direct(Limits::new([3, 4].map(|count| SlidingWindow::new(per_minute(count)))));
    let mut funnel = Direct::new(Funnel::new(per_minute(3)));
    assert!(funnel.check_with(per_minute(1), 0, at(0)).is_allowed());
    assert_eq!((funnel.refund_with(per_minute(1), 0), funnel.peek_n(0, at(0)).remaining), (0, 3));
}

/// Makes every call for 0 units of a key, and returns how many units each reports as remaining.
fn all_calls<L: SingleQuota>(limiter: &Keyed<u32, L, FakeClock>, key: u32) -> Vec<u32> {
    let own = limiter.quota();
    assert_eq!(limiter.record(&key, 0), Ok(()));
    assert_eq!((limiter.refund(&key, 0), limiter.refund_with(&key, own, 0)), (0, 0));
    assert_eq!(limiter.wait_ready(&key).units(0).timeout(Duration::ZERO).block(), Ok(()));
    let (decision, hold) = Hold::new(limiter, &key, 0);
    assert!(hold.is_none());
    let now = limiter.at(zset_std::Clock::now(limiter.clock()));
    let decisions: [Decision; 8] = [
        decision,
        limiter.check_n(&key, 0),
        limiter.peek_n(&key, 0),
        limiter.check_with(&key, own, 0),
        limiter.peek_with(&key, own, 0),
        limiter.decide(&key, 0, at(0)),
        limiter.preview(&key, 0, at(0)),
        now.check_n(&key, 0),
    ];
    assert!(decisions.iter().all(Decision::is_allowed));
    decisions.iter().map(|decision| decision.remaining).collect()
}

#[test]
fn no_units_are_allowed_and_leave_no_trace_in_a_keyed_limiter() {
    for limiter in all(per_minute(3)) {
        for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
            let counts = Arc::new(Counts::default());
            let limiter = one_key(Penalty::new(limiter, block(2, 600)), when_full)
                .with_clock(FakeClock::new())
                .with_observer(counts.clone());
            // Calls for 0 units do not insert a new key.
            assert_eq!(all_calls(&limiter, 1), [3; 8]);
            assert!(limiter.is_empty());
            // Makes the calls for a key in use, first without held units and then with one.
            assert!(limiter.check(&1).is_allowed());
            assert_eq!(all_calls(&limiter, 1), [2; 8]);
            let hold = Hold::new(&limiter, &1, 1).1.unwrap();
            assert_eq!(all_calls(&limiter, 1), [1; 8]);
            hold.charge(0);
            assert_eq!(limiter.peek_n(&1, 0).remaining, 2);
            // Calls for 0 units do not end a row of denials, and are allowed during a block.
            assert!(!limiter.check_n(&1, 3).is_allowed());
            assert_eq!(all_calls(&limiter, 1), [2; 8]);
            assert!(!limiter.check_n(&1, 3).is_allowed());
            assert_eq!(all_calls(&limiter, 1), [0; 8]);
            assert!(!limiter.check(&1).is_allowed());
            assert_eq!(counts.take(), [2, 3, 0, 0]);
            // Calls for 0 units are also allowed for a key without room.
            let remaining = if when_full == WhenFull::RefuseNew { 0 } else { 3 };
            assert_eq!(all_calls(&limiter, 2), [remaining; 8]);
            assert_eq!((limiter.len(), counts.take()), (1, [0; 4]));
            limiter.check_invariants();
        }
    }
}

#[test]
fn no_units_do_not_wait_in_line() {
    let clock = FakeClock::new();
    let limiter = Keyed::<u32, _>::new(Funnel::new(per_minute(3))).with_clock(clock.clone());
    assert!(limiter.check_n(&1, 3).is_allowed());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| limiter.wait_ready(&1).block());
        assert_eq!(limiter.wait_ready(&1).units(0).block(), Ok(()));
        while !waiter.is_finished() {
            clock.advance(Duration::from_secs(60));
            std::thread::yield_now();
        }
        assert_eq!(waiter.join().unwrap(), Ok(()));
    });
}
