//! [`Client`]: what the server knows of who asks.

use crate::keyspace::{Bytes, Version};

/// One connection, or the shell.
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
    pub(crate) fn new(id: u64, is_authenticated: bool) -> Self {
        Client { id, is_authenticated, ..Client::default() }
    }
}
