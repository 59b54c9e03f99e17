//! The operations on every contender, generated in advance.
//!
//! A set holds `n` random members with scores uniform in `0..n`, so that neighbours are 1 apart on
//! average. Members are accessed in a random order unrelated to their insertion order: in insertion
//! order, allocators place neighbours side by side, and caches flatter every contender. No
//! operation depends on the result of the previous one, so the processor overlaps them, as it does
//! in most programs.

use std::hint::black_box;
use std::iter;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Zipf};

use crate::contender::Contender;
use crate::member::Member;
use crate::operation::Operation;
use crate::rounds::Measured;

/// The minimum number of elements in a set.
pub const MIN_N: usize = 10;

/// The minimum and maximum number of operations of one kind on one set; a load has one operation
/// per element. With fewer operations, reading the clock would take a noticeable part of the time.
pub(crate) const MIN_BATCH: usize = 1_000;
const MAX_BATCH: usize = 200_000;

/// Below this size, several sets are built or emptied in a measurement.
const SMALL: usize = 100;

/// The maximum number of elements that ranges visit, per operation of a batch.
const VISITED: usize = 25;

/// The number of elements that iterations visit, per operation of a batch; at least one whole pass.
const ITERATED: usize = 4;

/// One in this many calls is at the start of a batch and not timed, to warm up caches and branch
/// predictors.
const WARM_UP: usize = 16;

/// The maximum size of a small step, down or up, in mean distances between neighbours. At 1, about
/// 63% of the steps stay between the same two neighbours, and nearly all others pass one or two.
const STEP: f64 = 1.0;

/// The exponent of the Zipf distribution of members in a mix: at n = 10^6, half of the calls are
/// for about 700 members.
const ZIPF: f64 = 1.0;

/// The score of all elements where only the order of members matters.
const EQUAL_SCORE: f64 = 1.0;

/// The elements of one set, and the arguments of all operations on it.
pub struct Workload<M> {
    /// In random order.
    elements: Vec<(M, f64)>,
    /// In set order.
    sorted: Vec<(M, f64)>,
    /// Members of the set, each with a random number from 0 to 1.
    places: Vec<(M, f64)>,
    /// Zipf-distributed members, each with a new score for a write, or `None` for a read.
    mix: Vec<(M, Option<f64>)>,
    small_steps: Vec<(M, f64)>,
    /// Members that are not in the set.
    new: Vec<M>,
}

impl<M: Member> Workload<M> {
    /// Generates the workload for a set of `n` elements, deterministically for each `seed`;
    /// `make_up` generates a member from its number.
    ///
    /// # Panics
    ///
    /// Panics if `n` is less than [`MIN_N`].
    pub fn new(n: usize, seed: u64, make_up: fn(u64) -> M) -> Self {
        assert!(n >= MIN_N, "a set of {n} elements is too small");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let batch = n.clamp(MIN_BATCH, MAX_BATCH);
        let end = as_f64(n);
        // From 0 on, the start of a list of real names.
        let mut members = (0..).map(make_up);
        let elements: Vec<_> =
            members.by_ref().take(n).map(|member| (member, rng.random_range(0.0..end))).collect();
        let new = members.take(batch).collect();
        let mut sorted = elements.clone();
        sorted.sort_unstable_by(|(a, a_score), (b, b_score)| {
            a_score.total_cmp(b_score).then_with(|| a.cmp(b))
        });

        // A different stream from that of the elements, or the accesses would follow the scores.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let mut scores: Vec<f64> = elements.iter().map(|&(_, score)| score).collect();
        let small_steps = repeat(batch, || {
            let place = rng.random_range(0..n);
            scores[place] += rng.random_range(-STEP..STEP);
            (elements[place].0.clone(), scores[place])
        });
        let places = repeat(batch, || (elements[rng.random_range(0..n)].0.clone(), rng.random()));
        let zipf =
            Zipf::new(end, ZIPF).expect("there are elements, and the exponent is not negative");
        let mix = repeat(batch, || {
            // From 1 to n.
            let place = floor(zipf.sample(&mut rng)).clamp(1, n) - 1;
            let score = rng.random_ratio(1, 5).then(|| rng.random_range(0.0..end));
            (elements[place].0.clone(), score)
        });
        Workload { elements, sorted, places, mix, small_steps, new }
    }

    fn n(&self) -> f64 {
        as_f64(self.elements.len())
    }

    /// Builds a set of all elements, one by one.
    pub fn load<C: Contender<M>>(&self) -> C {
        insert_all(self.elements.clone())
    }

    /// Builds the set for an operation, unless the operation builds its own.
    pub fn prepare<C: Contender<M>>(&self, operation: Operation) -> C {
        match operation {
            Operation::ByMember => {
                let elements = self.elements.iter();
                C::from_unsorted(
                    elements.map(|(member, _)| (member.clone(), EQUAL_SCORE)).collect(),
                )
            }
            _ if operation.makes_its_own_set() => C::new(),
            _ => self.load(),
        }
    }

    /// Performs an operation many times on a set that is [loaded](Self::load). An insertion or an
    /// operation that [builds its own set](Operation::makes_its_own_set) replaces the set.
    pub fn measure<C: Contender<M>>(&self, operation: Operation, set: &mut C) -> Measured {
        match operation {
            Operation::Insert => self.build(&self.elements, set, insert_all),
            Operation::Append => self.build(&self.sorted, set, insert_all),
            Operation::BulkUnsorted => self.build(&self.elements, set, C::from_unsorted),
            Operation::BulkSorted => self.build(&self.sorted, set, C::from_sorted),
            Operation::Union => self.unite(set),
            Operation::ByMember => {
                *set = C::new();
                *set = self.prepare(operation);
                self.ranges(100, |member, _| set.sum_by_member(EQUAL_SCORE, member, 100))
            }
            _ if operation.only_reads() => self.read(operation, set),
            _ => self.write(operation, set),
        }
    }

    /// Returns how many sets are built or emptied in a measurement: several if they are small, or
    /// reading the clock would take a noticeable part of the time.
    fn copies(&self) -> usize {
        let n = self.elements.len();
        if n < SMALL { MIN_BATCH / n } else { 1 }
    }

    /// Times the construction of sets and replaces `set` by one; dropping the old set is not timed.
    fn build<C: Contender<M>>(
        &self,
        elements: &[(M, f64)],
        set: &mut C,
        make: impl Fn(Vec<(M, f64)>) -> C,
    ) -> Measured {
        *set = C::new();
        let all = repeat(self.copies(), || elements.to_vec());
        let mut sets = Vec::with_capacity(all.len());
        let measured = Measured::of(all.len() * elements.len(), || {
            sets.extend(all.into_iter().map(make));
            black_box(sets.len() as u64)
        });
        *set = sets.pop().unwrap_or_else(C::new);
        measured
    }

    fn unite<C: Contender<M>>(&self, set: &mut C) -> Measured {
        // Two sets of all elements exceed the memory of some machines.
        *set = C::new();
        let (one, other) = self.elements.split_at(self.elements.len() / 2);
        let halves = repeat(self.copies(), || {
            let halves: (C, C) = (insert_all(one.to_vec()), insert_all(other.to_vec()));
            halves
        });
        let mut sets = Vec::with_capacity(halves.len());
        let measured = Measured::of(halves.len() * self.elements.len(), || {
            sets.extend(halves.into_iter().map(|(mut one, other)| {
                one.unite(other);
                one
            }));
            black_box(sets.len() as u64)
        });
        *set = sets.pop().unwrap_or_else(C::new);
        measured
    }

    fn read<C: Contender<M>>(&self, operation: Operation, set: &C) -> Measured {
        let n = self.n();
        // The rank or score that is followed by `limit` elements on average.
        let start = |part: f64, limit: usize| part * (n - as_f64(limit)).max(0.0);
        match operation {
            Operation::Score => self.each(|member, _| set.score(member).map_or(0, f64::to_bits)),
            Operation::Rank => self.each(|member, _| set.rank(member).unwrap_or(0) as u64),
            Operation::Select => self.each(|_, part| set.select(floor(part * n)).unwrap_or(0)),
            Operation::TenByScore => {
                self.ranges(10, |_, part| set.sum_by_score(start(part, 10), 10))
            }
            Operation::HundredByScore => {
                self.ranges(100, |_, part| set.sum_by_score(start(part, 100), 100))
            }
            Operation::ThousandByScore => {
                self.ranges(1000, |_, part| set.sum_by_score(start(part, 1000), 1000))
            }
            Operation::HundredByRank => {
                self.ranges(100, |_, part| set.sum_by_rank(floor(start(part, 100)), 100))
            }
            Operation::Count => self.each(|_, part| {
                let (one, other) = (part * n, (part * 65536.0).fract() * n);
                set.count(one.min(other), one.max(other)) as u64
            }),
            Operation::Iterate => {
                let len = self.elements.len();
                let times = (ITERATED * self.places.len() / len).max(1);
                // A set that is iterated only once is large, so a warm-up would gain little.
                all((0..times / ITERATED).map(|_| set.sum()));
                Measured::of(times * len, || all((0..times).map(|_| set.sum())))
            }
            _ => unreachable!("{operation:?} does not only read"),
        }
    }

    fn write<C: Contender<M>>(&self, operation: Operation, set: &mut C) -> Measured {
        let n = self.n();
        match operation {
            Operation::SmallStep => write_each(&self.small_steps, |member, score| {
                set.update(member, *score);
                0
            }),
            Operation::Increment => write_each(&self.places, |member, part| {
                set.increment(member, part * n / 10.0);
                0
            }),
            Operation::Update => write_each(&self.places, |member, part| {
                set.update(member, part * n);
                0
            }),
            Operation::Mix => write_each(&self.mix, |member, score| match score {
                Some(score) => {
                    set.update(member, *score);
                    0
                }
                None => set.score(member).map_or(0, f64::to_bits),
            }),
            Operation::SlidingWindow => {
                // Greater than all scores, including those that were incremented.
                let first = 2.0 * n + as_f64(MAX_BATCH);
                let scores = (0..self.new.len()).map(|place| first + as_f64(place));
                let new = self.new.clone().into_iter().zip(scores);
                warmed(new.map(|(member, score)| {
                    set.insert(member, score);
                    set.pop_first().unwrap_or(0)
                }))
            }
            Operation::PopFirst => {
                let pops = (self.elements.len() / 2).min(MAX_BATCH);
                if self.copies() == 1 {
                    return warmed((0..pops).map(|_| set.pop_first().unwrap_or(0)));
                }
                let mut others: Vec<C> = repeat(self.copies() - 1, || self.load());
                let sets = iter::once(set).chain(&mut others);
                let pops_of = |set: &mut C| all((0..pops).map(|_| set.pop_first().unwrap_or(0)));
                Measured::of(pops * self.copies(), || all(sets.map(pops_of)))
            }
            _ => unreachable!("{operation:?} makes its own set, or only reads"),
        }
    }

    /// Calls `call` for each member of a batch.
    fn each(&self, call: impl Fn(&M, f64) -> u64) -> Measured {
        self.ranges(1, call)
    }

    /// Like `each`, with fewer calls the longer the ranges are, to bound the number of visited
    /// elements.
    fn ranges(&self, len: usize, call: impl Fn(&M, f64) -> u64) -> Measured {
        let calls = self.places.len() * VISITED.min(len) / len;
        warmed(self.places[..calls].iter().map(|(member, part)| call(member, *part)))
    }
}

/// Calls `call` for each argument of a batch.
fn write_each<M, A>(batch: &[(M, A)], mut call: impl FnMut(&M, &A) -> u64) -> Measured {
    warmed(batch.iter().map(|(member, argument)| call(member, argument)))
}

/// Times calls, except for the first ones, which warm up.
fn warmed(mut calls: impl ExactSizeIterator<Item = u64>) -> Measured {
    let first = calls.len() / WARM_UP;
    all(calls.by_ref().take(first));
    Measured::of(calls.len(), || all(calls))
}

fn insert_all<M: Member, C: Contender<M>>(elements: Vec<(M, f64)>) -> C {
    let mut set = C::new();
    for (member, score) in elements {
        set.insert(member, score);
    }
    set
}

/// Sums up the results of calls, so that none can be optimized away.
fn all(answers: impl Iterator<Item = u64>) -> u64 {
    answers.fold(0, |sum, answer| sum.wrapping_add(black_box(answer)))
}

pub(crate) fn repeat<T>(count: usize, make: impl FnMut() -> T) -> Vec<T> {
    iter::repeat_with(make).take(count).collect()
}

/// Rounds a nonnegative value down to an integer.
#[expect(clippy::cast_sign_loss, reason = "nothing here is negative")]
pub(crate) fn floor(figure: f64) -> usize {
    figure as usize
}

/// Converts a count, exactly: all counts here are far below 2^52.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}
