//! Tests that an observer receives each event exactly once, and nothing else.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use zset_std::Observer;

#[derive(Default)]
pub(super) struct Counts {
    allowed: AtomicUsize,
    denied: AtomicUsize,
    swept: AtomicUsize,
    refused: AtomicUsize,
}

impl Observer for Counts {
    fn allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    fn denied(&self) {
        self.denied.fetch_add(1, Ordering::Relaxed);
    }

    fn swept(&self, keys: usize) {
        self.swept.fetch_add(keys, Ordering::Relaxed);
    }

    fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

impl Counts {
    /// Returns the counts of received events: allowed, denied, swept, refused.
    pub(super) fn all(&self) -> [usize; 4] {
        let Counts { allowed, denied, swept, refused } = self;
        [allowed, denied, swept, refused].map(|count| count.load(Ordering::Relaxed))
    }

    /// Like [`all`](Self::all), but also resets the counts to zero.
    pub(super) fn take(&self) -> [usize; 4] {
        let Counts { allowed, denied, swept, refused } = self;
        [allowed, denied, swept, refused].map(|count| count.swap(0, Ordering::Relaxed))
    }
}

#[test]
fn each_decision_is_observed_once_and_nothing_else() {
    const NOTHING: [usize; 4] = [0; 4];
    let quota = per_minute(3);
    for when_full in [WhenFull::RefuseNew, WhenFull::SharedBucket] {
        let counts = Arc::new(Counts::default());
        let limiter = one_key(Funnel::new(quota), when_full)
            .with_clock(FakeClock::new())
            .with_observer(counts.clone());

        // Each check is observed once, whichever method makes it.
        assert!(limiter.check(&1).is_allowed());
        assert!(limiter.check_n(&1, 2).is_allowed());
        assert_eq!(counts.take(), [2, 0, 0, 0], "calls, not units");
        assert!(!limiter.check(&1).is_allowed());
        assert_eq!(limiter.check_n(&1, 4).verdict, Verdict::Never);
        assert!(!limiter.at(at(0)).check_n(&1, 2).is_allowed());
        assert!(!limiter.decide(&1, 1, at(0)).is_allowed());
        assert_eq!(counts.take(), [0, 4, 0, 0]);
        assert!(!limiter.check_with(&1, quota, 1).is_allowed());
        assert!(limiter.throttle(&1, 2, 3, 60, 1).unwrap().limited);
        assert_eq!(counts.take(), [0, 2, 0, 0]);

        // Peeks are not observed.
        let _ = (limiter.peek(&1), limiter.peek_n(&1, 2), limiter.peek_with(&1, quota, 1));
        let _ = (limiter.preview(&1, 1, at(0)), limiter.over_limit(&1));
        assert_eq!(counts.take(), NOTHING);

        // Recorded and refunded units are not observed.
        limiter.record(&1, 1).unwrap();
        assert_eq!((limiter.refund(&1, 2), limiter.refund_with(&1, quota, 1)), (2, 1));
        assert_eq!(counts.take(), NOTHING);

        // A hold is observed as one decision, however it ends.
        let hold = || Hold::new(&limiter, &1, 1).1;
        let (first, second) = (hold().unwrap(), hold().unwrap());
        assert!(hold().is_none() && !limiter.check(&1).is_allowed());
        assert_eq!(counts.take(), [2, 2, 0, 0]);
        first.charge(1);
        second.release();
        drop(hold());
        assert_eq!(counts.take(), [1, 0, 0, 0]);

        // A wait is observed only if it succeeds, and then as one decision.
        assert_eq!(limiter.refund(&1, 1), 1);
        assert_eq!(limiter.wait_ready(&1).block(), Ok(()));
        assert_eq!(counts.take(), [1, 0, 0, 0]);
        assert_eq!(limiter.wait_ready(&1).units(4).block(), Err(NotReady::Never));
        let late = limiter.wait_ready(&1).timeout(Duration::from_secs(1)).block();
        assert_eq!((late, counts.take()), (Err(NotReady::TooLate), NOTHING));

        // If a key has no room, a refusal is observed in addition to the decision.
        let is_shared = when_full == WhenFull::SharedBucket;
        let (allowed, denied) = if is_shared { (1, 0) } else { (0, 1) };
        assert_eq!(limiter.check(&2).is_allowed(), is_shared);
        assert_eq!(counts.take(), [allowed, denied, 0, 1]);
        assert_eq!(Hold::new(&limiter, &2, 1).1.is_some(), is_shared);
        assert_eq!(counts.take(), [allowed, denied, 0, 1]);
        assert_eq!(limiter.record(&2, 1).is_ok(), is_shared);
        assert_eq!(counts.take(), [0, 0, 0, 1], "there is no decision");
        let _ = limiter.peek(&2);
        assert!(!limiter.reset(&2));
        assert_eq!(counts.take(), NOTHING);

        // A sweep of a key is observed, but a reset is not.
        assert_eq!(limiter.at(at(600)).sweep(9), 1);
        assert_eq!(counts.take(), [0, 0, 1, 0]);
        assert!(limiter.at(at(600)).check(&2).is_allowed() && limiter.reset(&2));
        assert_eq!(counts.take(), [1, 0, 0, 0]);
    }
}
