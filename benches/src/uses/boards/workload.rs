//! The operations on every leaderboard, generated in advance.
//!
//! There are `n` members with scores uniform in `1..=n`, so that most members share their score
//! with one or two others. Members are looked up in random order.

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::contender::Board;
use crate::names::numbers;
use crate::rounds::Measured;
use crate::uses::{Contents, LINEAR_CALLS, Outcome, digest};
use crate::workload::repeat;

/// The length of a page.
const PAGE: usize = 10;

/// The number of lines shown on each side of a member.
const SIDE: usize = 5;

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts a new member with a random score, growing the board from `n` to `2n` members, so
    /// that every table grows once.
    New,
    /// Submits a random better score for a random member.
    Better,
    /// Submits a random score for a random member that is not better, so that the member keeps its
    /// own.
    Worse,
    /// The standing of a random member.
    Standing,
    /// The first page.
    Top,
    /// A page at a random position.
    Page,
    /// The lines around a random member.
    Around,
}

/// The members of one round, and the arguments of all operations.
pub struct Workload {
    members: Vec<(u64, u64)>,
    new: Vec<(u64, u64)>,
    better: Vec<(u64, u64)>,
    worse: Vec<(u64, u64)>,
    asked: Vec<u64>,
    offsets: Vec<usize>,
}

impl Workload {
    /// Generates the workload for `n` members, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is 0.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let highest = n as u64;
        let mut ids = numbers(rng.random());
        let mut submissions = |count| -> Vec<_> {
            let ids = ids.by_ref().take(count);
            ids.map(|id| (id, rng.random_range(1..=highest))).collect()
        };
        let (loaded, new) = (submissions(n), submissions(n));
        let mut scores: Vec<u64> = loaded.iter().map(|&(_, score)| score).collect();
        let better = repeat(n / 2, || {
            let place = rng.random_range(0..n);
            // A member with the highest score gets a score beyond the range.
            let next = scores[place] + 1;
            scores[place] = rng.random_range(next..=next.max(highest));
            (loaded[place].0, scores[place])
        });
        let worse = repeat(n, || {
            let (member, score) = loaded[rng.random_range(0..n)];
            (member, rng.random_range(1..=score))
        });
        let asked = repeat(n, || loaded[rng.random_range(0..n)].0);
        let offsets = repeat(n, || rng.random_range(0..n.saturating_sub(PAGE).max(1)));
        Workload { members: loaded, new, better, worse, asked, offsets }
    }

    /// Loads `C` and times an operation.
    pub(super) fn measure<C: Board>(&self, operation: Operation) -> Measured<u64> {
        self.perform::<C>(operation).0
    }

    /// Like [`measure`](Self::measure), but reads the whole board afterwards.
    pub(super) fn outcome<C: Board>(&self, operation: Operation) -> Outcome {
        let (Measured { calls, answer, .. }, board) = self.perform::<C>(operation);
        let mut contents = Contents::default();
        board
            .page(0, usize::MAX, |number, member, score| contents.add(line(number, member, score)));
        Outcome { calls, answer, contents: contents.0 }
    }

    fn perform<C: Board>(&self, operation: Operation) -> (Measured<u64>, C) {
        let mut board = C::load(&self.members);
        let limit = if C::LINEAR.contains(&operation) { LINEAR_CALLS } else { usize::MAX };
        let calls = self.calls(operation).min(limit);
        let measured = Measured::of(calls, || self.run(operation, calls, &mut board));
        (measured, board)
    }

    /// Returns the number of calls for an operation.
    fn calls(&self, operation: Operation) -> usize {
        match operation {
            Operation::New => self.new.len(),
            Operation::Better => self.better.len(),
            Operation::Worse => self.worse.len(),
            Operation::Standing | Operation::Top | Operation::Around => self.asked.len(),
            Operation::Page => self.offsets.len(),
        }
    }

    /// Performs an operation `calls` times; returns the sum of the answers.
    fn run<C: Board>(&self, operation: Operation, calls: usize, board: &mut C) -> u64 {
        let mut sum = 0u64;
        let mut add = |number: u64| sum = sum.wrapping_add(number);
        match operation {
            Operation::New => submit_all(board, &self.new[..calls], add),
            Operation::Better => submit_all(board, &self.better[..calls], add),
            Operation::Worse => submit_all(board, &self.worse[..calls], add),
            Operation::Standing => {
                for &member in &self.asked[..calls] {
                    add(board.standing(member).map_or(0, |number| number as u64));
                }
            }
            Operation::Top => {
                for _ in 0..calls {
                    black_box(&*board).page(0, PAGE, |number, member, score| {
                        add(line(number, member, score));
                    });
                }
            }
            Operation::Page => {
                for &offset in &self.offsets[..calls] {
                    board.page(offset, PAGE, |number, member, score| {
                        add(line(number, member, score));
                    });
                }
            }
            Operation::Around => {
                for &member in &self.asked[..calls] {
                    board.around(member, SIDE, |number, member, score| {
                        add(line(number, member, score));
                    });
                }
            }
        }
        black_box(sum)
    }
}

fn submit_all(board: &mut impl Board, scores: &[(u64, u64)], mut add: impl FnMut(u64)) {
    for &(member, score) in scores {
        add(board.submit(member, score).into());
    }
}

#[inline]
fn line(number: usize, member: u64, score: u64) -> u64 {
    digest(member, score).wrapping_add(number as u64)
}
