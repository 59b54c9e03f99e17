//! [`Held`]: counts the memory held for all clients, and disconnects clients if it exceeds the
//! bound.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tracing::warn;

use super::Limits;
use crate::client::Session;
use crate::engine::Engine;

/// A divisor: clients may use at least one eighth of the memory limit, however much data there is.
const LEAST_OF_MEMORY: usize = 8;

/// Up to this number of unread bytes, a client counts as reading its replies.
const FEW_UNREAD: usize = 16 * 1024;

/// The bytes held for all clients: requests that have not run, commands of transactions, and unread
/// replies.
pub(super) struct Held {
    limits: Limits,
    all: Cell<usize>,
    /// The part of `all` held for clients that are being disconnected.
    closing: Cell<usize>,
    /// The client that holds the most, as far as known, and how many bytes it holds.
    largest: Cell<(u64, usize)>,
    /// The bound, as last computed.
    max: Cell<usize>,
    /// The bytes that a single client may hold while the others hold little: the memory limit, so
    /// that large values can be read, but at most `all_clients`.
    max_alone: Cell<usize>,
    /// Notified when clients hold less than the bound again.
    freed: Notify,
}

impl Held {
    pub(super) fn new(limits: Limits) -> Self {
        Held {
            limits,
            all: Cell::new(0),
            closing: Cell::new(0),
            largest: Cell::new((0, 0)),
            max: Cell::new(limits.all_clients),
            max_alone: Cell::new(0),
            freed: Notify::new(),
        }
    }

    /// Returns whether clients hold more than half of the bound.
    pub(super) fn is_scarce(&self) -> bool {
        self.all.get() > self.max.get() / 2
    }

    /// Returns whether clients hold more than the bound.
    pub(super) fn is_over(&self) -> bool {
        self.is_too_much(self.all.get())
    }

    /// Returns whether `held` bytes for all clients exceed the bound. A single client may exceed it
    /// while the others hold little, so that large values can be set and read.
    fn is_too_much(&self, held: usize) -> bool {
        let (_, largest) = self.largest.get();
        held > self.max.get() && largest > self.max_given(held.saturating_sub(largest))
    }

    /// Returns the number of bytes that may be held for a client that currently holds `own` bytes.
    pub(super) fn max_of(&self, own: usize) -> usize {
        self.max.get().max(self.max_given(self.all.get() - own))
    }

    /// Returns the number of bytes that one client may hold, even above the bound, while the others
    /// hold `others` bytes.
    fn max_given(&self, others: usize) -> usize {
        if others <= self.max.get() / 2 { self.max_alone.get() } else { 0 }
    }

    /// Completes when clients hold less than the bound again.
    pub(super) fn freed(&self) -> Notified<'_> {
        self.freed.notified()
    }

    /// Updates the bytes held for a client from `before` to `now`.
    pub(super) fn change(&self, engine: &RefCell<Engine>, client: u64, before: usize, now: usize) {
        self.all.set(self.all.get() - before + now);
        let (largest, most) = self.largest.get();
        if client == largest || now > most {
            self.largest.set((client, now));
        }
        if now > before {
            self.bound(engine);
        } else if now < before && !self.is_over() {
            self.freed.notify_waiters();
        }
    }

    /// Subtracts the bytes of a client that has been disconnected from `closing`.
    pub(super) fn closed(&self, bytes: usize) {
        self.closing.set(self.closing.get().saturating_sub(bytes));
    }

    /// Updates the bound. If it is exceeded, disconnects the clients that hold the most, down to
    /// 7/8 of the bound, so that this does not happen again soon.
    pub(super) fn bound(&self, engine: &RefCell<Engine>) {
        let held = self.all.get();
        let mut engine = engine.borrow_mut();
        let max = max_held(&mut engine, held, self.limits);
        self.max.set(max);
        self.max_alone.set(engine.state.config.max_memory.min(self.limits.all_clients));
        // Do not count clients that are being disconnected: their memory is about to be freed.
        if self.is_too_much(held.saturating_sub(self.closing.get())) {
            let closing = close_largest(&mut engine, max - max / 8);
            self.closing.set(self.closing.get() + closing);
            // Forget the largest client, since it may be one of those disconnected. The remaining
            // clients are compared again when they next report their memory.
            self.largest.set((0, 0));
        }
        if !self.is_over() {
            self.freed.notify_waiters();
        }
    }
}

/// Returns the bound on the bytes held for all clients, which hold `held` now. It is the configured
/// bound, or, if less, the memory that the data leaves free. A minimum lets a server full of data
/// still reply.
fn max_held(engine: &mut Engine, held: usize, limits: Limits) -> usize {
    let (least, most) = (limits.pause_at, limits.all_clients);
    let max = engine.state.config.max_memory;
    if max == 0 {
        return most;
    }
    let (used, _) = engine.state.memory.look();
    let data = used.saturating_sub(held);
    let least = least.max(max / LEAST_OF_MEMORY).min(most);
    max.saturating_sub(data).clamp(least, most)
}

/// Disconnects the clients that hold the most until at most `max` bytes are held in total, starting
/// with those that do not read. Returns the number of bytes to be freed.
fn close_largest(engine: &mut Engine, max: usize) -> usize {
    let clients: Vec<_> = engine.state.clients.iter().collect();
    let mut clients: Vec<_> = clients
        .iter()
        .filter(|session| !session.borrow().is_killed)
        .map(|session| (is_read(&session.borrow()), session.borrow().held_bytes(), session))
        .collect();
    let all: usize = clients.iter().map(|(_, held, _)| held).sum();
    clients.sort_unstable_by_key(|(is_read, held, _)| (*is_read, Reverse(*held)));
    let mut held = all;
    for (.., bytes, session) in clients {
        if held <= max {
            break;
        }
        held -= bytes;
        let session = &mut session.borrow_mut();
        warn!(peer = session.address, bytes, "closed: all clients together hold too much");
        session.buffered.closing = bytes;
        session.kill(&mut engine.state.keyspace);
    }
    all - held
}

/// Returns whether a client reads its replies, or has only few unread bytes.
fn is_read(session: &Session) -> bool {
    !session.buffered.is_blocked || session.buffered.replies <= FEW_UNREAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_does_not_read_is_closed_before_a_larger_one_that_does() {
        let mut engine = Engine::new();
        let [mut deaf, mut reader, mut tiny] = [(); 3].map(|()| engine.client());
        for (client, bytes) in [(&mut deaf, 100_000), (&mut reader, 900_000), (&mut tiny, 100)] {
            client.session_mut().buffered.replies = bytes;
        }
        deaf.session_mut().buffered.is_blocked = true;
        assert_eq!(close_largest(&mut engine, 950_000), 100_000);
        let is_killed = [&deaf, &reader, &tiny].map(|client| client.session().is_killed);
        assert_eq!(is_killed, [true, false, false]);
    }

    #[test]
    fn clients_may_hold_the_memory_that_the_data_leaves() {
        let mut engine = Engine::new();
        let limits = Limits { pause_at: 100, all_clients: 1000, ..Limits::default() };
        assert_eq!(max_held(&mut engine, 10, limits), 1000);
        engine.count_memory(Some(|| 1000));
        for (max, held, room) in [
            (8000, 500, 1000),
            (1500, 500, 1000),
            (1500, 0, 500),
            // The data leaves too little memory, so clients may hold an eighth of the limit, but at
            // least `pause_at`.
            (1050, 0, 131),
            (900, 0, 112),
            (500, 0, 100),
        ] {
            engine.state.config.max_memory = max;
            assert_eq!(max_held(&mut engine, held, limits), room, "{max} {held}");
        }
    }
}
