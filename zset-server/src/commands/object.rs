//! OBJECT ENCODING and MEMORY USAGE: how a value is stored, and how much memory it takes.

use zset_core::Encoding;

use super::arguments::integer;
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::keyspace::{Bytes, Value};
use crate::resp::parse_integer;

pub(super) const HANDLERS: Handlers = &[("object|encoding", encoding), ("memory|usage", usage)];

/// The maximum length of a string that Redis embeds next to its header.
const LONGEST_EMBEDDED: usize = 44;

fn encoding(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match context.state.keyspace.value(arguments[2]) {
        Some(value) => context.replies.bulk(encoding_of(value).as_bytes()),
        None => context.replies.null(),
    }
    Ok(())
}

/// Returns the encoding of a value; for a string, the one that Redis would use.
fn encoding_of(value: &Value) -> &'static str {
    match value {
        Value::String(text) if parse_integer(text).is_some() => "int",
        Value::String(text) if text.len() <= LONGEST_EMBEDDED => "embstr",
        Value::String(_) => "raw",
        Value::Set(_) => "hashtable",
        Value::SortedSet(set) => match set.encoding() {
            Encoding::Listpack => "listpack",
            _ => "skiplist",
        },
    }
}

/// The default number of members to sample.
const SAMPLES: usize = 5;

/// The overhead of a key: its entry with the hash, and its slot in the table.
const KEY: usize = size_of::<(u64, Bytes, Value)>() + 2 * size_of::<usize>();

/// The overhead of a member of a plain set: its entry with the hash, and its slot in the table, one
/// eighth of which stays free.
const SET_MEMBER: usize = size_of::<(u64, Bytes)>() + (size_of::<usize>() + 1) * 8 / 7;

fn usage(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let mut samples = SAMPLES;
    let mut rest = &arguments[3..];
    while let [option, behind @ ..] = rest {
        let [count, behind @ ..] = behind else { return Err(CommandError::SYNTAX) };
        if !option.eq_ignore_ascii_case(b"samples") {
            return Err(CommandError::SYNTAX);
        }
        samples = usize::try_from(integer(count)?).map_err(|_| CommandError::SYNTAX)?;
        rest = behind;
    }
    let key = arguments[2];
    // Zero samples all members.
    let samples = if samples == 0 { usize::MAX } else { samples };
    match context.state.keyspace.value(key) {
        Some(value) => context.replies.count(KEY + key.len() + estimate(value, samples)),
        None => context.replies.null(),
    }
    Ok(())
}

/// Estimates the memory of a value in bytes from a sample of its members.
fn estimate(value: &Value, samples: usize) -> usize {
    match value {
        Value::String(string) => string.capacity(),
        Value::Set(set) => {
            let bytes: usize = set.iter().take(samples).map(|member| member.len()).sum();
            let average = bytes / samples.min(set.len()).max(1);
            size_of_val(&**set) + set.capacity() * SET_MEMBER + average * set.len()
        }
        Value::SortedSet(set) => set.estimated_allocation_size(samples),
    }
}
