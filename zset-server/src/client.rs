//! [`Client`]: what the server knows of who asks.

use zset_std::Timestamp;

use crate::keyspace::{Bytes, Version};

/// One connection, or the shell.
#[allow(clippy::struct_excessive_bools, reason = "each is what one command has asked for")]
#[derive(Debug, Default)]
pub struct Client {
    pub(crate) id: u64,
    pub(crate) name: Bytes,
    pub(crate) is_authenticated: bool,
    /// The commands since MULTI.
    pub(crate) transaction: Option<Transaction>,
    /// Its commands are those of EXEC now: none of them waits.
    pub(crate) is_executing: bool,
    /// What has to be unchanged for EXEC.
    pub(crate) watched: Vec<(Bytes, Version)>,
    pub(crate) reply_mode: ReplyMode,
    /// It has said QUIT.
    pub(crate) is_leaving: bool,
    /// What it says of the library that it uses: its name and version.
    pub(crate) library: [Bytes; 2],
    /// Whether it has asked that it is never sent away for the memory that its replies take.
    pub(crate) is_kept: bool,
    /// Whether it has asked that what it reads counts as unused still.
    pub(crate) is_not_counted: bool,
    /// When it came.
    pub(crate) since: Timestamp,
    /// Where it is, as far as is known.
    pub(crate) address: String,
}

/// Commands that wait for EXEC.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    pub(crate) commands: Vec<Vec<Vec<u8>>>,
    /// One of them was refused, so EXEC will be.
    pub(crate) is_broken: bool,
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

impl Client {
    /// Makes a client with a number of its own.
    pub(crate) fn new(id: u64, is_authenticated: bool, since: Timestamp) -> Self {
        Client { id, is_authenticated, since, ..Client::default() }
    }

    /// Notes where the client is, for CLIENT LIST.
    pub fn set_address(&mut self, address: String) {
        self.address = address;
    }
}
