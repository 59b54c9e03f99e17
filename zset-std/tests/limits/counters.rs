//! The two approximate counters: their guarantees and their error.

use super::*;
use zset_std::{AnyLimiter, Direct, FixedWindow, Funnel, SlidingWindow, Verdict, WindowCounter};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_window_counter_allows_less_than_twice_the_limit_in_any_window(
        quota in quotas(),
        calls in prop::collection::vec((steps(), 0..14u32), 0..120),
    ) {
        let mut counter = Direct::new(WindowCounter::new(quota.quota()));
        let mut passed: Vec<(Timestamp, u32)> = Vec::new();
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for ((quarters, nanos), n) in calls {
            now = step(now, quota, quarters, nanos);
            newest = newest.max(now);
            if counter.check_n(n, now).is_allowed() {
                passed.push((newest, n));
            }
        }
        for &(end, _) in &passed {
            let in_window = |time| time <= end && end.saturating_duration_since(time) < quota.period();
            let units: u32 =
                passed.iter().filter(|(time, _)| in_window(*time)).map(|(_, units)| units).sum();
            prop_assert!(units < 2 * quota.count() || units <= quota.count());
        }
    }
}

fn counts_units_beyond_the_largest_limit(limiter: impl Into<AnyLimiter>) {
    let mut limiter = Direct::new(limiter.into());
    let limit = limiter.quota().count();
    for _ in 0..3 {
        limiter.record(u32::MAX, at(1));
    }
    // Recorded three times, so two refunds leave the limit reached.
    for _ in 0..2 {
        assert_eq!(limiter.refund(u32::MAX), u32::MAX);
        assert!(limiter.over_limit(at(1)));
    }
    assert_eq!(limiter.refund(u32::MAX - 1), u32::MAX - 1);
    assert_eq!(limiter.peek_n(0, at(1)).remaining, limit - 1);
    assert_eq!(limiter.refund(u32::MAX), 1);
}

#[test]
fn units_beyond_the_largest_limit_are_counted_and_refunded() {
    let quota = Quota::new(3, Duration::from_secs(60)).unwrap();
    counts_units_beyond_the_largest_limit(FixedWindow::new(quota));
    counts_units_beyond_the_largest_limit(WindowCounter::new(quota));
}

/// Verifies the wait of a denial at the last timestamp, which cuts the current window short.
fn waits_at_the_end_of_time(limiter: impl Into<AnyLimiter>) {
    let mut limiter = Direct::new(limiter.into());
    let limit = limiter.quota().count();
    assert!(limiter.check_n(limit, Timestamp::MAX).is_allowed());
    let decision = limiter.check_n(1, Timestamp::MAX);
    let Verdict::Denied { retry_after } = decision.verdict else { panic!("{decision:?}") };
    assert!(!retry_after.is_zero() && decision.reset_after >= retry_after, "{decision:?}");
}

#[test]
fn a_denial_at_the_end_of_time_has_a_wait() {
    for period in [1, 2, 3, 60_000_000_000, (1 << 62) - (1 << 30)] {
        let quota = Quota::new(2, Duration::from_nanos(period)).unwrap();
        waits_at_the_end_of_time(WindowCounter::new(quota));
        waits_at_the_end_of_time(FixedWindow::new(quota));
        waits_at_the_end_of_time(SlidingWindow::new(quota));
    }
}

/// Units without an exact time count at the latest time at which they can have passed.
fn a_longer_period_errs_towards_denial(limiter: impl Into<AnyLimiter>) {
    let mut limiter = Direct::new(limiter.into());
    for second in [0, 10, 20] {
        assert!(limiter.check_n(2, at(second)).is_allowed());
    }
    limiter.set_quota(Quota::new(6, Duration::from_secs(3600)).unwrap());
    assert_eq!(limiter.peek_n(0, at(20)).remaining, 0);
    limiter.set_quota(Quota::new(7, Duration::from_secs(3600)).unwrap());
    assert_eq!(limiter.peek_n(0, at(20)).remaining, 1);
    assert_eq!(limiter.peek_n(0, at(7200)).remaining, 7);
}

#[test]
fn a_quota_of_a_call_changes_the_period_as_a_quota_that_is_set_does() {
    fn change(limiter: impl Into<AnyLimiter>) {
        let mut limiter = Direct::new(limiter.into());
        for second in [0, 10, 20] {
            assert!(limiter.check_n(2, at(second)).is_allowed());
        }
        for (count, period) in [(6, 3600), (9, 3600), (9, 60), (1, 1)] {
            let quota = Quota::new(count, Duration::from_secs(period)).unwrap();
            let mut set = limiter.clone();
            set.set_quota(quota);
            assert_eq!(limiter.peek_with(quota, 1, at(21)), set.peek_n(1, at(21)));
            assert_eq!(limiter.check_with(quota, 1, at(21)), set.check_n(1, at(21)));
        }
    }
    let quota = Quota::new(2, Duration::from_secs(1)).unwrap();
    change(FixedWindow::new(quota));
    change(WindowCounter::new(quota));
}

/// A call with a different period counts like a call of a limiter with that period.
#[test]
fn calls_with_one_other_period_are_exact_after_the_first() {
    fn steady(limiter: impl Into<AnyLimiter>, own: impl Into<AnyLimiter>) {
        let (mut limiter, mut own) = (Direct::new(limiter.into()), Direct::new(own.into()));
        let quota = own.quota();
        for second in 0..7200 {
            let ours = limiter.check_with(quota, second as u32 % 3, at(second));
            assert_eq!(ours, own.check_n(second as u32 % 3, at(second)), "at {second}");
        }
    }
    let minute = Quota::new(1, Duration::from_secs(60)).unwrap();
    let hour = Quota::new(1000, Duration::from_secs(3600)).unwrap();
    for (own, call) in [(minute, hour), (hour, minute)] {
        steady(FixedWindow::new(own), FixedWindow::new(call));
        steady(WindowCounter::new(own), WindowCounter::new(call));
        steady(Funnel::new(own), Funnel::new(call));
        steady(SlidingWindow::new(own), SlidingWindow::new(call));
    }
}

#[test]
fn a_longer_period_counts_units_of_earlier_windows() {
    let quota = Quota::new(2, Duration::from_secs(1)).unwrap();
    a_longer_period_errs_towards_denial(FixedWindow::new(quota));
    a_longer_period_errs_towards_denial(WindowCounter::new(quota));
}

/// The window of the longer period contains more units than fit into 32 bits.
#[test]
fn counts_beyond_32_bits_do_not_overflow_under_a_longer_period() {
    fn overflow(limiter: impl Into<AnyLimiter>) {
        let mut limiter = Direct::new(limiter.into());
        for nanos in [0, 10] {
            assert!(limiter.check_n(u32::MAX, Timestamp::from_nanos(nanos)).is_allowed());
        }
        limiter.set_quota(Quota::new(u32::MAX, Duration::from_micros(1)).unwrap());
        assert_eq!(limiter.refund(u32::MAX), u32::MAX);
        let now = Timestamp::from_nanos(19);
        assert!(!limiter.check_n(1, now).is_allowed());
        assert_eq!(limiter.refund(u32::MAX), u32::MAX);
        assert!(limiter.check_n(u32::MAX, now).is_allowed());
    }
    let quota = Quota::new(u32::MAX, Duration::from_nanos(10)).unwrap();
    overflow(FixedWindow::new(quota));
    let quota = Quota::new(u32::MAX, Duration::from_nanos(5)).unwrap();
    overflow(WindowCounter::new(quota));
}

#[test]
fn a_changed_count_keeps_recorded_units() {
    fn change(limiter: impl Into<AnyLimiter>) {
        let mut limiter = Direct::new(limiter.into());
        assert!(limiter.check_n(3, at(1)).is_allowed());
        let period = limiter.quota().period();
        limiter.set_quota(Quota::new(2, period).unwrap());
        let denied = limiter.check_n(1, at(1));
        assert!(!denied.is_allowed());
        assert_eq!((denied.limit, denied.remaining), (2, 0));
        assert_eq!(limiter.refund(9), 3);
        assert!(limiter.check_n(2, at(1)).is_allowed());
        limiter.reset();
        assert!(limiter.check_n(2, at(1)).is_allowed());
    }
    let quota = Quota::new(4, Duration::from_secs(60)).unwrap();
    change(FixedWindow::new(quota));
    change(WindowCounter::new(quota));
    change(SlidingWindow::new(quota));
}

/// The number of units that pass, compared with the exact log, when random arrivals come at twice
/// the rate.
#[test]
fn a_window_counter_is_within_a_few_percent_for_random_arrivals() {
    let quota = Quota::new(100, Duration::from_secs(60)).unwrap();
    let mut counter = Direct::new(WindowCounter::new(quota));
    let mut log = Direct::new(SlidingWindow::new(quota));
    // Recounts the units the counter allowed, in a log with room for all of them.
    let mut recount =
        Direct::new(SlidingWindow::new(Quota::new(1_000_000, Duration::from_secs(60)).unwrap()));
    let (mut now, mut random) = (Timestamp::ZERO, 1u64);
    let (mut by_counter, mut by_log, mut most) = (0u32, 0u32, 0);
    for _ in 0..100_000 {
        // A linear congruential generator is sufficient here. Arrivals are 0 to 600 milliseconds
        // apart.
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        now = after(now, Duration::from_nanos((random >> 33) % 600_000_000));
        by_log += u32::from(log.check(now).is_allowed());
        if counter.check(now).is_allowed() {
            by_counter += 1;
            most = most.max(1_000_000 - recount.check(now).remaining);
        }
    }
    let ratio = f64::from(by_counter) / f64::from(by_log);
    println!("{ratio:.3} of the exact log's units; at most {most} of 100 in a sliding window");
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
    assert!(most <= 120, "{most}");
}

#[test]
fn a_fixed_window_allows_twice_the_limit_across_a_boundary() {
    let quota = Quota::new(100, Duration::from_secs(1)).unwrap();
    let (end, start) = (Timestamp::from_nanos(999_999_999), Timestamp::from_nanos(1_000_000_000));
    let mut window = Direct::new(FixedWindow::new(quota));
    assert!(window.check_n(100, end).is_allowed());
    assert!(window.check_n(100, start).is_allowed());

    let mut log = Direct::new(SlidingWindow::new(quota));
    assert!(log.check_n(100, end).is_allowed());
    assert!(!log.check_n(1, start).is_allowed());
    let mut counter = Direct::new(WindowCounter::new(quota));
    assert!(counter.check_n(100, end).is_allowed());
    assert!(!counter.check_n(1, start).is_allowed());
}
