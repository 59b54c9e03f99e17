//! The `indexset` crate, a B-tree of two levels that knows its ranks, beside a hash table.

use hashbrown::HashMap;
use indexset::BTreeSet;
use ordered_float::OrderedFloat;

use crate::contender::{Contender, digest};

/// `indexset::BTreeSet<(OrderedFloat<f64>, u64)>` and `HashMap<u64, f64>`.
pub struct IndexsetPair {
    ordered: BTreeSet<(OrderedFloat<f64>, u64)>,
    scores: HashMap<u64, f64>,
}

impl Contender for IndexsetPair {
    const NAME: &'static str = "indexset + HashMap";

    fn new() -> Self {
        IndexsetPair { ordered: BTreeSet::new(), scores: HashMap::new() }
    }

    #[inline]
    fn insert(&mut self, member: u64, score: f64) {
        if let Some(old) = self.scores.insert(member, score) {
            self.ordered.remove(&(OrderedFloat(old), member));
        }
        self.ordered.insert((OrderedFloat(score), member));
    }

    #[inline]
    fn score(&self, member: u64) -> Option<f64> {
        self.scores.get(&member).copied()
    }

    #[inline]
    fn rank(&self, member: u64) -> Option<usize> {
        let score = *self.scores.get(&member)?;
        Some(self.ordered.rank(&(OrderedFloat(score), member)))
    }

    #[inline]
    fn select(&self, rank: usize) -> Option<(u64, f64)> {
        self.ordered.get_index(rank).map(|&(score, member)| (member, score.0))
    }

    #[inline]
    fn sum_from(&self, score: f64, limit: usize) -> u64 {
        self.ordered
            .range((OrderedFloat(score), u64::MIN)..)
            .take(limit)
            .fold(0, |sum: u64, &(score, member)| sum.wrapping_add(digest(member, score.0)))
    }

    #[inline]
    fn pop_first(&mut self) -> Option<(u64, f64)> {
        let (score, member) = self.ordered.pop_first()?;
        self.scores.remove(&member);
        Some((member, score.0))
    }

    #[inline]
    fn len(&self) -> usize {
        self.ordered.len()
    }
}
