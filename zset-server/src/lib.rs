//! A server and a shell over the sorted sets of [`zset_core`].

#![forbid(unsafe_code)]

mod client;
mod command;
#[allow(clippy::unnecessary_wraps, reason = "all handlers are of one type")]
mod commands;
mod config;
mod engine;
mod error;
mod glob;
mod keyspace;
mod memory;
mod resp;
mod server;
#[cfg(test)]
mod testing;

pub use client::Client;
pub use engine::{Engine, Executed};
pub use error::CommandError;
pub use resp::{Protocol, Replies, RequestError, RequestLimits, Requests};
pub use server::{Limits, Options, ServeError, Server, Stopper, serve};
