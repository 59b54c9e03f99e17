//! DUMP and RESTORE.

use std::convert::Infallible;

use zset_core::ListpackLimits;
use zset_core::rdb::{Reader, RestoreError, seal, unseal};

use super::arguments::integer;
use super::expire::Unit;
use crate::command::{Context, Handlers, Replied};
use crate::error::CommandError;
use crate::keyspace::{Value, time_of};
use crate::snapshot::value;

pub(super) const HANDLERS: Handlers = &[("dump", dump), ("restore", restore)];

/// The size of the version and the checksum at the end of a payload.
const FOOTER: usize = 10;

fn dump(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match context.state.keyspace.value(arguments[1]) {
        None => context.replies.null(),
        Some(value) => context.replies.bulk(&payload(value)),
    }
    Ok(())
}

/// Returns the payload of DUMP.
fn payload(value: &Value) -> Vec<u8> {
    let mut payload = vec![value::type_of(value)];
    let Ok(()) = value::write(value, &mut payload, |_| Ok::<_, Infallible>(()));
    seal(&mut payload);
    payload
}

fn restore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let &[_, key, ttl, payload, ref options @ ..] = arguments else {
        return Err(CommandError::SYNTAX);
    };
    let (mut replaces, mut unit) = (false, Unit::MILLIS);
    // No key is evicted, so these are checked only. Each is an option only without the other.
    let (mut has_idle_time, mut has_frequency) = (false, false);
    let mut rest = options;
    while let [option, behind @ ..] = rest {
        rest = behind;
        match (option.to_ascii_lowercase().as_slice(), behind) {
            (b"replace", _) => replaces = true,
            (b"absttl", _) => unit = Unit::AT_MILLI,
            (b"idletime", [seconds, behind @ ..]) if !has_frequency => {
                if integer(seconds)? < 0 {
                    return Err(CommandError::err("Invalid IDLETIME value, must be >= 0"));
                }
                (has_idle_time, rest) = (true, behind);
            }
            (b"freq", [frequency, behind @ ..]) if !has_idle_time => {
                if !(0..=255).contains(&integer(frequency)?) {
                    return Err(CommandError::err("Invalid FREQ value, must be >= 0 and <= 255"));
                }
                (has_frequency, rest) = (true, behind);
            }
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let keyspace = &mut context.state.keyspace;
    if !replaces && keyspace.value(key).is_some() {
        return Err(CommandError::new("BUSYKEY Target key name already exists."));
    }
    let ttl = integer(ttl)?;
    if ttl < 0 {
        return Err(CommandError::err("Invalid TTL value, must be >= 0"));
    }
    // Zero means no deadline.
    let deadline = (ttl > 0).then(|| time_of(unit.millis(ttl, keyspace).unwrap_or(i64::MAX)));
    let value = restored(payload, context.state.config.limits())?;
    keyspace.set_until(key, value, deadline);
    context.ok()
}

/// Decodes the value of a payload; an empty set is an error.
fn restored(payload: &[u8], limits: ListpackLimits) -> Result<Value, CommandError> {
    let body = if payload.len() > FOOTER { unseal(payload).ok() } else { None };
    let body =
        body.ok_or_else(|| CommandError::err("DUMP payload version or checksum are wrong"))?;
    let mut reader = Reader::new(body);
    let value = reader.byte().and_then(|kind| value::read(kind, &mut reader, limits));
    match value {
        Ok(value) if reader.rest() == 0 && !value.is_empty_set() => Ok(value),
        Err(RestoreError::Memory(_)) => Err(CommandError::OUT_OF_MEMORY),
        Ok(_) | Err(_) => Err(CommandError::err("Bad data format")),
    }
}
