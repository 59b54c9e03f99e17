//! The arguments of the operations on every contender, generated in advance.
//!
//! A set holds `n` random members with scores uniform in `0..n`, so that neighbours are 1 apart on
//! average. Members are accessed in a random order that is unrelated to their insertion order.
//! Allocators often place consecutive insertions side by side, so caches would make accesses in
//! insertion order unrealistically fast. No operation depends on the result of the previous one, so
//! the processor can overlap them, as in most programs.

use std::hint::black_box;

use rand::RngExt;
use rand_distr::{Distribution, Zipf};

use crate::measure::{Measured, as_f64, floor};
use crate::random::{generator, repeat};
use crate::sets::member::Member;

/// The minimum number of elements in a set.
pub const MIN_N: usize = 10;

/// The minimum and maximum number of operations of one kind on one set; a load has one operation
/// per element. With fewer operations, reading the clock would take a noticeable part of the time.
pub(crate) const MIN_BATCH: usize = 1_000;
pub(crate) const MAX_BATCH: usize = 200_000;

/// Below this size, several sets are built or emptied in a measurement.
const SMALL: usize = 100;

/// The maximum number of elements that ranges visit, per operation of a batch. Long ranges are read
/// less often.
const VISITED: usize = 25;

/// The maximum size of a small step, down or up, in mean distances between neighbours. At 1, about
/// 63% of the steps stay between the same two neighbours, and nearly all others pass one or two.
const STEP: f64 = 1.0;

/// The exponent of the Zipf distribution of members in a mix: at n = 10^6, half of the calls are
/// for about 700 members.
const ZIPF: f64 = 1.0;

/// The elements of one set, and the arguments of all operations on it.
pub struct Workload<M> {
    /// The elements in random order.
    pub(crate) elements: Vec<(M, f64)>,
    /// The elements in set order.
    pub(crate) sorted: Vec<(M, f64)>,
    /// Members of the set, each with a random number from 0 to 1.
    pub(crate) places: Vec<(M, f64)>,
    /// The same members, each with a new score.
    pub(crate) updates: Vec<(M, f64)>,
    pub(crate) small_steps: Vec<(M, f64)>,
    /// Zipf-distributed members, each with a new score for a write, or `None` for a read.
    pub(crate) mix: Vec<(M, Option<f64>)>,
    /// Members that are not in the set.
    pub(crate) new: Vec<M>,
}

impl<M: Member> Workload<M> {
    /// Generates the workload for a set of `n` elements, at least [`MIN_N`], deterministically for
    /// each `seed`.
    pub fn new(n: usize, seed: u64) -> Self {
        assert!(n >= MIN_N, "a set of {n} elements is too small");
        let mut rng = generator(seed);
        let batch = n.clamp(MIN_BATCH, MAX_BATCH);
        let end = as_f64(n);
        let mut members = (0..).map(M::nth);
        let elements: Vec<_> =
            members.by_ref().take(n).map(|member| (member, rng.random_range(0.0..end))).collect();
        let new = members.take(batch).collect();
        let mut sorted = elements.clone();
        sorted.sort_unstable_by(|(a, a_score), (b, b_score)| {
            a_score.total_cmp(b_score).then_with(|| a.cmp(b))
        });

        // The accesses need a different random stream from the elements. Otherwise they would be
        // correlated with the scores.
        let mut rng = generator(!seed);
        let mut scores: Vec<f64> = elements.iter().map(|&(_, score)| score).collect();
        let small_steps = repeat(batch, || {
            let place = rng.random_range(0..n);
            scores[place] += rng.random_range(-STEP..STEP);
            (elements[place].0.clone(), scores[place])
        });
        let places: Vec<(M, f64)> =
            repeat(batch, || (elements[rng.random_range(0..n)].0.clone(), rng.random()));
        let updates = places.iter().map(|(member, part)| (member.clone(), part * end)).collect();
        let zipf =
            Zipf::new(end, ZIPF).expect("there are elements, and the exponent is not negative");
        let mix = repeat(batch, || {
            // Samples range from 1 to n.
            let place = floor(zipf.sample(&mut rng)).clamp(1, n) - 1;
            let score = rng.random_ratio(1, 5).then(|| rng.random_range(0.0..end));
            (elements[place].0.clone(), score)
        });
        Workload { elements, sorted, places, updates, small_steps, mix, new }
    }

    /// Returns how many sets are built or emptied in a measurement: several if they are small,
    /// because otherwise reading the clock would take a noticeable part of the time.
    pub(crate) fn copies(&self) -> usize {
        let n = self.elements.len();
        if n < SMALL { MIN_BATCH / n } else { 1 }
    }

    /// Times the construction of sets with these elements. Returns one of the sets.
    pub(crate) fn build<C>(
        &self,
        elements: &[(M, f64)],
        make: impl Fn(Vec<(M, f64)>) -> C,
    ) -> (Measured, C) {
        self.build_from(repeat(self.copies(), || elements.to_vec()), make)
    }

    /// Times the construction of a set from each of the values. Returns one of the sets. Dropping
    /// sets is not timed.
    pub(crate) fn build_from<T, C>(&self, all: Vec<T>, make: impl Fn(T) -> C) -> (Measured, C) {
        let mut sets = Vec::with_capacity(all.len());
        let measured = Measured::of(all.len() * self.elements.len(), || {
            sets.extend(all.into_iter().map(make));
            black_box(sets.len() as u64)
        });
        (measured, sets.pop().expect("there is at least one"))
    }

    /// Calls `call` for members of a batch, each with a random place in the order. The longer the
    /// ranges that it visits, the fewer calls are made, to bound the number of visited elements.
    pub(crate) fn reads(&self, len: usize, call: impl Fn(&M, Part) -> u64) -> Measured {
        let (calls, n) = (self.places.len() * VISITED.min(len) / len, as_f64(self.elements.len()));
        let places = self.places[..calls].iter();
        Measured::warmed(places.map(|(member, part)| call(member, Part { part: *part, n })))
    }
}

/// A random number from 0 to 1, and how many elements the set has.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    part: f64,
    n: f64,
}

impl Part {
    /// Returns a rank or a score from the whole range.
    pub(crate) fn of_all(self) -> f64 {
        self.part * self.n
    }

    /// Returns a rank or a score that is followed by at least `limit` elements; for a score, on
    /// average.
    pub(crate) fn before(self, limit: usize) -> f64 {
        self.part * (self.n - as_f64(limit)).max(0.0)
    }

    /// Returns a number unrelated to this one.
    pub(crate) fn another(self) -> Self {
        Part { part: (self.part * 65536.0).fract(), ..self }
    }
}
