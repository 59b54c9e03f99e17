//! [`Awaited`]: the clients that wait for each key, in order of arrival.
//!
//! Invariants: no queue is empty. A key is in `ready` exactly once if its queue is marked ready, and
//! otherwise not at all, except that `ready` may contain keys whose queues have been removed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use zset_std::RandomState;

use super::{Bytes, shrink};

/// A client's position in all of its queues: later clients have larger tickets.
pub(crate) type Ticket = u64;

/// The keys that clients wait for.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    pub(super) queues: HashMap<Bytes, Queue, RandomState>,
    /// The waited-for keys that have changed since the last [`take_ready`](Self::take_ready), in order.
    ready: Vec<Bytes>,
    last: Ticket,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The ids of the clients.
    clients: BTreeMap<Ticket, u64>,
    is_ready: bool,
}

impl Awaited {
    /// Appends a client to the queues of keys. **O(log n)** per key.
    pub(crate) fn join(&mut self, keys: &[Bytes], client: u64) -> Ticket {
        self.last += 1;
        for key in keys {
            // A repeated key is waited for once.
            self.queues.entry(key.clone()).or_default().clients.insert(self.last, client);
        }
        self.last
    }

    /// Removes a client from the queues of keys. **O(log n)** per key.
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

    /// Reports a change of a key. **O(1)**, and nearly free while no client waits.
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

    /// Returns whether a waited-for key has changed.
    pub(crate) fn is_any_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Returns the changed keys and marks them as unchanged.
    pub(crate) fn take_ready(&mut self) -> Vec<Bytes> {
        for key in &self.ready {
            if let Some(queue) = self.queues.get_mut(key) {
                queue.is_ready = false;
            }
        }
        std::mem::take(&mut self.ready)
    }

    /// Returns the client that has waited longest for a key among those after a ticket.
    pub(crate) fn next_after(&self, key: &[u8], ticket: Ticket) -> Option<(Ticket, u64)> {
        let later = (Bound::Excluded(ticket), Bound::Unbounded);
        let (ticket, client) = self.queues.get(key)?.clients.range(later).next()?;
        Some((*ticket, *client))
    }
}
