//! The operations on every collection of fixed capacity, generated in advance.
//!
//! Members and scores are random; few scores are equal. A collection is far smaller than a cache,
//! so many of them are filled and emptied one after the other, each with elements of its own:
//! nothing can learn the outcome of a comparison.

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::contender::Contender;
use crate::rounds::Measured;
use crate::workload::repeat;

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Makes an empty value and fills it.
    Insert,
    /// The score of a random member.
    Score,
    /// Gives a random member a random score.
    Update,
    /// Removes the members of a full one in the order of their insertion.
    Remove,
    /// Removes all elements of a full one in order.
    PopFirst,
    /// The first ten elements in order.
    FirstTen,
    /// The rank of a random member.
    Rank,
}

impl Operation {
    /// All operations with their labels.
    pub const ALL: [(Operation, &'static str); 7] = [
        (Operation::Insert, "insert up to N"),
        (Operation::Score, "score of a member"),
        (Operation::Update, "update of a score"),
        (Operation::Remove, "remove a member"),
        (Operation::PopFirst, "pop the smallest"),
        (Operation::FirstTen, "the ten smallest in order"),
        (Operation::Rank, "rank of a member"),
    ];
}

/// The answers of a contender, and its contents afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How many calls were made.
    pub calls: usize,
    /// The sum of the answers.
    pub answer: u64,
    /// A digest of the elements of the last collection, in order.
    pub contents: u64,
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload<const N: usize> {
    /// The elements of each collection, members and scores.
    fills: Vec<[(u32, u32); N]>,
    /// Members of the first collection, with new scores.
    asked: Vec<(u32, u32)>,
}

impl<const N: usize> Workload<N> {
    /// Generates the workload for about this many calls, deterministically for each `seed`.
    pub fn new(calls: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut fill = || {
            // A random odd factor maps distinct numbers to distinct ones.
            let (first, factor) = (rng.random::<u32>(), rng.random::<u32>() | 1);
            let mut members = (first..=u32::MAX).chain(0..first);
            [(); N].map(|()| {
                let number = members.next().map_or(0, |number| number.wrapping_mul(factor));
                (number, rng.random())
            })
        };
        let fills = repeat(calls.div_ceil(N), &mut fill);
        let asked = repeat(calls, || (fills[0][rng.random_range(0..N)].0, rng.random()));
        Workload { fills, asked }
    }

    /// Times an operation.
    pub fn measure<C: Contender>(&self, operation: Operation) -> Measured<u64> {
        self.perform::<C>(operation).0
    }

    /// Like [`measure`](Self::measure), but reads the contents afterwards.
    pub(super) fn outcome<C: Contender>(&self, operation: Operation) -> Outcome {
        let (Measured { calls, answer, .. }, mut last) = self.perform::<C>(operation);
        let mut contents = 0_u64;
        while let Some((member, score)) = last.pop_first() {
            contents = contents.rotate_left(7) ^ digest(member, score);
        }
        Outcome { calls, answer, contents }
    }

    /// Times an operation; returns the collection that it changed last, too.
    fn perform<C: Contender>(&self, operation: Operation) -> (Measured<u64>, C) {
        match operation {
            Operation::Insert => {
                let mut last = C::new();
                let measured = Measured::of(self.fills.len() * N, || {
                    for elements in &self.fills {
                        last = black_box(filled(elements));
                    }
                    0
                });
                (measured, last)
            }
            Operation::Remove | Operation::PopFirst => self.empty_all(operation),
            _ => self.ask(operation),
        }
    }

    /// Empties a full collection for each of the fills.
    fn empty_all<C: Contender>(&self, operation: Operation) -> (Measured<u64>, C) {
        let mut all: Vec<C> = self.fills.iter().map(|elements| filled(elements)).collect();
        let measured = Measured::of(self.fills.len() * N, || {
            let mut sum = 0_u64;
            for (set, elements) in all.iter_mut().zip(&self.fills) {
                for &(member, _) in elements {
                    let answer = if operation == Operation::Remove {
                        set.remove(member).map(u64::from)
                    } else {
                        set.pop_first().map(|(member, score)| digest(member, score))
                    };
                    sum = sum.wrapping_add(answer.unwrap_or_default());
                }
            }
            black_box(sum)
        });
        (measured, all.pop().unwrap_or_else(C::new))
    }

    /// Reads or updates one full collection.
    fn ask<C: Contender>(&self, operation: Operation) -> (Measured<u64>, C) {
        let mut set: C = filled(&self.fills[0]);
        let measured = Measured::of(self.asked.len(), || {
            let mut sum = 0_u64;
            let mut add = |answer: u64| sum = sum.wrapping_add(answer);
            for &(member, score) in &self.asked {
                match operation {
                    Operation::Update => set.update(member, score),
                    Operation::Score => add(set.score(member).map_or(0, u64::from)),
                    Operation::Rank => add(set.rank(member).map_or(0, |rank| rank as u64)),
                    _ => black_box(&set).first(10, |member, score| add(digest(member, score))),
                }
            }
            black_box(sum)
        });
        (measured, set)
    }
}

fn filled<C: Contender, const N: usize>(elements: &[(u32, u32); N]) -> C {
    let mut set = C::new();
    for &(member, score) in elements {
        set.insert(member, score);
    }
    set
}

#[inline]
fn digest(member: u32, score: u32) -> u64 {
    u64::from(member) << 32 | u64::from(score)
}
