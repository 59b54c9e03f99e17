//! The operations on every queue, schedule and expiring set, generated in advance.
//!
//! There are `n` elements, one per millisecond on average: they are due at uniformly random times
//! in the next `n` milliseconds, 100 seconds for 100,000. They are accessed in a random order,
//! independent of both their insertion order and their due times.

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::contender::Timed;
use crate::names::numbers;
use crate::rounds::Measured;
use crate::uses::{Contents, LINEAR_CALLS, Outcome, digest};
use crate::workload::repeat;

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts elements with random due times, growing the collection from `n` to `2n` elements, so
    /// that every table grows once.
    Push,
    /// Removes a random element.
    Cancel,
    /// Changes a random element's due time to a random one.
    Reschedule,
    /// Looks up a random element while half of them are due.
    Contains,
    /// Removes a due element and inserts one that is due later, as a queue does in the steady
    /// state.
    Steady,
    /// Removes all due elements, half of those present.
    Drain,
    /// Removes nine tenths of the elements at random, and the others when they are due, which is
    /// typical of timeouts. This includes any work that removals have deferred.
    Life,
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload {
    /// Ids and due times.
    elements: Vec<(u64, u64)>,
    /// The indices of all elements, in random order.
    places: Vec<usize>,
    /// New ids with due times.
    later: Vec<(u64, u64)>,
    /// Indices of elements, possibly repeated, with new due times.
    moves: Vec<(usize, u64)>,
    /// The time when half of the elements are due.
    half: u64,
    /// How many elements are due then: more than half, if several share the time.
    due_at_half: usize,
}

impl Workload {
    /// Generates the workload for `n` elements, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is less than 2.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let longest = n as u64;
        let mut ids = numbers(rng.random());
        let elements: Vec<_> =
            ids.by_ref().take(n).map(|id| (id, rng.random_range(1..=longest))).collect();
        let mut dues: Vec<u64> = elements.iter().map(|&(_, due)| due).collect();
        dues.sort_unstable();
        let half = dues[n / 2 - 1];
        let due_at_half = dues.partition_point(|&due| due <= half);
        let later = ids.take(n).map(|id| (id, half + rng.random_range(1..=longest))).collect();
        let moves = repeat(n / 2, || (rng.random_range(0..n), rng.random_range(1..=longest)));
        let mut places: Vec<usize> = (0..n).collect();
        places.shuffle(&mut rng);
        Workload { elements, places, later, moves, half, due_at_half }
    }

    /// Loads `C` and times an operation.
    pub(super) fn measure<C: Timed>(&self, operation: Operation) -> Measured<u64> {
        self.perform::<C>(operation).0
    }

    /// Like [`measure`](Self::measure), but drains the collection afterwards.
    pub(super) fn outcome<C: Timed>(&self, operation: Operation) -> Outcome {
        let (Measured { calls, answer, .. }, mut contender) = self.perform::<C>(operation);
        contender.reach(self.end());
        let (mut order, mut ids) = (Contents::default(), 0u64);
        contender.drain_due(self.end(), |id, due| {
            order.add(due);
            // A timer wheel does not keep the order of elements due at the same time.
            ids = ids.wrapping_add(digest(id, due).wrapping_mul(id | 1));
        });
        Outcome { calls, answer, contents: order.0 ^ ids }
    }

    fn perform<C: Timed>(&self, operation: Operation) -> (Measured<u64>, C) {
        let (mut contender, keys) = C::load(&self.elements);
        if matches!(operation, Operation::Contains | Operation::Steady | Operation::Drain) {
            contender.reach(self.half);
        }
        let limit = if C::LINEAR.contains(&operation) { LINEAR_CALLS } else { usize::MAX };
        let calls = self.calls(operation).min(limit);
        let measured = Measured::of(calls, || self.run(operation, calls, &mut contender, &keys));
        (measured, contender)
    }

    /// Returns the number of calls for an operation.
    fn calls(&self, operation: Operation) -> usize {
        let n = self.elements.len();
        match operation {
            Operation::Cancel | Operation::Reschedule | Operation::Steady => n / 2,
            Operation::Drain => self.due_at_half,
            Operation::Push | Operation::Contains | Operation::Life => n,
        }
    }

    /// Returns a time at which everything is due.
    fn end(&self) -> u64 {
        self.half + self.elements.len() as u64
    }

    /// Performs an operation `calls` times; returns the sum of the answers.
    fn run<C: Timed>(
        &self,
        operation: Operation,
        calls: usize,
        contender: &mut C,
        keys: &[C::Key],
    ) -> u64 {
        let mut sum = 0u64;
        let mut add = |number: u64| sum = sum.wrapping_add(number);
        match operation {
            Operation::Push => {
                for &(id, due) in &self.later[..calls] {
                    black_box(contender.push(id, due));
                }
            }
            Operation::Cancel => {
                for &place in &self.places[..calls] {
                    add(contender.cancel(&keys[place]).into());
                }
            }
            Operation::Reschedule => {
                for &(place, due) in &self.moves[..calls] {
                    contender.reschedule(&keys[place], due);
                }
            }
            Operation::Contains => {
                for &place in &self.places[..calls] {
                    let is_there = contender.contains(&keys[place], self.half);
                    add(is_there.map_or(0, |is_there| 1 + u64::from(is_there)));
                }
            }
            Operation::Steady => {
                for &(id, due) in &self.later[..calls] {
                    let popped = contender.pop_due(self.half);
                    // Which of several elements due at the same time is popped depends on the
                    // contender.
                    black_box(popped);
                    add(popped.map_or(0, |(_, due)| due));
                    black_box(contender.push(id, due));
                }
            }
            Operation::Drain => contender.drain_due(self.half, |id, due| add(digest(id, due))),
            Operation::Life => {
                let cancelled = calls - calls / 10;
                for &place in &self.places[..cancelled] {
                    add(contender.cancel(&keys[place]).into());
                }
                contender.reach(self.end());
                contender.drain_due(self.end(), |id, due| add(digest(id, due)));
            }
        }
        black_box(sum)
    }
}
