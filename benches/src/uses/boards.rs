//! Leaderboards.
//!
//! There are `n` members with scores uniform in `1..=n`, so that most members share their score
//! with one or two others. Members are looked up in random order.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hint::black_box;

use rand::RngExt;
use zset_std::{Leaderboard, Ties};

use crate::comparison::{Comparison, Contender, Operation, calls};
use crate::measure::{Measured, contents, digest, each, sum};
use crate::ordered::{Linear, Ordered, SortedVec};
use crate::pair::Pair;
use crate::random::{generator, numbers, repeat};

/// Returns the table of leaderboards.
pub fn boards() -> Comparison {
    let contenders = vec![
        contender::<Leaderboard<u64, u64>>(),
        contender::<Pair<u64, Reverse<u64>, BTreeSet<_>>>(),
        contender::<Pair<u64, Reverse<u64>, SortedVec<_>>>(),
    ];
    Comparison::new("Leaderboard", Workload::new, contenders)
}

/// A line of a leaderboard: its number, member and score.
pub type Line = (usize, u64, u64);

/// Members ordered by score, highest first. Equal scores are ordered by member, ascending.
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

    /// Submits a score; each member keeps its best one. Returns whether the submitted score is
    /// kept.
    fn submit(&mut self, member: u64, score: u64) -> bool;

    /// Returns the standing of a member, counted from 1. Members with equal scores share a
    /// standing, and the next standings are skipped accordingly.
    fn standing(&self, member: u64) -> Option<usize>;

    /// Returns `n` lines after the first `offset`.
    fn page(&self, offset: usize, n: usize) -> impl Iterator<Item = Line>;

    /// Returns the line of a member and `n` lines on each side.
    fn around(&self, member: u64, n: usize) -> Option<impl Iterator<Item = Line>>;
}

// The operations that take linear time on some contender.
const NEW: &str = "submit, new member";
const BETTER: &str = "submit, better score";
const STANDING: &str = "standing of a member";
const PAGE: &str = "page of 10, anywhere";
const AROUND: &str = "a member and 5 on each side";

/// The length of a page.
const LEN: usize = 10;

/// The number of lines shown on each side of a member.
const SIDE: usize = 5;

/// Returns a contender with all operations.
fn contender<C: Board>() -> Contender<Workload> {
    let operations: [Operation<Workload, C>; _] = [
        // Submits random scores of new members. The board grows from n to 2n members, so that every
        // hash table grows once.
        calls(NEW, |it, board, most| submit(board, &it.new, most)),
        // Submits a random better score of a random member.
        calls(BETTER, |it, board, most| submit(board, &it.better, most)),
        // Submits a random score that is not better, so that the member keeps the old one.
        calls("submit, no better score", |it, board, most| submit(board, &it.worse, most)),
        // Looks up the standing of a random member.
        calls(STANDING, |it, board, most| {
            each(&it.asked, most, |member| board.standing(*member).unwrap_or(0) as u64)
        }),
        calls("top 10", |it, board, most| {
            each(&it.asked, most, |_| sum(black_box(&*board).page(0, LEN).map(digest_of)))
        }),
        calls(PAGE, |it, board, most| {
            each(&it.offsets, most, |offset| sum(board.page(*offset, LEN).map(digest_of)))
        }),
        calls(AROUND, |it, board, most| {
            each(&it.asked, most, |member| {
                let lines = board.around(*member, SIDE);
                lines.map_or(0, |lines| sum(lines.map(digest_of)))
            })
        }),
    ];
    let contents = |_: &_, board: C| contents(board.page(0, usize::MAX).map(digest_of));
    Contender::new(C::NAME, |it| C::load(&it.members), contents, operations).linear(C::LINEAR)
}

fn submit<C: Board>(board: &mut C, scores: &[(u64, u64)], most: usize) -> Measured {
    each(scores, most, |&(member, score)| board.submit(member, score).into())
}

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
    /// Generates the workload for `n` members, at least 1, deterministically for each `seed`.
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
            // A member with the highest score gets a score above the range.
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

/// The subject.
impl Board for Leaderboard<u64, u64> {
    const NAME: &'static str = "zset";

    fn submit(&mut self, member: u64, score: u64) -> bool {
        self.submit(member, score).is_changed()
    }

    fn standing(&self, member: u64) -> Option<usize> {
        self.standing(&member, Ties::Competition)
    }

    fn page(&self, offset: usize, n: usize) -> impl Iterator<Item = Line> {
        self.page(offset, n).map(|line| (line.number, *line.member, *line.score))
    }

    fn around(&self, member: u64, n: usize) -> Option<impl Iterator<Item = Line>> {
        let lines = self.around(&member, n)?;
        Some(lines.map(|line| (line.number, *line.member, *line.score)))
    }
}

impl<O: Ordered<(Reverse<u64>, u64)>> Board for Pair<u64, Reverse<u64>, O> {
    const NAME: &'static str = O::NAME;
    const LINEAR: &'static [&'static str] = match O::LINEAR {
        Linear::Nothing => &[],
        Linear::Ranks => &[STANDING, PAGE, AROUND],
        Linear::Writes => &[NEW, BETTER],
    };

    fn load(members: &[(u64, u64)]) -> Self {
        Pair::load(members.iter().map(|&(member, score)| (member, Reverse(score))))
    }

    fn submit(&mut self, member: u64, score: u64) -> bool {
        self.insert_if(member, Reverse(score), |Reverse(old)| old < score)
    }

    fn standing(&self, member: u64) -> Option<usize> {
        let score = *self.scores.get(&member)?;
        Some(self.ordered.below(&(score, u64::MIN)) + 1)
    }

    fn page(&self, offset: usize, n: usize) -> impl Iterator<Item = Line> {
        let lines = self.ordered.range_from_rank(offset).take(n).zip(offset + 1..);
        lines.map(|(&(Reverse(score), member), number)| (number, member, score))
    }

    fn around(&self, member: u64, n: usize) -> Option<impl Iterator<Item = Line>> {
        let rank = self.rank(&member)?;
        let start = rank.saturating_sub(n);
        Some(self.page(start, rank - start + 1 + n))
    }
}
