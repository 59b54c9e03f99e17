//! The memory held for a client.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Connection, End, Event};

/// The capacity that an empty reply buffer may keep, normally and while memory for clients is scarce.
const MAX_KEPT: usize = 256 * 1024;
const MAX_KEPT_IF_SCARCE: usize = 16 * 1024;

impl<S> Connection<S> {
    /// Returns the number of reply bytes not yet sent.
    pub(super) fn unsent(&self) -> usize {
        self.replies.bytes().len() - self.sent
    }

    /// Returns the capacity that an empty reply buffer may keep.
    pub(super) fn max_kept(&self) -> usize {
        if self.shared.is_scarce() { MAX_KEPT_IF_SCARCE } else { MAX_KEPT }
    }

    /// Reports the memory held for the client. If all clients together hold too much, some are
    /// disconnected.
    pub(super) fn tell_held(&mut self) {
        let (requests, replies) = (self.requests.len(), self.unsent());
        let memory = self.requests.capacity() + self.replies.capacity();
        let mut session = self.client.session_mut();
        if session.is_killed {
            // The memory is about to be freed, and stays counted until then.
            return;
        }
        let buffered = &mut session.buffered;
        (buffered.requests, buffered.replies) = (requests, replies);
        buffered.spare = memory - requests - replies;
        let (id, before) = (session.id, self.held);
        self.held = session.held_bytes();
        drop(session);
        self.shared.change_held(id, before, self.held);
    }

    /// Limits the size of subsequent replies; returns the maximum number of unsent bytes.
    pub(super) fn bound_replies(&mut self) -> usize {
        let hard = self.shared.engine.borrow().max_unread();
        let max = hard.min(self.shared.max_held_of(self.held));
        self.replies.set_max_len(self.sent.saturating_add(max));
        max
    }

    /// Waits until all clients together hold less, sending replies meanwhile.
    pub(super) async fn wait_for_room(&mut self) -> Result<(), End>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let shared = Rc::clone(&self.shared);
        let mut freed = pin!(shared.freed.notified());
        poll_fn(|cx| {
            if let Some(Event::Killed) = self.poll_others(cx) {
                return Poll::Ready(Err(End::Killed));
            }
            while self.unsent() > 0
                && let Poll::Ready(result) = self.poll_send(cx)
            {
                if let Err(error) = result {
                    return Poll::Ready(Err(End::Io(error)));
                }
            }
            freed.as_mut().poll(cx).map(Ok)
        })
        .await
    }

    /// Releases everything held for the client.
    pub(super) fn let_go(&mut self) {
        // The engine is not borrowed here, even after a command has panicked.
        self.shared.engine.borrow_mut().leave(&mut self.client);
        let (id, closing) = {
            let session = &mut self.client.session_mut();
            (session.id, std::mem::take(&mut session.buffered.closing))
        };
        self.shared.closing.set(self.shared.closing.get().saturating_sub(closing));
        self.shared.change_held(id, std::mem::take(&mut self.held), 0);
    }
}

impl<S> Drop for Connection<S> {
    fn drop(&mut self) {
        self.let_go();
    }
}
