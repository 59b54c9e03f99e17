//! The server over sockets: what comes in pieces, what is too much, how it ends, and real clients.

#![cfg(all(unix, not(miri)))]

mod bounds;
mod clients;
mod commands;
mod debug;
mod foreign;
mod memory;
mod model;
mod passwords;
#[path = "../patient/mod.rs"]
mod patient;
mod program;
mod prompt;
mod running;
#[path = "../serving/mod.rs"]
mod serving;
mod settings;
mod signals;
mod stopping;
mod time;
mod waiting;
mod wire;
