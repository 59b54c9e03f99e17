//! [`Client`]: what the server knows of who asks.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::{BTreeMap, HashMap};
use std::rc::{Rc, Weak};
use std::task::Waker;

use zset_std::{RandomState, Timestamp};

use crate::command::Command;
use crate::commands::Wait;
use crate::error::CommandError;
use crate::keyspace::{Bytes, Version};
use crate::resp::{Protocol, Replies};

/// One connection, or the shell.
///
/// Its commands are answered at once; those that could wait for a key, as BZPOPMIN, are too, as if their
/// time were over, unless the client [may wait](Client::allow_waiting).
#[derive(Debug, Default)]
pub struct Client {
    session: Rc<RefCell<Session>>,
}

impl Client {
    /// Notes where the client is, for CLIENT LIST.
    pub fn set_address(&mut self, address: String) {
        self.session_mut().address = address;
    }

    /// Notes at which address of the server it came in, for CLIENT LIST.
    pub fn set_local_address(&mut self, address: String) {
        self.session_mut().local_address = address;
    }

    /// Lets the client's commands wait, since something will ask whether they have been served: see
    /// [`Executed::Waits`](crate::Executed::Waits).
    pub fn allow_waiting(&mut self) {
        self.session_mut().may_wait = true;
    }

    /// Adds the reply to what the client has waited for, if it is there; returns whether it is.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_server::{Engine, Executed, Replies};
    ///
    /// let (mut engine, mut replies, mut others) = (Engine::new(), Replies::default(), Replies::default());
    /// let (mut client, mut other) = (engine.client(), engine.client());
    /// client.allow_waiting();
    /// let executed = engine.execute(&mut client, &[b"BZPOPMIN", b"jobs", b"0"], &mut replies);
    /// assert_eq!(executed, Executed::Waits(None));
    /// assert!(!client.take_served(&mut replies));
    ///
    /// engine.execute(&mut other, &[b"ZADD", b"jobs", b"1", b"mail"], &mut others);
    /// assert!(client.take_served(&mut replies));
    /// assert_eq!(replies.bytes(), b"*3\r\n$4\r\njobs\r\n$4\r\nmail\r\n$1\r\n1\r\n");
    /// ```
    pub fn take_served(&mut self, replies: &mut Replies) -> bool {
        let reply = self.session_mut().served.take();
        if let Some(reply) = &reply {
            replies.append(reply);
        }
        reply.is_some()
    }

    pub(crate) fn session(&self) -> Ref<'_, Session> {
        self.session.borrow()
    }

    pub(crate) fn session_mut(&mut self) -> RefMut<'_, Session> {
        self.session.borrow_mut()
    }
}

/// What is known of a client, also to other clients.
#[allow(clippy::struct_excessive_bools, reason = "each is what one command has asked for")]
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) id: u64,
    pub(crate) name: Bytes,
    pub(crate) is_authenticated: bool,
    /// The commands since MULTI.
    pub(crate) transaction: Option<Transaction>,
    /// Its commands are those of EXEC now: none of them waits.
    pub(crate) is_executing: bool,
    /// What has to be unchanged for EXEC.
    pub(crate) watched: HashMap<Bytes, Version, RandomState>,
    /// What that takes.
    pub(crate) watched_bytes: usize,
    /// What it has sent and not been answered, and been answered and not read.
    pub(crate) buffered: Buffered,
    /// It has run a command that may have taken long since the time was read.
    pub(crate) is_slow: bool,
    pub(crate) reply_mode: ReplyMode,
    /// It has said QUIT.
    pub(crate) is_leaving: bool,
    /// It has to go, without another word.
    pub(crate) is_killed: bool,
    /// What it says of the library that it uses: its name and version.
    pub(crate) library: [Bytes; 2],
    /// Whether it has asked that it is never sent away for the memory that its replies take.
    pub(crate) is_kept: bool,
    /// Whether it has asked that what it reads counts as unused still.
    pub(crate) is_not_counted: bool,
    /// When it came.
    pub(crate) since: Timestamp,
    /// When its last command ran.
    pub(crate) last_seen: Timestamp,
    /// Its last command.
    pub(crate) command: Option<&'static Command>,
    pub(crate) protocol: Protocol,
    /// Where it is, as far as is known.
    pub(crate) address: String,
    /// Where it came in.
    pub(crate) local_address: String,
    /// It comes from another machine.
    pub(crate) is_remote: bool,
    pub(crate) may_wait: bool,
    /// Its next command waits for the end of a pause.
    pub(crate) is_paused: bool,
    /// What it waits for.
    pub(crate) wait: Option<Wait>,
    /// The reply to what it waited for, until it is taken.
    served: Option<Vec<u8>>,
    waker: Option<Waker>,
}

/// Commands that wait for EXEC.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    pub(crate) commands: Vec<Vec<Vec<u8>>>,
    /// What they take.
    pub(crate) bytes: usize,
    /// One of them was refused, so EXEC will be.
    pub(crate) is_broken: bool,
    /// One of them may take more memory.
    pub(crate) may_grow: bool,
    /// One of them may change keys.
    pub(crate) may_write: bool,
}

/// What a command that waits takes besides its bytes, and what each of its arguments does.
const COMMAND_BYTES: usize = 64;
const ARGUMENT_BYTES: usize = 48;

impl Transaction {
    /// Adds a command, if all of them then take `max_bytes` at most; if not, they are forgotten, and it is
    /// an error. One that is broken takes nothing more, since it will not run.
    pub(crate) fn queue(
        &mut self,
        arguments: &[&[u8]],
        max_bytes: usize,
    ) -> Result<(), CommandError> {
        if self.is_broken {
            return Ok(());
        }
        let bytes = arguments.iter().map(|argument| argument.len() + ARGUMENT_BYTES).sum::<usize>();
        self.bytes = self.bytes.saturating_add(bytes + COMMAND_BYTES);
        if self.bytes > max_bytes {
            *self = Transaction { is_broken: true, ..Transaction::default() };
            return Err(CommandError::err("the transaction is too large"));
        }
        self.commands.push(arguments.iter().map(|argument| argument.to_vec()).collect());
        Ok(())
    }
}

/// What a connection holds for its client, as far as it has said.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Buffered {
    /// Bytes of requests that have not run.
    pub(crate) requests: usize,
    /// Bytes of replies that have not been sent.
    pub(crate) replies: usize,
    /// Bytes of memory of both buffers that hold nothing of these.
    pub(crate) spare: usize,
    /// Bytes that are freed once the client has disconnected, if it is being closed because all hold too much.
    pub(crate) closing: usize,
    /// The replies, and how many were sent before them, when it was looked at last.
    pub(crate) progress: (usize, u64),
    /// The system takes no more of the replies for now.
    pub(crate) is_blocked: bool,
    /// Since when they are above the soft limit, as far as was seen.
    pub(crate) over_soft_since: Option<Timestamp>,
    /// Bytes of replies that have been sent, ever.
    pub(crate) sent: u64,
    /// Where this was when it was looked at, if there was something to send.
    pub(crate) mark: Option<Mark>,
    /// Bytes of memory that wait for requests, and for replies.
    pub(crate) free: [usize; 2],
    /// When its last command ran, when it was looked at.
    pub(crate) seen: Timestamp,
    /// None has run since.
    pub(crate) is_idle: bool,
}

/// How far a client has read at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) sent: u64,
    pub(crate) replies: usize,
    /// How often it was looked at since.
    pub(crate) looks: u32,
}

/// What CLIENT REPLY has asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReplyMode {
    #[default]
    On,
    Off,
    /// Not for this command, which is CLIENT REPLY SKIP itself, nor for the next one.
    Skip,
    /// Not for this command.
    SkipThis,
}

impl Session {
    /// Has whoever looks after the client look at it.
    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Notes whom to wake when something happens to the client that it does not do itself.
    pub(crate) fn set_waker(&mut self, waker: &Waker) {
        if !self.waker.as_ref().is_some_and(|old| old.will_wake(waker)) {
            self.waker = Some(waker.clone());
        }
    }

    /// Ends what the client waited for, by a reply.
    pub(crate) fn serve(&mut self, replies: &Replies) {
        let is_silent = self.wait.take().is_some_and(|wait| wait.is_silent);
        self.served = Some(if is_silent { Vec::new() } else { replies.bytes().to_vec() });
        self.wake();
    }

    /// Has the client go on after a pause.
    pub(crate) fn resume(&mut self) {
        if std::mem::take(&mut self.is_paused) {
            self.served = Some(Vec::new());
            self.wake();
        }
    }

    /// Returns how many bytes are held for the client.
    pub(crate) fn held_bytes(&self) -> usize {
        let texts = [&self.name, &self.library[0], &self.library[1]];
        self.buffered.requests
            + self.buffered.replies
            + self.buffered.spare
            + self.watched_bytes
            + self.transaction.as_ref().map_or(0, |transaction| transaction.bytes)
            + self.wait.as_ref().map_or(0, |wait| wait.bytes)
            + texts.into_iter().map(|text| text.len()).sum::<usize>()
    }

    pub(crate) fn is_served(&self) -> bool {
        self.served.is_some()
    }
}

/// All clients, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    /// Whoever has a client may drop it at any time.
    sessions: BTreeMap<u64, Weak<RefCell<Session>>>,
    last: u64,
    /// How many there may be before those are looked for that were dropped.
    most: usize,
}

impl Clients {
    /// Makes a client with a number of its own.
    pub(crate) fn add(&mut self, is_authenticated: bool, since: Timestamp) -> Client {
        self.last += 1;
        let id = self.last;
        let session =
            Session { id, is_authenticated, since, last_seen: since, ..Session::default() };
        let session = Rc::new(RefCell::new(session));
        if self.sessions.len() >= self.most {
            self.sessions.retain(|_, session| session.strong_count() > 0);
            self.most = 2 * self.sessions.len() + 1;
        }
        self.sessions.insert(id, Rc::downgrade(&session));
        Client { session }
    }

    /// Forgets a client.
    pub(crate) fn remove(&mut self, id: u64) {
        self.sessions.remove(&id);
    }

    /// Returns how many there are. **O(n)**.
    pub(crate) fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns a client.
    pub(crate) fn get(&self, id: u64) -> Option<Rc<RefCell<Session>>> {
        self.sessions.get(&id)?.upgrade()
    }

    /// Returns all clients.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Rc<RefCell<Session>>> {
        self.sessions.values().filter_map(Weak::upgrade)
    }
}
