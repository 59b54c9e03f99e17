//! The commands, a file for each group.

#![allow(clippy::unnecessary_wraps, reason = "what runs a command is of one type")]

mod arguments;
mod client;
mod command;
mod config;
mod connection;
mod debug;
mod info;
mod memory;
mod server;
mod sorted_set;
mod string;

use crate::command::Command;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] = &[
    client::COMMANDS,
    command::COMMANDS,
    config::COMMANDS,
    connection::COMMANDS,
    debug::COMMANDS,
    info::COMMANDS,
    memory::COMMANDS,
    server::COMMANDS,
    sorted_set::COMMANDS,
    string::COMMANDS,
];

/// The subcommands of those commands that have some, a list for each.
pub(crate) const SUBCOMMANDS: &[&[Command]] = &[
    client::SUBCOMMANDS,
    command::SUBCOMMANDS,
    config::SUBCOMMANDS,
    memory::SUBCOMMANDS,
    server::FUNCTION,
    server::LATENCY,
    server::SLOWLOG,
];
