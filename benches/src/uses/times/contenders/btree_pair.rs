//! std's B-tree plus a hash table.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::uses::times::{Order, Timed};

/// `BTreeSet<(O, id)>`, and a `HashMap` from id to the rest of the entry.
pub struct BTreePair<O> {
    entries: BTreeSet<(O, u64)>,
    by_id: HashMap<u64, O>,
    arrivals: u64,
}

impl<O: Order> Timed for BTreePair<O> {
    const NAME: &'static str = "BTreeSet + HashMap";

    type Key = u64;

    fn new() -> Self {
        BTreePair { entries: BTreeSet::new(), by_id: HashMap::new(), arrivals: 0 }
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        self.arrivals += 1;
        let new = O::new(due, self.arrivals);
        if let Some(old) = self.by_id.insert(id, new) {
            self.entries.remove(&(old, id));
        }
        self.entries.insert((new, id));
        id
    }

    #[inline]
    fn cancel(&mut self, &id: &u64) -> bool {
        self.by_id.remove(&id).is_some_and(|order| self.entries.remove(&(order, id)))
    }

    #[inline]
    fn reschedule(&mut self, &id: &u64, due: u64) {
        self.arrivals += 1;
        if let Some(order) = self.by_id.get_mut(&id) {
            let old = std::mem::replace(order, O::new(due, self.arrivals));
            self.entries.remove(&(old, id));
            self.entries.insert((*order, id));
        }
    }

    #[inline]
    fn contains(&self, id: &u64, now: u64) -> Option<bool> {
        Some(self.by_id.get(id).is_some_and(|order| order.due() > now))
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        if self.entries.first()?.0.due() > now {
            return None;
        }
        let (order, id) = self.entries.pop_first()?;
        self.by_id.remove(&id);
        Some((id, order.due()))
    }
}
