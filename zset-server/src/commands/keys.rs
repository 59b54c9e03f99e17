//! Commands for keys of any type.

use rand::RngExt;

use super::arguments::{PAGE, check_database, cursor, is_sync_or_async, page_len};
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::glob;

pub(super) const HANDLERS: Handlers = &[
    ("del", del),
    ("unlink", del),
    ("exists", exists),
    ("touch", exists),
    ("type", type_of),
    ("rename", |context, arguments| {
        move_key(context, arguments[1], arguments[2])?;
        context.ok()
    }),
    ("renamenx", renamenx),
    ("copy", copy),
    ("keys", keys),
    ("scan", scan),
    ("randomkey", randomkey),
    ("dbsize", |context, _| context.count(context.state.keyspace.len())),
    ("flushall", flush),
    ("flushdb", flush),
    ("select", |context, arguments| {
        check_database(arguments[1])?;
        context.ok()
    }),
];

fn del(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let now = keyspace.now();
    let mut count = 0;
    for key in &arguments[1..] {
        let was_limit = keyspace.throttles.reset(key, now);
        let was_key = keyspace.remove(key).is_some();
        count += usize::from(was_key || was_limit);
    }
    context.count(count)
}

fn exists(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keyspace = &context.state.keyspace;
    context.count(arguments[1..].iter().filter(|key| keyspace.value(key).is_some()).count())
}

fn type_of(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let value = context.state.keyspace.value(arguments[1]);
    context.replies.status(value.map_or("none", |value| value.type_name()));
    Ok(())
}

fn renamenx(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (from, to) = (arguments[1], arguments[2]);
    let keyspace = &context.state.keyspace;
    let is_free = keyspace.value(to).is_none();
    if is_free || keyspace.value(from).is_none() {
        move_key(context, from, to)?;
    }
    context.integer(is_free)
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

fn copy(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let &[_, from, to, ref rest @ ..] = arguments else { return Err(CommandError::SYNTAX) };
    let (mut replace, mut rest) = (false, rest);
    while let [option, behind @ ..] = rest {
        rest = behind;
        match (option.to_ascii_lowercase().as_slice(), behind) {
            (b"replace", _) => replace = true,
            (b"db", [index, behind @ ..]) => {
                check_database(index)?;
                rest = behind;
            }
            _ => return Err(CommandError::SYNTAX),
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

/// The types that SCAN accepts, although only three of them exist here.
const TYPES: &[&str] = &["string", "list", "set", "zset", "hash", "stream"];

/// The number of attempts to draw a key that has not expired.
const DRAWS: usize = 100;

fn keys(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keys = context.state.keyspace.iter().map(|(key, _)| key);
    let keys: Vec<_> = keys.filter(|key| glob::matches(arguments[1], key)).collect();
    context.replies.array(keys.len());
    for key in keys {
        context.replies.bulk(key);
    }
    Ok(())
}

fn scan(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
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
            _ => return Err(CommandError::SYNTAX),
        }
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(CommandError::SYNTAX);
    }
    let (next, mut page) = context.state.keyspace.scan(cursor, count);
    page.retain(|(key, value)| {
        pattern.is_none_or(|pattern| glob::matches(pattern, key))
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

fn randomkey(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
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

fn flush(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match arguments[1..] {
        [] => {}
        [how] if is_sync_or_async(how) => {}
        _ => return Err(CommandError::SYNTAX),
    }
    context.state.keyspace.clear();
    context.ok()
}
