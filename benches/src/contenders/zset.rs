//! The subject: `zset_core::SortedSet`.

use zset_core::{Score, SortedSet};

use crate::contender::{Contender, digest};

/// `zset_core::SortedSet<u64, Score>`.
pub struct Zset(SortedSet<u64, Score>);

#[inline]
fn to_score(score: f64) -> Score {
    Score::new(score).expect("a contender is given no NaN")
}

impl Contender for Zset {
    const NAME: &'static str = "zset";

    fn new() -> Self {
        Zset(SortedSet::new())
    }

    #[inline]
    fn insert(&mut self, member: u64, score: f64) {
        self.0.insert(member, to_score(score));
    }

    #[inline]
    fn score(&self, member: u64) -> Option<f64> {
        self.0.score(&member).map(Score::get)
    }

    #[inline]
    fn rank(&self, member: u64) -> Option<usize> {
        self.0.rank(&member)
    }

    #[inline]
    fn select(&self, rank: usize) -> Option<(u64, f64)> {
        self.0.get_by_rank(rank).map(|(member, score)| (*member, score.get()))
    }

    #[inline]
    fn sum_from(&self, score: f64, limit: usize) -> u64 {
        self.0
            .range_by_score(to_score(score)..)
            .take(limit)
            .fold(0, |sum: u64, (member, score)| sum.wrapping_add(digest(*member, score.get())))
    }

    #[inline]
    fn pop_first(&mut self) -> Option<(u64, f64)> {
        self.0.pop_first().map(|(member, score)| (member, score.get()))
    }

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }
}
