//! Tests `SlidingWindow`: records above the limit, refunds, and changed quotas.

use super::*;

#[test]
fn units_recorded_beyond_the_limit_are_refunded_first_and_count_under_a_larger_limit() {
    let mut log = Direct::new(SlidingWindow::new(per_minute(1)));
    assert!(log.check(at(0)).is_allowed());
    log.record(1, at(0));
    assert_eq!(log.peek_with(per_minute(4), 0, at(0)).remaining, 2);
    assert_eq!(log.refund(1), 1);
    assert!(!log.check(at(0)).is_allowed(), "two units would pass in one window");
    log.record(1, at(10));
    log.set_quota(per_minute(3));
    assert_eq!(log.peek_n(0, at(10)).remaining, 1);
    assert_eq!(log.check_with(per_minute(5), 3, at(10)).remaining, 0);
    assert_eq!(log.refund(9), 5);
    log.check_invariants();
}

/// Each entry above the maximum number is merged with an older one, at the later of the two times.
#[test]
fn many_records_beyond_the_limit_use_bounded_memory_and_err_towards_denial() {
    let mut log = Direct::new(SlidingWindow::new(per_minute(2)));
    for second in 0..1000 {
        log.record(1, at(second));
        assert!(log.entries() <= 2 + 64);
        log.check_invariants();
    }
    // The 60 units of the last minute still have their exact times.
    assert_eq!(log.entries(), 60);
    assert_eq!(seconds(log.peek_n(1, at(999))), 59, "until one unit remains");
    log.set_quota(per_minute(60));
    assert_eq!(log.peek_n(1, at(999)).retry_after(), Some(Duration::from_secs(1)));

    let mut log = Direct::new(SlidingWindow::new(per_minute(2)));
    for millis in 0..1000 {
        log.record(1, after(at(0), Duration::from_millis(millis)));
    }
    assert_eq!(log.entries(), 66);
    log.check_invariants();
    // No unit is lost: the 935 merged units count from the time of the newest of them.
    log.set_quota(per_minute(1000));
    assert_eq!(log.peek_n(0, at(1)).remaining, 0);
    let merged = after(at(60), Duration::from_millis(934));
    assert_eq!(log.peek_n(0, after(merged, Duration::from_millis(1))).remaining, 936);
    assert_eq!(log.peek_n(0, at(60)).remaining, 0, "an exact window would allow one");
    assert_eq!(log.refund(2000), 1000);
}

#[test]
fn forgotten_units_count_at_their_newest_time_under_a_longer_period() {
    let mut log = Direct::new(SlidingWindow::new(quota(5, 1)));
    assert!(log.check_n(2, at(0)).is_allowed());
    assert!(log.check_n(2, at(30)).is_allowed());
    assert!(log.check(at(40)).is_allowed());
    // All five units passed within a minute, but the log has the exact time of only the last one.
    let peeked = log.peek_with(per_minute(5), 1, at(40));
    assert_eq!(log.peek_with(per_minute(5), 0, at(90)).remaining, 4);
    log.set_quota(per_minute(5));
    assert_eq!(log.peek_n(1, at(40)), peeked);
    assert_eq!(peeked.retry_after(), Some(Duration::from_secs(50)), "a minute after 30 s");
    log.check_invariants();
    // The longer period has restored the forgotten units, so they can be refunded.
    assert_eq!(log.refund(9), 5);
    // After a reset, a longer period does not restore forgotten units.
    assert!(log.check_n(5, at(40)).is_allowed());
    assert!(log.check_n(0, at(100)).is_allowed());
    log.reset();
    log.set_quota(quota(5, 3600));
    assert_eq!(log.peek_n(0, at(100)).remaining, 5);
}

#[test]
fn the_sum_of_units_does_not_overflow() {
    let mut log = Direct::new(SlidingWindow::new(per_minute(u32::MAX)));
    for second in 0..50 {
        log.record(u32::MAX, at(second));
    }
    assert_eq!(log.peek_n(0, at(50)).remaining, 0);
    assert!(matches!(log.peek_n(u32::MAX, at(50)).verdict, Verdict::Denied { .. }));
    log.check_invariants();
}

#[test]
fn units_at_one_time_are_one_entry_whatever_the_calls() {
    let mut logs = [(), ()].map(|()| Direct::new(SlidingWindow::new(per_minute(9))));
    for (log, each) in logs.iter_mut().zip([1, 3]) {
        for _ in 0..6 / each {
            assert!(log.check_n(each, at(1)).is_allowed());
        }
    }
    assert_eq!(logs[0], logs[1]);
}

#[test]
fn a_log_has_an_entry_for_each_unit_of_the_largest_count() {
    let mut log = Direct::new(SlidingWindow::new(per_minute(1)));
    let moment = |millis| after(at(0), Duration::from_millis(millis));
    for millis in 1..=100 {
        assert!(log.check_with(per_minute(100), 1, moment(millis)).is_allowed());
    }
    assert_eq!(log.peek_with(per_minute(100), 0, moment(60_020)).remaining, 20);
}

#[test]
fn a_quota_set_on_an_empty_log_ends_the_longest_period() {
    let mut log = Direct::new(SlidingWindow::new(per_minute(5)));
    assert!(log.check_with(quota(5, 3600), 1, at(0)).is_allowed());
    assert_eq!(log.refund(1), 1);
    log.set_quota(per_minute(5));
    for second in [0, 60] {
        assert!(log.check(at(second)).is_allowed());
        assert_eq!(log.entries(), 1);
    }
}
