//! The latency of single calls, to find the rare slow ones.
//!
//! A hash table that moves all entries at once when it is full is fast on average, but the call
//! that moves them may take tens of milliseconds. Calls are measured in CPU time of the thread,
//! since wall time would include other processes. Interrupts and the hypervisor can still lengthen
//! a call, so there are several rounds: a pause caused by the contender recurs in each of them.

use std::iter;
use std::time::Duration;

use hdrhistogram::Histogram;
use rand::RngExt;
use rustix::time::{ClockId, clock_gettime};

use crate::measure::as_f64;
use crate::random::generator;
use crate::record::Record;
use crate::sets::member::Member;
use crate::sets::set::Set;

/// The name of the table.
pub(crate) const TABLE: &str = "calls";

/// The number of rounds.
pub(crate) const ROUNDS: usize = 2;

/// The measured kinds of calls: insertions, from the empty set to all elements, and updates of
/// random members to random scores.
pub(crate) const KINDS: [&str; 2] = ["insert", "update"];

/// The names of the values in the table.
pub(crate) const QUANTILES: [&str; 4] = ["p50", "p99", "p99.99", "longest"];

/// The longest time that the histograms resolve: a minute, in nanoseconds.
const LONGEST: u64 = 60_000_000_000;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The number of elements that sets grow to.
    pub(crate) n: usize,
    /// The number of random updates after that.
    pub(crate) updates: usize,
}

/// The latencies of calls of one of the [`KINDS`].
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) contender: &'static str,
    pub(crate) kind: &'static str,
    nanos: Histogram<u64>,
}

impl Calls {
    /// Returns the quantiles of sets that grew to `n` elements as records.
    pub(crate) fn records(&self, n: usize) -> impl Iterator<Item = Record> {
        QUANTILES.into_iter().zip(self.quantiles()).map(move |(name, value)| {
            let what = format!("{} {name}", self.kind);
            let record = Record::new((TABLE, n), self.contender, (&what, "ns"), Some(value));
            Record { rounds: ROUNDS, ..record }
        })
    }

    /// Returns the nanoseconds at the 50th, 99th and 99.99th percentile, and those of the longest
    /// call.
    fn quantiles(&self) -> [f64; QUANTILES.len()] {
        let at = |part| self.nanos.value_at_quantile(part);
        [at(0.5), at(0.99), at(0.9999), self.nanos.max()].map(nanos)
    }

    /// Returns pairs `(n, nanos)`: one in `n` calls takes `nanos` or longer. The values of `n` are
    /// 2, half powers of ten, and the number of calls.
    pub(crate) fn curve(&self) -> Vec<(f64, f64)> {
        let calls = nanos(self.nanos.len());
        let steps = (1..).map(|half_powers| 10_f64.powf(f64::from(half_powers) / 2.0));
        let inner = iter::once(2.0).chain(steps).take_while(|&one_of| one_of < calls);
        let at = |one_of: f64| nanos(self.nanos.value_at_quantile(1.0 - 1.0 / one_of));
        inner.map(|one_of| (one_of, at(one_of))).chain([(calls, nanos(self.nanos.max()))]).collect()
    }
}

fn nanos(value: u64) -> f64 {
    as_f64(value as usize)
}

/// For each contender and kind of call, keeps the round whose longest call is shorter.
pub(crate) fn calmer(one: Vec<Calls>, other: Vec<Calls>) -> impl Iterator<Item = Calls> {
    let pairs = one.into_iter().zip(other);
    pairs.map(|(a, b)| if b.nanos.max() < a.nanos.max() { b } else { a })
}

/// Grows a set of `C` and updates it, timing each call.
pub(crate) fn measure<M: Member, C: Set<M>>(Plan { n, updates }: Plan, round: u64) -> [Calls; 2] {
    let mut rng = generator(round);
    let first: u64 = rng.random_range(0..1 << 40);
    let end = as_f64(n);
    let mut set = C::new();
    let insertions = times(n, |number| {
        let (member, score) = (M::nth(first + number), rng.random_range(0.0..end));
        timed(|| set.insert(member, score))
    });
    let updates = times(updates, |_| {
        let member = M::nth(first + rng.random_range(0..n as u64));
        let score = rng.random_range(0.0..end);
        timed(|| set.update(&member, score))
    });
    let [insert, update] = KINDS;
    [(insert, insertions), (update, updates)].map(|(kind, nanos)| Calls {
        contender: C::NAME,
        kind,
        nanos,
    })
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
pub(crate) fn clock_cost() -> Duration {
    let mut costs: Vec<Duration> = (0..1001).map(|_| timed(|| ())).collect();
    costs.sort_unstable();
    costs[costs.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(count: usize, nanos: impl Fn(u64) -> u64) -> Calls {
        let nanos = times(count, |number| Duration::from_nanos(nanos(number)));
        Calls { contender: "zset", kind: KINDS[0], nanos }
    }

    #[test]
    fn quantiles_are_those_of_the_calls() {
        let calls = calls(20_000, |number| number + 1);
        let expected = [10_000.0, 19_800.0, 19_998.0, 20_000.0];
        for (quantile, expected) in calls.quantiles().into_iter().zip(expected) {
            // The histograms keep three significant digits.
            assert!((quantile / expected - 1.0_f64).abs() < 0.001, "{quantile}, {expected}");
        }
    }

    #[test]
    fn a_curve_ends_with_the_longest_call() {
        let curve = calls(1_000, |number| number + 1).curve();
        let calls: Vec<_> = curve.iter().map(|point| point.0.round()).collect();
        assert_eq!(calls, [2.0, 3.0, 10.0, 32.0, 100.0, 316.0, 1_000.0]);
        assert!((curve[0].1 - 500.0).abs() < 2.0 && (curve[4].1 - 990.0).abs() < 2.0);
        assert!((curve[6].1 - 1_000.0).abs() < 2.0);
    }

    #[test]
    fn the_calmer_round_counts() {
        let round = |nanos: [u64; 2]| nanos.map(|nanos| calls(1, |_| nanos)).to_vec();
        let calm = calmer(round([9, 7]), round([8, 20]));
        assert_eq!(calm.map(|it| it.nanos.max()).collect::<Vec<_>>(), [8, 7]);
    }
}
