//! What is done to every contender, made up before the clock starts.
//!
//! A set holds `n` random members whose scores are uniform in `0..n`, so that neighbours lie 1 apart
//! on average. Members are asked for in a random order that has nothing to do with the order in
//! which they were inserted: in that order, allocators lay neighbours side by side and caches flatter
//! everyone. No operation waits for the result of the one before, so the processor overlaps them, as it
//! does in most programs.

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::contender::Contender;

/// The length of the ranges, and the fewest elements that a workload has.
pub const RANGE: usize = 100;

/// The most operations of one kind on one set; loading it is not bounded.
const MAX_BATCH: usize = 200_000;

/// How far a small step goes at most, down or up, in mean distances between neighbours. At 1, about
/// 63 % of the steps stay between the same two neighbours and nearly all others pass one or two.
const STEP: f64 = 1.0;

/// An operation whose time is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts in a random order, from the empty set to `n` elements.
    Insert,
    /// A random member gets a random new score.
    Update,
    /// A random member's score moves a little, as when a player wins a few points.
    SmallStep,
    /// The score of a random member.
    Score,
    /// The rank of a random member.
    Rank,
    /// The element at a random rank.
    Select,
    /// The first [`RANGE`] elements from a random score on.
    Range,
    /// Removes the first element, until half of the set is left.
    PopFirst,
}

impl Operation {
    /// All of them, in an order in which each finds what it needs: first the load, then what only
    /// reads, so that the figures for reading do not depend on which writes are measured.
    pub const ALL: [Operation; 8] = [
        Operation::Insert,
        Operation::Score,
        Operation::Rank,
        Operation::Select,
        Operation::Range,
        Operation::SmallStep,
        Operation::Update,
        Operation::PopFirst,
    ];

    /// Returns whether `C` can do it in less than linear time.
    pub fn is_offered_by<C: Contender>(self) -> bool {
        C::HAS_RANK || !matches!(self, Operation::Rank | Operation::Select)
    }

    /// Returns whether it leaves the set as it was.
    pub fn only_reads(self) -> bool {
        matches!(self, Operation::Score | Operation::Rank | Operation::Select | Operation::Range)
    }
}

/// The elements of one set, and the arguments of all operations on it.
pub struct Workload {
    elements: Vec<(u64, f64)>,
    small_steps: Vec<(u64, f64)>,
    updates: Vec<(u64, f64)>,
    members: Vec<u64>,
    ranks: Vec<usize>,
    range_starts: Vec<f64>,
    pops: usize,
}

impl Workload {
    /// Makes up the workload for a set of `n` elements, the same for the same `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is less than [`RANGE`].
    pub fn new(n: usize, seed: u64) -> Self {
        assert!(n >= RANGE, "a set of {n} elements has no range of {RANGE}");
        let elements = elements(n, seed);
        // Another stream than that of the elements, or the places would follow their scores.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let batch = n.min(MAX_BATCH);
        let end = as_f64(n);

        let mut scores: Vec<f64> = elements.iter().map(|&(_, score)| score).collect();
        let small_steps = repeat(batch, || {
            let place = rng.random_range(0..n);
            scores[place] += rng.random_range(-STEP..STEP);
            (elements[place].0, scores[place])
        });
        let updates = repeat(batch, || {
            let place = rng.random_range(0..n);
            (elements[place].0, rng.random_range(0.0..end))
        });
        let members = repeat(batch, || elements[rng.random_range(0..n)].0);
        let ranks = repeat(batch, || rng.random_range(0..n));
        let last_start = end - as_f64(RANGE);
        let range_starts = repeat(batch, || rng.random_range(0.0..=last_start));
        let pops = (n / 2).min(MAX_BATCH);
        Workload { elements, small_steps, updates, members, ranks, range_starts, pops }
    }

    /// Returns how often [`run`](Self::run) performs `operation`.
    pub fn count(&self, operation: Operation) -> usize {
        match operation {
            Operation::Insert => self.elements.len(),
            Operation::Update => self.updates.len(),
            Operation::SmallStep => self.small_steps.len(),
            Operation::Score | Operation::Rank => self.members.len(),
            Operation::Select => self.ranks.len(),
            Operation::Range => self.range_starts.len(),
            Operation::PopFirst => self.pops,
        }
    }

    /// Makes a set of all elements.
    pub fn load<C: Contender>(&self) -> C {
        let mut contender = C::new();
        self.run(Operation::Insert, &mut contender);
        contender
    }

    /// Performs `operation` [`count`](Self::count) times. This is what the front ends time.
    ///
    /// For [`Operation::Insert`] the set should be empty, for the others loaded.
    pub fn run<C: Contender>(&self, operation: Operation, contender: &mut C) {
        match operation {
            Operation::Insert => {
                for &(member, score) in &self.elements {
                    contender.insert(member, score);
                }
            }
            Operation::Update => update_all(contender, &self.updates),
            Operation::SmallStep => update_all(contender, &self.small_steps),
            Operation::Score => {
                for &member in &self.members {
                    black_box(contender.score(member));
                }
            }
            Operation::Rank => {
                for &member in &self.members {
                    black_box(contender.rank(member));
                }
            }
            Operation::Select => {
                for &rank in &self.ranks {
                    black_box(contender.select(rank));
                }
            }
            Operation::Range => {
                for &start in &self.range_starts {
                    black_box(contender.sum_from(start, RANGE));
                }
            }
            Operation::PopFirst => {
                for _ in 0..self.pops {
                    black_box(contender.pop_first());
                }
            }
        }
    }
}

/// Makes up `n` elements in a random order: distinct random members, scores uniform in `0..n`.
pub fn elements(n: usize, seed: u64) -> Vec<(u64, f64)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let end = as_f64(n);
    let members = members(rng.random()).take(n);
    members.map(|member| (member, rng.random_range(0.0..end))).collect()
}

/// Makes up members that look random, all distinct, the same for the same start.
pub(crate) fn members(start: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i: u64| scramble(i.wrapping_add(start)))
}

fn update_all<C: Contender>(contender: &mut C, updates: &[(u64, f64)]) {
    for &(member, score) in updates {
        contender.update(member, score);
    }
}

pub(crate) fn repeat<T>(count: usize, make: impl FnMut() -> T) -> Vec<T> {
    std::iter::repeat_with(make).take(count).collect()
}

/// Maps each number to another one that looks random, no two to the same: the finalizer of
/// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Converts a count; all counts here are far below 2^52.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}
