//! KEYS, SCAN and RANDOMKEY.

use rand::RngExt;

use crate::command::{Command, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::glob;

use super::arguments::{PAGE, cursor, page_len};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "keys",
        arity: 2,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns all keys that match a pattern.",
        handler: keys,
    },
    Command {
        name: "scan",
        arity: -2,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns a page of the keys, and where the next one begins.",
        handler: scan,
    },
    Command {
        name: "randomkey",
        arity: 1,
        flags: READ,
        keys: (0, 0, 0),
        summary: "Returns a key at random.",
        handler: randomkey,
    },
];

/// The types that SCAN accepts, although only three of them exist here.
const TYPES: &[&str] = &["string", "list", "set", "zset", "hash", "stream"];

/// The number of attempts to draw a key that has not expired.
const DRAWS: usize = 100;

fn keys(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let keys = context.state.keyspace.iter().map(|(key, _)| key);
    let keys: Vec<_> = keys.filter(|key| matches(arguments[1], key)).collect();
    context.replies.array(keys.len());
    for key in keys {
        context.replies.bulk(key);
    }
    Ok(())
}

fn scan(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let cursor = cursor(arguments[1])?;
    let (mut count, mut pattern, mut type_name) = (PAGE, None, None);
    let mut rest = &arguments[2..];
    while let [option, argument, behind @ ..] = rest {
        match option.to_ascii_lowercase().as_slice() {
            b"count" => count = page_len(argument)?,
            b"match" => pattern = Some(*argument),
            b"type" => {
                if !TYPES.iter().any(|name| argument.eq_ignore_ascii_case(name.as_bytes())) {
                    return Err(CommandError::quoting("unknown type name '", argument, "'"));
                }
                type_name = Some(*argument);
            }
            _ => return Err(CommandError::Syntax),
        }
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(CommandError::Syntax);
    }
    let (next, mut page) = context.state.keyspace.scan(cursor, count);
    page.retain(|(key, value)| {
        pattern.is_none_or(|pattern| matches(pattern, key))
            && type_name.is_none_or(|name| name.eq_ignore_ascii_case(value.type_name().as_bytes()))
    });
    context.replies.array(2);
    context.replies.text(format_args!("{next}"));
    context.replies.array(page.len());
    for (key, _) in page {
        context.replies.bulk(key);
    }
    Ok(())
}

fn matches(pattern: &[u8], key: &[u8]) -> bool {
    glob::is_everything(pattern) || glob::matches(pattern, key)
}

fn randomkey(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    let state = &mut *context.state;
    let (keyspace, rng) = (&state.keyspace, &mut state.rng);
    let len = keyspace.len();
    let drawn = (0..DRAWS).filter(|_| len > 0).find_map(|_| keyspace.nth(rng.random_range(0..len)));
    match drawn.or_else(|| keyspace.iter().map(|(key, _)| key).next()) {
        Some(key) => context.replies.bulk(key),
        None => context.replies.null(),
    }
    Ok(())
}
