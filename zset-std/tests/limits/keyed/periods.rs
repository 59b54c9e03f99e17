//! Calls of one key with several periods: for how long the key is kept, and when it makes room.

use super::*;
use zset_std::limit::Block;
use zset_std::{AnyLimiter, Decision, Keyed, Penalty, WindowCounter};

fn quota(count: u32, seconds: u64) -> Quota {
    Quota::new(count, Duration::from_secs(seconds)).unwrap()
}

/// Calls a function with each counter of this quota, as it is and inside of another limiter, and
/// with the number of windows in which it counts a unit. There is room for one key.
macro_rules! for_each_counter {
    ($check:ident, $quota:expr) => {
        let block = Block::after(9.try_into().unwrap(), Duration::from_secs(1));
        $check(&one_key(FixedWindow::new($quota)), 1);
        $check(&one_key(WindowCounter::new($quota)), 2);
        $check(&one_key(AnyLimiter::from(FixedWindow::new($quota))), 1);
        $check(&one_key(AnyLimiter::from(WindowCounter::new($quota))), 2);
        $check(&one_key(Penalty::new(FixedWindow::new($quota), block)), 1);
        $check(&one_key(Penalty::new(WindowCounter::new($quota), block)), 2);
    };
}

fn one_key<L: Limiter>(limiter: L) -> Keyed<u32, L> {
    Keyed::new(limiter).with_max_keys(1, WhenFull::RefuseNew)
}

/// The methods of a keyed limiter with one quota, whatever the limiter.
trait OfOneQuota {
    fn check(&self, key: u32, n: u32, second: u64) -> Decision;
    fn check_with(&self, key: u32, quota: Quota, n: u32, second: u64) -> Decision;
    fn refund(&self, key: u32, n: u32) -> u32;
    fn set_quota(&self, quota: Quota);
    fn sweep(&self, second: u64) -> usize;
    fn check_invariants(&self);
}

macro_rules! of_one_quota {
    ($($limiter:ty),*) => {$(
        impl OfOneQuota for Keyed<u32, $limiter> {
            fn check(&self, key: u32, n: u32, second: u64) -> Decision {
                self.at(at(second)).check_n(&key, n)
            }

            fn check_with(&self, key: u32, quota: Quota, n: u32, second: u64) -> Decision {
                self.at(at(second)).check_with(&key, quota, n)
            }

            fn refund(&self, key: u32, n: u32) -> u32 {
                self.refund(&key, n)
            }

            fn set_quota(&self, quota: Quota) {
                self.set_quota(quota);
            }

            fn sweep(&self, second: u64) -> usize {
                self.at(at(second)).sweep(usize::MAX)
            }

            fn check_invariants(&self) {
                self.check_invariants();
            }
        }
    )*};
}

of_one_quota!(FixedWindow, WindowCounter, AnyLimiter, Penalty<FixedWindow>, Penalty<WindowCounter>);

#[test]
fn units_of_a_call_with_a_shorter_period_stay_for_that_of_the_limiter() {
    fn stay(limiter: &impl OfOneQuota, windows: u64) {
        assert!(limiter.check_with(1, quota(7, 5), 2, 0).is_allowed());
        assert_eq!(limiter.sweep(30), 0, "the window of a minute holds two units");
        assert!(!limiter.check(1, 1, 30).is_allowed());
        assert_eq!(limiter.sweep(60 * windows - 1), 0);
        assert_eq!(limiter.sweep(60 * windows), 1);
        limiter.check_invariants();
    }
    for_each_counter!(stay, quota(2, 60));
}

#[test]
fn a_key_makes_room_when_its_windows_of_all_periods_are_over() {
    fn make_room(limiter: &impl OfOneQuota, windows: u64) {
        assert!(limiter.check(1, 1, 1).is_allowed());
        assert!(limiter.check_with(1, quota(7, 5), 1, 59).is_allowed());
        let end = 60 * windows;
        let refused = limiter.check(2, 1, end - 1);
        assert_eq!(refused.retry_after(), Some(Duration::from_secs(1)));
        limiter.check_invariants();
        assert!(limiter.check(2, 1, end + 1).is_allowed(), "no window holds a unit of the first");
        limiter.check_invariants();
    }
    for_each_counter!(make_room, quota(1, 60));
}

#[test]
fn a_check_of_no_units_and_a_denial_keep_the_deadline_of_a_key() {
    fn keep(limiter: &impl OfOneQuota, windows: u64) {
        for (n, second) in [(0, 61), (9, 61), (0, 60 * windows + 1)] {
            let _ = limiter.check(1, 1, 1);
            let _ = limiter.check_with(1, quota(7, 5), 1, 59);
            limiter.sweep(60 * windows);
            let _ = limiter.check(1, n, second);
            limiter.check_invariants();
            let _ = limiter.check_with(1, quota(9, 7), 0, second + 1);
            limiter.check_invariants();
            limiter.sweep(1_000);
            limiter.check_invariants();
        }
    }
    for_each_counter!(keep, quota(1, 60));
}

#[test]
fn a_key_is_kept_for_every_period_that_was_used_with_it() {
    fn keep(limiter: &impl OfOneQuota, windows: u64) {
        // At second 9, its own window is [0, 10), and that of the call [7, 14).
        assert!(limiter.check_with(1, quota(9, 7), 1, 8).is_allowed());
        assert!(limiter.check(1, 1, 9).is_allowed());
        assert_eq!(limiter.sweep(10 * windows), 0, "another window holds both units");
        assert!(!limiter.check_with(1, quota(1, 7), 1, 10 * windows).is_allowed());
        assert_eq!(limiter.sweep(100), 1);
        limiter.check_invariants();
    }
    for_each_counter!(keep, quota(5, 10));
}

#[test]
fn a_quota_that_is_set_leaves_the_units_of_calls_with_a_longer_period() {
    fn keep(limiter: &impl OfOneQuota, windows: u64) {
        assert!(limiter.check_with(1, quota(5, 3600), 5, 0).is_allowed());
        limiter.set_quota(quota(2, 30));
        limiter.check_invariants();
        assert_eq!(limiter.sweep(1000), 0, "an hour has not passed");
        assert!(!limiter.check_with(1, quota(5, 3600), 1, 1000).is_allowed());
        assert_eq!(limiter.sweep(3600 * windows), 1);
        limiter.check_invariants();
    }
    for_each_counter!(keep, quota(1, 60));
}

#[test]
fn a_refund_makes_room_whatever_the_periods_of_the_calls() {
    fn make_room(limiter: &impl OfOneQuota, _: u64) {
        assert!(limiter.check_with(1, quota(5, 3600), 5, 0).is_allowed());
        assert_eq!(limiter.refund(1, 5), 5);
        limiter.check_invariants();
        assert!(limiter.check(2, 1, 1).is_allowed());
    }
    for_each_counter!(make_room, quota(1, 60));
}
