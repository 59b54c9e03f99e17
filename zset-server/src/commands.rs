//! The commands, a file for each group.

mod arguments;
mod connection;
mod set;
mod sorted_set;
mod string;
#[cfg(test)]
mod tests;

use crate::command::Command;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] =
    &[connection::COMMANDS, string::COMMANDS, set::COMMANDS, sorted_set::COMMANDS];
