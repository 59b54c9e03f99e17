//! Compares the results of `CL.THROTTLE` with the table that redis-cell publishes.

use super::*;
use zset_std::limit::{QuotaError, Throttle, ThrottleError};

fn funnels() -> Keyed<String, Funnel> {
    Keyed::new(Funnel::new(quota(1, 1)))
}

#[test]
fn the_published_table_for_4_1_1() {
    let funnels = funnels();
    // The columns are the time in tenths of a second, the quantity, whether the call is limited,
    // the remaining units, the wait in seconds, and the time until the reset in tenths of a second.
    for (time, quantity, limited, remaining, retry_after, reset) in [
        (0, 6, true, 5, -1, 0u32),
        (0, 1, false, 4, -1, 10),
        (0, 1, false, 3, -1, 20),
        (0, 1, false, 2, -1, 30),
        (0, 1, false, 1, -1, 40),
        (0, 1, false, 0, -1, 50),
        (0, 1, true, 0, 1, 50),
        (30, 1, false, 2, -1, 30),
        (31, 1, false, 1, -1, 39),
        (40, 1, false, 1, -1, 40),
        (80, 1, false, 4, -1, 10),
        (95, 1, false, 4, -1, 10),
        (95, 0, false, 4, -1, 10),
        (95, 2, false, 2, -1, 30),
        (95, 5, true, 2, 3, 30),
    ] {
        let now = Timestamp::from_nanos(time * 100_000_000);
        let quota = funnel(1, Duration::from_secs(1), 5);
        let exact = funnels.at(now).peek_with("key", quota, quantity).reset_after;
        let throttle = funnels.at(now).throttle("key", 4, 1, 1, quantity.into()).unwrap();
        let reset_after = i64::from(reset.div_ceil(10));
        let expected = Throttle { limited, limit: 5, remaining, retry_after, reset_after };
        assert_eq!(throttle, expected, "{time} {quantity}");
        assert_eq!(exact, Duration::from_millis(u64::from(reset) * 100), "{time} {quantity}");
    }
}

#[test]
fn invalid_arguments_are_errors_and_leave_the_key_unchanged() {
    let funnels = funnels();
    for (max_burst, count, period, quantity, error) in [
        (-1, 1, 1, 1, ThrottleError::MaxBurst),
        (i64::MAX, 1, 1, 1, ThrottleError::MaxBurst),
        (i64::from(u32::MAX), 1, 1, 1, ThrottleError::MaxBurst),
        (4, 1, 1, -1, ThrottleError::Quantity),
        (4, 1, 1, i64::MAX, ThrottleError::Quantity),
        (4, -1, 1, 1, ThrottleError::Rate),
        (4, 1, -1, 1, ThrottleError::Rate),
        (4, i64::MAX, 1, 1, ThrottleError::Rate),
        (4, 0, 1, 1, ThrottleError::Quota(QuotaError::ZeroCount)),
        (4, 1, 0, 1, ThrottleError::Quota(QuotaError::ZeroPeriod)),
        (4, 1, i64::MAX, 1, ThrottleError::Quota(QuotaError::PeriodTooLong)),
        (1000, 1, 4_000_000_000, 1, ThrottleError::Quota(QuotaError::PeriodTooLong)),
    ] {
        assert_eq!(funnels.throttle("key", max_burst, count, period, quantity), Err(error));
    }
    assert!(funnels.is_empty());
}

#[test]
fn a_billion_per_day_and_one_per_thirty_years_work() {
    let day = 86_400;
    let funnels = funnels();
    let now = Timestamp::from_nanos(1_700_000_000_000_000_000);
    for i in (0..1000).rev() {
        let throttle = funnels.at(now).throttle("fast", 999, 1_000_000_000, day, 1).unwrap();
        assert_eq!((throttle.limited, throttle.remaining), (false, i));
    }
    assert!(funnels.at(now).throttle("fast", 999, 1_000_000_000, day, 1).unwrap().limited);
    let next = now.saturating_add(Duration::from_nanos(86_400));
    assert!(!funnels.at(next).throttle("fast", 999, 1_000_000_000, day, 1).unwrap().limited);

    // Continues at `next`, because a shard never uses an earlier time than it has seen.
    let now = next;
    let thirty_years = day * 365 * 30;
    assert!(!funnels.at(now).throttle("slow", 0, 1, thirty_years, 1).unwrap().limited);
    let denied = funnels.at(now).throttle("slow", 0, 1, thirty_years, 1).unwrap();
    assert_eq!((denied.limited, denied.retry_after), (true, thirty_years));
    let end = now.saturating_add(Duration::from_secs(thirty_years.unsigned_abs()));
    assert!(!funnels.at(end).throttle("slow", 0, 1, thirty_years, 1).unwrap().limited);
    // No time overflows at the last timestamp.
    assert!(!funnels.at(Timestamp::MAX).throttle("last", 0, 1, 1, 1).unwrap().limited);
    assert!(funnels.at(Timestamp::MAX).throttle("last", 0, 1, 1, 1).unwrap().limited);
}

#[test]
fn a_count_that_does_not_divide_the_period_resets_after_the_period() {
    let throttle = funnels().at(Timestamp::ZERO).throttle("key", 2, 3, 1, 3).unwrap();
    let expected =
        Throttle { limited: false, limit: 3, remaining: 0, retry_after: -1, reset_after: 1 };
    assert_eq!(throttle, expected);
}

proptest! {
    #![proptest_config(config())]

    /// All five numbers are those of a `Funnel`, whose quota changes with each call.
    #[test]
    fn all_numbers_are_those_of_a_funnel(
        calls in prop::collection::vec(
            ((0..20_u32, 1..20_u32, 1..20_u32), 0..20_u32, (0..3_u64, 0..1_000_000_000_u64)),
            1..40,
        ),
    ) {
        let funnels = funnels();
        let mut one = Direct::new(Funnel::new(funnels.quota()));
        let mut now = Timestamp::ZERO;
        for ((burst, count, period), n, (seconds, nanos)) in calls {
            // Makes many calls at, or just after, the time at which a unit has leaked out.
            let interval = u64::from(period) * 1_000_000_000 / u64::from(count);
            let by = if nanos % 3 == 0 { nanos } else { seconds * interval + nanos % 3 };
            now = after(now, Duration::from_nanos(by));
            one.set_quota(funnel(count, Duration::from_secs(period.into()), burst + 1));
            let expected = Throttle::from(one.check_n(n, now));
            let [burst, count, period, n] = [burst, count, period, n].map(i64::from);
            let throttle = funnels.at(now).throttle("key", burst, count, period, n).unwrap();
            prop_assert_eq!(throttle, expected);
        }
    }
}
