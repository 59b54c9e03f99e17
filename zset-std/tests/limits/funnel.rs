//! Compares `Funnel`, for one key and for many, with a leaky bucket whose level has 128 bits. Also
//! tests the longest and largest quotas.

use super::*;
use zset_std::limit::QuotaError;

/// A textbook implementation drops the leaked fraction of a unit at each call, so it admits only
/// half as many calls.
#[test]
fn polling_every_1999_milliseconds_loses_no_capacity() {
    let mut one = Direct::new(funnel(1, Duration::from_secs(2), 15));
    let polls = (0..=3_600_000).step_by(1999);
    let times = polls.map(|millis| after(at(0), Duration::from_millis(millis)));
    assert_eq!(times.filter(|&now| one.check(now).is_allowed()).count(), 1801);
}

/// A Unix time in nanoseconds.
const DATE: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

#[test]
fn a_quota_may_take_up_to_146_years() {
    let longest = nanos((u64::MAX - u64::from(u32::MAX)) / 4);
    for count in [1, 2, 3, 1000, u32::MAX - 1, u32::MAX] {
        let quota = Quota::new(count, longest).unwrap();
        let funnels = Keyed::<u32, _>::new(Funnel::new(quota));
        assert!(funnels.at(DATE).check_n(&1, count).is_allowed());
        let denied = funnels.at(DATE).check_n(&1, 1);
        assert!(!denied.is_allowed() && denied.remaining == 0);
        assert_eq!(denied.reset_after, longest);
        assert_eq!(Direct::new(Funnel::new(quota)).check_n(count, DATE).reset_after, longest);
        assert!(Funnel::new(quota).with_capacity(count).is_ok());
    }
    let longer = longest + nanos(1);
    assert_eq!(Quota::new(1, longer), Err(QuotaError::PeriodTooLong));
    assert_eq!(Quota::new(1, Duration::MAX), Err(QuotaError::PeriodTooLong));
    let funnel = Funnel::new(Quota::new(2, longest).unwrap());
    assert!(funnel.with_capacity(2).is_ok());
    assert_eq!(funnel.with_capacity(3), Err(QuotaError::PeriodTooLong));
    // With this period, a full funnel empties in 2^62 - 1/4 ns, about 146 years. A longer period is
    // rejected.
    let period = u64::MAX / u64::from(u32::MAX);
    let funnel = |period| Funnel::new(Quota::new(4, nanos(period)).unwrap());
    assert!(funnel(period).with_capacity(u32::MAX).is_ok());
    assert_eq!(funnel(period + 1).with_capacity(u32::MAX), Err(QuotaError::PeriodTooLong));
}

/// A naive leaky bucket, whose level is in units times nanoseconds of the period.
struct Naive {
    level: u128,
    count: u32,
    newest: u64,
}

impl Naive {
    fn volume(quota: Funnel, n: u32) -> u128 {
        u128::from(n) * quota.period().as_nanos()
    }

    /// Converts the level to the fractions of a nanosecond that the quota distinguishes, rounding
    /// up.
    fn convert(&mut self, quota: Funnel) {
        self.level = (self.level * u128::from(quota.count())).div_ceil(self.count.into());
        self.count = quota.count();
    }

    fn check(&mut self, quota: Funnel, n: u32, now: Timestamp) -> Decision {
        self.convert(quota);
        let count = u128::from(quota.count());
        let newest = self.newest.max(now.as_nanos());
        self.level = self.level.saturating_sub(u128::from(newest - self.newest) * count);
        self.newest = newest;
        let capacity = Naive::volume(quota, quota.capacity());
        let filled = self.level + Naive::volume(quota, n);
        let lag = nanos(newest - now.as_nanos());
        let leaking = |volume: u128| {
            let wait = nanos(u64::try_from(volume.div_ceil(count)).unwrap());
            if wait.is_zero() { wait } else { wait + lag }
        };
        let verdict = if n > quota.capacity() {
            Verdict::Never
        } else if n == 0 || filled <= capacity {
            self.level = filled;
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: leaking(filled - capacity) }
        };
        let space = capacity.saturating_sub(self.level) / quota.period().as_nanos();
        Decision {
            verdict,
            limit: quota.capacity(),
            remaining: u32::try_from(space).unwrap(),
            reset_after: leaking(self.level),
        }
    }

    fn refund(&mut self, quota: Funnel, n: u32) -> u32 {
        self.convert(quota);
        let refunded = self.level.min(Naive::volume(quota, n));
        self.level -= refunded;
        u32::try_from(refunded / quota.period().as_nanos()).unwrap()
    }
}

/// Quotas up to the largest, whose count and period rarely divide each other.
fn indivisible_quotas() -> BoxedStrategy<Funnel> {
    let number = || {
        prop_oneof![
            1..12_u32,
            1..12_u32,
            any::<u32>(),
            (0..32_u32).prop_map(|bits| u32::MAX >> bits),
            prop::sample::select(vec![999_983, 65_537, 4_294_967_291, 1_000_000_000, u32::MAX]),
        ]
        .prop_map(|number| number.max(1))
    };
    let period = prop_oneof![
        1..20_u64,
        number().prop_map(u64::from),
        (1..100_u64).prop_map(|seconds| seconds * 1_000_000_000),
        any::<u64>().prop_map(|period| period >> 2),
        Just(146 * 365 * 86_400_000_000_000),
        Just(LONGEST),
    ];
    let capacity = prop_oneof![2 => Just(None), 1 => number().prop_map(Some)];
    let quotas = (number(), period, capacity).prop_map(|(count, period, capacity)| {
        let quota = Quota::new(count, nanos(period.clamp(1, LONGEST))).unwrap();
        let funnel = Funnel::new(quota);
        capacity.and_then(|capacity| funnel.with_capacity(capacity).ok()).unwrap_or(funnel)
    });
    quotas.boxed()
}

/// 146 years, in nanoseconds.
const LONGEST: u64 = (u64::MAX - u32::MAX as u64) / 4;

#[derive(Clone, Copy, Debug)]
enum Call {
    /// Checks some thousandths of the capacity plus some units, with the call's own quota if it has
    /// one.
    Check(Option<Funnel>, u32, i8),
    Refund(u32, i8),
    SetQuota(Funnel),
}

fn calls() -> impl Strategy<Value = Vec<(i16, i8, Call)>> {
    let part = || prop_oneof![2 => Just(0_u32), 1 => 0..1_100_u32, 1 => Just(1_000)];
    let of_call = prop::option::weighted(0.2, indivisible_quotas());
    let call = prop_oneof![
        10 => (of_call, part(), -2..9_i8)
            .prop_map(|(quota, part, units)| Call::Check(quota, part, units)),
        1 => (part(), -2..9_i8).prop_map(|(part, units)| Call::Refund(part, units)),
        1 => indivisible_quotas().prop_map(Call::SetQuota),
    ];
    let parts = prop_oneof![3 => Just(0_i16), 3 => -200..600_i16, 1 => Just(1_000)];
    prop::collection::vec((parts, -3..4_i8, call), 0..60)
}

/// Returns some thousandths of the capacity plus some units.
fn units(quota: Funnel, part: u32, units: i8) -> u32 {
    let part = u64::from(quota.capacity()) * u64::from(part) / 1_000;
    u32::try_from(part.saturating_add_signed(units.into())).unwrap_or(u32::MAX)
}

/// Advances the time by some thousandths of the time in which a full funnel empties, plus some
/// nanoseconds.
fn passed(now: Timestamp, quota: Funnel, part: i16, nanos: i8) -> Timestamp {
    let burst = Naive::volume(quota, quota.capacity()).div_ceil(quota.count().into());
    let burst = i128::try_from(burst).unwrap();
    let now = i128::from(now.as_nanos()) + burst * i128::from(part) / 1_000 + i128::from(nanos);
    Timestamp::from_nanos(u64::try_from(now.clamp(0, u64::MAX.into())).unwrap())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn funnels_and_a_funnel_decide_exactly_for_every_quota(
        quota in indivisible_quotas(),
        start in prop::sample::select(vec![0, DATE.as_nanos(), u64::MAX - LONGEST]),
        calls in calls(),
    ) {
        let mut naive = Naive { level: 0, count: quota.count(), newest: 0 };
        let mut funnel = Direct::new(quota);
        let funnels = Keyed::<u8, _>::new(quota);
        let keyed = Keyed::new(quota);
        let (mut quota, mut now) = (quota, Timestamp::from_nanos(start));
        for (part, nanos, call) in calls {
            now = passed(now, quota, part, nanos);
            match call {
                Call::Check(of_call, part, more) => {
                    let other = of_call.unwrap_or(quota);
                    let n = units(other, part, more);
                    let (peeked, decision) = match of_call {
                        Some(other) => (
                            funnels.at(now).peek_with(&1, other, n),
                            funnels.at(now).check_with(&1, other, n),
                        ),
                        None => (funnels.at(now).peek_n(&1, n), funnels.at(now).check_n(&1, n)),
                    };
                    prop_assert_eq!(peeked, decision);
                    funnel.set_quota(other);
                    keyed.set_quota(other);
                    prop_assert_eq!(funnel.peek_n(n, now), decision);
                    prop_assert_eq!(funnel.check_n(n, now), decision);
                    prop_assert_eq!(keyed.at(now).check_n(&1, n), decision);
                    funnel.set_quota(quota);
                    keyed.set_quota(quota);
                    prop_assert_eq!(naive.check(other, n, now), decision, "{} of {:?}", n, other);
                }
                Call::Refund(part, more) => {
                    let n = units(quota, part, more);
                    let refunded = naive.refund(quota, n);
                    prop_assert_eq!(funnels.refund(&1, n), refunded);
                    prop_assert_eq!(funnel.refund(n), refunded);
                    prop_assert_eq!(keyed.refund(&1, n), refunded);
                }
                Call::SetQuota(other) => {
                    quota = other;
                    funnel.set_quota(quota);
                    funnels.set_quota(quota);
                    keyed.set_quota(quota);
                }
            }
        }
    }

    #[test]
    fn a_unit_remains_from_the_nanosecond_on_in_which_it_has_leaked(
        quota in indivisible_quotas(),
        part in 0..=1_000_u32,
        more in -2..3_i8,
    ) {
        let mut funnel = Direct::new(quota);
        prop_assert!(funnel.check_n(quota.capacity(), at(0)).is_allowed());
        let leaked = units(quota, part, more).clamp(1, quota.capacity());
        let count = u128::from(quota.count());
        let nanos = Naive::volume(quota, leaked).div_ceil(count);
        for nanos in [nanos - 1, nanos] {
            let now = Timestamp::from_nanos(u64::try_from(nanos).unwrap());
            let space = (nanos * count / quota.period().as_nanos()).min(quota.capacity().into());
            prop_assert_eq!(u128::from(funnel.peek_n(0, now).remaining), space);
        }
    }

    #[test]
    fn a_bucket_filled_to_its_count_is_empty_after_one_period(
        quota in indivisible_quotas(),
        start in 0..u64::MAX / 4,
        parts in prop::collection::vec(1..400_u32, 0..5),
    ) {
        let quota = Funnel::new(quota.quota());
        let funnels = Keyed::<u8, _>::new(quota);
        let mut now = Timestamp::from_nanos(start);
        for _ in 0..3 {
            let mut left = quota.count();
            for part in &parts {
                let n = units(quota, *part, 1).min(left);
                prop_assert!(funnels.at(now).check_n(&1, n).is_allowed());
                left -= n;
            }
            let full = funnels.at(now).check_n(&1, left);
            prop_assert!(full.is_allowed());
            prop_assert_eq!((full.remaining, full.reset_after), (0, quota.period()));
            now = after(now, quota.period());
            prop_assert_eq!(funnels.at(now).peek_n(&1, 0).reset_after, Duration::ZERO);
            prop_assert_eq!(funnels.at(now).peek_n(&1, 0).remaining, quota.count());
        }
    }
}

/// The product with the rounded reciprocal is one unit too many.
#[test]
fn a_unit_does_not_remain_a_nanosecond_too_early() {
    let mut funnel = Direct::new(Funnel::new(Quota::new(1000, nanos(LONGEST - 1)).unwrap()));
    assert!(funnel.check_n(1000, at(0)).is_allowed());
    let now = Timestamp::from_nanos(4_496_393_866_919_804_927);
    assert_eq!(funnel.peek_n(0, now).remaining, 974);
}

#[test]
fn a_change_of_quota_rounds_up_by_less_than_a_nanosecond() {
    let quotas = [3, 7, 10, u32::MAX, 1].map(|count| funnel(count, nanos(1_000_000_007), 1));
    let funnels = Keyed::<u8, _>::new(quotas[0]);
    assert!(funnels.at(at(0)).check(&1).is_allowed());
    // The unit leaks in a third of the period, 333,333,335 2/3 ns, rounded up to a whole
    // nanosecond.
    for quota in quotas.into_iter().cycle().take(100) {
        let reset_after = funnels.at(at(0)).check_with(&1, quota, 0).reset_after;
        assert_eq!(reset_after, nanos(333_333_336));
    }
    // Setting a quota does not round the state; only the next call under that quota does.
    let mut funnel = Direct::new(quotas[0]);
    assert!(funnel.check(at(0)).is_allowed());
    let before = funnel.clone();
    funnel.set_quota(quotas[4]);
    funnel.set_quota(quotas[0]);
    assert_eq!(funnel, before);
    // A third is two sixths.
    let _ = funnel.check_with(Quota::new(6, nanos(1)).unwrap(), 0, at(0));
    assert_eq!(funnel, before);
}

#[test]
fn recorded_and_refunded_units_are_exact_to_the_fraction() {
    // A unit leaks in 5/7 ns. The levels of 3 and 4 units differ only in the fraction, and those of
    // 0 and 7 only in the nanoseconds.
    let funnel = funnel(7, nanos(5), 9);
    let full = |units: u32| {
        let mut full = Direct::new(funnel);
        assert!((0..units).all(|_| full.check(at(0)).is_allowed()));
        full
    };
    let mut recorded = full(0);
    for units in 1..=9 {
        recorded.record(1, at(0));
        for other in 0..=9 {
            assert_eq!(recorded == full(other), units == other, "{units} and {other}");
        }
    }
    for units in (1..9).rev() {
        assert_eq!(recorded.refund(1), 1);
        assert_eq!(recorded, full(units));
    }
}
