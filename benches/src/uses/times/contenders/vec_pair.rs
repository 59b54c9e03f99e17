//! A sorted `Vec` plus a hash table.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::Entry;
use crate::uses::sorted_vec::SortedVec;
use crate::uses::times::Operation;
use crate::uses::times::Timed;

/// A `Vec` in descending order of due time, so that the first due element is popped off its end,
/// and a `HashMap` from id to the rest of the entry.
pub struct VecPair<E: Entry> {
    entries: SortedVec<Reverse<E>>,
    by_id: HashMap<u64, E::Kept>,
    arrivals: u64,
}

impl<E: Entry> VecPair<E> {
    #[inline]
    fn keep(&mut self, due: u64) -> E::Kept {
        self.arrivals += 1;
        E::keep(due, self.arrivals)
    }
}

impl<E: Entry> Timed for VecPair<E> {
    const NAME: &'static str = "sorted Vec + HashMap";
    const LINEAR: &'static [Operation] =
        &[Operation::Push, Operation::Cancel, Operation::Reschedule, Operation::Steady];

    type Key = u64;

    fn new() -> Self {
        let entries = SortedVec::from_unsorted(Vec::new());
        VecPair { entries, by_id: HashMap::new(), arrivals: 0 }
    }

    fn load(elements: &[(u64, u64)]) -> (Self, Vec<u64>) {
        let mut new = Self::new();
        let mut entries = Vec::new();
        for &(id, due) in elements {
            let kept = new.keep(due);
            new.by_id.insert(id, kept);
            entries.push(Reverse(E::new(id, kept)));
        }
        new.entries = SortedVec::from_unsorted(entries);
        (new, elements.iter().map(|&(id, _)| id).collect())
    }

    #[inline]
    fn push(&mut self, id: u64, due: u64) -> u64 {
        let kept = self.keep(due);
        let entry = Reverse(E::new(id, kept));
        match self.by_id.insert(id, kept) {
            None => self.entries.insert(entry),
            Some(old) => self.entries.replace(&Reverse(E::new(id, old)), entry),
        }
        id
    }

    #[inline]
    fn cancel(&mut self, &id: &u64) -> bool {
        let Some(kept) = self.by_id.remove(&id) else { return false };
        self.entries.remove(&Reverse(E::new(id, kept)));
        true
    }

    #[inline]
    fn reschedule(&mut self, &id: &u64, due: u64) {
        let new = self.keep(due);
        if let Some(kept) = self.by_id.get_mut(&id) {
            let old = std::mem::replace(kept, new);
            self.entries.replace(&Reverse(E::new(id, old)), Reverse(E::new(id, new)));
        }
    }

    #[inline]
    fn contains(&self, id: &u64, now: u64) -> Option<bool> {
        Some(self.by_id.get(id).is_some_and(|&kept| E::kept_due(kept) > now))
    }

    #[inline]
    fn pop_due(&mut self, now: u64) -> Option<(u64, u64)> {
        let Reverse(first) = *self.entries.as_slice().last()?;
        if first.due() > now {
            return None;
        }
        self.entries.pop_last();
        self.by_id.remove(&first.id());
        Some((first.id(), first.due()))
    }
}
