//! SET, and related commands that set a string or its deadline.

use crate::commands::expire::{self, Unit};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::{Keyspace, Value};

use super::reply_string;

/// The command whose options are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionsOf {
    Set,
    GetEx,
}

/// The options of SET and GETEX.
#[derive(Clone, Copy, Debug, Default)]
struct Options<'a> {
    /// Whether the key must exist or must not exist, if either.
    exists: Option<bool>,
    get: bool,
    deadline: Option<Deadline<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Deadline<'a> {
    Keep,
    Remove,
    At(Unit, &'a [u8]),
}

impl<'a> Options<'a> {
    fn parse(of: OptionsOf, mut rest: &[&'a [u8]]) -> Result<Self, CommandError> {
        let is_set = of == OptionsOf::Set;
        let mut options = Options::default();
        while let [option, behind @ ..] = rest {
            rest = behind;
            let has_time = matches!(options.deadline, Some(Deadline::At(..)));
            let unit = match option.to_ascii_lowercase().as_slice() {
                b"nx" if is_set && options.exists != Some(true) => {
                    options.exists = Some(false);
                    continue;
                }
                b"xx" if is_set && options.exists != Some(false) => {
                    options.exists = Some(true);
                    continue;
                }
                b"get" if is_set => {
                    options.get = true;
                    continue;
                }
                b"keepttl" if is_set && !has_time => {
                    options.deadline = Some(Deadline::Keep);
                    continue;
                }
                b"persist" if !is_set && !has_time => {
                    options.deadline = Some(Deadline::Remove);
                    continue;
                }
                b"ex" => Unit::SECONDS,
                b"px" => Unit::MILLIS,
                b"exat" => Unit::AT_SECOND,
                b"pxat" => Unit::AT_MILLI,
                _ => return Err(CommandError::Syntax),
            };
            // Repeating the same option is valid: the last one counts.
            let is_free = match options.deadline {
                None => true,
                Some(Deadline::Keep | Deadline::Remove) => false,
                Some(Deadline::At(earlier, _)) => earlier == unit,
            };
            match behind {
                [number, behind @ ..] if is_free => {
                    options.deadline = Some(Deadline::At(unit, number));
                    rest = behind;
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(options)
    }
}

pub(super) fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, string, ref options @ ..] = arguments else { return Err(CommandError::Syntax) };
    let options = Options::parse(OptionsOf::Set, options)?;
    let keyspace = &context.state.keyspace;
    let deadline = match options.deadline {
        None | Some(Deadline::Remove) => None,
        Some(Deadline::Keep) => keyspace.deadline(key).flatten(),
        Some(Deadline::At(unit, number)) => Some(expire::deadline(unit, number, keyspace, "set")?),
    };
    if options.get {
        reply_string(context, key)?;
    }
    let keyspace = &mut context.state.keyspace;
    let is_there = keyspace.value(key).is_some();
    if options.exists.is_some_and(|exists| exists != is_there) {
        if !options.get {
            context.replies.null();
        }
        return Ok(());
    }
    keyspace.set_until(key, Value::String(string.to_vec()), deadline);
    if !options.get {
        context.replies.status("OK");
    }
    Ok(())
}

pub(super) fn setex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_for(context, arguments, Unit::SECONDS, "setex")
}

pub(super) fn psetex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_for(context, arguments, Unit::MILLIS, "psetex")
}

fn set_for(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    unit: Unit,
    name: &str,
) -> Result<(), CommandError> {
    let &[_, key, number, string] = arguments else { return Err(CommandError::Syntax) };
    let keyspace = &mut context.state.keyspace;
    let deadline = expire::deadline(unit, number, keyspace, name)?;
    keyspace.set_until(key, Value::String(string.to_vec()), Some(deadline));
    context.replies.status("OK");
    Ok(())
}

pub(super) fn getset(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, string] = arguments else { return Err(CommandError::Syntax) };
    reply_string(context, key)?;
    context.state.keyspace.set(key, Value::String(string.to_vec()));
    Ok(())
}

pub(super) fn getex(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, ref options @ ..] = arguments else { return Err(CommandError::Syntax) };
    let options = Options::parse(OptionsOf::GetEx, options)?;
    // As in Valkey, the time is checked whether or not the key exists.
    let deadline = match options.deadline {
        Some(Deadline::At(unit, number)) => {
            Some(expire::deadline(unit, number, &context.state.keyspace, "getex")?)
        }
        _ => None,
    };
    if !reply_string(context, key)? {
        return Ok(());
    }
    let keyspace = &mut context.state.keyspace;
    if deadline.is_some() {
        keyspace.set_deadline(key, deadline);
    } else if let Some(Deadline::Remove) = options.deadline {
        expire::remove_deadline(keyspace, key);
    }
    Ok(())
}

pub(super) fn mset(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    set_all(&mut context.state.keyspace, pairs("mset", arguments)?);
    context.replies.status("OK");
    Ok(())
}

pub(super) fn msetnx(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let pairs = pairs("msetnx", arguments)?;
    let keyspace = &mut context.state.keyspace;
    let are_free = pairs.iter().all(|[key, _]| keyspace.value(key).is_none());
    if are_free {
        set_all(keyspace, pairs);
    }
    context.replies.integer(are_free.into());
    Ok(())
}

pub(super) fn setnx(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    msetnx(context, arguments)
}

fn pairs<'a, 'b>(
    name: &str,
    arguments: &'a [&'b [u8]],
) -> Result<&'a [[&'b [u8]; 2]], CommandError> {
    match arguments[1..].as_chunks::<2>() {
        (pairs, []) => Ok(pairs),
        _ => Err(CommandError::WrongArity(name.to_owned())),
    }
}

fn set_all(keyspace: &mut Keyspace, pairs: &[[&[u8]; 2]]) {
    for [key, string] in pairs {
        keyspace.set(key, Value::String(string.to_vec()));
    }
}
