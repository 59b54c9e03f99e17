//! The server over sockets: what comes in pieces, what is too much, how it ends, and real clients.

#![cfg(all(unix, not(miri)))]

mod bounds;
mod clients;
mod model;
mod running;
#[path = "../serving/mod.rs"]
mod serving;
mod settings;
mod stopping;
mod waiting;
mod wire;
