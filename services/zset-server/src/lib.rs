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
