//! A server and a shell over the sorted sets of [`zset_core`].

#![forbid(unsafe_code)]

mod client;
mod command;
#[allow(clippy::unnecessary_wraps, reason = "all handlers are of one type")]
mod commands;
mod engine;
mod error;
mod keyspace;
mod resp;
mod server;

pub use client::Client;
pub use engine::Engine;
pub use error::CommandError;
pub use resp::{Protocol, Replies, RequestError, RequestLimits, Requests};
pub use server::{Limits, Options, ServeError, Server, Stopper, serve};
