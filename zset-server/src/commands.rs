//! The commands, a file for each group.

mod arguments;
mod auth;
mod connection;
mod dump;
mod expire;
pub(crate) mod glob;
mod keys;
mod object;
mod scan;
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

pub(crate) use arguments::shown;
pub(crate) use throttle::Throttles;
pub(crate) use transaction::abandon;

/// All commands.
pub(crate) const GROUPS: &[&[Command]] = &[
    auth::COMMANDS,
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
];

/// Has `remove` take members out of a set, and answers how many.
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
