//! The commands, a file for each group.

mod arguments;
mod connection;
pub(crate) mod glob;
mod sorted_set;
mod string;

use crate::command::Command;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] = &[
    connection::COMMANDS,
    string::COMMANDS,
    sorted_set::COMMANDS,
    sorted_set::random::COMMANDS,
    sorted_set::range::COMMANDS,
    sorted_set::read::COMMANDS,
    sorted_set::scan::COMMANDS,
];
