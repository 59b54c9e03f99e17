//! Compares limiters with lists of all units that they have allowed. Calls are made in random order
//! and at random times.

mod keyed;
mod naive;
mod single;

use super::*;
use naive::{Kind, Naive};

/// A Unix time in 2026, in nanoseconds.
const DATE: u64 = 1_790_000_000_000_000_000;

const CENTURY: u64 = 100 * 365 * 86_400 * 1_000_000_000;

/// Counts divide 60, so the interval between units is a whole number of sixtieths of a nanosecond.
/// The capacity of a quota of a century is its count, so it empties within the limit of 146 years.
fn quotas() -> impl Strategy<Value = Funnel> {
    let count = || prop::sample::select(vec![1_u32, 2, 3, 4, 5, 6, 10, 12]);
    let short = prop_oneof![1..20_u64, 1..5_000_000_000_u64];
    let short = (count(), short, 1..20_u32)
        .prop_map(|(count, period, capacity)| funnel(count, nanos(period), capacity));
    let long = count().prop_map(|count| funnel(count, nanos(CENTURY), count));
    prop_oneof![4 => short, 1 => long]
}

/// The kinds of limiters, in the order of [`any_limiter`].
const KINDS: [Kind; 4] = [Kind::Log, Kind::Counter, Kind::Fixed, Kind::Funnel];

/// How the caller's clock moves before a call.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The clock does not move.
    Still,
    /// Moves by quarters of a period and some nanoseconds, forward or back.
    By(i8, i8),
    /// Moves to within some nanoseconds of a given time.
    To(u64, i8),
}

fn steps() -> impl Strategy<Value = Step> {
    let ends = vec![0, DATE, 1 << 62, u64::MAX - CENTURY, u64::MAX];
    prop_oneof![
        6 => Just(Step::Still),
        12 => (0..3_i8, -3..4_i8).prop_map(|(quarters, nanos)| Step::By(quarters, nanos)),
        4 => (-3..9_i8, -3..4_i8).prop_map(|(quarters, nanos)| Step::By(quarters, nanos)),
        1 => (prop::sample::select(ends), -3..4_i8).prop_map(|(to, nanos)| Step::To(to, nanos)),
    ]
}

impl Step {
    fn from(self, now: u64, quota: Funnel) -> u64 {
        let (from, by) = match self {
            Step::Still => (now, 0),
            Step::By(quarters, nanos) => {
                let quarter = i128::try_from(quota.period().as_nanos()).unwrap() / 4;
                (now, quarter * i128::from(quarters) + i128::from(nanos))
            }
            Step::To(time, nanos) => (time, i128::from(nanos)),
        };
        let end = i128::from(u64::MAX);
        u64::try_from((i128::from(from) + by).clamp(0, end)).unwrap()
    }
}

/// Checks a decision on `n` units against the lists of all limiters: units pass if every list lets
/// them pass. The lists do not contain the units yet.
fn expect(decision: &Decision, lists: &[Naive], quotas: &[Funnel], n: u32, now: u64, counted: u64) {
    let passes = |lists: &[Naive], n: u32, at: u128| {
        lists.iter().zip(quotas).all(|(list, quota)| list.passes(*quota, n, at))
    };
    // Returns the effective time of a call after this wait. It is never earlier than `counted`, the
    // latest time so far.
    let after = |wait: Duration| (u128::from(now) + wait.as_nanos()).max(counted.into());
    let tick = nanos(1);
    let limit = lists.iter().zip(quotas).map(|(list, quota)| list.limit(*quota)).min().unwrap();
    let exact = lists.iter().zip(quotas).all(|(list, quota)| list.is_exact(*quota, counted));

    assert_eq!(decision.limit, limit);
    let is_allowed = n == 0 || n <= limit && passes(lists, n, counted.into());
    match decision.verdict {
        Verdict::Never => assert!(n > limit, "{n} of {limit}"),
        Verdict::Allowed => assert!(is_allowed, "allows {n} of {limit}: {decision:?} {lists:?}"),
        Verdict::Denied { retry_after } => {
            assert!(n <= limit);
            assert!(!is_allowed || !exact, "denies {n} of {limit}: {decision:?} {lists:?}");
            assert!(passes(lists, n, after(retry_after)), "too early: {decision:?} {lists:?}");
            let earlier = retry_after.checked_sub(tick).expect("a wait is never zero");
            let is_tight = !passes(lists, n, after(earlier)) || after(earlier) > after(retry_after);
            assert!(is_tight || !exact, "too late: {decision:?} {lists:?}");
        }
    }

    // The other fields describe the state after the decision, so the lists first record its units.
    let mut lists = lists.to_vec();
    if decision.is_allowed() {
        lists.iter_mut().zip(quotas).for_each(|(list, quota)| list.push(*quota, n, counted));
    }
    let left = decision.remaining;
    assert!(left <= limit);
    assert!(left == 0 || passes(&lists, left, counted.into()), "{decision:?} {lists:?}");
    let is_all = left == limit || !passes(&lists, left + 1, counted.into());
    assert!(is_all || !exact, "more remain: {decision:?} {lists:?}");
    let reset = decision.reset_after;
    assert!(passes(&lists, limit, after(reset)), "reset too early: {decision:?} {lists:?}");
    if let Some(earlier) = reset.checked_sub(tick) {
        let is_tight = left < limit && !passes(&lists, limit, after(earlier));
        assert!(is_tight || !exact, "reset too late: {decision:?} {lists:?}");
    }
}

fn timestamp(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}
