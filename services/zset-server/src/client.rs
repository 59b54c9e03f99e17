//! [`Client`]: the state that the server keeps for each client.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::task::Waker;
use std::time::Duration;

use zset_std::Timestamp;

use crate::keyspace::{Bytes, Keyspace, Ticket};
use crate::replies::{CommandError, Protocol, Replies};

/// A client: a connection, or the shell.
///
/// Commands are answered immediately: blocking ones such as BZPOPMIN reply as if they had timed
/// out, unless the client [may wait](Client::allow_waiting).
#[derive(Debug, Default)]
pub struct Client {
    session: Rc<RefCell<Session>>,
}

impl Client {
    /// Allows the client's commands to wait. The caller must then poll for their replies; see
    /// [`Executed::Waits`](crate::Executed::Waits).
    pub fn allow_waiting(&mut self) {
        self.session_mut().may_wait = true;
    }

    /// Appends the reply to a command that has waited, if the reply is available; returns whether
    /// it is.
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

/// The state of a client, which other clients can inspect.
#[allow(clippy::struct_excessive_bools, reason = "each is what one command has asked for")]
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) id: u64,
    pub(crate) name: Bytes,
    pub(crate) is_authenticated: bool,
    /// The queued commands since MULTI.
    pub(crate) transaction: Option<Transaction>,
    /// Requests not yet run and replies not yet read.
    pub(crate) buffered: Buffered,
    /// Whether the client has sent QUIT.
    pub(crate) is_leaving: bool,
    /// Whether the client must be disconnected without a reply.
    pub(crate) is_killed: bool,
    /// When the client connected.
    pub(crate) since: Timestamp,
    pub(crate) protocol: Protocol,
    /// The client's address, if known.
    pub(crate) address: String,
    pub(crate) may_wait: bool,
    /// The wait of the client's blocked command, if any.
    pub(crate) wait: Option<Wait>,
    /// The reply to the command that has waited, until it is taken.
    pub(crate) served: Option<Vec<u8>>,
    waker: Option<Waker>,
}

/// The commands queued for EXEC.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    pub(crate) commands: Vec<Vec<Vec<u8>>>,
    /// The memory of the commands, in bytes.
    pub(crate) bytes: usize,
    /// Whether a command was rejected, so that EXEC fails.
    pub(crate) is_broken: bool,
    /// Whether a command may allocate memory.
    pub(crate) may_grow: bool,
}

/// The overhead of a queued command and of each of its arguments, in bytes.
const COMMAND_BYTES: usize = 64;
const ARGUMENT_BYTES: usize = 48;

impl Transaction {
    /// Queues a command. If the queue then exceeds `max_bytes`, it is discarded and an error is
    /// returned. A broken transaction stores nothing more, since it will not run.
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

/// The buffers of a client's connection, as last reported by the connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Buffered {
    /// Bytes of replies not yet sent.
    pub(crate) replies: usize,
    /// The other bytes of the two buffers: requests not yet run, and unused capacity.
    pub(crate) others: usize,
    /// If the client is being closed to free memory, the number of bytes that this will free.
    pub(crate) closing: usize,
    /// Whether the operating system currently accepts no more replies.
    pub(crate) is_blocked: bool,
}

/// The wait of a client's blocked command.
#[derive(Debug)]
pub(crate) struct Wait {
    /// The keys, in the order in which they are tried.
    pub(crate) keys: Vec<Bytes>,
    pub(crate) ticket: Ticket,
    /// The maximum time to wait; `None` means forever.
    pub(crate) limit: Option<Duration>,
    /// The memory of the wait, including its entries in the queues, in bytes.
    pub(crate) bytes: usize,
    pub(crate) pop: Pop,
}

/// The members that a blocking command pops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pop {
    pub(crate) end: End,
    /// The maximum number of members; the reply then has an array of pairs. If `None`, one member
    /// is popped, and the reply is flat.
    pub(crate) count: Option<usize>,
}

/// The end of a set from which members are popped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Min,
    Max,
}

impl Session {
    /// Wakes the task that serves the client.
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Sets the waker to call when the client is served or killed.
    pub(crate) fn set_waker(&mut self, waker: &Waker) {
        self.waker.get_or_insert_with(|| waker.clone()).clone_from(waker);
    }

    /// Removes the client from all queues and cancels its wait.
    pub(crate) fn stop_waiting(&mut self, keyspace: &mut Keyspace) {
        if let Some(wait) = self.wait.take() {
            keyspace.awaited.quit(&wait.keys, wait.ticket);
        }
    }

    /// Sets the reply to the command that has waited.
    pub(crate) fn serve(&mut self, replies: &Replies) {
        self.served = Some(replies.bytes().to_vec());
        self.wake();
    }

    /// Disconnects the client without a further reply.
    pub(crate) fn kill(&mut self, keyspace: &mut Keyspace) {
        self.stop_waiting(keyspace);
        self.is_killed = true;
        self.wake();
    }

    /// Returns the number of bytes held for the client.
    pub(crate) fn held_bytes(&self) -> usize {
        self.buffered.replies
            + self.buffered.others
            + self.transaction.as_ref().map_or(0, |transaction| transaction.bytes)
            + self.wait.as_ref().map_or(0, |wait| wait.bytes)
            + self.name.len()
    }
}

/// All clients, in the order in which they connected.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    /// The references are weak, since a client may be dropped at any time.
    sessions: BTreeMap<u64, Weak<RefCell<Session>>>,
    last: u64,
}

impl Clients {
    /// Creates a client with a unique id.
    pub(crate) fn add(&mut self, is_authenticated: bool, since: Timestamp) -> Client {
        self.last += 1;
        let id = self.last;
        let session = Session { id, is_authenticated, since, ..Session::default() };
        let session = Rc::new(RefCell::new(session));
        self.sessions.insert(id, Rc::downgrade(&session));
        Client { session }
    }

    pub(crate) fn remove(&mut self, id: u64) {
        self.sessions.remove(&id);
    }

    pub(crate) fn get(&self, id: u64) -> Option<Rc<RefCell<Session>>> {
        self.sessions.get(&id)?.upgrade()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Rc<RefCell<Session>>> {
        self.sessions.values().filter_map(Weak::upgrade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_that_is_too_large_stores_nothing_and_is_broken() {
        let mut transaction = Transaction::default();
        let mut queue = || transaction.queue(&[b"SET", b"key", b"value"], 1000);
        assert_eq!((0..10).filter(|_| queue().is_ok()).count(), 9);
        assert!(transaction.is_broken);
        assert_eq!(transaction.commands.capacity(), 0);
    }
}
