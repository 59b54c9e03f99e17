//! Plain strings: SET, GET and STRLEN.

use crate::command::{Command, GROW, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;

use super::arguments::integer;
use super::expire::{Unit, invalid_expire, time_of};

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
    Command {
        name: "strlen",
        arity: 2,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns the length of the string of a key.",
        handler: strlen,
    },
];

fn get(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match context.state.keyspace.get::<Vec<u8>>(arguments[1])? {
        Some(string) => context.replies.bulk(string),
        None => context.replies.null(),
    }
    Ok(())
}

fn strlen(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let string = context.state.keyspace.get::<Vec<u8>>(arguments[1])?;
    context.replies.count(string.map_or(0, Vec::len));
    Ok(())
}

/// The options of SET.
#[derive(Clone, Copy, Debug, Default)]
struct Options<'a> {
    /// Whether the key has to be there.
    exists: Option<bool>,
    get: bool,
    deadline: Deadline<'a>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Deadline<'a> {
    #[default]
    Never,
    Keep,
    At(Unit, &'a [u8]),
}

impl<'a> Options<'a> {
    fn parse(mut rest: &[&'a [u8]]) -> Result<Self, CommandError> {
        let mut options = Options::default();
        while let [option, behind @ ..] = rest {
            rest = behind;
            let unit = match option.to_ascii_lowercase().as_slice() {
                b"nx" if options.exists != Some(true) => {
                    options.exists = Some(false);
                    continue;
                }
                b"xx" if options.exists != Some(false) => {
                    options.exists = Some(true);
                    continue;
                }
                b"get" => {
                    options.get = true;
                    continue;
                }
                b"keepttl" if !matches!(options.deadline, Deadline::At(..)) => {
                    options.deadline = Deadline::Keep;
                    continue;
                }
                b"ex" => Unit::SECONDS,
                b"px" => Unit::MILLIS,
                b"exat" => Unit::AT_SECOND,
                b"pxat" => Unit::AT_MILLI,
                _ => return Err(CommandError::Syntax),
            };
            // The same one twice is no mistake: the last counts.
            let is_free = match options.deadline {
                Deadline::Never => true,
                Deadline::Keep => false,
                Deadline::At(earlier, _) => earlier == unit,
            };
            match behind {
                [number, behind @ ..] if is_free => {
                    options.deadline = Deadline::At(unit, number);
                    rest = behind;
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(options)
    }
}

fn set(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, string, ref options @ ..] = arguments else { return Err(CommandError::Syntax) };
    let options = Options::parse(options)?;
    let keyspace = &mut context.state.keyspace;
    let deadline = match options.deadline {
        Deadline::Never => None,
        Deadline::Keep => keyspace.deadline(key).flatten(),
        Deadline::At(unit, number) => {
            let number = Some(integer(number)?).filter(|number| *number > 0);
            let millis = number.and_then(|number| unit.millis(number, keyspace));
            Some(time_of(millis.ok_or_else(|| invalid_expire("set"))?))
        }
    };
    if options.get {
        match keyspace.get::<Vec<u8>>(key)? {
            Some(old) => context.replies.bulk(old),
            None => context.replies.null(),
        }
    }
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
