//! [`Awaited`]: who waits for which key, in the order in which they came.
//!
//! Invariants: no queue is empty. A key is in `ready` once if its queue says so, and not otherwise, but
//! for queues that have gone meanwhile.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use zset_std::RandomState;

use super::{Bytes, shrink};

/// The place of a client in all queues that it is in: who comes later has a larger one.
pub(crate) type Ticket = u64;

/// The keys that clients wait for.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    queues: HashMap<Bytes, Queue, RandomState>,
    /// Those keys that have changed since they were looked at, in the order in which they did.
    ready: Vec<Bytes>,
    last: Ticket,
}

#[derive(Debug, Default)]
struct Queue {
    /// The numbers of the clients.
    clients: BTreeMap<Ticket, u64>,
    is_ready: bool,
}

impl Awaited {
    /// Puts a client at the end of the queues of keys, each of them once. **O(log n)** for each key.
    pub(crate) fn join(&mut self, keys: &[Bytes], client: u64) -> Ticket {
        self.last += 1;
        for key in keys {
            // A key that is named twice is waited for once.
            self.queues.entry(key.clone()).or_default().clients.insert(self.last, client);
        }
        self.last
    }

    /// Takes a client out of the queues of keys. **O(log n)** for each key.
    pub(crate) fn quit(&mut self, keys: &[Bytes], ticket: Ticket) {
        for key in keys {
            if let Some(queue) = self.queues.get_mut(key) {
                queue.clients.remove(&ticket);
                if queue.clients.is_empty() {
                    self.queues.remove(key);
                    shrink(&mut self.queues);
                }
            }
        }
    }

    /// Notes that a key has changed. **O(1)**, and next to nothing while nobody waits.
    pub(super) fn touch(&mut self, key: &[u8]) {
        if self.queues.is_empty() {
            return;
        }
        if let Some(queue) = self.queues.get_mut(key)
            && !queue.is_ready
        {
            queue.is_ready = true;
            self.ready.push(key.into());
        }
    }

    /// Returns for how many keys there is memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.queues.capacity()
    }

    /// Returns whether a key has changed that somebody waits for.
    pub(crate) fn is_any_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Returns the keys that have changed, which have not from now on.
    pub(crate) fn take_ready(&mut self) -> Vec<Bytes> {
        for key in &self.ready {
            if let Some(queue) = self.queues.get_mut(key) {
                queue.is_ready = false;
            }
        }
        std::mem::take(&mut self.ready)
    }

    /// Returns who waits longest for a key, of those that have come after a ticket.
    pub(crate) fn next_after(&self, key: &[u8], ticket: Ticket) -> Option<(Ticket, u64)> {
        let later = (Bound::Excluded(ticket), Bound::Unbounded);
        let (ticket, client) = self.queues.get(key)?.clients.range(later).next()?;
        Some((*ticket, *client))
    }
}
