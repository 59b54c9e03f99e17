//! Rounds in which contenders take turns.
//!
//! A machine's speed drifts by more than the contenders differ. So each round's workload is
//! generated once and given to all of them, ratios are taken within a round, and the printed values
//! are medians over the rounds.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use crate::record::Record;
use crate::table::{median, quantile};
use crate::workload::as_f64;

/// The result of one contender in one round.
#[derive(Clone, Copy, Default, Debug)]
pub struct Measured {
    /// The total time of all calls.
    pub time: Duration,
    /// The number of calls.
    pub calls: usize,
    /// The sum of the answers of the calls.
    pub answer: u64,
}

impl Measured {
    /// Runs `make`, which makes `calls` calls, and times it.
    pub fn of(calls: usize, make: impl FnOnce() -> u64) -> Self {
        let start = Instant::now();
        let answer = measured_calls(make);
        Measured { time: start.elapsed(), calls, answer }
    }

    /// Returns the time per call; `None` if there was none, as the contender does not offer it.
    pub fn nanos_a_call(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.time.as_secs_f64() * 1e9 / as_f64(self.calls))
    }
}

impl AddAssign for Measured {
    fn add_assign(&mut self, other: Self) {
        self.time += other.time;
        self.calls += other.calls;
        self.answer = self.answer.wrapping_add(other.answer);
    }
}

/// Makes the calls and nothing else: callgrind counts what runs inside this function.
#[inline(never)]
fn measured_calls(make: impl FnOnce() -> u64) -> u64 {
    make()
}

/// The results of all contenders in all rounds: `rounds[round][place]`.
#[derive(Default)]
pub(crate) struct Rounds<R = Measured>(pub(crate) Vec<Vec<R>>);

impl<R: Clone + Default> Rounds<R> {
    /// Measures `places` contenders in turn, in each round with the workload prepared for its
    /// number.
    pub(crate) fn try_measure<W, E>(
        places: usize,
        rounds: usize,
        prepare: impl Fn(u64) -> W,
        mut measure: impl FnMut(usize, &W) -> Result<R, E>,
    ) -> Result<Self, E> {
        let mut all = vec![vec![R::default(); places]; rounds];
        for (number, round) in all.iter_mut().enumerate() {
            let prepared = prepare(number as u64);
            // Rotate which contender goes first.
            for turn in 0..places {
                let place = (number + turn) % places;
                round[place] = measure(place, &prepared)?;
            }
        }
        Ok(Rounds(all))
    }

    /// Returns the median over the rounds of a per-round value.
    pub(crate) fn median(&self, value: impl Fn(&[R]) -> Option<f64>) -> Option<f64> {
        median(self.0.iter().filter_map(|round| value(round)))
    }

    /// Returns the median ratio of a value of a contender to that of another, taken within each
    /// round.
    pub(crate) fn ratio(
        &self,
        place: usize,
        to: usize,
        value: impl Fn(&R) -> Option<f64>,
    ) -> Option<f64> {
        self.median(|round| Some(value(&round[place])? / value(&round[to])?))
    }
}

impl Rounds {
    /// Like [`try_measure`](Self::try_measure), if nothing can fail.
    pub(crate) fn measure<W>(
        places: usize,
        rounds: usize,
        prepare: impl Fn(u64) -> W,
        mut measure: impl FnMut(usize, &W) -> Measured,
    ) -> Self {
        let measured = Rounds::try_measure(places, rounds, prepare, |place, prepared| {
            Ok::<_, std::convert::Infallible>(measure(place, prepared))
        });
        match measured {
            Ok(rounds) => rounds,
        }
    }

    /// Returns a record for each contender that offers an operation. Those after the `subjects`
    /// have the ratio of the first one to them.
    pub(crate) fn records(
        &self,
        names: &[&str],
        subjects: usize,
        table: &str,
        n: usize,
        what: &str,
    ) -> Vec<Record> {
        let record = |(place, name): (usize, &&str)| {
            let mut nanos: Vec<f64> =
                self.0.iter().filter_map(|round| round[place].nanos_a_call()).collect();
            nanos.sort_unstable_by(f64::total_cmp);
            let ratio = || self.ratio(0, place, Measured::nanos_a_call);
            Some(Record {
                rounds: self.0.len(),
                low: quantile(&nanos, 0.25),
                high: quantile(&nanos, 0.75),
                ratio: if place < subjects { None } else { ratio() },
                ..Record::new((table, n), name, (what, "ns"), Some(quantile(&nanos, 0.5)?))
            })
        };
        names.iter().enumerate().filter_map(record).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns rounds with the given nanoseconds per call; 0 for an operation that is not offered.
    pub(crate) fn rounds(nanos: &[Vec<u64>]) -> Rounds {
        let measured = |&nanos: &u64| Measured {
            time: Duration::from_nanos(10 * nanos),
            calls: if nanos > 0 { 10 } else { 0 },
            answer: 0,
        };
        Rounds(nanos.iter().map(|round| round.iter().map(measured).collect()).collect())
    }

    #[test]
    fn records_have_the_median_and_the_middle_half_of_the_rounds() {
        let rounds = rounds(&[1, 5, 2, 4, 3].map(|nanos| vec![nanos, 0]));
        let records = rounds.records(&["zset", "heap"], 1, "u64", 10, "rank");
        assert_eq!(records.len(), 1, "a heap has no ranks");
        let Record { low, value, high, ratio, .. } = records[0];
        let rounded = [low, value, high].map(|nanos| nanos.map(f64::round));
        assert_eq!((rounded, ratio), ([Some(2.0), Some(3.0), Some(4.0)], None));
    }

    #[test]
    fn peers_are_compared_within_each_round() {
        // The ratio of the medians is 1.
        let rounds = rounds(&[vec![1, 9, 2], vec![3, 9, 6], vec![2, 9, 2]]);
        let records = rounds.records(&["zset", "ZSet", "peer"], 2, "u64", 10, "insert");
        let ratios: Vec<_> = records.iter().map(|it| it.ratio).collect();
        assert_eq!(ratios, [None, None, Some(0.5)]);
    }
}
