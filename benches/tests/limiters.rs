//! All limiters must allow the same calls: one that decides differently does different work.

use std::time::Duration;

use zset_bench::limiters::Row;
use zset_bench::limiters::clock::GivenClock;
use zset_bench::limiters::contenders::{DirectGovernor, KeyedGovernor, ManyFunnels, OneFunnel};
use zset_bench::limiters::workload::{Workload, hundred_a_minute};
use zset_bench::limiters::{Keyed, OneKey};
use zset_bench::limiters::{Visitor, visit_all};
use zset_std::Quota;

const KEYS: usize = 50;

/// Calls for several minutes, with each key called a hundred and fifty times per minute.
const CALLS: usize = 60_000;

fn share(verdicts: &[bool]) -> f64 {
    let allowed = u32::try_from(count(verdicts)).unwrap();
    f64::from(allowed) / f64::from(u32::try_from(verdicts.len()).unwrap())
}

fn count(verdicts: &[bool]) -> usize {
    verdicts.iter().filter(|&&is_allowed| is_allowed).count()
}

fn verdicts<L: Keyed>(workload: &Workload) -> Vec<bool> {
    let clock = GivenClock::default();
    let mut limiter = workload.load::<L>(&clock);
    workload.verdicts(&mut limiter, &clock)
}

fn verdicts_of_one<L: OneKey>(
    workload: &Workload,
    new: impl FnOnce(Quota, GivenClock) -> L,
) -> Vec<bool> {
    let clock = GivenClock::default();
    let mut limiter = new(workload.quota(), clock.clone());
    limiter.fill();
    workload.verdicts_of_one(&mut limiter, &clock)
}

#[test]
fn a_funnel_and_governor_let_the_same_calls_pass() {
    for row in [Row::Minute, Row::Day] {
        let workload = Workload::new(row.quota(), 1, CALLS, 1);
        let funnel = verdicts_of_one(&workload, OneFunnel::new);
        assert!((0.66..0.67).contains(&share(&funnel)), "{row:?}: {}", share(&funnel));
        assert!(funnel == verdicts_of_one(&workload, DirectGovernor::new), "{row:?}");
    }
}

#[test]
fn funnels_and_governor_let_the_same_calls_pass() {
    let workload = Workload::new(hundred_a_minute(), KEYS, CALLS, 2);
    let funnels = verdicts::<ManyFunnels>(&workload);
    assert!(funnels == verdicts::<KeyedGovernor>(&workload));
    // Half of the keys still have most of their initial quota.
    assert!((0.66..0.75).contains(&share(&funnels)), "{}", share(&funnels));
}

/// Three units in ten nanoseconds: governor rounds the interval to 3, and funnels do not round. Of
/// two limiters with the same capacity, the faster one never allows fewer calls.
#[test]
fn fractions_of_a_nanosecond_are_all_that_differs() {
    let quota = Quota::new(3, Duration::from_nanos(10)).unwrap();
    let calls = 10_000;
    let workload = Workload::new(quota, 1, calls, 3);
    let funnel = count(&verdicts_of_one(&workload, OneFunnel::new));
    let direct = count(&verdicts_of_one(&workload, DirectGovernor::new));
    let funnels = count(&verdicts::<ManyFunnels>(&workload));
    // The calls span about 20,000 ns, which is 6,000 or 6,667 intervals.
    assert!((5_800..6_100).contains(&funnels), "{funnels}");
    assert!((5_800..6_100).contains(&funnel), "{funnel}");
    assert!((6_300..6_700).contains(&direct), "{direct}");
}

struct Run {
    workload: Workload,
    visited: usize,
}

impl Visitor for Run {
    fn visit<L: Keyed>(&mut self) {
        let clock = GivenClock::default();
        let mut limiter = self.workload.load::<L>(&clock);
        assert_eq!(limiter.len(), KEYS, "{}", L::NAME);
        assert!(!limiter.is_empty());
        self.workload.run(&mut limiter, &clock);
        assert_eq!(limiter.len(), KEYS, "{}", L::NAME);
        // The clock has advanced, and a second run finds all windows full.
        let allowed = self.workload.verdicts(&mut limiter, &clock);
        assert!((0.63..0.68).contains(&share(&allowed)), "{}: {}", L::NAME, share(&allowed));
        self.visited += 1;
    }
}

#[test]
fn in_the_long_run_two_thirds_of_the_calls_pass() {
    let workload = Workload::new(hundred_a_minute(), KEYS, CALLS, 4);
    let mut run = Run { workload, visited: 0 };
    visit_all(&mut run);
    assert_eq!(run.visited, 5);
}
