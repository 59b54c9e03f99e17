//! Plain strings.

mod change;
mod number;
mod set;

use crate::command::{Command, GROW, READ, WRITE};
use crate::engine::Context;
use crate::error::CommandError;

use super::arguments::integer;
use change::{append, setrange};
use number::{decr, decrby, incr, incrby, incrbyfloat};
use set::{getex, getset, mset, msetnx, psetex, set, setex, setnx};

/// The first argument is the only key.
const ONE: (i8, i8, i8) = (1, 1, 1);

/// Keys and values alternate.
const PAIRS: (i8, i8, i8) = (1, -1, 2);

pub(super) const COMMANDS: &[Command] = &[
    Command::new("append", 3, GROW, ONE, append, "Adds to the end of the string of a key."),
    Command::new("decr", 2, GROW, ONE, decr, "Subtracts 1 from the integer of a key."),
    Command::new("decrby", 3, GROW, ONE, decrby, "Subtracts from the integer of a key."),
    Command::new("get", 2, READ, ONE, get, "Returns the string of a key."),
    Command::new("getdel", 2, WRITE, ONE, getdel, "Returns the string of a key, and removes it."),
    Command::new(
        "getex",
        -2,
        WRITE,
        ONE,
        getex,
        "Returns the string of a key, and sets when it expires.",
    ),
    Command::new("getrange", 4, READ, ONE, getrange, "Returns a part of the string of a key."),
    Command::new(
        "getset",
        3,
        GROW,
        ONE,
        getset,
        "Sets the string of a key; returns the previous one.",
    ),
    Command::new("incr", 2, GROW, ONE, incr, "Adds 1 to the integer of a key."),
    Command::new("incrby", 3, GROW, ONE, incrby, "Adds to the integer of a key."),
    Command::new("incrbyfloat", 3, GROW, ONE, incrbyfloat, "Adds to the number of a key."),
    Command::new("mget", -2, READ, (1, -1, 1), mget, "Returns the strings of keys."),
    Command::new("mset", -3, GROW, PAIRS, mset, "Sets the strings of keys, whatever they were."),
    Command::new(
        "msetnx",
        -3,
        GROW,
        PAIRS,
        msetnx,
        "Sets the strings of keys if none of them exists.",
    ),
    Command::new(
        "psetex",
        4,
        GROW,
        ONE,
        psetex,
        "Sets the string of a key for so many milliseconds.",
    ),
    Command::new("set", -3, GROW, ONE, set, "Sets the string of a key, whatever it was."),
    Command::new("setex", 4, GROW, ONE, setex, "Sets the string of a key for so many seconds."),
    Command::new("setnx", 3, GROW, ONE, setnx, "Sets the string of a key that does not exist."),
    Command::new("setrange", 4, GROW, ONE, setrange, "Overwrites a part of the string of a key."),
    Command::new("strlen", 2, READ, ONE, strlen, "Returns the length of the string of a key."),
];

fn get(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    reply_string(context, arguments[1])?;
    Ok(())
}

/// Replies with the string at a key, or null; returns whether the key exists.
fn reply_string(context: &mut Context<'_>, key: &[u8]) -> Result<bool, CommandError> {
    let string = context.state.keyspace.get::<Vec<u8>>(key)?;
    match string {
        Some(string) => context.replies.bulk(string),
        None => context.replies.null(),
    }
    Ok(string.is_some())
}

fn getdel(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    if reply_string(context, arguments[1])? {
        context.state.keyspace.remove(arguments[1]);
    }
    Ok(())
}

fn mget(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let keys = &arguments[1..];
    context.replies.array(keys.len());
    for key in keys {
        // A value of another type counts as missing.
        match context.state.keyspace.get::<Vec<u8>>(key) {
            Ok(Some(string)) => context.replies.bulk(string),
            _ => context.replies.null(),
        }
    }
    Ok(())
}

fn strlen(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let string = context.state.keyspace.get::<Vec<u8>>(arguments[1])?;
    context.replies.count(string.map_or(0, Vec::len));
    Ok(())
}

fn getrange(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (start, end) = (integer(arguments[2])?, integer(arguments[3])?);
    let string = context.state.keyspace.get::<Vec<u8>>(arguments[1])?;
    let string = string.map_or(&[][..], Vec::as_slice);
    // A negative index counts from the end.
    let place = |index: i64| match usize::try_from(index) {
        Ok(index) => index,
        Err(_) => {
            string.len().saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
        }
    };
    // Otherwise a range that is inverted and entirely before the string would yield the first byte.
    let is_inverted = start < 0 && end < 0 && start > end;
    let end = place(end).saturating_add(1).min(string.len());
    let part = string.get(place(start)..end).filter(|_| !is_inverted);
    context.replies.bulk(part.unwrap_or_default());
    Ok(())
}
