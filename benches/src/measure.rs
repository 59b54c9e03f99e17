//! Times calls, in rounds in which contenders take turns.
//!
//! The speed of a machine may drift by more than contenders differ. So all contenders of a round
//! get the same arguments, ratios are computed within each round, and the printed values are
//! medians over the rounds.

use std::hint::black_box;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use crate::record::Record;

/// One in this many calls is not timed. The untimed calls come first in a batch, to warm up caches
/// and branch predictors.
const WARM_UP: usize = 16;

/// The result of one contender.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
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

    /// Times calls, except for the first ones, which only warm up.
    pub fn warmed(mut calls: impl ExactSizeIterator<Item = u64>) -> Self {
        let first = calls.len() / WARM_UP;
        all(calls.by_ref().take(first));
        Measured::of(calls.len(), || all(calls))
    }

    /// Returns the time per call; `None` if no call was made, because the contender does not offer
    /// the operation.
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

/// Makes a call for each argument, but at most `most` calls, and times them.
#[inline]
pub fn each<A>(arguments: &[A], most: usize, call: impl FnMut(&A) -> u64) -> Measured {
    let arguments = &arguments[..arguments.len().min(most)];
    Measured::of(arguments.len(), || {
        black_box(arguments.iter().map(call).fold(0, u64::wrapping_add))
    })
}

/// Makes the calls and nothing else: callgrind counts what runs inside this function.
#[inline(never)]
fn measured_calls(make: impl FnOnce() -> u64) -> u64 {
    make()
}

/// Sums up the answers of calls, so that none can be optimized away.
pub fn all(answers: impl Iterator<Item = u64>) -> u64 {
    answers.fold(0, |sum, answer| sum.wrapping_add(black_box(answer)))
}

/// Sums up the digests of elements that are visited one by one, as in most programs.
#[inline]
pub fn sum(digests: impl Iterator<Item = u64>) -> u64 {
    let mut sum = 0_u64;
    for digest in digests {
        sum = sum.wrapping_add(digest);
    }
    sum
}

/// Mixes the fields of an element into one number, so that all of them must be read.
#[inline]
pub fn digest(id: u64, number: u64) -> u64 {
    id ^ number.rotate_left(32)
}

/// Returns a digest of all elements, which depends on their order.
pub fn contents(digests: impl Iterator<Item = u64>) -> u64 {
    digests.fold(0, |all, digest| all.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(digest))
}

/// Returns the places of all contenders in the order of a round. The order rotates from round to
/// round, because the first contender may find the arguments still in the caches.
pub fn turns(round: usize, places: usize) -> impl Iterator<Item = usize> {
    (0..places).map(move |turn| (round + turn) % places)
}

/// Measures `N` values of each contender. In each round, `prepare` is called once, and each
/// contender in turn receives its result.
pub fn take_turns<W, E, const N: usize>(
    rounds: usize,
    places: usize,
    prepare: impl Fn(usize) -> Result<W, E>,
    measure: impl Fn(usize, &W) -> Result<[f64; N], E>,
) -> Result<[Rounds; N], E> {
    let mut all = [(); N].map(|()| Rounds::default());
    for round in 0..rounds {
        let prepared = prepare(round)?;
        let mut values = vec![[0.0; N]; places];
        for place in turns(round, places) {
            values[place] = measure(place, &prepared)?;
        }
        for (at, rounds) in all.iter_mut().enumerate() {
            rounds.0.push(values.iter().map(|values| Some(values[at])).collect());
        }
    }
    Ok(all)
}

/// A value of each contender in each round, or `None` if there is none.
#[derive(Default, Debug)]
pub struct Rounds(pub Vec<Vec<Option<f64>>>);

impl Rounds {
    /// Returns a record of each contender that has values: their median and quartiles.
    ///
    /// `ratio` compares the value at a place with another value of the same round. The record has
    /// the median of these ratios.
    pub fn records(
        &self,
        table: (&str, usize),
        what: (&str, &str),
        names: &[&str],
        ratio: impl Fn(&[Option<f64>], usize) -> Option<f64>,
    ) -> Vec<Record> {
        let record = |(place, name): (usize, &&str)| {
            let values = sorted(self.0.iter().filter_map(|round| round[place]));
            let ratios = sorted(self.0.iter().filter_map(|round| ratio(round, place)));
            // A single round has no spread.
            let quartile = |part| quantile(&values, part).filter(|_| self.0.len() > 1);
            Some(Record {
                rounds: self.0.len(),
                low: quartile(0.25),
                high: quartile(0.75),
                ratio: quantile(&ratios, 0.5),
                ..Record::new(table, name, what, Some(quantile(&values, 0.5)?))
            })
        };
        names.iter().enumerate().filter_map(record).collect()
    }
}

/// Returns the ratio of the first contender to one that comes after the `subjects`.
pub fn to_peers(subjects: usize) -> impl Fn(&[Option<f64>], usize) -> Option<f64> {
    move |round, place| if place < subjects { None } else { Some(round[0]? / round[place]?) }
}

/// Returns the ratio of a contender to the one at a place.
pub fn of(subject: usize) -> impl Fn(&[Option<f64>], usize) -> Option<f64> {
    move |round, place| Some(round[place]? / round[subject]?)
}

/// Returns no ratio.
pub fn none(_: &[Option<f64>], _: usize) -> Option<f64> {
    None
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Returns the quantile `part`, interpolated between adjacent values; `None` if there are no
/// values.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * as_f64(sorted.len().checked_sub(1)?);
    let below = sorted[floor(place)];
    let above = sorted[floor(place.ceil())];
    Some(below + (above - below) * place.fract())
}

/// Rounds a nonnegative value down to an integer.
#[expect(clippy::cast_sign_loss, reason = "nothing here is negative")]
pub fn floor(value: f64) -> usize {
    value as usize
}

/// Converts a count, exactly: all counts here are far below 2^52.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds<const N: usize>(values: &[[f64; N]]) -> Rounds {
        let value = |value| if value > 0.0 { Some(value) } else { None };
        Rounds(values.iter().map(|round| round.map(value).into()).collect())
    }

    #[test]
    fn records_have_the_median_and_the_middle_half_of_the_rounds() {
        let rounds = rounds(&[1.0, 5.0, 2.0, 4.0, 3.0].map(|nanos| [nanos, 0.0]));
        let records = rounds.records(("u64", 10), ("rank", "ns"), &["zset", "heap"], to_peers(1));
        assert_eq!(records.len(), 1, "a heap has no ranks");
        let Record { low, value, high, ratio, .. } = records[0];
        assert_eq!(([low, value, high], ratio), ([Some(2.0), Some(3.0), Some(4.0)], None));
    }

    #[test]
    fn peers_are_compared_within_each_round() {
        // The ratio of the medians would be 1, whereas the median of the ratios is 0.5.
        let rounds = rounds(&[[1.0, 9.0, 2.0], [3.0, 9.0, 6.0], [2.0, 9.0, 2.0]]);
        let names = ["zset", "ZSet", "peer"];
        let records = rounds.records(("u64", 10), ("insert", "ns"), &names, to_peers(2));
        let ratios: Vec<_> = records.iter().map(|it| it.ratio).collect();
        assert_eq!(ratios, [None, None, Some(0.5)]);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let median = |values: &[f64]| quantile(&sorted(values.iter().copied()), 0.5);
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[]), None);
    }
}
