//! The measured leaderboards.

use std::cmp::Reverse;

use zset_std::{Leaderboard, Ties};

use super::{AROUND, BETTER, Board, Line, NEW, PAGE, STANDING};
use crate::pair::{Linear, Ordered, Pair};

/// The subject.
impl Board for Leaderboard<u64, u64> {
    const NAME: &'static str = "zset";

    #[inline]
    fn submit(&mut self, member: u64, score: u64) -> bool {
        self.submit(member, score).is_changed()
    }

    #[inline]
    fn standing(&self, member: u64) -> Option<usize> {
        self.standing(&member, Ties::Competition)
    }

    #[inline]
    fn page(&self, offset: usize, n: usize) -> impl Iterator<Item = Line> {
        self.page(offset, n).map(|line| (line.number, *line.member, line.score))
    }

    #[inline]
    fn around(&self, member: u64, n: usize) -> Option<impl Iterator<Item = Line>> {
        let lines = self.around(&member, n)?;
        Some(lines.map(|line| (line.number, *line.member, line.score)))
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

    #[inline]
    fn submit(&mut self, member: u64, score: u64) -> bool {
        self.insert_if(member, Reverse(score), |Reverse(old)| old < score)
    }

    #[inline]
    fn standing(&self, member: u64) -> Option<usize> {
        let score = *self.scores.get(&member)?;
        Some(self.ordered.below(&(score, u64::MIN)) + 1)
    }

    #[inline]
    fn page(&self, offset: usize, n: usize) -> impl Iterator<Item = Line> {
        let lines = self.ordered.range_from_rank(offset).take(n).zip(offset + 1..);
        lines.map(|(&(Reverse(score), member), number)| (number, member, score))
    }

    #[inline]
    fn around(&self, member: u64, n: usize) -> Option<impl Iterator<Item = Line>> {
        let rank = self.rank(&member)?;
        let start = rank.saturating_sub(n);
        Some(self.page(start, rank - start + 1 + n))
    }
}
