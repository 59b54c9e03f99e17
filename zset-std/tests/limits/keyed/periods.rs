//! Tests keys that are checked with several periods: how long they are kept, and when they make
//! room for other keys.

use super::*;

fn keyed<L: Limiter>(limiter: L) -> Keyed<u32, L> {
    one_key(limiter, WhenFull::RefuseNew)
}

fn sweep<L: Limiter>(limiter: &Keyed<u32, L>, second: u64) -> usize {
    limiter.at(at(second)).sweep(usize::MAX)
}

/// Calls a function with each counter of this quota, plain and inside another limiter. The second
/// argument is the number of windows in which the counter counts a unit. Limiters have room for one
/// key.
macro_rules! for_each_counter {
    ($check:ident, $quota:expr) => {
        $check(&keyed(FixedWindow::new($quota)), 1);
        $check(&keyed(WindowCounter::new($quota)), 2);
        $check(&keyed(AnyLimiter::from(FixedWindow::new($quota))), 1);
        $check(&keyed(AnyLimiter::from(WindowCounter::new($quota))), 2);
        $check(&keyed(Penalty::new(FixedWindow::new($quota), block(9, 1))), 1);
        $check(&keyed(Penalty::new(WindowCounter::new($quota), block(9, 1))), 2);
    };
}

#[test]
fn units_of_a_call_with_a_shorter_period_stay_for_that_of_the_limiter() {
    fn stay<L: SingleQuota>(limiter: &Keyed<u32, L>, windows: u64) {
        assert!(limiter.at(at(0)).check_with(&1, quota(7, 5), 2).is_allowed());
        assert_eq!(sweep(limiter, 30), 0, "the window of a minute holds two units");
        assert!(!limiter.at(at(30)).check_n(&1, 1).is_allowed());
        assert_eq!(sweep(limiter, 60 * windows - 1), 0);
        assert_eq!(sweep(limiter, 60 * windows), 1);
        limiter.check_invariants();
    }
    for_each_counter!(stay, quota(2, 60));
}

#[test]
fn a_key_makes_room_when_its_windows_of_all_periods_are_over() {
    fn make_room<L: SingleQuota>(limiter: &Keyed<u32, L>, windows: u64) {
        assert!(limiter.at(at(1)).check_n(&1, 1).is_allowed());
        assert!(limiter.at(at(59)).check_with(&1, quota(7, 5), 1).is_allowed());
        let end = 60 * windows;
        assert_eq!(seconds(limiter.at(at(end - 1)).check_n(&2, 1)), 1);
        limiter.check_invariants();
        // By now, no window counts a unit of key 1.
        assert!(limiter.at(at(end + 1)).check_n(&2, 1).is_allowed());
        limiter.check_invariants();
    }
    for_each_counter!(make_room, quota(1, 60));
}

#[test]
fn a_check_of_no_units_and_a_denial_keep_the_deadline_of_a_key() {
    fn keep<L: SingleQuota>(limiter: &Keyed<u32, L>, windows: u64) {
        for (start, n, second) in [(0, 0, 61), (1_200, 9, 61), (2_400, 0, 60 * windows + 1)] {
            let at = |second| at(start + second);
            let _ = limiter.at(at(1)).check_n(&1, 1);
            let _ = limiter.at(at(59)).check_with(&1, quota(7, 5), 1);
            sweep(limiter, start + 60 * windows);
            let _ = limiter.at(at(second)).check_n(&1, n);
            limiter.check_invariants();
            let _ = limiter.at(at(second + 1)).check_with(&1, quota(9, 7), 0);
            limiter.check_invariants();
            sweep(limiter, start + 1_000);
            limiter.check_invariants();
        }
    }
    for_each_counter!(keep, quota(1, 60));
}

#[test]
fn a_key_is_kept_for_every_period_that_was_used_with_it() {
    fn keep<L: SingleQuota>(limiter: &Keyed<u32, L>, windows: u64) {
        // At second 9, the window of the limiter's own quota is [0, 10), and that of the call's
        // quota is [7, 14).
        assert!(limiter.at(at(8)).check_with(&1, quota(9, 7), 1).is_allowed());
        assert!(limiter.at(at(9)).check_n(&1, 1).is_allowed());
        assert_eq!(sweep(limiter, 10 * windows), 0, "another window holds both units");
        assert!(!limiter.at(at(10 * windows)).check_with(&1, quota(1, 7), 1).is_allowed());
        assert_eq!(sweep(limiter, 100), 1);
        limiter.check_invariants();
    }
    for_each_counter!(keep, quota(5, 10));
}

#[test]
fn a_key_is_kept_for_a_period_that_is_neither_the_longest_nor_that_of_the_limiter() {
    fn keep<L: SingleQuota>(limiter: &Keyed<u32, L>, windows: u64) {
        // At second 9, the windows of the two calls are [0, 10) and [7, 14), and the window of the
        // limiter's own quota is [8, 12).
        assert!(limiter.at(at(9)).check_with(&1, quota(9, 10), 1).is_allowed());
        assert!(limiter.at(at(9)).check_with(&1, quota(9, 7), 1).is_allowed());
        let others_are_over = 4 + 8 * windows;
        assert_eq!(sweep(limiter, others_are_over), 0);
        assert!(!limiter.at(at(others_are_over)).check_with(&1, quota(1, 7), 1).is_allowed());
        assert_eq!(sweep(limiter, 100), 1);
        limiter.check_invariants();
    }
    for_each_counter!(keep, quota(5, 4));
}

#[test]
fn a_quota_that_is_set_leaves_the_units_of_calls_with_a_longer_period() {
    fn keep<L: SingleQuota>(limiter: &Keyed<u32, L>, windows: u64) {
        assert!(limiter.at(at(0)).check_with(&1, quota(5, 3600), 5).is_allowed());
        limiter.set_quota(quota(2, 30));
        limiter.check_invariants();
        assert_eq!(sweep(limiter, 1000), 0, "an hour has not passed");
        assert!(!limiter.at(at(1000)).check_with(&1, quota(5, 3600), 1).is_allowed());
        assert_eq!(sweep(limiter, 3600 * windows), 1);
        limiter.check_invariants();
    }
    for_each_counter!(keep, quota(1, 60));
}

#[test]
fn a_refund_makes_room_whatever_the_periods_of_the_calls() {
    fn make_room<L: SingleQuota>(limiter: &Keyed<u32, L>, _: u64) {
        assert!(limiter.at(at(0)).check_with(&1, quota(5, 3600), 5).is_allowed());
        assert_eq!(limiter.refund(&1, 5), 5);
        limiter.check_invariants();
        assert!(limiter.at(at(1)).check_n(&2, 1).is_allowed());
    }
    for_each_counter!(make_room, quota(1, 60));
}
