//! [`Engine`]: owns all data and runs the commands.

use std::time::Duration;

use zset_std::{Clock, SystemClock, Timestamp};

use crate::client::{Client, Clients, Session};
use crate::commands::{Command, Context, Memory, State, Stats, attempt};
use crate::config::Config;
use crate::keyspace::Keyspace;
use crate::replies::{CommandError, Replies};
use crate::requests::RequestLimits;

/// The number of expired keys removed with each command, so that removal keeps up with the creation
/// of keys.
const EXPIRED_FOR_EACH: usize = 2;

/// The error if DEBUG is disabled. It begins with the text of Redis's error.
const DEBUG_REFUSED: &str = "ERR DEBUG command not allowed. Start the server with --enable-debug-command yes to allow \
                             it.";

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// The command has replied.
    Replied,
    /// The command waits for a missing key, for at most the given time (forever if `None`). The
    /// client should send nothing else until [`Client::take_served`] or [`Engine::end_waiting`]
    /// returns the reply.
    Waits(Option<Duration>),
}

/// The data that commands work on, owned by one thread.
pub struct Engine<C = SystemClock> {
    pub(crate) state: State,
    clock: C,
}

impl Engine {
    /// Returns an engine without keys.
    pub fn new() -> Self {
        Engine::with_clock(SystemClock)
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Clock> Engine<C> {
    /// Like [`new`](Engine::new), with a custom clock, whose origin must be the Unix epoch.
    pub fn with_clock(clock: C) -> Self {
        let state = State {
            keyspace: Keyspace::default(),
            config: Config::default(),
            stats: Stats::default(),
            started: clock.now(),
            memory: Memory::default(),
            clients: Clients::default(),
        };
        Engine { state, clock }
    }

    /// Creates a client, which is authenticated if no password is required.
    pub fn client(&mut self) -> Client {
        self.state.stats.clients += 1;
        let is_authenticated = self.state.config.password.is_empty();
        self.state.clients.add(is_authenticated, self.clock.now())
    }

    /// Sets the function that returns the number of allocated bytes; without one, memory counts as
    /// unused.
    pub fn count_memory(&mut self, allocated: Option<fn() -> usize>) {
        self.state.memory.allocated = allocated;
    }

    /// Removes at most `budget` expired keys; returns how many it removed.
    pub(crate) fn expire(&mut self, budget: usize) -> usize {
        self.now();
        self.state.keyspace.expire(budget)
    }

    /// Removes a client that disconnects: discards its transaction and its wait.
    pub fn leave(&mut self, client: &mut Client) {
        let session = &mut client.session_mut();
        session.transaction = None;
        session.stop_waiting(&mut self.state.keyspace);
        session.name = Box::default();
        self.state.clients.remove(session.id);
    }

    /// Reads the clock and updates the current time.
    pub(crate) fn now(&mut self) -> Timestamp {
        self.state.keyspace.set_now(self.clock.now());
        self.state.keyspace.now()
    }

    /// Runs a command and appends its reply.
    ///
    /// If the client is [waiting](Executed::Waits), its wait is [ended](Self::end_waiting) first.
    pub fn execute(
        &mut self,
        client: &mut Client,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Executed {
        self.now();
        self.execute_now(client, arguments, replies)
    }

    /// Like [`execute`](Self::execute), at the time read by the last call of [`now`](Self::now).
    pub(crate) fn execute_now(
        &mut self,
        client: &mut Client,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Executed {
        if client.session().wait.is_some() {
            self.end_waiting(client, replies);
        }
        self.state.keyspace.expire(EXPIRED_FOR_EACH);
        self.state.stats.commands += 1;
        let before = replies.bytes().len();
        let mut session = client.session_mut();
        if let Err(error) = self.try_execute(&mut session, arguments, replies) {
            self.state.stats.errors += 1;
            replies.truncate(before);
            replies.error(error.bytes());
        }
        session.protocol = replies.protocol();
        let executed = match &session.wait {
            Some(wait) => Executed::Waits(wait.limit),
            None => Executed::Replied,
        };
        drop(session);
        // Serve waiting clients only after the whole command or transaction has run.
        if self.state.keyspace.awaited.is_any_ready() {
            self.serve();
        }
        executed
    }

    /// Returns the limits on a client's requests.
    pub(crate) fn request_limits(&self, client: &Client) -> RequestLimits {
        if client.session().is_authenticated {
            let max_argument_len = self.state.config.max_bulk_len;
            RequestLimits { max_argument_len, ..RequestLimits::MAX }
        } else {
            RequestLimits::UNAUTHENTICATED
        }
    }

    /// Disconnects clients that have been connected for `time` without authenticating.
    pub(crate) fn close_strangers(&mut self, time: Duration) {
        let now = self.clock.now();
        let State { clients, keyspace, .. } = &mut self.state;
        for session in clients.iter() {
            let session = &mut session.borrow_mut();
            if !session.is_authenticated && now.saturating_duration_since(session.since) >= time {
                session.kill(keyspace);
            }
        }
    }

    fn try_execute(
        &mut self,
        client: &mut Session,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Result<(), CommandError> {
        let Some(name) = arguments.first() else { return Ok(()) };
        let command = match self.check(client, arguments) {
            Ok(command) => command,
            Err(error) => return Err(Self::refuse(client, name, error)),
        };
        if let Some(transaction) = &mut client.transaction
            && !matches!(command.name, "exec" | "discard" | "reset" | "quit")
        {
            transaction.queue(arguments, RequestLimits::MAX.max_request_len)?;
            transaction.may_grow |= command.may_grow;
            replies.status("QUEUED");
            return Ok(());
        }
        (command.handler)(&mut Context { state: &mut self.state, client, replies }, arguments)
    }

    /// Returns the command that the arguments name, if the client may run it now.
    fn check(
        &mut self,
        client: &mut Session,
        arguments: &[&[u8]],
    ) -> Result<&'static Command, CommandError> {
        let is_for_all =
            || Command::named_by(arguments).is_ok_and(|command| command.has("no_auth"));
        if !client.is_authenticated && !is_for_all() {
            // An unknown command gets the same error, so that the reply does not reveal which
            // commands exist.
            return Err(CommandError::new("NOAUTH Authentication required."));
        }
        let command = Command::of(arguments)?;
        if client.transaction.is_some() && command.has("no_multi") {
            let text = format!("Command '{}' not allowed inside a transaction", command.name);
            return Err(CommandError::err(text));
        }
        let config = &self.state.config;
        if command.name == "debug" && !config.allows_debug {
            return Err(CommandError::new(DEBUG_REFUSED));
        }
        let may_grow = match &client.transaction {
            Some(transaction) if command.name == "exec" => transaction.may_grow,
            _ => command.may_grow,
        };
        if may_grow && self.state.memory.is_beyond(config.max_memory) {
            return Err(CommandError::OUT_OF_MEMORY);
        }
        Ok(command)
    }

    /// Returns the error for a rejected command. A rejected EXEC discards the transaction; any
    /// other rejected command marks the transaction as broken.
    fn refuse(client: &mut Session, name: &[u8], error: CommandError) -> CommandError {
        if !name.eq_ignore_ascii_case(b"exec") {
            if let Some(transaction) = &mut client.transaction {
                transaction.is_broken = true;
            }
            return error;
        }
        client.transaction = None;
        let error = error.to_string();
        let reason = error.strip_prefix("ERR ").unwrap_or(&error);
        CommandError::new(format!("EXECABORT Transaction discarded because of: {reason}"))
    }
}

// Blocking commands. If a blocking command finds no member, it stores a `Wait` in its client's
// session and adds the client to the queue of each of its keys. After a command has written to such
// a key, `serve` retries the commands of the clients in the queue of that key, the longest-waiting
// client first. An EXEC counts as a single command.
impl<C: Clock> Engine<C> {
    /// Ends a client's wait as if it had timed out and appends the reply. If the command has
    /// already been served, appends that reply instead. No-op if there is neither a wait nor a
    /// reply.
    pub fn end_waiting(&mut self, client: &mut Client, replies: &mut Replies) {
        let is_waiting = client.session().wait.is_some();
        if is_waiting {
            client.session_mut().stop_waiting(&mut self.state.keyspace);
            replies.null_array();
        }
        client.take_served(replies);
    }

    /// Serves the clients that wait for keys that have been written to.
    fn serve(&mut self) {
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
