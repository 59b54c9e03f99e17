//! Commands that wait for a key.
//!
//! A command that finds no member leaves a [`Wait`](crate::client::Wait) with its client, and an
//! entry in the queue of each of its keys. After each command, and therefore never within EXEC,
//! [`Engine::serve`] retries the commands that wait for changed keys, longest wait first.

use std::time::Duration;

use zset_std::Clock;

use super::Engine;
use crate::client::{Client, Session};
use crate::command::State;
use crate::commands::attempt;
use crate::resp::Replies;

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// The command has replied, if the client wants replies.
    Replied,
    /// The command waits for a missing key, for at most the given time. The client should send
    /// nothing else until [`Client::take_served`] or [`Engine::end_waiting`] returns the reply.
    Waits(Option<Duration>),
}

impl<C: Clock> Engine<C> {
    /// Ends a client's wait as if it had timed out and appends the reply; if a member has become
    /// available before, the reply has that member. No-op if the client is not waiting.
    pub fn end_waiting(&mut self, client: &mut Client, replies: &mut Replies) {
        let is_waiting = client.session().wait.is_some();
        if is_waiting {
            client.session_mut().stop_waiting(&mut self.state.keyspace);
            replies.null_array();
        }
        client.take_served(replies);
    }

    /// Serves the clients that wait for keys that have changed.
    pub(super) fn serve(&mut self) {
        let state = &mut self.state;
        while state.keyspace.awaited.is_any_ready() {
            for key in state.keyspace.awaited.take_ready() {
                let mut last = 0;
                while state.keyspace.sorted_set(&key).is_ok_and(|set| !set.is_empty()) {
                    let next = state.keyspace.awaited.next_after(&key, last);
                    let Some((ticket, id)) = next else { break };
                    last = ticket;
                    match state.clients.get(id) {
                        Some(session) => try_again(state, &mut session.borrow_mut()),
                        None => state.keyspace.awaited.quit(std::slice::from_ref(&key), ticket),
                    }
                }
            }
        }
    }
}

/// Retries the command of a waiting client.
fn try_again(state: &mut State, session: &mut Session) {
    let Some(wait) = &session.wait else { return };
    let mut replies = Replies::default();
    replies.set_protocol(session.protocol);
    match attempt(wait.pop, &wait.keys, &mut state.keyspace, &mut replies) {
        Ok(false) => return,
        Ok(true) => {}
        Err(error) => {
            state.stats.errors += 1;
            replies.error(error.bytes());
        }
    }
    session.stop_waiting(&mut state.keyspace);
    session.serve(&replies);
}
