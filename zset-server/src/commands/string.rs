//! Plain strings: SET and GET.

use crate::command::{Command, GROW, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "get",
        arity: 2,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the string of a key.",
        handler: get,
    },
    Command {
        name: "set",
        arity: -3,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Sets the string of a key, whatever it was.",
        handler: set,
    },
];

fn get(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match context.state.keyspace.get::<Vec<u8>>(arguments[1])? {
        Some(string) => context.replies.bulk(string),
        None => context.replies.null(),
    }
    Ok(())
}

fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, string] = arguments else { return Err(CommandError::Syntax) };
    context.state.keyspace.set(key, Value::String(string.to_vec()));
    context.replies.status("OK");
    Ok(())
}
