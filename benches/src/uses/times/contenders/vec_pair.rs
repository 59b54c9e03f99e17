//! A sorted `Vec` plus a hash table.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::uses::sorted_vec::SortedVec;
use crate::uses::times::{Operation, Order, Timed};

/// A `Vec` in descending order of due time, so that the first due element is popped off its end,
/// and a `HashMap` from id to the rest of the entry.
pub struct VecPair<O> {
    entries: SortedVec<Reverse<(O, u64)>>,
    by_id: HashMap<u64, O>,
    arrivals: u64,
}

impl<O: Order> Timed for VecPair<O> {
    const NAME: &'static str = "sorted Vec + HashMap";
    const LINEAR: &'static [Operation] =
        &[Operation::Push, Operation::Cancel, Operation::Reschedule, Operation::Steady];

    type Key = u64;

    fn new() -> Self {
        VecPair::load(&[]).0
    }

    fn load(elements: &[(u64, u64)]) -> (Self, Vec<u64>) {
        let orders =
            elements.iter().zip(1..).map(|(&(id, due), arrival)| (id, O::new(due, arrival)));
        let entries = orders.clone().map(|(id, order)| Reverse((order, id))).collect();
        let arrivals = elements.len() as u64;
        let entries = SortedVec::from_unsorted(entries);
        let ids = elements.iter().map(|&(id, _)| id).collect();
        (VecPair { entries, by_id: orders.collect(), arrivals }, ids)
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        self.arrivals += 1;
        let new = O::new(due, self.arrivals);
        match self.by_id.insert(id, new) {
            None => self.entries.insert(Reverse((new, id))),
            Some(old) => self.entries.replace(&Reverse((old, id)), Reverse((new, id))),
        }
        id
    }

    #[inline]
    fn cancel(&mut self, &id: &u64) -> bool {
        let Some(order) = self.by_id.remove(&id) else { return false };
        self.entries.remove(&Reverse((order, id)));
        true
    }

    #[inline]
    fn reschedule(&mut self, &id: &u64, due: u64) {
        self.arrivals += 1;
        if let Some(order) = self.by_id.get_mut(&id) {
            let old = std::mem::replace(order, O::new(due, self.arrivals));
            self.entries.replace(&Reverse((old, id)), Reverse((*order, id)));
        }
    }

    #[inline]
    fn contains(&self, id: &u64, now: u64) -> Option<bool> {
        Some(self.by_id.get(id).is_some_and(|order| order.due() > now))
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        let Reverse((order, id)) = *self.entries.as_slice().last()?;
        if order.due() > now {
            return None;
        }
        self.entries.pop_last();
        self.by_id.remove(&id);
        Some((id, order.due()))
    }
}
