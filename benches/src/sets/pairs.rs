//! The contenders that pair an ordered collection with a hash table.

use ordered_float::OrderedFloat;

use crate::ordered::{Linear, Ordered};
use crate::pair::Pair;
use crate::sets::member::Member;
use crate::sets::set::{RANKED, Set, digest, sum};

/// An element, ordered as in a sorted set.
type Element<M> = (OrderedFloat<f64>, M);

#[inline]
fn digest_of<M: Member>((score, member): &Element<M>) -> u64 {
    digest(member.digest(), score.0)
}

fn ordered<M>(elements: Vec<(M, f64)>) -> Vec<(M, OrderedFloat<f64>)> {
    elements.into_iter().map(|(member, score)| (member, OrderedFloat(score))).collect()
}

impl<M: Member, O: Ordered<Element<M>>> Set<M> for Pair<M, OrderedFloat<f64>, O> {
    const NAME: &'static str = O::NAME;

    fn offers(operation: &str) -> bool {
        O::LINEAR == Linear::Nothing || !RANKED.contains(&operation)
    }

    fn new() -> Self {
        Pair::default()
    }

    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        Pair::from_unsorted(ordered(elements))
    }

    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        Pair::from_sorted(ordered(elements))
    }

    fn unite(&mut self, other: Self) {
        self.ordered.unite(other.ordered);
        self.scores.extend(other.scores);
    }

    fn insert(&mut self, member: M, score: f64) {
        self.insert(member, OrderedFloat(score));
    }

    fn update(&mut self, member: &M, score: f64) {
        self.update(member, |_| OrderedFloat(score));
    }

    fn increment(&mut self, member: &M, by: f64) {
        self.update(member, |score| score + by);
    }

    fn score(&self, member: &M) -> Option<f64> {
        self.scores.get(member).map(|score| score.0)
    }

    fn rank(&self, member: &M) -> Option<usize> {
        self.rank(member)
    }

    fn select(&self, rank: usize) -> Option<u64> {
        self.ordered.nth(rank).map(digest_of)
    }

    fn sum_by_score(&self, score: f64, limit: usize) -> u64 {
        self.sum_by_member(score, &M::least(), limit)
    }

    fn sum_by_rank(&self, rank: usize, limit: usize) -> u64 {
        sum(self.ordered.range_from_rank(rank).take(limit).map(digest_of))
    }

    fn sum_by_member(&self, score: f64, member: &M, limit: usize) -> u64 {
        let start = (OrderedFloat(score), member.clone());
        sum(self.ordered.range_from(&start).take(limit).map(digest_of))
    }

    fn sum(&self) -> u64 {
        sum(self.ordered.iter().map(digest_of))
    }

    fn count(&self, start: f64, end: f64) -> usize {
        let below = |score| self.ordered.below(&(OrderedFloat(score), M::least()));
        below(end) - below(start)
    }

    fn pop_first(&mut self) -> Option<u64> {
        self.pop_first().map(|first| digest_of(&first))
    }
}
