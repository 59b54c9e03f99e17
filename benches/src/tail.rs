//! How long single calls take: the rare ones that are slow.
//!
//! A table that moves all its entries at once when it is full is fast on average and stops the
//! program for tens of milliseconds now and then. It is the CPU time of the thread that counts: wall
//! time would show when the machine ran something else. Interrupts and a hypervisor still add to it
//! here and there, so it is done in several rounds: a pause that is the contender's own comes back in
//! each of them.

use std::time::Duration;

use hdrhistogram::Histogram;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rustix::time::{ClockId, clock_gettime};

use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::names::scramble;
use crate::operation::Operation;
use crate::workload::as_f64;

/// The random updates of each set, once it has grown.
pub const UPDATES: usize = 1_000_000;

/// The most nanoseconds that are told apart from longer times: a minute.
const LONGEST: u64 = 60_000_000_000;

/// How one contender has grown, and how it was updated then.
#[derive(Clone, Debug)]
pub struct Tail {
    /// The contender.
    pub name: &'static str,
    /// The insertions, from none to all elements.
    pub insertions: Quantiles,
    /// The updates of random members to random scores; none if it does not offer them.
    pub updates: Option<Quantiles>,
}

/// The times of single calls, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantiles {
    /// Half of the calls take less.
    pub p50: u64,
    /// 99 of 100 do.
    pub p99: u64,
    /// 9,999 of 10,000 do.
    pub p9999: u64,
    /// The longest call.
    pub max: u64,
}

impl Quantiles {
    fn of(times: &Histogram<u64>) -> Self {
        Quantiles {
            p50: times.value_at_quantile(0.5),
            p99: times.value_at_quantile(0.99),
            p9999: times.value_at_quantile(0.9999),
            max: times.max(),
        }
    }

    /// Returns the calmer one of two rounds: that whose longest call is shorter.
    fn calmer(self, other: Self) -> Self {
        if other.max < self.max { other } else { self }
    }
}

/// Grows every contender to `n` elements, and updates it; says after each contender that it is over.
pub fn measure(n: usize, rounds: usize, is_over: impl FnMut()) -> Vec<Tail> {
    let mut grower = Grower { n, round: 0, tails: Vec::new(), is_over };
    for round in 0..rounds {
        grower.round = round as u64;
        visit_all(&mut grower);
    }
    let mut tails = grower.tails.into_iter();
    let mut calmest: Vec<Tail> = Vec::new();
    for tail in &mut tails {
        match calmest.iter_mut().find(|calm| calm.name == tail.name) {
            None => calmest.push(tail),
            Some(calm) => {
                calm.insertions = calm.insertions.calmer(tail.insertions);
                calm.updates = calm.updates.zip(tail.updates).map(|(one, other)| one.calmer(other));
            }
        }
    }
    calmest
}

/// Returns how many contenders [`measure`] has to do with.
pub fn contenders() -> usize {
    struct Count(usize);
    impl Visitor<u64> for Count {
        fn visit<C: Contender<u64>>(&mut self) {
            self.0 += 1;
        }
    }
    let mut count = Count(0);
    visit_all(&mut count);
    count.0
}

struct Grower<F> {
    n: usize,
    round: u64,
    tails: Vec<Tail>,
    is_over: F,
}

impl<F: FnMut()> Visitor<u64> for Grower<F> {
    fn visit<C: Contender<u64>>(&mut self) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.round);
        let first: u64 = rng.random_range(0..1 << 40);
        let end = as_f64(self.n);
        let mut set = C::new();
        let insertions = times(self.n, |number| {
            let (member, score) = (scramble(first + number), rng.random_range(0.0..end));
            timed(|| set.insert(member, score))
        });
        let updates = C::offers(Operation::Update).then(|| {
            times(UPDATES.min(self.n), |_| {
                let member = scramble(first + rng.random_range(0..self.n as u64));
                let score = rng.random_range(0.0..end);
                timed(|| set.update(&member, score))
            })
        });
        self.tails.push(Tail {
            name: C::NAME,
            insertions: Quantiles::of(&insertions),
            updates: updates.as_ref().map(Quantiles::of),
        });
        (self.is_over)();
    }
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

/// Returns the CPU time that this thread has had.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("the CPU time of a thread is not negative")
}

/// Returns the usual time between two readings of the clock, which is in all times.
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
        let Quantiles { p50, p99, p9999, max } = Quantiles::of(&times);
        // Three digits are kept.
        assert!((9_990..=10_010).contains(&p50) && (19_780..=19_820).contains(&p99));
        assert!((19_980..=20_020).contains(&p9999) && max >= 20_000);
    }

    #[test]
    fn the_calmer_round_counts() {
        let quantiles = |max| Quantiles { p50: 1, p99: 2, p9999: 3, max };
        assert_eq!(quantiles(9).calmer(quantiles(7)).max, 7);
        assert_eq!(quantiles(7).calmer(quantiles(9)).max, 7);
    }

    #[test]
    fn every_contender_grows() {
        let mut over = 0;
        let tails = measure(200, 2, || over += 1);
        assert_eq!(tails.len(), contenders());
        assert_eq!(over, 2 * contenders());
        assert!(tails.iter().all(|tail| tail.insertions.max > 0));
        assert!(tails.iter().any(|tail| tail.updates.is_none()), "a heap finds no member");
    }
}
