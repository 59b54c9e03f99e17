//! An ordered collection plus a hash table, ordered by due time and then by id.

use crate::pair::{Linear, Ordered, Pair};
use crate::uses::times::Timed;

impl<O: Ordered<(u64, u64)>> Timed for Pair<u64, u64, O> {
    const NAME: &'static str = O::NAME;
    const HAS_LINEAR_WRITES: bool = matches!(O::LINEAR, Linear::Writes);

    type Key = u64;

    fn load(elements: &[(u64, u64)]) -> (Self, Vec<u64>) {
        (Pair::load(elements.iter().copied()), elements.iter().map(|&(id, _)| id).collect())
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        self.insert(id, due);
        id
    }

    #[inline]
    fn cancel(&mut self, id: &u64) -> bool {
        self.remove(id).is_some()
    }

    #[inline]
    fn reschedule(&mut self, id: &u64, due: u64) {
        self.update(id, |_| due);
    }

    #[inline]
    fn contains(&self, id: &u64, now: u64) -> bool {
        self.scores.get(id).is_some_and(|&due| due > now)
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        self.pop_first_if(|due| due <= now).map(|(due, id)| (id, due))
    }
}
