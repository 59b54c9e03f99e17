//! The memory held for all clients, and the reaction when it is too much.

use super::Shared;

impl Shared {
    /// Returns whether clients hold more than half of the bound.
    pub(super) fn is_scarce(&self) -> bool {
        self.held.get() > self.max_held.get() / 2
    }

    /// Returns whether clients hold too much.
    pub(super) fn is_over(&self) -> bool {
        self.is_too_much(self.held.get())
    }

    /// Returns whether `held` bytes are too many for all clients. A single client may hold more than the
    /// bound if the others hold little, so that a large value can be set and read.
    fn is_too_much(&self, held: usize) -> bool {
        let (_, largest) = self.largest.get();
        held > self.max_held.get() && largest > self.max_held_of_one(held.saturating_sub(largest))
    }

    /// Returns the number of bytes that may be held for a client that currently holds `own` bytes.
    pub(super) fn max_held_of(&self, own: usize) -> usize {
        self.max_held.get().max(self.max_held_of_one(self.held.get() - own))
    }

    /// Returns the number of bytes that a client may hold beyond the bound, if the others hold `others`
    /// bytes.
    fn max_held_of_one(&self, others: usize) -> usize {
        if others <= self.max_held.get() / 2 { self.max_alone.get() } else { 0 }
    }

    /// Updates the bytes held for a client from `before` to `now`.
    pub(super) fn change_held(&self, client: u64, before: usize, now: usize) {
        self.held.set(self.held.get() - before + now);
        let (largest, most) = self.largest.get();
        if client == largest || now > most {
            self.largest.set((client, now));
        }
        if now > before {
            self.bound_held();
        } else if now < before && !self.is_over() {
            self.freed.notify_waiters();
        }
    }

    /// Updates the bound on the bytes held for all clients. If it is exceeded, the clients that hold the
    /// most are disconnected: enough of them that it takes a while until this happens again.
    pub(super) fn bound_held(&self) {
        let held = self.held.get();
        let mut engine = self.engine.borrow_mut();
        let max = engine.max_held(held, self.limits.pause_at, self.limits.all_clients);
        self.max_held.set(max);
        self.max_alone.set(engine.state.config.max_memory().min(self.limits.all_clients));
        // The memory of clients that are being disconnected is about to be freed.
        if self.is_too_much(held.saturating_sub(self.closing.get())) {
            let closing = engine.close_largest(max - max / 8);
            self.closing.set(self.closing.get() + closing);
            // The largest client may have been disconnected; the remaining ones report what they hold.
            self.largest.set((0, 0));
        }
        if !self.is_over() {
            self.freed.notify_waiters();
        }
    }
}
