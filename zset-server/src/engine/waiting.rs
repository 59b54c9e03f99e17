//! Commands that wait for a key, and how they are served.
//!
//! A command that finds no member leaves a [`Wait`](crate::commands::Wait) with its client, and a place in
//! the queue of each of its keys. After each command, so never within EXEC, [`Engine::serve`] looks at the
//! keys that have changed and are waited for. Who waits longest for one of them has its command tried
//! again, with all of its keys in their order. The reply lies with the client until it is fetched.

use std::time::Duration;

use zset_core::ZSet;
use zset_std::Clock;

use super::{Engine, State};
use crate::client::{Client, Session};
use crate::error::CommandError;
use crate::resp::Replies;

/// How a command has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// With its reply, if the client wants any.
    Replied,
    /// It waits for a key that is not there, for so long at most. Until [`Client::take_served`] or
    /// [`Engine::end_waiting`] brings its reply, the client has nothing else to ask.
    Waits(Option<Duration>),
}

/// Why a client waits no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Its time is over.
    TimeOut,
    /// Another client wants it so.
    Unblocked,
}

impl<C: Clock> Engine<C> {
    /// Has a client wait no longer, as if its time were over, and adds the reply; it is that of a key, if
    /// one has come before. Nothing happens to a client that does not wait.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_server::{Engine, Replies};
    ///
    /// let (mut engine, mut replies) = (Engine::new(), Replies::default());
    /// let mut client = engine.client();
    /// client.allow_waiting();
    /// engine.execute(&mut client, &[b"BZPOPMAX", b"jobs", b"0"], &mut replies);
    /// engine.end_waiting(&mut client, &mut replies);
    /// assert_eq!(replies.bytes(), b"*-1\r\n");
    /// ```
    pub fn end_waiting(&mut self, client: &mut Client, replies: &mut Replies) {
        self.state.end_waiting(&mut client.session_mut(), Ending::TimeOut);
        client.take_served(replies);
    }

    /// Has those go on who wait for keys that have changed.
    pub(super) fn serve(&mut self) {
        let state = &mut self.state;
        while state.keyspace.awaited.is_any_ready() {
            for key in state.keyspace.awaited.take_ready() {
                let mut last = 0;
                while let Ok(Some(_)) = state.keyspace.get::<ZSet>(&key) {
                    let next = state.keyspace.awaited.next_after(&key, last);
                    let Some((ticket, id)) = next else { break };
                    last = ticket;
                    match state.clients.get(id) {
                        Some(session) => state.try_again(&mut session.borrow_mut()),
                        None => state.keyspace.awaited.quit(std::slice::from_ref(&key), ticket),
                    }
                }
            }
        }
    }
}

impl State {
    /// Tries once more what a client waits for.
    fn try_again(&mut self, session: &mut Session) {
        let Some(wait) = &session.wait else { return };
        let mut replies = Replies::default();
        replies.set_protocol(session.protocol);
        match wait.attempt(&mut self.keyspace, &mut replies) {
            Ok(false) => return,
            Ok(true) => {}
            Err(error) => {
                self.stats.errors += 1;
                replies.error(&CommandError::from(error).to_string());
            }
        }
        self.stop_waiting(session);
        session.serve(&replies);
    }

    /// Has a client wait no longer, and answers why; returns whether it has waited.
    pub(crate) fn end_waiting(&mut self, session: &mut Session, ending: Ending) -> bool {
        if session.wait.is_none() {
            return false;
        }
        self.stop_waiting(session);
        let mut replies = Replies::default();
        replies.set_protocol(session.protocol);
        match ending {
            Ending::TimeOut => replies.null_array(),
            Ending::Unblocked => {
                self.stats.errors += 1;
                replies.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
            }
        }
        session.serve(&replies);
        true
    }

    /// Takes a client out of all queues.
    fn stop_waiting(&mut self, session: &mut Session) {
        if let Some(wait) = &session.wait {
            self.keyspace.awaited.quit(&wait.keys, wait.ticket);
            self.stats.blocked_clients -= 1;
            // It could not ask for anything before, so it is not idle.
            session.last_seen = self.keyspace.now();
        }
    }

    /// Sends a client away: nothing more is done for it.
    pub(crate) fn kill(&mut self, session: &mut Session) {
        self.stop_waiting(session);
        session.wait = None;
        session.is_killed = true;
        session.wake();
    }

    /// Forgets what a client waits for.
    pub(super) fn forget_waiting(&mut self, session: &mut Session) {
        self.stop_waiting(session);
        session.wait = None;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use zset_std::FakeClock;

    use crate::testing::ask;
    use crate::{Engine, Replies};

    #[test]
    fn a_set_that_takes_the_place_of_another_type_serves_who_waits() {
        let mut engine = Engine::new();
        let (mut waiting, mut other) = (engine.client(), engine.client());
        waiting.allow_waiting();
        for line in ["ZUNIONSTORE key 1 from", "ZRANGESTORE key from 0 -1"] {
            assert_eq!(ask(&mut engine, &mut waiting, "BZPOPMIN key 0"), "");
            let mut replies = Replies::default();
            for line in ["SET key value", "ZADD from 1 a"] {
                ask(&mut engine, &mut other, line);
                assert!(!waiting.take_served(&mut replies));
            }
            // In Redis and Valkey that wakes nobody.
            assert_eq!(ask(&mut engine, &mut other, line), ":1\r\n");
            assert!(waiting.take_served(&mut replies), "{line}");
            assert_eq!(replies.bytes(), b"*3\r\n$3\r\nkey\r\n$1\r\na\r\n$1\r\n1\r\n");
        }
    }

    #[test]
    fn a_client_that_is_dropped_takes_nothing() {
        let mut engine = Engine::new();
        let (mut waiting, mut other) = (engine.client(), engine.client());
        waiting.allow_waiting();
        ask(&mut engine, &mut waiting, "BZPOPMIN key 0");
        drop(waiting);
        ask(&mut engine, &mut other, "ZADD key 1 a");
        assert_eq!(ask(&mut engine, &mut other, "ZCARD key"), ":1\r\n");
        assert_eq!(ask(&mut engine, &mut other, "CLIENT LIST").matches("id=").count(), 1);
        assert_eq!(engine.state.clients.len(), 1);
        assert_eq!(engine.state.keyspace.awaited.next_after(b"key", 0), None);
    }

    #[test]
    fn who_was_just_served_is_not_idle_whenever_it_asked() {
        let clock = FakeClock::new();
        let mut engine = Engine::with_clock(clock.clone());
        let [mut waiting, mut idle, mut other] = [(); 3].map(|()| engine.client());
        waiting.allow_waiting();
        let mut replies = Replies::default();
        engine.execute(&mut other, &[b"CONFIG", b"SET", b"timeout", b"60"], &mut replies);
        engine.execute(&mut waiting, &[b"BZPOPMIN", b"key", b"0"], &mut replies);
        clock.advance(Duration::from_secs(61));
        engine.begin(&mut other);
        engine.close_idle();
        assert!(idle.session().is_killed && !waiting.session().is_killed);
        engine.leave(&mut idle);
        engine.execute(&mut other, &[b"ZADD", b"key", b"1", b"a"], &mut replies);
        engine.close_idle();
        assert!(!waiting.session().is_killed && !other.session().is_killed);
        assert!(waiting.take_served(&mut replies));
        clock.advance(Duration::from_secs(61));
        engine.close_idle();
        assert!(waiting.session().is_killed && other.session().is_killed);
    }

    #[test]
    fn who_asks_while_waiting_waits_no_longer() {
        let mut engine = Engine::new();
        let (mut waiting, mut other) = (engine.client(), engine.client());
        waiting.allow_waiting();
        ask(&mut engine, &mut waiting, "BZPOPMIN key 0");
        assert_eq!(ask(&mut engine, &mut waiting, "PING"), "*-1\r\n+PONG\r\n");
        ask(&mut engine, &mut other, "ZADD key 1 a");
        assert!(!waiting.take_served(&mut Replies::default()));
        assert_eq!(ask(&mut engine, &mut other, "ZCARD key"), ":1\r\n");
    }
}
