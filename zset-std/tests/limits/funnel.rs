//! `Funnel` against the definition of the leaky bucket, which needs no level.

use super::*;
use zset_std::{Funnel, Verdict};

/// Returns whether `n` more units may pass at a time: if from no earlier call on more has been
/// poured in than the capacity and what has leaked out since.
fn conforms(passed: &[(Timestamp, u32)], quota: Quota, n: u32, now: Timestamp) -> bool {
    let period = quota.period().as_nanos();
    let mut poured = u128::from(n) * period;
    if poured > u128::from(quota.capacity()) * period {
        return false;
    }
    passed.iter().rev().all(|&(time, units)| {
        poured += u128::from(units) * period;
        let elapsed = now.saturating_duration_since(time).as_nanos();
        poured <= u128::from(quota.capacity()) * period + elapsed * u128::from(quota.count())
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_answer_is_that_of_the_definition(
        quota in quotas(),
        calls in prop::collection::vec((steps(), 0..22u32), 0..80),
    ) {
        let mut funnel = Funnel::new(quota);
        let mut passed: Vec<(Timestamp, u32)> = Vec::new();
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for ((quarters, nanos), n) in calls {
            now = step(now, quota, quarters, nanos);
            newest = newest.max(now);
            let (before, peeked) = (funnel.clone(), funnel.peek_at(n, now));
            let decision = funnel.watering_at(n, now);
            prop_assert_eq!(peeked, decision, "peek equals watering");
            let is_allowed = n == 0 || conforms(&passed, quota, n, newest);
            prop_assert_eq!(decision.is_allowed(), is_allowed);
            prop_assert_eq!(decision.verdict == Verdict::Never, n > quota.capacity());
            if is_allowed && n > 0 {
                passed.push((newest, n));
            } else {
                prop_assert_eq!(funnel.peek_at(1, now), before.peek_at(1, now));
            }
            if let Verdict::Denied { retry_after } = decision.verdict {
                prop_assert!(conforms(&passed, quota, n, after(newest, retry_after)));
                let earlier = retry_after.checked_sub(Duration::from_nanos(1)).unwrap();
                prop_assert!(!conforms(&passed, quota, n, after(newest, earlier)));
            }
            // Remaining units pass at once, one more does not.
            let left = decision.remaining;
            prop_assert!(left == 0 || conforms(&passed, quota, left, newest));
            prop_assert!(!conforms(&passed, quota, left + 1, newest));
            prop_assert_eq!(funnel.left_quota_at(now), left);
            let reset = after(newest, decision.reset_after);
            prop_assert!(conforms(&passed, quota, quota.capacity(), reset));
        }
    }
}

/// The textbook's version drops what has leaked of a unit at each call, and admits half of it.
#[test]
fn polled_every_1999_milliseconds_for_an_hour_nothing_is_lost() {
    let quota = Quota::new(1, Duration::from_secs(2)).unwrap().with_capacity(15).unwrap();
    let mut funnel = Funnel::new(quota);
    let (mut now, mut admitted) = (Timestamp::ZERO, 0);
    let mut exact = Vec::new();
    while now.as_nanos() <= 3_600_000_000_000 {
        let is_allowed = conforms(&exact, quota, 1, now);
        if is_allowed {
            exact.push((now, 1));
        }
        assert_eq!(funnel.watering_at(1, now).is_allowed(), is_allowed);
        admitted += u32::from(is_allowed);
        now = after(now, Duration::from_millis(1999));
    }
    assert_eq!(admitted, 1801);
}

#[test]
fn quotas_of_all_sizes_work() {
    let day = Duration::from_secs(86_400);
    let mut funnel = Funnel::new(Quota::new(1_000_000_000, day).unwrap().with_capacity(1).unwrap());
    assert!(funnel.watering_at(1, Timestamp::ZERO).is_allowed());
    let decision = funnel.watering_at(1, Timestamp::ZERO);
    assert_eq!(decision.retry_after(), Some(Duration::from_nanos(86_400)));

    let thirty_years = day * 365 * 30;
    let mut funnel = Funnel::new(Quota::new(1, thirty_years).unwrap());
    assert!(funnel.watering_at(1, Timestamp::ZERO).is_allowed());
    assert_eq!(funnel.watering_at(1, Timestamp::ZERO).retry_after(), Some(thirty_years));
    assert!(funnel.watering_at(1, after(Timestamp::ZERO, thirty_years)).is_allowed());
    // At the end of time nothing wraps.
    assert!(funnel.watering_at(1, Timestamp::MAX).is_allowed());
    assert!(!funnel.watering_at(1, Timestamp::MAX).is_allowed());
}
