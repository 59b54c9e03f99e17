//! Tests that the limiters allow the same calls, or the same share of calls in the long run.
//! Otherwise they would do different work, and comparing their times would be unfair.

use std::time::Duration;

use zset_bench::limiters::workload::{GivenClock, Limits, Workload, hundred_a_minute};
use zset_bench::limiters::{governor, keyed, one_key, zset};
use zset_std::{Funnel, Quota};

const KEYS: usize = 50;

/// Enough calls for several minutes, with each key called a hundred and fifty times per minute.
const CALLS: usize = 60_000;

fn share(verdicts: &[bool]) -> f64 {
    let allowed = u32::try_from(count(verdicts)).unwrap();
    f64::from(allowed) / f64::from(u32::try_from(verdicts.len()).unwrap())
}

fn count(verdicts: &[bool]) -> usize {
    verdicts.iter().filter(|&&is_allowed| is_allowed).count()
}

fn verdicts<L: Limits>(workload: &Workload, new: fn(Quota, GivenClock) -> L) -> Vec<bool> {
    let clock = GivenClock::default();
    let mut limiter = workload.load(&clock, new);
    let mut verdicts = Vec::new();
    workload.run(&mut limiter, &clock, |is_allowed| verdicts.push(is_allowed));
    verdicts
}

#[test]
fn a_funnel_and_governor_let_the_same_calls_pass() {
    let calls = one_key::Calls::new(CALLS, 1);
    for workload in [&calls.minute, &calls.day] {
        let funnel = verdicts(workload, zset::funnel);
        assert!((0.66..0.67).contains(&share(&funnel)), "{}", share(&funnel));
        assert!(funnel == verdicts(workload, governor::direct));
    }
}

#[test]
fn funnels_and_governor_let_the_same_calls_pass() {
    let workload = Workload::new(hundred_a_minute(), KEYS, CALLS, 2);
    let funnels = verdicts(&workload, |quota, clock| zset::keyed(Funnel::new, quota, clock));
    assert!(funnels == verdicts(&workload, governor::keyed));
    // The share may exceed two thirds, because half of the keys start with most of their quota.
    assert!((0.66..0.75).contains(&share(&funnels)), "{}", share(&funnels));
}

#[test]
fn fractions_of_a_nanosecond_are_all_that_differs() {
    let quota = Quota::new(3, Duration::from_nanos(10)).unwrap();
    let calls = 10_000;
    let workload = Workload::new(quota, 1, calls, 3);
    let funnel = count(&verdicts(&workload, zset::funnel));
    let direct = count(&verdicts(&workload, governor::direct));
    let funnels =
        count(&verdicts(&workload, |quota, clock| zset::keyed(Funnel::new, quota, clock)));
    // The calls span about 20,000 ns: 6,000 intervals of 10/3 ns. governor rounds the interval down
    // to 3 ns, of which the calls span 6,667.
    assert!((5_800..6_100).contains(&funnels), "{funnels}");
    assert!((5_800..6_100).contains(&funnel), "{funnel}");
    assert!((6_300..6_700).contains(&direct), "{direct}");
}

#[test]
fn in_the_long_run_two_thirds_of_the_calls_pass() {
    let workload = Workload::new(hundred_a_minute(), KEYS, CALLS, 4);
    for (name, measure) in keyed::CONTENDERS {
        // Only the second run is measured. By then, the clock has advanced and all windows are
        // full.
        let (measured, _) = measure(&workload);
        assert_eq!(measured.calls, CALLS);
        let percent = 100 * measured.answer / CALLS as u64;
        assert!((63..68).contains(&percent), "{name}: {percent} %");
    }
}

#[test]
fn with_a_clock_that_runs_all_calls_are_allowed_or_none() {
    let table = one_key::table();
    let perform = table.prepare(5_000, 1);
    for row in table.rows().into_iter().filter(|row| !row.ends_with("time given")) {
        let all = if row.starts_with("all allowed") { 5_000 } else { 0 };
        for (place, name) in table.offering(row) {
            assert_eq!(perform(place, row).measured.answer, all, "{row}: {name}");
        }
    }
}
