//! Reading keys from a file, which is untrusted input.

use std::fmt::Display;

use zset_core::ListpackLimits;
use zset_core::rdb::{Reader, RestoreError};
use zset_std::Timestamp;

use super::{CHECKSUM, SnapshotProblem, opcode, value};
use crate::keyspace::{Keyspace, time_of};

/// The supported versions of Redis's format; earlier ones have no checksum.
const REDIS_VERSIONS: std::ops::RangeInclusive<u32> = 5..=13;

/// The version of Valkey 9, which starts its files with `VALKEY`.
const VALKEY_VERSION: u32 = 80;

/// The size of the checksum, in bytes.
const CHECKSUM_LEN: usize = 8;

/// Returns the keys of a file that have not expired; sorted sets get these limits.
pub(super) fn load(
    bytes: &[u8],
    now: Timestamp,
    limits: ListpackLimits,
) -> Result<Keyspace, SnapshotProblem> {
    let parts = check_header(bytes)?;
    let end = parts.len().checked_sub(CHECKSUM_LEN).ok_or(RestoreError::Truncated)?;
    let (parts, checksum) = parts.split_at(end);
    // Other servers can be configured to omit the checksum: it is zero.
    let expected = CHECKSUM.checksum(&bytes[..bytes.len() - CHECKSUM_LEN]);
    if checksum != expected.to_le_bytes() && checksum != [0; CHECKSUM_LEN] {
        let reason = "it is damaged: its checksum does not match";
        return Err(SnapshotProblem::Unsupported(reason.to_owned()));
    }
    let mut keyspace = Keyspace::default();
    keyspace.set_now(now);
    let mut reader = Reader::new(parts);
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
            opcode::END => break,
            opcode::FUNCTION => return Err(unsupported("it has a library of functions")),
            opcode::MODULE => return Err(unsupported("it has data of a module")),
            kind @ opcode::SLOT_INFO.. => {
                return Err(unsupported(format_args!("it has a part of kind {kind}")));
            }
            kind => {
                let key = reader.string()?.into_owned();
                let value = match value::read(kind, &mut reader, limits) {
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
                    keyspace.set(&key, value);
                    keyspace.set_deadline(&key, deadline);
                }
            }
        }
    }
    if reader.rest() > 0 { Err(RestoreError::TrailingBytes.into()) } else { Ok(keyspace) }
}

/// Returns the bytes after the header.
fn check_header(bytes: &[u8]) -> Result<&[u8], SnapshotProblem> {
    let not_rdb = || SnapshotProblem::Unsupported("it is not an RDB file".to_owned());
    let (header, parts) = bytes.split_first_chunk::<9>().ok_or_else(not_rdb)?;
    let (version, is_valkey) = match header.strip_prefix(b"REDIS") {
        Some(version) => (version, false),
        None => (header.strip_prefix(b"VALKEY").ok_or_else(not_rdb)?, true),
    };
    let number = std::str::from_utf8(version).ok().and_then(|version| version.parse().ok());
    let is_known = number.is_some_and(|number| {
        if is_valkey { number == VALKEY_VERSION } else { REDIS_VERSIONS.contains(&number) }
    });
    let version = version.escape_ascii();
    if is_known { Ok(parts) } else { Err(unsupported(format_args!("it has version {version}"))) }
}

fn unsupported(what: impl Display) -> SnapshotProblem {
    SnapshotProblem::Unsupported(format!("{what}, which is not supported"))
}

/// Returns Redis's name for a type, given its number in files.
fn type_name(kind: u8) -> String {
    let name = match kind {
        1 | 10 | 14 | 18 => "a list",
        3 | 12 => "a sorted set as written before Redis 7",
        4 | 9 | 13 | 16 | 22..=25 => "a hash",
        6 | 7 => "a value of a module",
        15 | 19 | 21 => "a stream",
        _ => return format!("of type {kind}"),
    };
    name.to_owned()
}
