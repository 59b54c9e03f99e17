//! Strings that are changed in their place.

use crate::commands::arguments::integer;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::{Keyspace, WrongType};

/// Has a key stand for another string; its deadline stays.
pub(super) fn replace(
    keyspace: &mut Keyspace,
    key: &[u8],
    string: Vec<u8>,
) -> Result<(), WrongType> {
    keyspace.change_or_insert(key, Vec::new, |old| *old = string)?;
    keyspace.touch(key);
    Ok(())
}

pub(super) fn append(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, end) = (arguments[1], arguments[2]);
    let len = context.state.keyspace.get::<Vec<u8>>(key)?.map_or(0, Vec::len);
    write(context, key, len, end)
}

pub(super) fn setrange(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, part) = (arguments[1], arguments[3]);
    let offset = integer(arguments[2])?;
    let offset =
        usize::try_from(offset).map_err(|_| CommandError::err("offset is out of range"))?;
    if part.is_empty() {
        let string = context.state.keyspace.get::<Vec<u8>>(key)?;
        context.replies.count(string.map_or(0, Vec::len));
        return Ok(());
    }
    write(context, key, offset, part)
}

/// Writes a part of the string of a key, which grows as far as it takes; answers its length.
fn write(
    context: &mut Context<'_>,
    key: &[u8],
    offset: usize,
    part: &[u8],
) -> Result<(), CommandError> {
    let max = context.state.config.max_bulk_len();
    let keyspace = &mut context.state.keyspace;
    keyspace.get::<Vec<u8>>(key)?;
    let Some(end) = offset.checked_add(part.len()).filter(|end| *end <= max) else {
        let text = "string exceeds maximum allowed size (proto-max-bulk-len)";
        return Err(CommandError::err(text));
    };
    let len = keyspace.change_or_insert(key, Vec::new, |string| {
        string.resize(string.len().max(end), 0);
        string[offset..end].copy_from_slice(part);
        string.len()
    })?;
    keyspace.touch(key);
    context.replies.count(len);
    Ok(())
}
