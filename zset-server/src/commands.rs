//! The commands, a file for each group.

mod arguments;
mod auth;
mod connection;
mod sorted_set;
mod string;

use crate::command::Command;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] =
    &[auth::COMMANDS, connection::COMMANDS, string::COMMANDS, sorted_set::COMMANDS];
