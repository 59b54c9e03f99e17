//! DUMP and RESTORE.

use std::convert::Infallible;

use zset_core::ListpackLimits;
use zset_core::rdb::{Reader, RestoreError, seal, unseal};

use crate::command::{Command, GROW, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;
use crate::snapshot::value;

use super::arguments::integer;
use super::expire::{Unit, time_of};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "dump",
        arity: 2,
        flags: READ,
        keys: (1, 1, 1),
        summary: "Returns a value as bytes for RESTORE.",
        handler: dump,
    },
    Command {
        name: "restore",
        arity: -4,
        flags: GROW,
        keys: (1, 1, 1),
        summary: "Makes a key of the bytes of DUMP.",
        handler: restore,
    },
];

/// The size of the version and the checksum at the end of a payload.
const FOOTER: usize = 10;

fn dump(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match context.state.keyspace.value(arguments[1]) {
        None => context.replies.null(),
        Some(value) => context.replies.bulk(&payload(value)),
    }
    Ok(())
}

/// Returns the payload of DUMP.
pub(super) fn payload(value: &Value) -> Vec<u8> {
    let mut payload = vec![value::type_of(value)];
    let Ok(()) = value::write(value, &mut payload, |_| Ok::<_, Infallible>(()));
    seal(&mut payload);
    payload
}

/// The options of RESTORE.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    replace: bool,
    absolute: bool,
}

impl Options {
    fn parse(mut rest: &[&[u8]]) -> Result<Self, CommandError> {
        let mut options = Options::default();
        // IDLETIME and FREQ are parsed and ignored: there is no eviction here.
        let (mut has_idle, mut has_frequency) = (false, false);
        while let [option, behind @ ..] = rest {
            rest = behind;
            match (option.to_ascii_lowercase().as_slice(), behind) {
                (b"replace", _) => options.replace = true,
                (b"absttl", _) => options.absolute = true,
                (b"idletime", [seconds, behind @ ..]) if !has_frequency => {
                    if integer(seconds)? < 0 {
                        return Err(CommandError::err("Invalid IDLETIME value, must be >= 0"));
                    }
                    (has_idle, rest) = (true, behind);
                }
                (b"freq", [frequency, behind @ ..]) if !has_idle => {
                    if !(0..=255).contains(&integer(frequency)?) {
                        let text = "Invalid FREQ value, must be >= 0 and <= 255";
                        return Err(CommandError::err(text));
                    }
                    (has_frequency, rest) = (true, behind);
                }
                _ => return Err(CommandError::Syntax),
            }
        }
        Ok(options)
    }
}

fn restore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, ttl, payload, ref options @ ..] = arguments else {
        return Err(CommandError::Syntax);
    };
    let options = Options::parse(options)?;
    let keyspace = &mut context.state.keyspace;
    if !options.replace && keyspace.value(key).is_some() {
        return Err(CommandError::Other("BUSYKEY Target key name already exists.".into()));
    }
    let ttl = integer(ttl)?;
    if ttl < 0 {
        return Err(CommandError::err("Invalid TTL value, must be >= 0"));
    }
    let unit = if options.absolute { Unit::AT_MILLI } else { Unit::MILLIS };
    // Zero means no deadline.
    let deadline = (ttl > 0).then(|| time_of(unit.millis(ttl, keyspace).unwrap_or(i64::MAX)));
    let value = restored(payload, context.state.config.limits())?;
    keyspace.set_until(key, value, deadline);
    context.replies.status("OK");
    Ok(())
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
        Err(RestoreError::Memory(_)) => Err(CommandError::OutOfMemory),
        Ok(_) | Err(_) => Err(CommandError::err("Bad data format")),
    }
}
