//! `Funnel`, for one key and for many, compared with the definition of a leaky bucket, which keeps
//! no level, and with one that keeps a level of 128 bits; and quotas of all sizes.

use super::*;
use zset_std::limit::QuotaError;
use zset_std::{Decision, Direct, Keyed, Verdict};

/// Returns whether `n` more units may pass now: counted from each earlier call, the units that
/// passed must not exceed the capacity plus what has leaked since.
fn conforms(passed: &[(Timestamp, u32)], quota: Funnel, n: u32, now: Timestamp) -> bool {
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

/// The textbook version drops the leaked fraction of a unit at each call, and admits half as many.
#[test]
fn polling_every_1999_milliseconds_loses_no_capacity() {
    let quota = Quota::new(1, Duration::from_secs(2)).unwrap();
    let quota = Funnel::new(quota).with_capacity(15).unwrap();
    let mut funnel = Direct::new(quota);
    let (mut now, mut admitted) = (Timestamp::ZERO, 0);
    let mut exact = Vec::new();
    while now.as_nanos() <= 3_600_000_000_000 {
        let is_allowed = conforms(&exact, quota, 1, now);
        if is_allowed {
            exact.push((now, 1));
        }
        assert_eq!(funnel.check_n(1, now).is_allowed(), is_allowed);
        admitted += u32::from(is_allowed);
        now = after(now, Duration::from_millis(1999));
    }
    assert_eq!(admitted, 1801);
}

#[test]
fn quotas_of_every_size_work() {
    let day = Duration::from_secs(86_400);
    let fast = Funnel::new(Quota::new(1_000_000_000, day).unwrap()).with_capacity(1).unwrap();
    let mut funnel = Direct::new(fast);
    assert!(funnel.check_n(1, Timestamp::ZERO).is_allowed());
    let decision = funnel.check_n(1, Timestamp::ZERO);
    assert_eq!(decision.retry_after(), Some(Duration::from_nanos(86_400)));

    let thirty_years = day * 365 * 30;
    let mut funnel = Direct::new(Funnel::new(Quota::new(1, thirty_years).unwrap()));
    assert!(funnel.check_n(1, Timestamp::ZERO).is_allowed());
    assert_eq!(funnel.check_n(1, Timestamp::ZERO).retry_after(), Some(thirty_years));
    assert!(funnel.check_n(1, after(Timestamp::ZERO, thirty_years)).is_allowed());
    // Nothing wraps at the end of time.
    assert!(funnel.check_n(1, Timestamp::MAX).is_allowed());
    assert!(!funnel.check_n(1, Timestamp::MAX).is_allowed());
}

const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// A Unix time in nanoseconds.
const DATE: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);

#[test]
fn century_long_funnels_work_at_a_unix_time() {
    let quota = Quota::new(1, 100 * YEAR).unwrap();
    let funnels = Keyed::<u32, _>::new(Funnel::new(quota));
    let mut funnel = Direct::new(Funnel::new(quota));
    for (years, wait) in [(0, 0), (1, 99), (100, 0), (150, 50)] {
        let now = after(DATE, years * YEAR);
        let decision = funnels.at(now).check_n(&1, 1);
        assert_eq!(decision, funnel.check_n(1, now));
        assert_eq!((decision.remaining, decision.retry_after()), (0, Some(wait * YEAR)));
    }
}

#[test]
fn funnels_work_up_to_the_last_timestamp() {
    let quota = Quota::new(3, Duration::from_secs(3)).unwrap();
    let mut funnel = Direct::new(Funnel::new(quota));
    let funnels = Keyed::<u32, _>::new(Funnel::new(quota));
    for nanos in [0, 1 << 61, 1 << 62, (1 << 62) + 1, 1 << 63, u64::MAX - 1, u64::MAX] {
        let now = Timestamp::from_nanos(nanos);
        for n in [2, 1, 1] {
            assert_eq!(funnels.at(now).check_n(&1, n), funnel.check_n(n, now), "{n} at {nanos}");
        }
    }
}

#[test]
fn a_quota_may_take_up_to_146_years() {
    let longest = Duration::from_nanos((u64::MAX - u64::from(u32::MAX)) / 4);
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
    let longer = longest + Duration::from_nanos(1);
    assert_eq!(Quota::new(1, longer), Err(QuotaError::PeriodTooLong));
    assert_eq!(Quota::new(1, Duration::MAX), Err(QuotaError::PeriodTooLong));
    let funnel = Funnel::new(Quota::new(2, longest).unwrap());
    assert!(funnel.with_capacity(2).is_ok());
    assert_eq!(funnel.with_capacity(3), Err(QuotaError::PeriodTooLong));
    // 2^62 - 1/4 ns remain until the funnel is empty.
    let funnel = |period| Funnel::new(Quota::new(4, Duration::from_nanos(period)).unwrap());
    let interval = funnel(u64::MAX / u64::from(u32::MAX));
    assert!(interval.with_capacity(u32::MAX).is_ok());
    let interval = funnel(u64::MAX / u64::from(u32::MAX) + 1);
    assert_eq!(interval.with_capacity(u32::MAX), Err(QuotaError::PeriodTooLong));
}

#[test]
fn a_changed_quota_keeps_the_time_at_which_a_funnel_is_empty() {
    let quota = |count, capacity| {
        let quota = Quota::new(count, Duration::from_secs(60)).unwrap();
        Funnel::new(quota).with_capacity(capacity).unwrap()
    };
    let mut funnel = Direct::new(quota(6, 3));
    let funnels = Keyed::<u32, _>::new(quota(6, 3));
    for (other, remaining) in [(quota(12, 9), 3), (quota(6, 1), 0), (quota(3, 2), 0)] {
        assert!(funnel.check_n(3, at(0)).is_allowed());
        assert!(funnels.at(at(0)).check_n(&1, 3).is_allowed());
        funnel.set_quota(other);
        funnels.set_quota(other);
        assert_eq!((*funnel.limiter(), funnels.limiter()), (other, other));
        let decision = funnel.peek_n(0, at(0));
        assert_eq!(funnels.at(at(0)).peek_n(&1, 0), decision);
        assert_eq!((decision.remaining, decision.limit), (remaining, other.capacity()));
        assert_eq!(decision.reset_after, Duration::from_secs(30));
        for n in [2, 9] {
            assert_eq!(funnel.refund(n), funnels.refund(&1, n));
        }
        funnel.reset();
        funnels.reset(&1);
        funnel.set_quota(quota(6, 3));
        funnels.set_quota(quota(6, 3));
    }
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

    /// Rounds the level up to the fractions that a quota distinguishes.
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
        let lag = Duration::from_nanos(newest - now.as_nanos());
        let leaking = |volume: u128| {
            let nanos = u64::try_from(volume.div_ceil(count)).unwrap();
            if nanos == 0 { Duration::ZERO } else { Duration::from_nanos(nanos) + lag }
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

/// Quotas up to the largest, in which count and period rarely divide each other.
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
        let quota = Quota::new(count, Duration::from_nanos(period.clamp(1, LONGEST))).unwrap();
        let funnel = Funnel::new(quota);
        capacity.and_then(|capacity| funnel.with_capacity(capacity).ok()).unwrap_or(funnel)
    });
    quotas.boxed()
}

/// 146 years, in nanoseconds.
const LONGEST: u64 = (u64::MAX - u32::MAX as u64) / 4;

#[derive(Clone, Copy, Debug)]
enum Call {
    /// Checks some thousandths of the capacity, and some units.
    Check(u32, i8),
    CheckWith(Funnel, u32, i8),
    Refund(u32, i8),
    SetQuota(Funnel),
}

fn calls() -> impl Strategy<Value = Vec<(i16, i8, Call)>> {
    let part = || prop_oneof![2 => Just(0_u32), 1 => 0..1_100_u32, 1 => Just(1_000)];
    let call = prop_oneof![
        8 => (part(), -2..9_i8).prop_map(|(part, units)| Call::Check(part, units)),
        2 => (indivisible_quotas(), part(), -2..9_i8)
            .prop_map(|(quota, part, units)| Call::CheckWith(quota, part, units)),
        1 => (part(), -2..9_i8).prop_map(|(part, units)| Call::Refund(part, units)),
        1 => indivisible_quotas().prop_map(Call::SetQuota),
    ];
    let parts = prop_oneof![3 => Just(0_i16), 3 => -200..600_i16, 1 => Just(1_000)];
    prop::collection::vec((parts, -3..4_i8, call), 0..60)
}

/// Returns some thousandths of the capacity, and some units.
fn units(quota: Funnel, part: u32, units: i8) -> u32 {
    let part = u64::from(quota.capacity()) * u64::from(part) / 1_000;
    u32::try_from(part.saturating_add_signed(units.into())).unwrap_or(u32::MAX)
}

/// Advances the time by some thousandths of the time in which a full funnel empties, and by some
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
                Call::Check(part, more) => {
                    let n = units(quota, part, more);
                    let peeked = funnels.at(now).peek_n(&1, n);
                    let decision = funnels.at(now).check_n(&1, n);
                    prop_assert_eq!(peeked, decision);
                    prop_assert_eq!(funnel.peek_n(n, now), decision);
                    prop_assert_eq!(funnel.check_n(n, now), decision);
                    prop_assert_eq!(keyed.at(now).check_n(&1, n), decision);
                    prop_assert_eq!(naive.check(quota, n, now), decision, "{} of {:?}", n, quota);
                }
                Call::CheckWith(other, part, more) => {
                    let n = units(other, part, more);
                    let peeked = funnels.at(now).peek_with(&1, other, n);
                    let decision = funnels.at(now).check_with(&1, other, n);
                    prop_assert_eq!(peeked, decision);
                    funnel.set_quota(other);
                    prop_assert_eq!(funnel.check_n(n, now), decision);
                    funnel.set_quota(quota);
                    keyed.set_quota(other);
                    prop_assert_eq!(keyed.at(now).check_n(&1, n), decision);
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

#[test]
fn a_count_that_does_not_divide_the_period_is_served_in_full() {
    let quota = Quota::new(3, Duration::from_secs(1)).unwrap();
    let funnels = Keyed::<u8, _>::new(Funnel::new(quota));
    let mut funnel = Direct::new(Funnel::new(quota));
    let first = funnels.at(at(0)).check_n(&1, 3);
    assert_eq!((first.verdict, first.reset_after), (Verdict::Allowed, Duration::from_secs(1)));
    for second in 0..1_000 {
        let n = 3 - u32::from(second == 0) * 3;
        assert!(funnels.at(at(second)).check_n(&1, n).is_allowed());
        let (mut passed, mut of_one) = (0, 0);
        for key in [2, 2, 2, 2] {
            passed += u32::from(funnels.at(at(second)).check(&key).is_allowed());
            of_one += u32::from(funnel.check(at(second)).is_allowed());
        }
        assert_eq!((passed, of_one), (3, 3), "at {second}");
    }
}

#[test]
fn a_change_of_quota_rounds_up_by_less_than_a_nanosecond() {
    let quotas = [3, 7, 10, u32::MAX, 1].map(|count| {
        let quota = Quota::new(count, Duration::from_nanos(1_000_000_007)).unwrap();
        Funnel::new(quota).with_capacity(1).unwrap()
    });
    let funnels = Keyed::<u8, _>::new(quotas[0]);
    assert!(funnels.at(at(0)).check(&1).is_allowed());
    // A third of the period is 333,333,335 2/3 ns.
    for quota in quotas.into_iter().cycle().take(100) {
        let reset_after = funnels.at(at(0)).check_with(&1, quota, 0).reset_after;
        assert_eq!(reset_after, Duration::from_nanos(333_333_336));
    }
    // Setting a quota rounds nothing until a call uses it.
    let mut funnel = Direct::new(quotas[0]);
    assert!(funnel.check(at(0)).is_allowed());
    let before = funnel.clone();
    funnel.set_quota(quotas[4]);
    funnel.set_quota(quotas[0]);
    assert_eq!(funnel, before);
}
