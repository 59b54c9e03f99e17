//! Memory held for clients, and which clients are disconnected to bound it.

use std::cmp::Reverse;

use tracing::warn;
use zset_std::Clock;

use super::Engine;
use crate::client::Session;
use crate::command::State;

/// Clients may use at least this fraction (one eighth) of the memory limit, however much data there
/// is.
const LEAST_OF_MEMORY: usize = 8;

/// The number of unread bytes exempt from limits: the size of Redis's reply buffer within a client.
const NOT_COUNTED: usize = 16 * 1024;

impl<C: Clock> Engine<C> {
    /// Disconnects clients whose unread replies have exceeded the soft limit for too long, or
    /// exceed a hard limit that has been lowered.
    pub(crate) fn close_over_limits(&mut self) {
        let limit = self.state.config.output_limit;
        let (max_soft, max_hard) = (max_of(limit.soft), self.max_unread());
        let now = self.clock.now();
        let State { clients, keyspace, .. } = &mut self.state;
        for session in clients.iter() {
            let session = &mut *session.borrow_mut();
            let unread = session.buffered.replies;
            if unread <= max_soft {
                session.buffered.over_soft_since = None;
            }
            let is_over_soft = unread > max_soft && {
                let since = *session.buffered.over_soft_since.get_or_insert(now);
                now.saturating_duration_since(since) > limit.soft_time
            };
            if (is_over_soft || unread > max_hard) && !session.is_killed {
                let peer = &session.address;
                warn!(
                    peer,
                    unread, "closed: too many unread replies, by client-output-buffer-limit"
                );
                session.kill(keyspace);
            }
        }
    }

    /// Returns the number of reply bytes that a client may leave unread.
    pub(crate) fn max_unread(&self) -> usize {
        max_of(self.state.config.output_limit.hard)
    }

    /// Returns the bound on bytes held for all clients, of which `held` are in use: `most`, or the
    /// rest of the memory limit besides the data if that is less, but never less than `least`. A
    /// server full of data can still reply.
    pub(crate) fn max_held(&mut self, held: usize, least: usize, most: usize) -> usize {
        let max = self.state.config.max_memory;
        if max == 0 {
            return most;
        }
        let (used, _) = self.state.memory.look();
        let data = used.saturating_sub(held);
        let least = least.max(max / LEAST_OF_MEMORY).min(most);
        max.saturating_sub(data).clamp(least, most)
    }

    /// Disconnects the clients that hold the most until at most `max` bytes are held in total,
    /// starting with those that do not read. Returns the number of bytes to be freed.
    pub(crate) fn close_largest(&mut self, max: usize) -> usize {
        let clients: Vec<_> = self.state.clients.iter().collect();
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
            session.kill(&mut self.state.keyspace);
        }
        all - held
    }
}

/// Returns the number of reply bytes that a limit allows. As in Redis, the first bytes are not
/// counted, or a tiny limit would disconnect every client.
fn max_of(limit: usize) -> usize {
    match limit {
        0 => usize::MAX,
        limit => limit.saturating_add(NOT_COUNTED),
    }
}

/// Returns whether a client reads its replies, or has left too few unread to justify a
/// disconnection.
fn is_read(session: &Session) -> bool {
    !session.buffered.is_blocked || session.buffered.replies <= NOT_COUNTED
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
        assert_eq!(engine.close_largest(950_000), 100_000);
        let is_killed = [&deaf, &reader, &tiny].map(|client| client.session().is_killed);
        assert_eq!(is_killed, [true, false, false]);
    }

    #[test]
    fn clients_may_hold_the_memory_that_the_data_leaves() {
        let mut engine = Engine::new();
        assert_eq!(engine.max_held(10, 100, 1000), 1000);
        engine.count_memory(Some(|| 1000));
        for (max, held, room) in [
            (8000, 500, 1000),
            (1500, 500, 1000),
            (1500, 0, 500),
            // The minimum for clients, or an eighth.
            (1050, 0, 131),
            (900, 0, 112),
            (500, 0, 100),
        ] {
            engine.state.config.max_memory = max;
            assert_eq!(engine.max_held(held, 100, 1000), room, "{max} {held}");
        }
    }
}
