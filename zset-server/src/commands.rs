//! The commands, one file per group.

#![allow(clippy::unnecessary_wraps, reason = "what runs a command is of one type")]

mod arguments;
mod client;
mod command;
mod config;
mod connection;
mod debug;
mod dump;
mod expire;
mod info;
mod keys;
mod memory;
mod object;
mod random;
mod scan;
mod server;
mod set;
mod sorted_set;
mod string;
#[cfg(test)]
mod tests;
mod throttle;
#[cfg(test)]
mod time_tests;
mod transaction;

use crate::command::Command;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Typed;

pub(crate) use sorted_set::Wait;
pub(crate) use throttle::Throttles;
pub(crate) use transaction::abandon;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] = &[
    connection::COMMANDS,
    string::COMMANDS,
    set::COMMANDS,
    sorted_set::COMMANDS,
    sorted_set::random::COMMANDS,
    sorted_set::range::COMMANDS,
    sorted_set::read::COMMANDS,
    sorted_set::scan::COMMANDS,
    keys::COMMANDS,
    scan::COMMANDS,
    expire::COMMANDS,
    dump::COMMANDS,
    object::COMMANDS,
    transaction::COMMANDS,
    throttle::COMMANDS,
    client::COMMANDS,
    command::COMMANDS,
    config::COMMANDS,
    debug::COMMANDS,
    info::COMMANDS,
    memory::COMMANDS,
    server::COMMANDS,
];

/// The subcommands, one list per container command.
pub(crate) const SUBCOMMANDS: &[&[Command]] = &[
    client::SUBCOMMANDS,
    command::SUBCOMMANDS,
    config::SUBCOMMANDS,
    memory::SUBCOMMANDS,
    object::SUBCOMMANDS,
    server::FUNCTION,
    server::LATENCY,
    server::SLOWLOG,
];

/// Removes members from a set with `remove`, and replies with their number.
fn remove_members<T: Typed>(
    context: &mut Context<'_>,
    key: &[u8],
    remove: impl FnOnce(&mut T) -> usize,
) -> Result<(), CommandError> {
    let keyspace = &mut context.state.keyspace;
    let removed = keyspace.change(key, remove)?.unwrap_or(0);
    if removed > 0 {
        keyspace.touch(key);
    }
    context.replies.count(removed);
    Ok(())
}
