//! The latency of single calls, for the rare slow ones.
//!
//! A table that moves all entries at once when it is full is fast on average but occasionally
//! stalls the program for tens of milliseconds. The measured time is the CPU time of the thread,
//! since wall time would include other processes. Interrupts and the hypervisor still add to it at
//! times, so there are several rounds: a pause caused by the contender recurs in each of them.

use std::iter;
use std::time::Duration;

use hdrhistogram::Histogram;
use rand::RngExt;
use rustix::time::{ClockId, clock_gettime};

use crate::contenders;
use crate::member::{Kind, Member};
use crate::random::generator;
use crate::record::Record;
use crate::sets::{Set, UPDATE};
use crate::tables::CALLS;
use crate::workload::as_f64;

/// The number of rounds.
pub const ROUNDS: usize = 2;

/// The longest time that the histograms resolve: a minute, in nanoseconds.
const LONGEST: u64 = 60_000_000_000;

/// The latencies of one contender.
#[derive(Clone, Debug)]
pub struct Tail {
    /// The name of the contender.
    pub name: &'static str,
    /// The nanoseconds of insertions, from the empty set to all elements.
    pub insertions: Histogram<u64>,
    /// The nanoseconds of updates of random members to random scores; `None` if not supported.
    pub updates: Option<Histogram<u64>>,
}

impl Tail {
    /// Returns the measured kinds of calls, each with its name.
    pub fn calls(&self) -> impl Iterator<Item = (&'static str, &Histogram<u64>)> {
        let updates = self.updates.iter().map(|times| ("update", times));
        iter::once(("insert", &self.insertions)).chain(updates)
    }

    /// Returns the quantiles of sets that grew to `n` elements as records.
    pub(crate) fn records(&self, n: usize) -> Vec<Record> {
        let of_call = |(call, times)| {
            QUANTILES.into_iter().zip(quantiles(times)).map(move |(name, value)| {
                let what = format!("{call} {name}");
                let record = Record::new((CALLS, n), self.name, (&what, "ns"), Some(value));
                Record { rounds: ROUNDS, ..record }
            })
        };
        self.calls().flat_map(of_call).collect()
    }

    /// Keeps, for each kind of call, the round whose longest call was shorter.
    fn calm_down(&mut self, other: Tail) {
        let calmer = |here: &mut Histogram<u64>, there: Histogram<u64>| {
            if there.max() < here.max() {
                *here = there;
            }
        };
        calmer(&mut self.insertions, other.insertions);
        if let Some((here, there)) = self.updates.as_mut().zip(other.updates) {
            calmer(here, there);
        }
    }
}

/// The names of the values that `quantiles` returns.
pub const QUANTILES: [&str; 4] = ["p50", "p99", "p99.99", "longest"];

/// Returns the nanoseconds at the 50th, 99th and 99.99th percentile, and those of the longest call.
fn quantiles(times: &Histogram<u64>) -> [f64; QUANTILES.len()] {
    let quantile = |part| times.value_at_quantile(part);
    [quantile(0.5), quantile(0.99), quantile(0.9999), times.max()].map(nanos)
}

/// Returns pairs `(n, nanos)`: one in `n` calls takes longer than `nanos`. `n` starts at 2 and
/// increases by half powers of ten up to the number of calls.
pub fn curve(times: &Histogram<u64>) -> Vec<(f64, f64)> {
    let calls = nanos(times.len());
    let steps = (1..).map(|half_powers| 10_f64.powf(f64::from(half_powers) / 2.0));
    let inner = iter::once(2.0).chain(steps).take_while(|&one_of| one_of < calls);
    let inner = inner.map(|one_of| (one_of, nanos(times.value_at_quantile(1.0 - 1.0 / one_of))));
    inner.chain([(calls, nanos(times.max()))]).collect()
}

fn nanos(value: u64) -> f64 {
    as_f64(value as usize)
}

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of elements that sets grow to.
    pub n: usize,
    /// The number of random updates then.
    pub updates: usize,
}

/// Grows every contender in each round; calls `is_over` after each.
pub fn measure(plan: Plan, mut is_over: impl FnMut()) -> Vec<Tail> {
    let mut tails: Vec<Tail> = Vec::new();
    for round in 0..ROUNDS {
        for (place, contender) in contenders::all(Kind::Integers).contenders.iter().enumerate() {
            let tail = (contender.tail)(plan, round as u64);
            match tails.get_mut(place) {
                Some(before) => before.calm_down(tail),
                None => tails.push(tail),
            }
            is_over();
        }
    }
    tails
}

/// Returns how often [`measure`] calls `is_over`.
pub fn steps() -> usize {
    ROUNDS * contenders::names().len()
}

/// Grows a set of `C` and updates it, timing each call.
pub(crate) fn grow<M: Member, C: Set<M>>(Plan { n, updates }: Plan, round: u64) -> Tail {
    let mut rng = generator(round);
    let first: u64 = rng.random_range(0..1 << 40);
    let end = as_f64(n);
    let mut set = C::new();
    let insertions = times(n, |number| {
        let (member, score) = (M::nth(first + number), rng.random_range(0.0..end));
        timed(|| set.insert(member, score))
    });
    let updates = C::offers(UPDATE).then(|| {
        times(updates, |_| {
            let member = M::nth(first + rng.random_range(0..n as u64));
            let score = rng.random_range(0.0..end);
            timed(|| set.update(&member, score))
        })
    });
    Tail { name: C::NAME, insertions, updates }
}

fn times(calls: usize, mut call: impl FnMut(u64) -> Duration) -> Histogram<u64> {
    let mut times = Histogram::new_with_max(LONGEST, 3).expect("three digits are possible");
    for number in 0..calls as u64 {
        times.saturating_record(call(number).as_nanos() as u64);
    }
    times
}

fn timed(call: impl FnOnce()) -> Duration {
    let start = cpu_time();
    call();
    cpu_time().saturating_sub(start)
}

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("the CPU time of a thread is not negative")
}

/// Returns the typical time between two readings of the clock, which is included in every measured
/// time.
pub fn clock_cost() -> Duration {
    let mut costs: Vec<Duration> = (0..1001).map(|_| timed(|| ())).collect();
    costs.sort_unstable();
    costs[costs.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_calls() {
        let times = times(20_000, |number| Duration::from_nanos(number + 1));
        let expected = [10_000.0, 19_800.0, 19_998.0, 20_000.0];
        for (quantile, expected) in quantiles(&times).into_iter().zip(expected) {
            // The histograms keep three significant digits.
            assert!((quantile / expected - 1.0_f64).abs() < 0.001, "{quantile}, {expected}");
        }
    }

    #[test]
    fn a_curve_ends_with_the_longest_call() {
        let times = times(1_000, |number| Duration::from_nanos(number + 1));
        let curve = curve(&times);
        let calls: Vec<_> = curve.iter().map(|point| point.0.round()).collect();
        assert_eq!(calls, [2.0, 3.0, 10.0, 32.0, 100.0, 316.0, 1_000.0]);
        assert!((curve[0].1 - 500.0).abs() < 2.0 && (curve[4].1 - 990.0).abs() < 2.0);
        assert!((curve[6].1 - 1_000.0).abs() < 2.0);
    }

    #[test]
    fn the_calmer_round_counts() {
        let times = |nanos| times(1, |_| Duration::from_nanos(nanos));
        let tail = |inserted, updated: Option<u64>| Tail {
            name: "zset",
            insertions: times(inserted),
            updates: updated.map(times),
        };
        let mut calm = tail(9, Some(7));
        calm.calm_down(tail(8, Some(20)));
        assert_eq!((calm.insertions.max(), calm.updates.map(|it| it.max())), (8, Some(7)));
        let mut calm = tail(9, None);
        calm.calm_down(tail(10, None));
        assert_eq!((calm.insertions.max(), calm.updates.is_none()), (9, true));
    }

    #[test]
    fn every_contender_grows() {
        let mut over = 0;
        let tails = measure(Plan { n: 200, updates: 100 }, || over += 1);
        assert_eq!((tails.len(), over), (contenders::names().len(), steps()));
        assert!(tails.iter().all(|tail| tail.insertions.len() == 200 && tail.insertions.max() > 0));
        assert!(tails[0].updates.as_ref().is_some_and(|it| it.len() == 100));
        assert!(tails.iter().any(|tail| tail.updates.is_none()), "a heap finds no member");
    }
}
