//! What is held for a client.

use super::Connection;
use super::send::MAX_KEPT;

impl<S> Connection<S> {
    /// Returns how many bytes of replies are there that are not sent.
    pub(super) fn unsent(&self) -> usize {
        self.replies.bytes().len() - self.sent
    }

    /// Notes that the others have a turn. Who has been silent for long keeps no memory.
    pub(super) fn rest(&mut self) {
        self.since = None;
        let is_silent = self.unsent() == 0;
        let buffered = &mut self.client.session_mut().buffered;
        let buffer = self.requests.buffer();
        if buffered.is_idle && buffer.is_empty() && is_silent {
            *buffer = Vec::new();
            self.replies.shrink_to(0);
        }
        buffered.free = [buffer.capacity() - buffer.len(), self.replies.capacity()];
    }

    /// Tells what is held for the client. If that is too much for all of them, some have to go.
    pub(super) fn tell_held(&mut self) {
        let (requests, replies) = (self.requests.len(), self.unsent());
        let mut session = self.client.session_mut();
        let buffered = &mut session.buffered;
        (buffered.requests, buffered.replies) = (requests, replies);
        // What a small buffer keeps for the replies to come is not worth a connection.
        let spare = if replies > MAX_KEPT { self.replies.capacity() - replies } else { 0 };
        buffered.replies_spare = spare;
        let before = std::mem::replace(&mut self.held, session.held_bytes());
        drop(session);
        self.shared.held.set(self.shared.held.get() - before + self.held);
        if self.held > before {
            self.shared.bound_held();
        }
    }

    /// Bounds the replies to come; returns how many bytes of them may be unsent.
    pub(super) fn bound_replies(&mut self) -> usize {
        let hard = self.shared.engine.borrow().max_unread();
        let max = hard.min(self.shared.max_held.get());
        self.replies.set_max_len(self.sent.saturating_add(max));
        max
    }

    /// Forgets all that is held for the client.
    pub(super) fn let_go(&mut self) {
        // A command that has panicked has let go of the engine.
        self.shared.engine.borrow_mut().leave(&mut self.client);
        let held = std::mem::take(&mut self.held);
        self.shared.held.set(self.shared.held.get() - held);
    }
}

impl<S> Drop for Connection<S> {
    fn drop(&mut self) {
        self.let_go();
    }
}
