//! What is held for a client.

use super::Connection;

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
        (session.buffered.requests, session.buffered.replies) = (requests, replies);
        let before = std::mem::replace(&mut self.held, session.held_bytes());
        drop(session);
        let all = self.shared.held.get() - before + self.held;
        self.shared.held.set(all);
        let max = self.shared.limits.all_clients;
        if all > max && self.held > before {
            self.shared.engine.borrow_mut().close_largest(max);
        }
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
