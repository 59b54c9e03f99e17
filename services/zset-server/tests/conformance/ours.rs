//! [`Ours`]: the server's engine in this process.

use zset_server::{Client, Engine, Replies};

use super::command::Command;

/// An engine with one client.
pub(crate) struct Ours {
    engine: Engine,
    client: Client,
    replies: Replies,
}

impl Ours {
    pub(crate) fn new() -> Self {
        let mut engine = Engine::new();
        let client = engine.client();
        Ours { engine, client, replies: Replies::default() }
    }

    /// Runs a command line; returns the reply.
    pub(crate) fn ask(&mut self, line: &str) -> Vec<u8> {
        self.run(&line.into())
    }

    /// Runs a command; returns the reply.
    pub(crate) fn run(&mut self, command: &Command) -> Vec<u8> {
        let arguments: Vec<_> = command.words().iter().map(Vec::as_slice).collect();
        self.replies.clear();
        self.engine.execute(&mut self.client, &arguments, &mut self.replies);
        self.replies.bytes().to_vec()
    }
}
