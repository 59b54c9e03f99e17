//! OBJECT: the encoding of values.

use zset_core::Encoding;

use crate::command::{Command, Handler, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;
use crate::resp::Replies;

use super::command::{container, help};

pub(super) const COMMANDS: &[Command] =
    &[Command::plain("object", -2, "Says how the value of a key is stored.", container)];

pub(super) const SUBCOMMANDS: &[Command] = &[
    subcommand("object|encoding", "Returns how the value of a key is stored.", encoding),
    subcommand("object|freq", "Is refused: nothing is evicted for being used seldom.", frequency),
    subcommand("object|idletime", "Returns 0: when a key was used is not noted.", idle_time),
    subcommand("object|refcount", "Returns 1: values are not shared.", references),
    Command::plain("object|help", 2, "Lists the subcommands.", help),
];

const fn subcommand(name: &'static str, summary: &'static str, handler: Handler) -> Command {
    Command { name, arity: 3, flags: READ, keys: (2, 2, 1), summary, handler }
}

/// The maximum length of a string that Redis embeds next to its header.
const LONGEST_EMBEDDED: usize = 44;

/// Replies with a property of a key, or null if the key does not exist.
fn answer(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    answer: impl FnOnce(&mut Replies, &Value) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    if let Some(value) = context.state.keyspace.value(arguments[2]) {
        return answer(context.replies, value);
    }
    context.replies.null();
    Ok(())
}

fn encoding(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, |replies, value| {
        replies.bulk(encoding_of(value).as_bytes());
        Ok(())
    })
}

fn frequency(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, |_, _| {
        Err(CommandError::err(
            "An LFU maxmemory policy is not selected, access frequency not tracked. Please note \
             that when switching between policies at runtime LRU and LFU data will take some time \
             to adjust.",
        ))
    })
}

fn idle_time(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, |replies, _| {
        replies.integer(0);
        Ok(())
    })
}

fn references(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    answer(context, arguments, |replies, _| {
        replies.integer(1);
        Ok(())
    })
}

/// Returns the encoding of a value; for a string, the one that Redis would use.
fn encoding_of(value: &Value) -> &'static str {
    match value {
        Value::String(text) if crate::resp::parse_integer(text).is_some() => "int",
        Value::String(text) if text.len() <= LONGEST_EMBEDDED => "embstr",
        Value::String(_) => "raw",
        Value::Set(_) => "hashtable",
        Value::SortedSet(set) => match set.encoding() {
            Encoding::Listpack => "listpack",
            _ => "skiplist",
        },
    }
}
