//! [`Engine`]: all data, and the execution of commands.

mod buffers;
mod pause;
mod waiting;

use std::path::Path;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use zset_std::{Clock, SystemClock, Timestamp};

use crate::client::{Client, Clients, ReplyMode, Session, Transaction};
use crate::command::{Calls, Command};
use crate::commands::{self, Throttles};
use crate::config::{Config, DebugCommand, OutputLimits};
use crate::error::CommandError;
use crate::keyspace::Keyspace;
use crate::memory::Memory;
use crate::resp::{Replies, RequestLimits};
use crate::snapshot::{SnapshotError, Snapshots};

pub(crate) use buffers::LOOKS;
pub(crate) use pause::{Pause, Paused};
pub(crate) use waiting::Ending;
pub use waiting::Executed;

/// The number of expired keys removed with each command, so that removal keeps up with the creation of
/// keys.
const EXPIRED_FOR_EACH: usize = 2;

/// The error if DEBUG is disabled; it begins like that of Redis.
const DEBUG_REFUSED: &str = "ERR DEBUG command not allowed. If the enable-debug-command option is set to \
                             \"local\", you can run it from a local connection, otherwise start the \
                             server with --enable-debug-command local or yes.";

/// The data that commands work on, owned by one thread.
pub struct Engine<C = SystemClock> {
    pub(crate) state: State,
    clock: C,
}

/// The state available to commands.
pub(crate) struct State {
    pub(crate) keyspace: Keyspace,
    pub(crate) rng: Xoshiro256PlusPlus,
    /// The limits of CL.THROTTLE.
    pub(crate) throttles: Throttles,
    pub(crate) config: Config,
    pub(crate) stats: Stats,
    /// When the engine was created.
    pub(crate) started: Timestamp,
    pub(crate) memory: Memory,
    pub(crate) snapshots: Snapshots,
    pub(crate) calls: Calls,
    pub(crate) clients: Clients,
    pub(crate) pause: Option<Pause>,
    /// Blocks the thread, for DEBUG SLEEP.
    pub(crate) sleep: Box<dyn Fn(Duration)>,
    /// The maximum size of a client's queued commands, and of its watched keys, in bytes.
    pub(crate) max_left: usize,
}

/// Counters for INFO.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stats {
    pub(crate) commands: u64,
    pub(crate) errors: u64,
    pub(crate) clients: u64,
    pub(crate) rejected_clients: u64,
    pub(crate) blocked_clients: usize,
}

/// The context in which a command runs.
pub(crate) struct Context<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) client: &'a mut Session,
    pub(crate) replies: &'a mut Replies,
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
            rng: Xoshiro256PlusPlus::from_rng(&mut rand::rng()),
            throttles: Throttles::default(),
            config: Config::default(),
            stats: Stats::default(),
            started: clock.now(),
            memory: Memory::default(),
            snapshots: Snapshots::default(),
            calls: Calls::default(),
            clients: Clients::default(),
            pause: None,
            sleep: Box::new(std::thread::sleep),
            max_left: RequestLimits::MAX.max_request_len,
        };
        Engine { state, clock }
    }

    /// Creates a client.
    pub fn client(&mut self) -> Client {
        self.state.stats.clients += 1;
        let is_authenticated = self.state.config.password().is_empty();
        self.state.clients.add(is_authenticated, self.clock.now())
    }

    /// Requires a password of clients created from now on; an empty one means that none is required.
    pub fn require_password(&mut self, password: &[u8]) {
        self.state.config.set_password(password);
    }

    /// Makes CONFIG SET reject an empty password.
    pub(crate) fn insist_on_password(&mut self) {
        self.state.config.insist_on_password();
    }

    /// Sets which clients may use DEBUG.
    pub(crate) fn allow_debug(&mut self, allowed: DebugCommand) {
        self.state.config.set_debug_command(allowed);
    }

    /// Sets the limits on clients' unread replies.
    pub(crate) fn limit_output(&mut self, limits: OutputLimits) {
        self.state.config.set_output_limits(limits);
    }

    /// Sets the memory limit of the data in bytes; 0 means no limit.
    pub(crate) fn limit_memory(&mut self, max: u64) {
        self.state.config.set_max_memory(max);
    }

    /// Sets the maximum number of clients, and how many the operating system allows.
    pub(crate) fn limit_clients(&mut self, max: usize, possible: usize) {
        self.state.config.set_max_clients(max, possible);
    }

    /// Returns the maximum number of clients.
    pub(crate) fn max_clients(&self) -> usize {
        self.state.config.max_clients()
    }

    /// Counts a client that was refused because there were too many.
    pub(crate) fn refuse_client(&mut self) {
        self.state.stats.rejected_clients += 1;
    }

    /// Sets the function that returns the number of allocated bytes; without one, memory counts as
    /// unused.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_server::{Engine, Replies};
    ///
    /// let (mut engine, mut replies) = (Engine::new(), Replies::default());
    /// let mut client = engine.client();
    /// engine.count_memory(Some(|| 2000));
    /// engine.execute(&mut client, &[b"CONFIG", b"SET", b"maxmemory", b"1kb"], &mut replies);
    /// replies.clear();
    /// engine.execute(&mut client, &[b"SET", b"key", b"value"], &mut replies);
    /// assert!(replies.bytes().starts_with(b"-OOM "));
    /// ```
    pub fn count_memory(&mut self, allocated: Option<fn() -> usize>) {
        self.state.memory = Memory::new(allocated);
    }

    /// Sets how DEBUG SLEEP blocks the thread.
    pub(crate) fn sleep_with(&mut self, sleep: impl Fn(Duration) + 'static) {
        self.state.sleep = Box::new(sleep);
    }

    /// Makes SAVE write to a file, and loads that file if it exists, replacing all current keys.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be loaded, or could not be replaced later. The
    /// keys and the file are then unchanged.
    pub fn open_snapshot(&mut self, path: &Path) -> Result<(), SnapshotError> {
        self.expire(0);
        let state = &mut self.state;
        state.snapshots.open(path, &mut state.keyspace, state.config.limits())
    }

    /// Saves the keys to the file of [`open_snapshot`](Self::open_snapshot), if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if saving fails. Even then the file is complete, either the old one or the new
    /// one.
    pub fn save(&mut self) -> Result<(), SnapshotError> {
        self.expire(0);
        self.state.snapshots.save(&self.state.keyspace).map(|_| ())
    }

    /// Like [`save`](Self::save), but a no-op if nothing has changed since.
    pub(crate) fn save_changes(&mut self) -> Result<(), SnapshotError> {
        if self.state.snapshots.is_saved(&self.state.keyspace) { Ok(()) } else { self.save() }
    }

    /// Removes at most `budget` expired keys; returns how many it removed.
    pub fn expire(&mut self, budget: usize) -> usize {
        self.state.keyspace.set_now(self.clock.now());
        self.state.keyspace.expire(budget)
    }

    /// Removes a client that disconnects: discards its transaction and its wait, and stops watching its
    /// keys. If a client is dropped without this call, the records of its watched keys leak.
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
        let session = &mut client.session_mut();
        commands::abandon(&mut self.state.keyspace, session);
        self.state.forget_waiting(session);
        session.name = Box::default();
        session.library = Default::default();
        self.state.clients.remove(session.id);
    }

    /// Runs a command and appends its reply, unless the client wants none.
    ///
    /// If the client is [waiting](Executed::Waits), its wait is [ended](Self::end_waiting) first.
    pub fn execute(
        &mut self,
        client: &mut Client,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Executed {
        self.begin(client);
        self.execute_now(client, arguments, replies)
    }

    /// Reads the clock for the commands up to the next call, and marks the client as active.
    pub(crate) fn begin(&mut self, client: &mut Client) -> Timestamp {
        self.state.keyspace.set_now(self.clock.now());
        let session = &mut client.session_mut();
        session.last_seen = self.state.keyspace.now();
        session.is_paused = false;
        session.is_slow = false;
        session.buffered.is_idle = false;
        session.last_seen
    }

    /// Like [`execute`](Self::execute), at the time read by the last [`begin`](Self::begin).
    pub(crate) fn execute_now(
        &mut self,
        client: &mut Client,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Executed {
        if client.session().wait.is_some() {
            self.end_waiting(client, replies);
        }
        let executed = self.execute_in(&mut client.session_mut(), arguments, replies);
        // Waiting clients are served only after the whole command or transaction.
        if self.state.keyspace.awaited.is_any_ready() {
            client.session_mut().is_slow = true;
            self.serve();
        }
        executed
    }

    fn execute_in(
        &mut self,
        session: &mut Session,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Executed {
        let state = &mut self.state;
        state.keyspace.expire(EXPIRED_FOR_EACH);
        state.stats.commands += 1;
        let before = replies.bytes().len();
        if let Err(error) = self.try_execute(session, arguments, replies) {
            self.state.stats.errors += 1;
            replies.truncate(before);
            replies.error_bytes(&error.to_bytes());
        }
        session.protocol = replies.protocol();
        match session.reply_mode {
            ReplyMode::On => {}
            ReplyMode::Off => replies.truncate(before),
            ReplyMode::Skip => {
                replies.truncate(before);
                session.reply_mode = ReplyMode::SkipThis;
            }
            ReplyMode::SkipThis => {
                replies.truncate(before);
                session.reply_mode = ReplyMode::On;
            }
        }
        match &session.wait {
            Some(wait) => Executed::Waits(wait.limit),
            None => Executed::Replied,
        }
    }

    /// Returns the limits on a client's requests.
    pub(crate) fn request_limits(&self, client: &Client) -> RequestLimits {
        if client.session().is_authenticated {
            let max_argument_len = self.state.config.max_bulk_len();
            RequestLimits { max_argument_len, ..RequestLimits::MAX }
        } else {
            RequestLimits::UNAUTHENTICATED
        }
    }

    /// Disconnects clients that have sent no command for too long.
    pub(crate) fn close_idle(&mut self) {
        let limit = Duration::from_secs(self.state.config.timeout() as u64);
        if limit.is_zero() {
            return;
        }
        let now = self.clock.now();
        let idle: Vec<_> = self.state.clients.iter().collect();
        for session in idle {
            let session = &mut session.borrow_mut();
            // A client that waits for a key is not idle.
            let is_idle = now.saturating_duration_since(session.last_seen) > limit;
            // Nor is one with unread replies; if it does not read them, it is disconnected sooner.
            let is_busy = session.wait.is_some() || session.buffered.replies > 0;
            if is_idle && !is_busy && !session.is_paused {
                self.state.kill(session);
            }
        }
    }

    /// Disconnects clients that have been connected for `time` without authenticating.
    pub(crate) fn close_strangers(&mut self, time: Duration) {
        let now = self.clock.now();
        let clients: Vec<_> = self.state.clients.iter().collect();
        for session in clients {
            let session = &mut session.borrow_mut();
            if !session.is_authenticated && now.saturating_duration_since(session.since) >= time {
                self.state.kill(session);
            }
        }
    }

    /// Returns the error of a rejected command; if the command is EXEC, the transaction is discarded.
    fn refused(&mut self, client: &mut Session, name: &[u8], error: CommandError) -> CommandError {
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
        client: &mut Session,
        arguments: &[&[u8]],
        replies: &mut Replies,
    ) -> Result<(), CommandError> {
        let Some(name) = arguments.first() else { return Ok(()) };
        let is_for_all = || Command::named_by(arguments).is_ok_and(|command| command.flags.no_auth);
        if !client.is_authenticated && !is_for_all() {
            // Return the same error for unknown commands, so that it does not reveal which commands
            // exist.
            let error = CommandError::Other("NOAUTH Authentication required.".into());
            return Err(self.refused(client, name, error));
        }
        let command = Command::of(arguments);
        let command = command.map_err(|error| {
            let error = refused_in(&mut client.transaction, error);
            self.refused(client, name, error)
        })?;
        client.command = Some(command);
        if command.flags.no_multi && client.transaction.is_some() {
            let text = format!("Command '{}' not allowed inside a transaction", command.name);
            return Err(refused_in(&mut client.transaction, CommandError::err(text)));
        }
        let debug_command = self.state.config.debug_command();
        if command.flags.protected && !debug_command.allows(!client.is_remote) {
            let error = CommandError::Other(DEBUG_REFUSED.into());
            return Err(refused_in(&mut client.transaction, error));
        }
        self.check_memory(client, command)?;
        if let (Some(transaction), false) = (&mut client.transaction, command.flags.immediate) {
            transaction.queue(arguments, self.state.max_left)?;
            transaction.may_grow |= command.flags.deny_oom;
            transaction.may_write |= command.flags.write;
            replies.status("QUEUED");
            return Ok(());
        }
        command.call(&mut Context { state: &mut self.state, client, replies }, arguments)
    }

    /// Rejects a command that may allocate if memory is over the limit.
    fn check_memory(
        &mut self,
        client: &mut Session,
        command: &Command,
    ) -> Result<(), CommandError> {
        let is_exec = command.name == "exec";
        let may_grow = match &client.transaction {
            Some(transaction) if is_exec => transaction.may_grow,
            _ => command.flags.deny_oom,
        };
        let max = self.state.config.max_memory();
        if !may_grow || !self.state.memory.is_beyond(max) {
            return Ok(());
        }
        if is_exec {
            return Err(self.refused(client, b"exec", CommandError::OutOfMemory));
        }
        Err(refused_in(&mut client.transaction, CommandError::OutOfMemory))
    }
}

/// Breaks the transaction, if there is one, and returns the error of the command that broke it.
fn refused_in(transaction: &mut Option<Transaction>, error: CommandError) -> CommandError {
    if let Some(transaction) = transaction {
        transaction.is_broken = true;
    }
    error
}
