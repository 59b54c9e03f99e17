//! std's B-tree plus a hash table.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::Entry;
use crate::uses::times::Timed;

/// `BTreeSet<E>`, and a `HashMap` from id to the rest of the entry.
pub struct BTreePair<E: Entry> {
    entries: BTreeSet<E>,
    by_id: HashMap<u64, E::Kept>,
    arrivals: u64,
}

impl<E: Entry> BTreePair<E> {
    #[inline]
    fn keep(&mut self, due: u64) -> E::Kept {
        self.arrivals += 1;
        E::keep(due, self.arrivals)
    }
}

impl<E: Entry> Timed for BTreePair<E> {
    const NAME: &'static str = "BTreeSet + HashMap";

    type Key = u64;

    fn new() -> Self {
        BTreePair { entries: BTreeSet::new(), by_id: HashMap::new(), arrivals: 0 }
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        let kept = self.keep(due);
        if let Some(old) = self.by_id.insert(id, kept) {
            self.entries.remove(&E::new(id, old));
        }
        self.entries.insert(E::new(id, kept));
        id
    }

    #[inline]
    fn cancel(&mut self, &id: &u64) -> bool {
        self.by_id.remove(&id).is_some_and(|kept| self.entries.remove(&E::new(id, kept)))
    }

    #[inline]
    fn reschedule(&mut self, &id: &u64, due: u64) {
        let new = self.keep(due);
        if let Some(kept) = self.by_id.get_mut(&id) {
            let old = std::mem::replace(kept, new);
            self.entries.remove(&E::new(id, old));
            self.entries.insert(E::new(id, new));
        }
    }

    #[inline]
    fn contains(&self, id: &u64, now: u64) -> Option<bool> {
        Some(self.by_id.get(id).is_some_and(|&kept| E::kept_due(kept) > now))
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        if self.entries.first()?.due() > now {
            return None;
        }
        let entry = self.entries.pop_first()?;
        self.by_id.remove(&entry.id());
        Some((entry.id(), entry.due()))
    }
}
