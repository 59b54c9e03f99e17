//! What most Rust programs do without a sorted set: std's B-tree beside a hash table.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use ordered_float::OrderedFloat;

use crate::contender::{Contender, digest};

/// `BTreeSet<(OrderedFloat<f64>, u64)>` and `HashMap<u64, f64>`; ranks would take linear time.
pub struct BTreePair {
    ordered: BTreeSet<(OrderedFloat<f64>, u64)>,
    scores: HashMap<u64, f64>,
}

impl Contender for BTreePair {
    const NAME: &'static str = "BTreeSet + HashMap";
    const HAS_RANK: bool = false;

    fn new() -> Self {
        BTreePair { ordered: BTreeSet::new(), scores: HashMap::new() }
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

    fn rank(&self, _member: u64) -> Option<usize> {
        None
    }

    fn select(&self, _rank: usize) -> Option<(u64, f64)> {
        None
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
