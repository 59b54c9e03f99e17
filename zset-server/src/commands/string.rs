//! Plain strings.

use super::arguments::integer;
use super::expire::{Unit, deadline};
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::keyspace::Value;

pub(super) const HANDLERS: Handlers = &[
    ("append", append),
    ("decr", |context, arguments| add(context, arguments[1], -1)),
    ("decrby", |context, arguments| {
        let decrement = integer(arguments[2])?.checked_neg();
        let overflow = || CommandError::err("decrement would overflow");
        add(context, arguments[1], decrement.ok_or_else(overflow)?)
    }),
    ("get", |context, arguments| reply_string(context, arguments[1]).map(drop)),
    ("getdel", |context, arguments| {
        if reply_string(context, arguments[1])? {
            context.state.keyspace.remove(arguments[1]);
        }
        Ok(())
    }),
    ("incr", |context, arguments| add(context, arguments[1], 1)),
    ("incrby", |context, arguments| add(context, arguments[1], integer(arguments[2])?)),
    ("mget", mget),
    ("mset", mset),
    ("psetex", |context, arguments| set_for(context, arguments, Unit::MILLIS, "psetex")),
    ("set", set),
    ("setex", |context, arguments| set_for(context, arguments, Unit::SECONDS, "setex")),
    ("setnx", setnx),
    ("strlen", strlen),
];

/// Replies with the string at a key, or null; returns whether the key exists.
fn reply_string(context: &mut Context<'_>, key: &[u8]) -> Result<bool, CommandError> {
    let string = context.state.keyspace.get::<Vec<u8>>(key)?;
    match string {
        Some(string) => context.replies.bulk(string),
        None => context.replies.null(),
    }
    Ok(string.is_some())
}

fn mget(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
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

fn strlen(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let string = context.state.keyspace.get::<Vec<u8>>(arguments[1])?;
    context.count(string.map_or(0, Vec::len))
}

/// The options of SET.
#[derive(Clone, Copy, Debug, Default)]
struct Options<'a> {
    /// Whether the key must exist or must not exist, if either.
    exists: Option<bool>,
    get: bool,
    keep_deadline: bool,
    deadline: Option<(Unit, &'a [u8])>,
}

impl<'a> Options<'a> {
    fn parse(mut rest: &[&'a [u8]]) -> Result<Self, CommandError> {
        let mut options = Options::default();
        while let [option, behind @ ..] = rest {
            rest = behind;
            match option.to_ascii_lowercase().as_slice() {
                b"nx" if options.exists != Some(true) => options.exists = Some(false),
                b"xx" if options.exists != Some(false) => options.exists = Some(true),
                b"get" => options.get = true,
                b"keepttl" if options.deadline.is_none() => options.keep_deadline = true,
                option => {
                    let unit = Unit::of_option(option).ok_or(CommandError::SYNTAX)?;
                    let number;
                    (number, rest) = behind.split_first().ok_or(CommandError::SYNTAX)?;
                    // Repeating the same option is valid: the last one counts.
                    let is_other = options.deadline.is_some_and(|(earlier, _)| earlier != unit);
                    if options.keep_deadline || is_other {
                        return Err(CommandError::SYNTAX);
                    }
                    options.deadline = Some((unit, number));
                }
            }
        }
        Ok(options)
    }
}

fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let &[_, key, string, ref options @ ..] = arguments else { return Err(CommandError::SYNTAX) };
    let options = Options::parse(options)?;
    let keyspace = &context.state.keyspace;
    let deadline = match options.deadline {
        Some((unit, number)) => Some(deadline(unit, number, keyspace, "set")?),
        None if options.keep_deadline => keyspace.deadline(key).flatten(),
        None => None,
    };
    if options.get {
        reply_string(context, key)?;
    }
    let keyspace = &mut context.state.keyspace;
    let is_there = keyspace.value(key).is_some();
    let is_set = options.exists.is_none_or(|exists| exists == is_there);
    if is_set {
        keyspace.set_until(key, Value::String(string.to_vec()), deadline);
    }
    match (options.get, is_set) {
        (true, _) => Ok(()),
        (false, true) => context.ok(),
        (false, false) => {
            context.replies.null();
            Ok(())
        }
    }
}

fn set_for(context: &mut Context<'_>, arguments: &[&[u8]], unit: Unit, name: &str) -> Replied {
    let &[_, key, number, string] = arguments else { return Err(CommandError::SYNTAX) };
    let keyspace = &mut context.state.keyspace;
    let deadline = deadline(unit, number, keyspace, name)?;
    keyspace.set_until(key, Value::String(string.to_vec()), Some(deadline));
    context.ok()
}

fn mset(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (pairs, []) = arguments[1..].as_chunks::<2>() else {
        return Err(CommandError::wrong_arity("mset"));
    };
    for [key, string] in pairs {
        context.state.keyspace.set(key, Value::String(string.to_vec()));
    }
    context.ok()
}

fn setnx(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let is_free = keyspace.value(arguments[1]).is_none();
    if is_free {
        keyspace.set(arguments[1], Value::String(arguments[2].to_vec()));
    }
    context.integer(is_free)
}

fn append(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, end) = (arguments[1], arguments[2]);
    let keyspace = &mut context.state.keyspace;
    let old = keyspace.get::<Vec<u8>>(key)?.map_or(&[][..], Vec::as_slice);
    if old.len().saturating_add(end.len()) > context.state.config.max_bulk_len() {
        let text = "string exceeds maximum allowed size (proto-max-bulk-len)";
        return Err(CommandError::err(text));
    }
    let len = keyspace.change_or_insert(key, Vec::new, |string| {
        string.extend_from_slice(end);
        string.len()
    })?;
    keyspace.touch(key);
    context.count(len)
}

fn add(context: &mut Context<'_>, key: &[u8], increment: i64) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let old = keyspace.get::<Vec<u8>>(key)?.map_or(Ok(0), |text| integer(text))?;
    let new = old.checked_add(increment);
    let new = new.ok_or_else(|| CommandError::err("increment or decrement would overflow"))?;
    // This keeps the deadline.
    keyspace.change_or_insert(key, Vec::new, |old| *old = new.to_string().into_bytes())?;
    keyspace.touch(key);
    context.integer(new)
}
