//! Commands for keys of any type.

use crate::command::{Command, GROW, READ, WRITE};
use crate::commands::Throttles;
use crate::engine::Context;
use crate::error::CommandError;

use super::arguments::{integer, is_sync_or_async, small_integer};

pub(super) const COMMANDS: &[Command] = &[
    Command::new("del", -2, WRITE, (1, -1, 1), del, "Removes keys, and limits of CL.THROTTLE."),
    Command::new("unlink", -2, WRITE, (1, -1, 1), del, "Does what DEL does."),
    Command::new("exists", -2, READ, (1, -1, 1), exists, "Counts the keys that are there."),
    Command::new("touch", -2, READ, (1, -1, 1), exists, "Does what EXISTS does."),
    Command::new("type", 2, READ, (1, 1, 1), type_of, "Returns the type of a key's value."),
    Command::new("rename", 3, WRITE, (1, 2, 1), rename, "Gives a key another name."),
    Command::new(
        "renamenx",
        3,
        WRITE,
        (1, 2, 1),
        renamenx,
        "Gives a key another name that is free.",
    ),
    Command::new("copy", -3, GROW, (1, 2, 1), copy, "Copies what a key stands for to another key."),
    Command::new("dbsize", 1, READ, NO_KEYS, dbsize, "Counts all keys."),
    Command::new("flushall", -1, WRITE, NO_KEYS, flush, "Removes all keys."),
    Command::new("flushdb", -1, WRITE, NO_KEYS, flush, "Removes all keys."),
    Command::new(
        "select",
        2,
        READ,
        NO_KEYS,
        select,
        "Chooses a database, of which there is only 0.",
    ),
    Command::new("swapdb", 3, WRITE, NO_KEYS, swapdb, "Is refused: there is only one database."),
];

const NO_KEYS: (i8, i8, i8) = (0, 0, 0);

fn del(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let state = &mut *context.state;
    let now = state.keyspace.now();
    let mut count = 0;
    for key in &arguments[1..] {
        let was_limit = state.throttles.reset(key, now);
        let was_key = state.keyspace.remove(key).is_some();
        count += usize::from(was_key || was_limit);
    }
    context.replies.count(count);
    Ok(())
}

fn exists(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let keyspace = &context.state.keyspace;
    let count = arguments[1..].iter().filter(|key| keyspace.value(key).is_some()).count();
    context.replies.count(count);
    Ok(())
}

fn type_of(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let value = context.state.keyspace.value(arguments[1]);
    context.replies.status(value.map_or("none", |value| value.type_name()));
    Ok(())
}

fn rename(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    move_key(context, arguments[1], arguments[2])?;
    context.replies.status("OK");
    Ok(())
}

fn renamenx(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (from, to) = (arguments[1], arguments[2]);
    let keyspace = &context.state.keyspace;
    let is_free = keyspace.value(to).is_none();
    if is_free || keyspace.value(from).is_none() {
        move_key(context, from, to)?;
    }
    context.replies.integer(is_free.into());
    Ok(())
}

/// Renames a key with its deadline, replacing any value of the new name.
fn move_key(context: &mut Context<'_>, from: &[u8], to: &[u8]) -> Result<(), CommandError> {
    let keyspace = &mut context.state.keyspace;
    let no_key = || CommandError::err("no such key");
    let deadline = keyspace.deadline(from).ok_or_else(no_key)?;
    if from == to {
        return Ok(());
    }
    let value = keyspace.remove(from).ok_or_else(no_key)?;
    keyspace.set_until(to, value, deadline);
    Ok(())
}

fn copy(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, from, to, ref rest @ ..] = arguments else { return Err(CommandError::Syntax) };
    let (mut replace, mut rest) = (false, rest);
    while let [option, behind @ ..] = rest {
        rest = behind;
        match (option.to_ascii_lowercase().as_slice(), behind) {
            (b"replace", _) => replace = true,
            (b"db", [index, behind @ ..]) => {
                check_database(small_integer(index)?)?;
                rest = behind;
            }
            _ => return Err(CommandError::Syntax),
        }
    }
    if from == to {
        return Err(CommandError::err("source and destination objects are the same"));
    }
    let keyspace = &mut context.state.keyspace;
    let value = keyspace.value(from).filter(|_| replace || keyspace.value(to).is_none());
    let copied = value.cloned();
    context.replies.integer(copied.is_some().into());
    if let Some(value) = copied {
        let deadline = keyspace.deadline(from).flatten();
        keyspace.set_until(to, value, deadline);
    }
    Ok(())
}

fn dbsize(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.count(context.state.keyspace.len());
    Ok(())
}

fn flush(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match arguments[1..] {
        [] => {}
        [how] if is_sync_or_async(how) => {}
        _ => return Err(CommandError::Syntax),
    }
    context.state.keyspace.clear();
    context.state.throttles = Throttles::default();
    context.replies.status("OK");
    Ok(())
}

fn select(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    check_database(small_integer(arguments[1])?)?;
    context.replies.status("OK");
    Ok(())
}

fn check_database(index: i32) -> Result<(), CommandError> {
    if index == 0 { Ok(()) } else { Err(CommandError::err("DB index is out of range")) }
}

fn swapdb(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    for (index, name) in [(arguments[1], "first"), (arguments[2], "second")] {
        let index = integer(index).ok().and_then(|index| i32::try_from(index).ok());
        let invalid = || CommandError::err(format_args!("invalid {name} DB index"));
        index.ok_or_else(invalid)?;
    }
    for index in &arguments[1..] {
        check_database(small_integer(index)?)?;
    }
    // Swapping a database with itself is a no-op, as in Redis.
    context.replies.status("OK");
    Ok(())
}
