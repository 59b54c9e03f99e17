//! The two approximations: what they promise, and how far off they are.

use super::*;
use zset_std::{FixedWindow, Verdict, WindowCounter, WindowLog};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_window_counter_keeps_its_promises(
        quota in quotas(),
        calls in prop::collection::vec((steps(), 0..14u32), 0..120),
    ) {
        let mut counter = WindowCounter::new(quota);
        let mut passed: Vec<(Timestamp, u32)> = Vec::new();
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for ((quarters, nanos), n) in calls {
            now = step(now, quota, quarters, nanos);
            newest = newest.max(now);
            let (before, peeked) = (counter.clone(), counter.peek_at(n, now));
            let decision = counter.check_n_at(n, now);
            prop_assert_eq!(peeked, decision, "peek equals check");
            prop_assert_eq!(decision.verdict == Verdict::Never, n > quota.count());
            if let Verdict::Denied { retry_after } = decision.verdict {
                let earlier = retry_after.checked_sub(Duration::from_nanos(1)).unwrap();
                prop_assert!(before.peek_at(n, after(newest, retry_after)).is_allowed());
                prop_assert!(!before.peek_at(n, after(newest, earlier)).is_allowed());
            }
            let left = decision.remaining;
            prop_assert!(counter.peek_at(left, newest).is_allowed());
            prop_assert!(!counter.peek_at(left + 1, newest).is_allowed());
            let reset = after(newest, decision.reset_after);
            prop_assert_eq!(counter.peek_at(0, reset).remaining, quota.count());
            if decision.is_allowed() {
                passed.push((newest, n));
            }
        }
        // Less than twice the limit in any sliding window.
        for &(end, _) in &passed {
            let in_window = |time| time <= end && end.saturating_duration_since(time) < quota.period();
            let units: u32 =
                passed.iter().filter(|(time, _)| in_window(*time)).map(|(_, units)| units).sum();
            prop_assert!(units < 2 * quota.count() || units <= quota.count());
        }
    }

    #[test]
    fn a_fixed_window_keeps_its_promises(
        quota in quotas(),
        calls in prop::collection::vec((steps(), 0..14u32), 0..120),
    ) {
        let mut window = FixedWindow::new(quota);
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for ((quarters, nanos), n) in calls {
            now = step(now, quota, quarters, nanos);
            newest = newest.max(now);
            let (before, peeked) = (window.clone(), window.peek_at(n, now));
            let decision = window.check_n_at(n, now);
            prop_assert_eq!(peeked, decision, "peek equals check");
            if let Verdict::Denied { retry_after } = decision.verdict {
                let earlier = retry_after.checked_sub(Duration::from_nanos(1)).unwrap();
                prop_assert!(before.peek_at(n, after(newest, retry_after)).is_allowed());
                prop_assert!(!before.peek_at(n, after(newest, earlier)).is_allowed());
            }
            let reset = after(newest, decision.reset_after);
            prop_assert_eq!(window.peek_at(0, reset).remaining, quota.count());
        }
    }
}

/// Random arrivals at twice the rate that is allowed: how many pass, against the exact log.
#[test]
fn at_random_arrivals_a_window_counter_is_a_few_percent_off() {
    let quota = Quota::new(100, Duration::from_secs(60)).unwrap();
    let (mut counter, mut log) = (WindowCounter::new(quota), WindowLog::new(quota));
    // What passed the counter, recounted: a log with room for all of it.
    let mut recount = WindowLog::new(Quota::new(1_000_000, Duration::from_secs(60)).unwrap());
    let (mut now, mut random) = (Timestamp::ZERO, 1u64);
    let (mut by_counter, mut by_log, mut most) = (0u32, 0u32, 0);
    for _ in 0..100_000 {
        // A linear congruential generator is random enough; 0 to 600 milliseconds.
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        now = after(now, Duration::from_nanos((random >> 33) % 600_000_000));
        by_log += u32::from(log.check_at(now).is_allowed());
        if counter.check_at(now).is_allowed() {
            by_counter += 1;
            most = most.max(1_000_000 - recount.check_at(now).remaining);
        }
    }
    let ratio = f64::from(by_counter) / f64::from(by_log);
    println!("{ratio:.3} of the exact log's units; at most {most} of 100 in a sliding window");
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
    assert!(most <= 120, "{most}");
}

#[test]
fn at_the_boundary_of_a_fixed_window_twice_the_limit_passes() {
    let quota = Quota::new(100, Duration::from_secs(1)).unwrap();
    let (end, start) = (Timestamp::from_nanos(999_999_999), Timestamp::from_nanos(1_000_000_000));
    let mut window = FixedWindow::new(quota);
    assert!(window.check_n_at(100, end).is_allowed());
    assert!(window.check_n_at(100, start).is_allowed());

    let mut log = WindowLog::new(quota);
    assert!(log.check_n_at(100, end).is_allowed());
    assert!(!log.check_n_at(1, start).is_allowed());
    let mut counter = WindowCounter::new(quota);
    assert!(counter.check_n_at(100, end).is_allowed());
    assert!(!counter.check_n_at(1, start).is_allowed());
}
