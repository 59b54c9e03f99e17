//! CLIENT PAUSE: suspends all commands, or those that may modify keys.

use std::time::Duration;

use zset_std::{Clock, Timestamp};

use super::{Engine, State};
use crate::client::Client;
use crate::command::Command;

/// A pause requested by a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    pub(crate) until: Timestamp,
    pub(crate) paused: Paused,
}

/// The commands that are suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paused {
    All,
    Writes,
}

impl<C: Clock> Engine<C> {
    /// Returns how long a pause suspends a command, if it does.
    pub(crate) fn paused_for(
        &mut self,
        client: &mut Client,
        arguments: &[&[u8]],
    ) -> Option<Duration> {
        let pause = self.state.pause?;
        let left = pause.until.saturating_duration_since(self.state.keyspace.now());
        if left.is_zero() {
            self.state.pause = None;
            return None;
        }
        let session = &mut *client.session_mut();
        let may_write = Command::of(arguments).is_ok_and(|command| {
            let transaction = session.transaction.as_ref().filter(|_| command.name == "exec");
            command.flags.write || transaction.is_some_and(|transaction| transaction.may_write)
        });
        session.is_paused = pause.paused == Paused::All || may_write;
        session.is_paused.then_some(left)
    }
}

impl State {
    /// Begins a pause, or extends the current one.
    pub(crate) fn begin_pause(&mut self, length: Duration, paused: Paused) {
        let now = self.keyspace.now();
        let old = self.pause.map_or(now, |pause| pause.until);
        self.pause = Some(Pause { until: old.max(now.saturating_add(length)), paused });
    }

    /// Ends a pause. The calling client is not paused.
    pub(crate) fn end_pause(&mut self) {
        self.pause = None;
        for session in self.clients.iter() {
            if let Ok(mut session) = session.try_borrow_mut() {
                session.resume();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ask;

    #[test]
    fn the_end_of_a_pause_of_all_waits_for_it_too() {
        let mut engine = Engine::new();
        let (mut one, mut other) = (engine.client(), engine.client());
        ask(&mut engine, &mut one, "CLIENT PAUSE 100000 WRITE");
        assert_eq!(engine.paused_for(&mut other, &[b"CLIENT", b"UNPAUSE"]), None);
        assert!(engine.paused_for(&mut other, &[b"SET", b"key", b"value"]).is_some());
        // As in Redis and Valkey.
        ask(&mut engine, &mut one, "CLIENT PAUSE 100000 ALL");
        assert!(engine.paused_for(&mut other, &[b"CLIENT", b"UNPAUSE"]).is_some());
    }
}
