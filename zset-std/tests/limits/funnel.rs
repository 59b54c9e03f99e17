//! `Funnel`, compared with the definition of the leaky bucket, which needs no level; and quotas of
//! every size.

use super::*;
use zset_std::limit::QuotaError;
use zset_std::{Funnel, Funnels};

/// Returns whether `n` more units may pass now: if, counted from each earlier call, no more has
/// been poured in than the capacity plus what has leaked out since.
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

/// The textbook version drops the leaked fraction of a unit at each call, and allows half as many.
#[test]
fn polling_every_1999_milliseconds_loses_no_capacity() {
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
fn quotas_of_every_size_work() {
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
    // Nothing wraps at the end of time.
    assert!(funnel.watering_at(1, Timestamp::MAX).is_allowed());
    assert!(!funnel.watering_at(1, Timestamp::MAX).is_allowed());
}

const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// A Unix time in nanoseconds.
const DATE: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

#[test]
fn century_long_funnels_work_at_a_unix_time() {
    let quota = Quota::new(1, 100 * YEAR).unwrap();
    let funnels = Funnels::<u32>::new(quota);
    let mut funnel = Funnel::new(quota);
    for (years, wait) in [(0, 0), (1, 99), (100, 0), (150, 50)] {
        let now = after(DATE, years * YEAR);
        let decision = funnels.check_n_at(&1, 1, now);
        assert_eq!(decision, funnel.watering_at(1, now));
        assert_eq!((decision.remaining, decision.retry_after()), (0, Some(wait * YEAR)));
    }
}

#[test]
fn funnels_work_up_to_the_last_timestamp() {
    let quota = Quota::new(3, Duration::from_secs(3)).unwrap();
    let mut funnel = Funnel::new(quota);
    let funnels = Funnels::<u32>::new(quota);
    for nanos in [0, 1 << 61, 1 << 62, (1 << 62) + 1, 1 << 63, u64::MAX - 1, u64::MAX] {
        let now = Timestamp::from_nanos(nanos);
        for n in [2, 1, 1] {
            assert_eq!(
                funnels.check_n_at(&1, n, now),
                funnel.watering_at(n, now),
                "{n} at {nanos}"
            );
        }
    }
}

/// Periods so long that an interval rounded up to a quarter of a nanosecond still fits.
#[test]
fn a_quota_may_take_up_to_146_years() {
    let longest = Duration::from_nanos((u64::MAX - u64::from(u32::MAX)) / 4);
    for count in [1, 2, 3, 1000, u32::MAX - 1, u32::MAX] {
        let quota = Quota::new(count, longest).unwrap();
        let funnels = Funnels::<u32>::new(quota);
        assert!(funnels.check_n_at(&1, count, DATE).is_allowed());
        let denied = funnels.check_n_at(&1, 1, DATE);
        assert!(!denied.is_allowed() && denied.remaining == 0);
        let full = Funnel::new(quota).watering_at(count, DATE).reset_after;
        assert!(denied.reset_after >= full && denied.reset_after < full + Duration::from_secs(2));
        assert!(quota.with_capacity(count).is_ok());
    }
    let longer = longest + Duration::from_nanos(1);
    assert_eq!(Quota::new(1, longer), Err(QuotaError::PeriodTooLong));
    assert_eq!(Quota::new(1, Duration::MAX), Err(QuotaError::PeriodTooLong));
    let quota = Quota::new(2, longest).unwrap();
    assert!(quota.with_capacity(2).is_ok());
    assert_eq!(quota.with_capacity(3), Err(QuotaError::PeriodTooLong));
    // Exactly the ticks that 64 bits can hold: 3 * 5 * 17 * 257 * 641 * 65537 * 6700417.
    let interval = Quota::new(4, Duration::from_nanos(u64::MAX / u64::from(u32::MAX))).unwrap();
    assert!(interval.with_capacity(u32::MAX).is_ok());
    let interval = Quota::new(4, Duration::from_nanos(u64::MAX / u64::from(u32::MAX) + 1)).unwrap();
    assert_eq!(interval.with_capacity(u32::MAX), Err(QuotaError::PeriodTooLong));
}

#[test]
fn a_changed_quota_keeps_the_time_at_which_a_funnel_is_empty() {
    let quota = |count, capacity| {
        Quota::new(count, Duration::from_secs(60)).unwrap().with_capacity(capacity).unwrap()
    };
    let mut funnel = Funnel::new(quota(6, 3));
    let funnels = Funnels::<u32>::new(quota(6, 3));
    for (other, remaining) in [(quota(12, 9), 3), (quota(6, 1), 0), (quota(3, 2), 0)] {
        assert!(funnel.watering_at(3, at(0)).is_allowed());
        assert!(funnels.check_n_at(&1, 3, at(0)).is_allowed());
        funnel.set_quota(other);
        funnels.set_quota(other);
        assert_eq!((funnel.quota(), funnels.quota()), (other, other));
        let decision = funnel.peek_at(0, at(0));
        assert_eq!(funnels.peek_at(&1, 0, at(0)), decision);
        assert_eq!((decision.remaining, decision.limit), (remaining, other.capacity()));
        assert_eq!(decision.reset_after, Duration::from_secs(30));
        assert_eq!(funnel.left_quota_at(at(0)), remaining);
        for n in [2, 9] {
            assert_eq!(funnel.refund(n), funnels.refund(&1, n));
        }
        funnel.reset();
        funnels.reset(&1);
        funnel.set_quota(quota(6, 3));
        funnels.set_quota(quota(6, 3));
    }
}
