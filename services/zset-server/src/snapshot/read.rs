//! Reading keys from a file, which is untrusted input.

use std::fmt::Display;

use zset_core::ListpackLimits;
use zset_core::rdb::{REDIS_VERSIONS, Reader, RestoreError, VALKEY_VERSION};
use zset_std::Timestamp;

use super::{CHECKSUM, Problem, opcode, value};
use crate::keyspace::{Keyspace, time_of};

/// The first version with a checksum.
const FIRST_WITH_CHECKSUM: u16 = 5;

/// The size of the checksum, in bytes.
const CHECKSUM_LEN: usize = 8;

/// Returns the keys of a file that have not expired; sorted sets get these limits.
pub(super) fn load(
    bytes: &[u8],
    now: Timestamp,
    limits: ListpackLimits,
) -> Result<Keyspace, Problem> {
    let (version, parts) = check_header(bytes)?;
    let has_checksum = version >= FIRST_WITH_CHECKSUM;
    let mut reader = Reader::new(parts);
    let keyspace = match read_parts(&mut reader, now, limits) {
        Ok(keyspace) => keyspace,
        // A damaged or missing byte can look like any problem.
        Err(problem) if has_checksum && !is_intact(bytes, bytes.len() - CHECKSUM_LEN) => {
            let is_short = matches!(problem.downcast_ref(), Some(RestoreError::Truncated));
            return Err(if is_short { truncated("its end is missing") } else { damaged() });
        }
        Err(problem) => return Err(problem),
    };
    let mut end = bytes.len() - reader.rest();
    if has_checksum {
        if reader.rest() < CHECKSUM_LEN {
            let rest = reader.rest();
            return Err(truncated(format_args!("its checksum has {rest} of {CHECKSUM_LEN} bytes")));
        }
        if !is_intact(bytes, end) {
            return Err(damaged());
        }
        end += CHECKSUM_LEN;
    }
    let rest = bytes.len() - end;
    if rest > 0 {
        return Err(format!("it has bytes after its end: {rest} from offset {end}").into());
    }
    Ok(keyspace)
}

/// Returns whether the 8 bytes at this offset are the checksum of all preceding bytes, or zero:
/// other servers can be configured to omit the checksum.
fn is_intact(bytes: &[u8], end: usize) -> bool {
    let (body, rest) = bytes.split_at(end);
    rest.starts_with(&[0; CHECKSUM_LEN]) || rest.starts_with(&CHECKSUM.checksum(body).to_le_bytes())
}

fn damaged() -> Problem {
    "it is damaged: its checksum does not match".into()
}

fn truncated(what: impl Display) -> Problem {
    format!("it is truncated or damaged: {what}").into()
}

/// Reads up to the end.
fn read_parts(
    reader: &mut Reader<'_>,
    now: Timestamp,
    limits: ListpackLimits,
) -> Result<Keyspace, Problem> {
    let mut keyspace = Keyspace::default();
    keyspace.set_now(now);
    let mut deadline = None;
    loop {
        match reader.byte()? {
            opcode::AUXILIARY => {
                // A name and a value.
                reader.string()?;
                reader.string()?;
            }
            opcode::SIZES => {
                reader.length()?;
                reader.length()?;
            }
            opcode::SLOT_INFO => {
                for _ in 0..3 {
                    reader.length()?;
                }
            }
            opcode::FREQUENCY => _ = reader.byte()?,
            opcode::IDLE => _ = reader.length()?,
            opcode::DATABASE => {
                let index = reader.length()?;
                if index > 0 {
                    return Err(unsupported(format_args!("it has database {index}")));
                }
            }
            opcode::DEADLINE_MILLIS => deadline = Some(i64::from_le_bytes(reader.array()?)),
            opcode::DEADLINE_SECONDS => {
                deadline = Some(i64::from(i32::from_le_bytes(reader.array()?)) * 1000);
            }
            opcode::END => return Ok(keyspace),
            opcode::FUNCTION => return Err(unsupported("it has a library of functions")),
            opcode::MODULE => return Err(unsupported("it has data of a module")),
            kind @ opcode::LOWEST.. => {
                return Err(unsupported(format_args!("it has a part of kind {kind}")));
            }
            kind => {
                let key = reader.string()?.into_owned();
                let value = match value::read(kind, reader, limits) {
                    Ok(value) => value,
                    Err(RestoreError::Type(kind)) => {
                        let (key, name) = (key.escape_ascii(), type_name(kind));
                        return Err(unsupported(format_args!("key '{key}' is {name}")));
                    }
                    Err(error) => return Err(error.into()),
                };
                if keyspace.value(&key).is_some() {
                    let key = key.escape_ascii();
                    return Err(unsupported(format_args!("key '{key}' is repeated")));
                }
                let deadline = deadline.take().map(time_of);
                if deadline.is_none_or(|deadline| deadline > now) {
                    keyspace.set(&key, value, deadline);
                }
            }
        }
    }
}

/// Returns the version, and the bytes after the header.
fn check_header(bytes: &[u8]) -> Result<(u16, &[u8]), Problem> {
    let not_rdb = || "it is not an RDB file";
    let (header, parts) = bytes.split_first_chunk::<9>().ok_or_else(not_rdb)?;
    let (digits, is_valkey) = match header.strip_prefix(b"REDIS") {
        Some(digits) => (digits, false),
        None => (header.strip_prefix(b"VALKEY").ok_or_else(not_rdb)?, true),
    };
    let version = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    let is_known = |version: &u16| {
        if is_valkey { *version == VALKEY_VERSION } else { REDIS_VERSIONS.contains(version) }
    };
    let digits = digits.escape_ascii();
    let unknown = || unsupported(format_args!("it has version {digits}"));
    Ok((version.filter(is_known).ok_or_else(unknown)?, parts))
}

fn unsupported(what: impl Display) -> Problem {
    format!("{what}, which is not supported").into()
}

/// Returns Redis's name for a type, given its number in files.
fn type_name(kind: u8) -> String {
    let name = match kind {
        1 | 10 | 14 | 18 => "a list",
        12 => "a sorted set as a ziplist, as written before Redis 7",
        4 | 9 | 13 | 16 | 22..=25 => "a hash",
        6 | 7 => "a value of a module",
        15 | 19 | 21 => "a stream",
        _ => return format!("of type {kind}"),
    };
    name.to_owned()
}
