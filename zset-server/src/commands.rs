//! The commands, a file for each group.

mod arguments;
mod connection;
mod dump;
mod expire;
pub(crate) mod glob;
mod keys;
mod object;
mod scan;
mod sorted_set;
mod string;
mod throttle;
#[cfg(test)]
mod time_tests;
mod transaction;

use crate::command::Command;

pub(crate) use arguments::shown;
pub(crate) use throttle::Throttles;
pub(crate) use transaction::abandon;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] = &[
    connection::COMMANDS,
    string::COMMANDS,
    sorted_set::COMMANDS,
    keys::COMMANDS,
    scan::COMMANDS,
    expire::COMMANDS,
    dump::COMMANDS,
    object::COMMANDS,
    transaction::COMMANDS,
    throttle::COMMANDS,
];
