//! [`Engine`]: all data, and the way of a command through it.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use zset_std::{Clock, SystemClock, Timestamp};

use crate::client::{Client, ReplyMode};
use crate::command::Command;
use crate::commands::{self, Throttles};
use crate::config::Config;
use crate::error::CommandError;
use crate::keyspace::Keyspace;
use crate::memory::Memory;
use crate::resp::Replies;
use crate::snapshot::Snapshots;

/// Expired keys that go with each command, so that they go at the rate at which others come.
const EXPIRED_FOR_EACH: usize = 2;

/// All that commands work on. One thread has it.
pub struct Engine<C = SystemClock> {
    pub(crate) state: State,
    clock: C,
}

/// What a command may use.
pub(crate) struct State {
    pub(crate) keyspace: Keyspace,
    pub(crate) rng: Xoshiro256PlusPlus,
    /// The limits of CL.THROTTLE.
    pub(crate) throttles: Throttles,
    pub(crate) config: Config,
    pub(crate) stats: Stats,
    /// When the engine was made.
    pub(crate) started: Timestamp,
    pub(crate) memory: Memory,
    pub(crate) snapshots: Snapshots,
    next_client: u64,
}

/// What INFO counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stats {
    pub(crate) commands: u64,
    pub(crate) errors: u64,
    pub(crate) clients: u64,
    pub(crate) rejected_clients: u64,
    pub(crate) expired_keys: u64,
    pub(crate) connected_clients: usize,
    pub(crate) blocked_clients: usize,
}

/// A command's surroundings.
pub(crate) struct Context<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) client: &'a mut Client,
    pub(crate) replies: &'a mut Replies,
}

impl Engine {
    /// Makes an engine without keys.
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
    /// Does what [`new`](Engine::new) does, with another clock, whose origin is the start of 1970.
    pub fn with_clock(clock: C) -> Self {
        let state = State {
            keyspace: Keyspace::default(),
            rng: Xoshiro256PlusPlus::from_rng(&mut rand::rng()),
            throttles: Throttles::default(),
            config: Config::default(),
            stats: Stats::default(),
            started: clock.now(),
            memory: Memory::default(),
            snapshots: Snapshots::default(),
            next_client: 1,
        };
        Engine { state, clock }
    }

    /// Makes a client.
    pub fn client(&mut self) -> Client {
        let id = self.state.next_client;
        self.state.next_client += 1;
        self.state.stats.clients += 1;
        Client::new(id, self.state.config.password().is_empty(), self.clock.now())
    }

    /// Requires a password of the clients that are made from now on; an empty one requires none.
    pub fn require_password(&mut self, password: &[u8]) {
        self.state.config.set_password(password);
    }

    /// Lets at most `budget` keys go that have expired; returns how many.
    pub fn expire(&mut self, budget: usize) -> usize {
        self.state.keyspace.advance(self.clock.now(), budget)
    }

    /// Forgets what a client that goes has watched and not run.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_server::{Engine, Replies};
    ///
    /// let (mut engine, mut replies) = (Engine::new(), Replies::default());
    /// let mut client = engine.client();
    /// engine.execute(&mut client, &[b"MULTI"], &mut replies);
    /// engine.leave(&mut client);
    /// engine.execute(&mut client, &[b"EXEC"], &mut replies);
    /// assert_eq!(replies.bytes(), b"+OK\r\n-ERR EXEC without MULTI\r\n");
    /// ```
    pub fn leave(&mut self, client: &mut Client) {
        commands::abandon(&mut self.state.keyspace, client);
    }

    /// Runs a command, and adds its reply, or none if the client wants none.
    pub fn execute(&mut self, client: &mut Client, arguments: &[&[u8]], replies: &mut Replies) {
        let expired = self.state.keyspace.advance(self.clock.now(), EXPIRED_FOR_EACH);
        self.state.stats.expired_keys += expired as u64;
        self.state.stats.commands += 1;
        let before = replies.bytes().len();
        if let Err(error) = self.try_execute(client, arguments, replies) {
            self.state.stats.errors += 1;
            replies.truncate(before);
            replies.error_bytes(&error.to_bytes());
        }
        match client.reply_mode {
            ReplyMode::On => {}
            ReplyMode::Off => replies.truncate(before),
            ReplyMode::Skip => {
                replies.truncate(before);
                client.reply_mode = ReplyMode::SkipThis;
            }
            ReplyMode::SkipThis => {
                replies.truncate(before);
                client.reply_mode = ReplyMode::On;
            }
        }
    }

    /// Returns the error of a command that does not run; that of EXEC ends the transaction.
    fn refused(&mut self, client: &mut Client, name: &[u8], error: CommandError) -> CommandError {
        if !name.eq_ignore_ascii_case(b"exec") {
            return error;
        }
        commands::abandon(&mut self.state.keyspace, client);
        let error = error.to_string();
        let reason = error.strip_prefix("ERR ").unwrap_or(&error);
        CommandError::Other(format!("EXECABORT Transaction discarded because of: {reason}").into())
    }

    fn try_execute(
        &mut self,
        client: &mut Client,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Result<(), CommandError> {
        let Some(name) = arguments.first() else { return Ok(()) };
        let command = Command::of(arguments);
        let transaction = &mut client.transaction;
        let command = command.inspect_err(|_| {
            if let Some(transaction) = transaction {
                transaction.is_broken = true;
            }
        });
        let command = command.map_err(|error| self.refused(client, name, error))?;
        if !client.is_authenticated && !command.flags.no_auth {
            return Err(CommandError::Other("NOAUTH Authentication required.".into()));
        }
        if command.flags.deny_oom && self.state.memory.is_beyond(self.state.config.max_memory()) {
            if let Some(transaction) = &mut client.transaction {
                transaction.is_broken = true;
            }
            return Err(CommandError::OutOfMemory);
        }
        if let (Some(transaction), false) = (&mut client.transaction, command.flags.immediate) {
            transaction.commands.push(arguments.iter().map(|argument| argument.to_vec()).collect());
            replies.status("QUEUED");
            return Ok(());
        }
        (command.handler)(&mut Context { state: &mut self.state, client, replies }, arguments)
    }
}
