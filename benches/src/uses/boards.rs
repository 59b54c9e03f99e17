//! Leaderboards.
//!
//! There are `n` members with scores uniform in `1..=n`, so that most members share their score
//! with one or two others. Members are looked up in random order.

pub mod contenders;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hint::black_box;

use rand::RngExt;
use zset_std::Leaderboard;

use crate::comparison::{Comparison, Contender, Contents, digest};
use crate::pair::{Pair, SortedVec};
use crate::random::{generator, numbers, repeat};
use crate::uses::sum;

/// Returns the table of leaderboards.
pub fn boards() -> Comparison<Workload> {
    Comparison::new("Leaderboard", Workload::new)
        .with(contender::<Leaderboard<u64, u64>>())
        .with(contender::<Pair<u64, Reverse<u64>, BTreeSet<_>>>())
        .with(contender::<Pair<u64, Reverse<u64>, SortedVec<_>>>())
}

/// A line of a leaderboard: its number, member and score.
pub type Line = (usize, u64, u64);

/// Members by their scores, highest first, and equal scores by member, ascending.
///
/// Each contender implements every operation in the best way that its public API allows, and all of
/// them hash members with `hashbrown::DefaultHashBuilder`.
pub trait Board: Default + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [&'static str] = &[];

    /// Builds a board from members and their scores.
    fn load(members: &[(u64, u64)]) -> Self {
        let mut board = Self::default();
        for &(member, score) in members {
            board.submit(member, score);
        }
        board
    }

    /// Submits a score; each member keeps its best one. Returns whether this score is now the
    /// member's.
    fn submit(&mut self, member: u64, score: u64) -> bool;

    /// Returns the standing of a member, counted from 1. Members with equal scores share a
    /// standing, and the next standings are skipped accordingly.
    fn standing(&self, member: u64) -> Option<usize>;

    /// Returns `n` lines after the first `offset`.
    fn page(&self, offset: usize, n: usize) -> impl Iterator<Item = Line>;

    /// Returns the line of a member and `n` lines on each side.
    fn around(&self, member: u64, n: usize) -> Option<impl Iterator<Item = Line>>;
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
        board.page(0, usize::MAX).for_each(|line| contents.add(digest_of(line)));
        contents.0
    };
    let standing = |board: &mut C, &member: &u64| board.standing(member).unwrap_or(0) as u64;
    let around = |board: &mut C, &member: &u64| {
        board.around(member, SIDE).map_or(0, |lines| sum(lines.map(digest_of)))
    };
    Contender::new(C::NAME, |workload: &Workload| C::load(&workload.members), contents)
        .linear(C::LINEAR.iter().copied())
        .each(NEW, |it| &it.new, |board, &(member, score)| board.submit(member, score).into())
        .each(BETTER, |it| &it.better, |board, &(member, score)| board.submit(member, score).into())
        .each(WORSE, |it| &it.worse, |board, &(member, score)| board.submit(member, score).into())
        .each(STANDING, |it| &it.asked, standing)
        .each(TOP, |it| &it.asked, |board, _| sum(black_box(board).page(0, LEN).map(digest_of)))
        .each(PAGE, |it| &it.offsets, |board, &offset| sum(board.page(offset, LEN).map(digest_of)))
        .each(AROUND, |it| &it.asked, around)
}

#[inline]
fn digest_of((number, member, score): Line) -> u64 {
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
        let mut rng = generator(seed);
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
