//! Tests of the server, most of them over sockets: split requests, limits, starting and stopping,
//! and the effects of commands. Also tests the order of the server's modules.

#![cfg(all(unix, not(miri)))]

mod bounds;
mod commands;
mod foreign;
mod layers;
mod memory;
mod model;
mod passwords;
#[path = "../patient/mod.rs"]
mod patient;
mod payloads;
mod program;
mod prompt;
mod requests;
mod running;
#[path = "../serving/mod.rs"]
mod serving;
mod settings;
mod stopping;
mod time;
mod waiting;
mod wire;
