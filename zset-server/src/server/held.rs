//! How much clients hold together, and what follows when it is too much.

use super::Shared;

impl Shared {
    /// Returns whether clients hold more than half of what they may.
    pub(super) fn is_scarce(&self) -> bool {
        self.held.get() > self.max_held.get() / 2
    }

    /// Returns whether clients hold more than they may.
    pub(super) fn is_over(&self) -> bool {
        self.is_too_much(self.held.get())
    }

    /// Returns whether clients may not hold `held` bytes. One of them may hold much if the others hold little,
    /// so that a large value can be set and read.
    fn is_too_much(&self, held: usize) -> bool {
        let (_, largest) = self.largest.get();
        held > self.max_held.get() && largest > self.max_held_of_one(held.saturating_sub(largest))
    }

    /// Returns how many bytes may be held for a client, of which `own` are.
    pub(super) fn max_held_of(&self, own: usize) -> usize {
        self.max_held.get().max(self.max_held_of_one(self.held.get() - own))
    }

    /// Returns how many bytes a client may hold beyond the bound for all, if the others hold so many.
    fn max_held_of_one(&self, others: usize) -> usize {
        if others <= self.max_held.get() / 2 { self.max_alone.get() } else { 0 }
    }

    /// Notes that a client holds `now` bytes, and no longer `before`.
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

    /// Sets how many bytes may be held for all clients. If there are more, the clients holding the most are
    /// closed: so many that it takes a while until others have to be.
    pub(super) fn bound_held(&self) {
        let held = self.held.get();
        let mut engine = self.engine.borrow_mut();
        let max = engine.max_held(held, self.limits.pause_at, self.limits.all_clients);
        self.max_held.set(max);
        self.max_alone.set(engine.max_alone(self.limits.all_clients));
        // What is held for clients that are closed already is about to be freed.
        if self.is_too_much(held.saturating_sub(self.closing.get())) {
            let closing = engine.close_largest(max - max / 8);
            self.closing.set(self.closing.get() + closing);
            // It may be closed. Those that stay tell what they hold.
            self.largest.set((0, 0));
        }
        if !self.is_over() {
            self.freed.notify_waiters();
        }
    }
}
