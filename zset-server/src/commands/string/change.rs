//! In-place modification of strings.

use std::collections::TryReserveError;

use crate::commands::arguments::integer;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::{Keyspace, WrongType};

/// Replaces the string at a key, keeping its deadline.
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

/// Overwrites a part of the string at a key, growing it if necessary; replies with its length.
fn write(
    context: &mut Context<'_>,
    key: &[u8],
    offset: usize,
    part: &[u8],
) -> Result<(), CommandError> {
    let max = context.state.config.max_bulk_len();
    let keyspace = &mut context.state.keyspace;
    let is_new = keyspace.get::<Vec<u8>>(key)?.is_none();
    let Some(end) = offset.checked_add(part.len()).filter(|end| *end <= max) else {
        let text = "string exceeds maximum allowed size (proto-max-bulk-len)";
        return Err(CommandError::err(text));
    };
    let len = keyspace.change_or_insert(key, Vec::new, |string| {
        string.try_reserve(end.saturating_sub(string.len()))?;
        string.resize(string.len().max(end), 0);
        string[offset..end].copy_from_slice(part);
        Ok::<_, TryReserveError>(string.len())
    })?;
    let Ok(len) = len else {
        if is_new {
            keyspace.remove(key);
        }
        return Err(CommandError::Other("OOM the string does not fit in memory".into()));
    };
    keyspace.touch(key);
    context.replies.count(len);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn a_string_that_does_not_fit_in_memory_is_an_error() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        ask(&mut engine, &mut client, "CONFIG SET proto-max-bulk-len 9223372036854775807");
        ask(&mut engine, &mut client, "SET old value");
        for key in ["old", "new"] {
            let reply =
                ask(&mut engine, &mut client, &format!("SETRANGE {key} 9223372036854775000 x"));
            assert_eq!(reply, "-OOM the string does not fit in memory\r\n");
        }
        assert_eq!(ask(&mut engine, &mut client, "GET old"), "$5\r\nvalue\r\n");
        assert_eq!(ask(&mut engine, &mut client, "EXISTS new"), ":0\r\n");
    }
}
