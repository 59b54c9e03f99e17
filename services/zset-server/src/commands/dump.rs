//! DUMP and RESTORE. A payload contains a value in the format of Redis's `rdb.c`. Payloads are
//! untrusted input.

use zset_core::redis::listpack::Value as Entry;
use zset_core::redis::rdb::{self, Reader, RestoreError};
use zset_core::{Listpack, ListpackLimits, Member, Score, ZSet};

use super::arguments::{Options, integer};
use super::keys::Unit;
use super::{Context, Handlers, Replied};
use crate::keyspace::{Value, time_of};
use crate::replies::CommandError;

pub(super) const HANDLERS: Handlers = &[("dump", dump), ("restore", restore)];

/// The type bytes of payloads other than sorted sets: one for strings and three for sets. A set is
/// stored as a list of members, as an array of integers after their width and number, or as a
/// listpack.
const STRING: u8 = 0;
const SET: u8 = 2;
const SET_OF_INTEGERS: u8 = 11;
const SET_AS_LISTPACK: u8 = 20;

/// The size of the version and the checksum at the end of a payload.
const FOOTER: usize = 10;

fn dump(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    match context.state.keyspace.value(arguments[1]) {
        None => context.replies.null(),
        Some(value) => context.replies.bulk(&payload(value)),
    }
    Ok(())
}

fn payload(value: &Value) -> Vec<u8> {
    let mut payload;
    match value {
        Value::SortedSet(set) => return rdb::dump(set),
        Value::String(string) => {
            payload = vec![STRING];
            rdb::write_string(string, &mut payload);
        }
        Value::Set(set) => {
            payload = vec![SET];
            rdb::write_length(set.len(), &mut payload);
            set.iter().for_each(|(member, _)| rdb::write_string(&member, &mut payload));
        }
    }
    rdb::seal(&mut payload);
    payload
}

fn restore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, ttl, payload) = (arguments[1], arguments[2], arguments[3]);
    let (mut replaces, mut unit) = (false, Unit::MILLIS);
    // IDLETIME and FREQ matter only for eviction, which this server lacks. Their values are
    // checked, but not used. A command may have only one of the two options.
    let (mut has_idle_time, mut has_frequency) = (false, false);
    let mut options = Options(&arguments[4..]);
    while let Some(option) = options.name() {
        match option.as_slice() {
            b"replace" => replaces = true,
            b"absttl" => unit = Unit::AT_MILLI,
            b"idletime" if !has_frequency => {
                has_idle_time = true;
                if integer(options.value()?)? < 0 {
                    return Err(CommandError::err("Invalid IDLETIME value, must be >= 0"));
                }
            }
            b"freq" if !has_idle_time => {
                has_frequency = true;
                if !(0..=255).contains(&integer(options.value()?)?) {
                    return Err(CommandError::err("Invalid FREQ value, must be >= 0 and <= 255"));
                }
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
    // A TTL of zero means no deadline.
    let deadline = (ttl > 0).then(|| time_of(unit.millis(ttl, keyspace).unwrap_or(i64::MAX)));
    let value = restored(payload, context.state.config.limits)?;
    keyspace.set(key, value, deadline);
    context.ok()
}

/// Decodes the value of a payload; an empty set is an error.
fn restored(payload: &[u8], limits: ListpackLimits) -> Result<Value, CommandError> {
    let body = if payload.len() > FOOTER { rdb::unseal(payload).ok() } else { None };
    let body =
        body.ok_or_else(|| CommandError::err("DUMP payload version or checksum are wrong"))?;
    let mut reader = Reader::new(body);
    match read(&mut reader, limits) {
        Ok(value) if reader.rest() == 0 && !value.is_empty_set() => Ok(value),
        Err(RestoreError::Memory(_)) => Err(CommandError::OUT_OF_MEMORY),
        Ok(_) | Err(_) => Err(CommandError::err("Bad data format")),
    }
}

/// Reads a type and a value of that type. `limits` become those of a sorted set.
fn read(reader: &mut Reader<'_>, limits: ListpackLimits) -> Result<Value, RestoreError> {
    Ok(match reader.byte()? {
        STRING => Value::String(reader.string()?.into_owned()),
        SET => Value::Set(read_set(reader)?),
        SET_OF_INTEGERS => Value::Set(set_of_integers(&reader.string()?)?),
        SET_AS_LISTPACK => Value::Set(set_of_listpack(&reader.string()?)?),
        kind @ rdb::TYPE_LISTPACK => {
            // When Redis and Valkey restore a listpack, they check the number of its members
            // against their limits, but not the lengths of the members.
            let any_length = ListpackLimits { max_listpack_value: usize::MAX, ..limits };
            let mut set = reader.set(kind, any_length)?;
            set.set_limits(limits);
            Value::SortedSet(set)
        }
        kind => Value::SortedSet(reader.set(kind, limits)?),
    })
}

fn read_set(reader: &mut Reader<'_>) -> Result<ZSet, RestoreError> {
    let len = reader.length()?;
    // Each member occupies at least one byte, so there cannot be more members than remaining bytes.
    if len > reader.rest() {
        return Err(RestoreError::Truncated);
    }
    set_of((0..len).map(|_| reader.string()))
}

fn set_of_integers(bytes: &[u8]) -> Result<ZSet, RestoreError> {
    let mut header = Reader::new(bytes);
    let (width, len) = (header.array()?, header.array()?);
    let (width, len) = (u32::from_le_bytes(width) as usize, u32::from_le_bytes(len) as usize);
    let body = &bytes[bytes.len() - header.rest()..];
    if !matches!(width, 2 | 4 | 8) || len.checked_mul(width) != Some(body.len()) {
        return Err(RestoreError::Length);
    }
    set_of(body.chunks_exact(width).map(|integer| {
        // Sign-extend to 64 bits.
        let sign = if integer[width - 1] < 0x80 { 0 } else { 0xFF };
        let mut wide = [sign; 8];
        wide[..width].copy_from_slice(integer);
        Ok(Member::from(Entry::Integer(i64::from_le_bytes(wide))))
    }))
}

fn set_of_listpack(bytes: &[u8]) -> Result<ZSet, RestoreError> {
    let list = Listpack::from_bytes(bytes.to_vec()).map_err(RestoreError::Listpack)?;
    set_of(list.iter().map(|entry| Ok(Member::from(entry))))
}

/// Returns a plain set of distinct members.
fn set_of<M: AsRef<[u8]>>(
    members: impl Iterator<Item = Result<M, RestoreError>>,
) -> Result<ZSet, RestoreError> {
    let mut set = ZSet::new();
    for (rank, member) in members.enumerate() {
        if set.insert(member?, Score::from(1)).is_some() {
            return Err(RestoreError::DuplicateMember { rank });
        }
    }
    Ok(set)
}
