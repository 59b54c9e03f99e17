//! A server and a shell over the sorted sets of [`zset_core`].

#![forbid(unsafe_code)]

mod client;
mod command;
mod commands;
mod config;
mod engine;
mod error;
mod glob;
mod keyspace;
mod memory;
mod resp;
mod server;
mod shell;
mod snapshot;
#[cfg(test)]
mod testing;

pub use client::Client;
pub use config::{DebugCommand, OutputLimit, OutputLimits, parse_memory};
pub use engine::{Engine, Executed};
pub use error::CommandError;
pub use resp::{Protocol, Replies, RequestError, RequestLimits, Requests};
pub use server::{Limits, Options, ServeError, Server, Stopper, serve};
pub use shell::{ShellError, run_shell};
pub use snapshot::SnapshotError;
