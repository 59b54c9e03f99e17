//! A heap, which finds its first element in O(1) but does not keep the others in order.

use std::cmp::Reverse;

use hashbrown::DefaultHashBuilder;
use ordered_float::OrderedFloat;
use priority_queue::PriorityQueue;

use crate::sets::member::Member;
use crate::sets::set::{ORDERED, RANKED, Set, digest};

/// The `priority-queue` crate: a heap, and a table with each member's position in it. Members with
/// equal scores are in no particular order.
pub type Queue<M> = PriorityQueue<M, Reverse<OrderedFloat<f64>>, DefaultHashBuilder>;

impl<M: Member> Set<M> for Queue<M> {
    const NAME: &'static str = "priority-queue";

    fn offers(operation: &str) -> bool {
        !RANKED.contains(&operation) && !ORDERED.contains(&operation)
    }

    fn new() -> Self {
        PriorityQueue::with_default_hasher()
    }

    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        let elements = elements.into_iter();
        elements.map(|(member, score)| (member, Reverse(OrderedFloat(score)))).collect()
    }

    fn unite(&mut self, mut other: Self) {
        self.append(&mut other);
    }

    fn insert(&mut self, member: M, score: f64) {
        self.push(member, Reverse(OrderedFloat(score)));
    }

    fn update(&mut self, member: &M, score: f64) {
        self.change_priority(member, Reverse(OrderedFloat(score)));
    }

    fn increment(&mut self, member: &M, by: f64) {
        self.change_priority_by(member, |score| score.0.0 += by);
    }

    fn score(&self, member: &M) -> Option<f64> {
        self.get_priority(member).map(|score| score.0.0)
    }

    fn pop_first(&mut self) -> Option<u64> {
        self.pop().map(|(member, score)| digest(member.digest(), score.0.0))
    }
}
