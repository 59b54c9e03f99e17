//! Leaderboards.
//!
//! There are `n` members with scores uniform in `1..=n`, so that most members share their score
//! with one or two others. Members are looked up in random order.

/// The measured leaderboards.
pub mod contenders {
    pub mod btree_pair;
    pub mod ours;
    pub mod vec_pair;
}

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::comparison::{Comparison, Contender, Contents, digest};
use crate::names::numbers;
use crate::workload::repeat;
use contenders::{btree_pair::BTreePair, ours::ZsetBoard, vec_pair::VecPair};

/// Returns the table of leaderboards.
pub fn boards() -> Comparison<Workload> {
    Comparison::new("Leaderboard", Workload::new)
        .with(contender::<ZsetBoard>())
        .with(contender::<BTreePair>())
        .with(contender::<VecPair>())
}

/// Members by their scores, highest first, and equal scores by member, ascending.
///
/// Each contender implements every operation in the best way that its public API allows, and all of
/// them hash members with `hashbrown::DefaultHashBuilder`.
pub trait Board: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [&'static str] = &[];

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

/// Inserts a new member with a random score, growing the board from `n` to `2n` members, so that
/// every table grows once.
pub const NEW: &str = "submit, new member";

/// Submits a random better score for a random member.
pub const BETTER: &str = "submit, better score";

/// Submits a random score for a random member that is not better, so that the member keeps its own.
pub const WORSE: &str = "submit, no better score";

/// The standing of a random member.
pub const STANDING: &str = "standing of a member";

/// The first page.
pub const TOP: &str = "top 10";

/// A page at a random position.
pub const PAGE: &str = "page of 10, anywhere";

/// The lines around a random member.
pub const AROUND: &str = "a member and 5 on each side";

/// The length of a page.
const LEN: usize = 10;

/// The number of lines shown on each side of a member.
const SIDE: usize = 5;

/// Returns a contender with all operations.
fn contender<C: Board>() -> Contender<Workload, C> {
    let contents = |_: &Workload, board: C| {
        let mut contents = Contents::default();
        board
            .page(0, usize::MAX, |number, member, score| contents.add(line(number, member, score)));
        contents.0
    };
    Contender::new(C::NAME, |workload: &Workload| C::load(&workload.members), contents)
        .linear(C::LINEAR.iter().copied())
        .each(NEW, |it| &it.new, |board, &(member, score)| board.submit(member, score).into())
        .each(BETTER, |it| &it.better, |board, &(member, score)| board.submit(member, score).into())
        .each(WORSE, |it| &it.worse, |board, &(member, score)| board.submit(member, score).into())
        .each(
            STANDING,
            |it| &it.asked,
            |board, &member| board.standing(member).map_or(0, |number| number as u64),
        )
        .each(TOP, |it| &it.asked, |board, _| page(black_box(board), 0))
        .each(PAGE, |it| &it.offsets, |board, &offset| page(board, offset))
        .each(
            AROUND,
            |it| &it.asked,
            |board, &member| {
                let mut sum = 0_u64;
                board.around(member, SIDE, |number, member, score| {
                    sum = sum.wrapping_add(line(number, member, score));
                });
                sum
            },
        )
}

#[inline]
fn page(board: &impl Board, offset: usize) -> u64 {
    let mut sum = 0_u64;
    board.page(offset, LEN, |number, member, score| {
        sum = sum.wrapping_add(line(number, member, score));
    });
    sum
}

#[inline]
fn line(number: usize, member: u64, score: u64) -> u64 {
    digest(member, score).wrapping_add(number as u64)
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
        let (members, new) = (submissions(n), submissions(n));
        let mut scores: Vec<u64> = members.iter().map(|&(_, score)| score).collect();
        let better = repeat(n / 2, || {
            let place = rng.random_range(0..n);
            // A member with the highest score gets a score beyond the range.
            let next = scores[place] + 1;
            scores[place] = rng.random_range(next..=next.max(highest));
            (members[place].0, scores[place])
        });
        let worse = repeat(n, || {
            let (member, score) = members[rng.random_range(0..n)];
            (member, rng.random_range(1..=score))
        });
        let asked = repeat(n, || members[rng.random_range(0..n)].0);
        let offsets = repeat(n, || rng.random_range(0..n.saturating_sub(LEN).max(1)));
        Workload { members, new, better, worse, asked, offsets }
    }
}
