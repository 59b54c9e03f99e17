//! An ordered collection plus a hash table.

use crate::pair::{Linear, Ordered, Pair};
use crate::uses::times::Timed;

/// A pair ordered by due time, then by `A`, then by id.
#[derive(Default)]
pub struct TimedPair<A, O> {
    pair: Pair<u64, (u64, A), O>,
    arrivals: u64,
}

/// What orders the elements that are due at the same time, before their ids.
pub trait Arrival: Ord + Copy + Default + 'static {
    /// Returns it for the element that arrives as this one.
    fn new(number: u64) -> Self;
}

/// Nothing does.
impl Arrival for () {
    fn new(_number: u64) {}
}

/// They are in order of arrival.
impl Arrival for u64 {
    fn new(number: u64) -> u64 {
        number
    }
}

impl<A: Arrival, O: Ordered<((u64, A), u64)>> TimedPair<A, O> {
    /// Returns the score of an element that arrives.
    #[inline]
    fn arrive(&mut self, due: u64) -> (u64, A) {
        self.arrivals += 1;
        (due, A::new(self.arrivals))
    }
}

impl<A: Arrival, O: Ordered<((u64, A), u64)>> Timed for TimedPair<A, O> {
    const NAME: &'static str = O::NAME;
    const HAS_LINEAR_WRITES: bool = matches!(O::LINEAR, Linear::Writes);

    type Key = u64;

    fn load(elements: &[(u64, u64)]) -> (Self, Vec<u64>) {
        let mut new = TimedPair::<A, O>::default();
        new.pair = Pair::load(elements.iter().map(|&(id, due)| (id, new.arrive(due))));
        (new, elements.iter().map(|&(id, _)| id).collect())
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        let score = self.arrive(due);
        self.pair.insert(id, score);
        id
    }

    #[inline]
    fn cancel(&mut self, id: &u64) -> bool {
        self.pair.remove(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &u64, due: u64) {
        let score = self.arrive(due);
        self.pair.update(id, |_| score);
    }

    #[inline]
    fn contains(&self, id: &u64, now: u64) -> bool {
        self.pair.scores.get(id).is_some_and(|&(due, _)| due > now)
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        let ((due, _), id) = self.pair.pop_first_if(|(due, _)| due <= now)?;
        Some((id, due))
    }
}
