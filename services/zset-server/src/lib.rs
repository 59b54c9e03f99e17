//! A server and a shell over the sorted sets of [`zset_core`].

#![forbid(unsafe_code)]

mod client;
mod commands;
mod config;
mod engine;
mod keyspace;
mod replies;
mod requests;
mod server;
mod shell;

pub use client::Client;
pub use config::parse_memory;
pub use engine::{Engine, Executed};
pub use replies::{Protocol, Replies};
pub use requests::{RequestError, RequestLimits, Requests};
pub use server::{Limits, Options, ServeError, Server, Stopper, serve};
pub use shell::run_shell;

/// Helpers shared by unit tests.
#[cfg(test)]
mod testing {
    use zset_std::Clock;

    use crate::{Client, Engine, Replies};

    /// Returns the reply to a command, given as a line whose arguments are separated by single
    /// spaces.
    pub(crate) fn ask<C: Clock>(engine: &mut Engine<C>, client: &mut Client, line: &str) -> String {
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let mut replies = Replies::default();
        engine.execute(client, &arguments, &mut replies);
        String::from_utf8_lossy(replies.bytes()).into_owned()
    }
}
