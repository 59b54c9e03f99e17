//! Tests the guarantees and the accuracy of the approximate counters, `FixedWindow` and
//! `WindowCounter`.

use super::*;

/// Returns the two counters of a quota.
fn counters(quota: Quota) -> [Direct<AnyLimiter>; 2] {
    [FixedWindow::new(quota).into(), WindowCounter::new(quota).into()].map(Direct::new)
}

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

#[test]
fn units_beyond_the_largest_limit_are_counted_and_refunded() {
    for mut counter in counters(per_minute(3)) {
        // The first three records are no longer in a window, so a refund does not include them.
        for second in [1, 1, 1, 301, 301, 301] {
            counter.record(u32::MAX, at(second));
        }
        // After one or two refunds, at least one record remains, so the limit is still reached.
        for _ in 0..2 {
            assert_eq!(counter.refund(u32::MAX), u32::MAX);
            assert!(counter.over_limit(at(301)), "{counter:?}");
        }
        assert_eq!(counter.refund(u32::MAX - 1), u32::MAX - 1);
        assert_eq!(counter.peek_n(0, at(301)).remaining, 2);
        assert_eq!(counter.refund(u32::MAX), 1);
    }
}

/// The current window ends early, at the last timestamp.
#[test]
fn a_denial_at_the_end_of_time_has_a_wait() {
    for period in [1, 2, 3, 60_000_000_000, (1 << 62) - (1 << 30)] {
        for limiter in all(Quota::new(2, nanos(period)).unwrap()) {
            let mut limiter = Direct::new(limiter);
            assert!(limiter.check_n(2, Timestamp::MAX).is_allowed());
            let decision = limiter.check_n(1, Timestamp::MAX);
            let wait = decision.retry_after().unwrap();
            assert!(!wait.is_zero() && decision.reset_after >= wait, "{limiter:?}: {decision:?}");
        }
    }
}

/// Units whose exact time is unknown count at the latest possible time.
#[test]
fn a_longer_period_counts_units_of_earlier_windows() {
    for mut counter in counters(quota(2, 1)) {
        for second in [0, 10, 20] {
            assert!(counter.check_n(2, at(second)).is_allowed());
        }
        for (count, second, remaining) in [(6, 20, 0), (7, 20, 1), (7, 7200, 7)] {
            counter.set_quota(quota(count, 3600));
            assert_eq!(counter.peek_n(0, at(second)).remaining, remaining, "{counter:?}");
        }
    }
}

#[test]
fn windows_without_units_do_not_postpone_when_earlier_units_count() {
    for mut counter in counters(quota(2, 1)) {
        assert!(counter.check_n(2, at(0)).is_allowed());
        for second in [31, 35] {
            assert!(counter.check_n(0, at(second)).is_allowed());
        }
        counter.set_quota(quota(2, 10));
        assert_eq!(counter.peek_n(0, at(35)).remaining, 2, "{counter:?}");
    }
}

#[test]
fn a_quota_of_a_call_changes_the_period_as_a_quota_that_is_set_does() {
    for mut counter in counters(quota(2, 1)) {
        for second in [0, 10, 20] {
            assert!(counter.check_n(2, at(second)).is_allowed());
        }
        for (count, period) in [(6, 3600), (9, 3600), (9, 60), (1, 1)] {
            let quota = quota(count, period);
            let mut set = counter.clone();
            set.set_quota(quota);
            assert_eq!(counter.peek_with(quota, 1, at(21)), set.peek_n(1, at(21)));
            assert_eq!(counter.check_with(quota, 1, at(21)), set.check_n(1, at(21)));
        }
    }
}

/// Calls with a different period are decided as by a limiter with that period.
#[test]
fn calls_with_one_other_period_are_exact_after_the_first() {
    let (minute, hour) = (per_minute(1), quota(1000, 3600));
    for (own, call) in [(minute, hour), (hour, minute)] {
        for (limiter, other) in all(own).into_iter().zip(all(call)) {
            let (mut limiter, mut other) = (Direct::new(limiter), Direct::new(other));
            for second in 0..7200 {
                let decision = limiter.check_with(call, second as u32 % 3, at(second));
                let expected = other.check_n(second as u32 % 3, at(second));
                assert_eq!(decision, expected, "{limiter:?} at {second}");
            }
        }
    }
}

/// The window of the longer period contains more units than fit into 32 bits.
#[test]
fn counts_beyond_32_bits_do_not_overflow_under_a_longer_period() {
    let quota = |period| Quota::new(u32::MAX, nanos(period)).unwrap();
    let limiters: [AnyLimiter; 2] =
        [FixedWindow::new(quota(10)).into(), WindowCounter::new(quota(5)).into()];
    for limiter in limiters {
        let mut limiter = Direct::new(limiter);
        for nanos in [0, 10] {
            assert!(limiter.check_n(u32::MAX, Timestamp::from_nanos(nanos)).is_allowed());
        }
        limiter.set_quota(quota(1_000));
        assert_eq!(limiter.refund(u32::MAX), u32::MAX);
        let now = Timestamp::from_nanos(19);
        assert!(!limiter.check_n(1, now).is_allowed());
        assert_eq!(limiter.refund(u32::MAX), u32::MAX);
        assert!(limiter.check_n(u32::MAX, now).is_allowed());
    }
}

/// Compares the number of allowed units with that of the exact log, for random arrivals at twice
/// the rate of the quota.
#[test]
fn a_window_counter_is_within_a_few_percent_for_random_arrivals() {
    let mut counter = Direct::new(WindowCounter::new(per_minute(100)));
    let mut log = Direct::new(SlidingWindow::new(per_minute(100)));
    // Counts, in an exact log, the units that the counter allowed. The log has room for all of
    // them.
    let mut recount = Direct::new(SlidingWindow::new(per_minute(1_000_000)));
    let (mut now, mut random) = (Timestamp::ZERO, 1u64);
    let (mut by_counter, mut by_log, mut most) = (0u32, 0u32, 0);
    for _ in 0..100_000 {
        // A linear congruential generator suffices. Arrivals are 0 to 600 ms apart.
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        now = after(now, nanos((random >> 33) % 600_000_000));
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
    let (end, start) = (Timestamp::from_nanos(999_999_999), Timestamp::from_nanos(1_000_000_000));
    for limiter in all(quota(100, 1)) {
        let mut one = Direct::new(limiter);
        assert!(one.check_n(100, end).is_allowed());
        let is_fixed = matches!(limiter, AnyLimiter::FixedWindow(_));
        // The other limiters still count the first 100 units: even a funnel leaks no unit within a
        // nanosecond.
        assert_eq!(one.check_n(if is_fixed { 100 } else { 1 }, start).is_allowed(), is_fixed);
    }
}
