//! Leaderboards.
//!
//! The operations on every leaderboard, generated in advance.
//!
//! There are `n` members with scores uniform in `1..=n`, so that most members share their score
//! with one or two others. Members are looked up in random order.

/// The measured leaderboards.
pub mod contenders {
    mod btree_pair;
    mod ours;
    mod vec_pair;

    pub use btree_pair::BTreePair;
    pub use ours::ZsetBoard;
    pub use vec_pair::VecPair;
}

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::comparison::{self, Calls, Comparison, Contents, Entrant, bounded, digest};
use crate::names::numbers;
use crate::rounds::Measured;
use crate::workload::repeat;
use contenders::{BTreePair, VecPair, ZsetBoard};

/// Returns the table of leaderboards.
pub fn boards() -> Comparison<Workload> {
    Comparison {
        title: "Leaderboard",
        capacity: None,
        sizes: &[],
        rows: &[
            (Operation::New, "submit, new member"),
            (Operation::Better, "submit, better score"),
            (Operation::Worse, "submit, no better score"),
            (Operation::Standing, "standing of a member"),
            (Operation::Top, "top 10"),
            (Operation::Page, "page of 10, anywhere"),
            (Operation::Around, "a member and 5 on each side"),
        ],
        entrants: vec![
            Entrant::of::<ZsetBoard>(),
            Entrant::of::<BTreePair>(),
            Entrant::of::<VecPair>(),
        ],
        prepare: Workload::new,
    }
}

/// Members by their scores, highest first, and equal scores by member, ascending.
///
/// Each contender implements every operation in the best way that its public API allows, and all of
/// them hash members with `hashbrown::DefaultHashBuilder`.
pub trait Board: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [Operation] = &[];

    /// Builds a board from members and their scores.
    fn load(members: &[(u64, u64)]) -> Self;

    /// Submits a score; each member keeps its best one. Returns whether this score is now the
    /// member's.
    fn submit(&mut self, member: u64, score: u64) -> bool;

    /// Returns the standing of a member, counted from 1. Members with equal scores share a
    /// standing, and the next standings are skipped accordingly.
    fn standing(&self, member: u64) -> Option<usize>;

    /// Visits `n` lines after the first `offset`: line number, member, score.
    fn page(&self, offset: usize, n: usize, each: impl FnMut(usize, u64, u64));

    /// Visits the line of a member and `n` lines on each side.
    fn around(&self, member: u64, n: usize, each: impl FnMut(usize, u64, u64));
}

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

impl comparison::Workload for Workload {
    type Operation = Operation;
}

impl<C: Board> Calls<C> for Workload {
    const NAME: &'static str = C::NAME;

    fn perform(&self, operation: Operation) -> (Measured<u64>, C) {
        let mut board = C::load(&self.members);
        let calls = bounded(self.calls(operation), operation, C::LINEAR);
        let measured = Measured::of(calls, || self.run(operation, calls, &mut board));
        (measured, board)
    }

    fn contents(&self, board: C) -> u64 {
        let mut contents = Contents::default();
        board
            .page(0, usize::MAX, |number, member, score| contents.add(line(number, member, score)));
        contents.0
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
