//! Reading keys from a file, which is untrusted input.

use std::io::{self, Read, Seek};

use crc::{Digest, Table};
use zset_core::ListpackLimits;
use zset_core::rdb::{Reader, RestoreError};
use zset_std::Timestamp;

use super::{CHECKSUM, PIECE, SnapshotProblem, WRITER, opcode, value};
use crate::keyspace::{Keyspace, Value, time_of};

/// The supported versions of Redis's format; earlier ones have no checksum.
const REDIS_VERSIONS: std::ops::RangeInclusive<u32> = 5..=13;

/// The version of Valkey 9, which starts its files with `VALKEY`.
const VALKEY_VERSION: u32 = 80;

/// The size of the checksum, in bytes.
const CHECKSUM_LEN: usize = 8;

/// Returns the keys of a file that have not expired; sorted sets get these limits.
///
/// The file is read once, in pieces. If it is malformed, it is checked for damage, which is then the
/// error.
pub(super) fn load(
    mut file: impl Read + Seek,
    now: Timestamp,
    limits: ListpackLimits,
) -> Result<Keyspace, SnapshotProblem> {
    let mut source = Source::new(&mut file);
    let result = source.keys(now, limits);
    let is_ours = source.is_ours;
    match result {
        Ok(_)
        | Err(
            SnapshotProblem::Io(_)
            | SnapshotProblem::Magic
            | SnapshotProblem::Version(_)
            | SnapshotProblem::Truncated,
        ) => result,
        Err(problem) if is_damaged(&mut file, is_ours)? => match problem {
            SnapshotProblem::TrailingBytes => Err(problem),
            _ => Err(SnapshotProblem::Checksum),
        },
        Err(problem) => Err(problem),
    }
}

/// Returns whether the checksum at the end of a file does not match.
fn is_damaged(file: &mut (impl Read + Seek), is_ours: bool) -> io::Result<bool> {
    file.rewind()?;
    let (mut digest, mut bytes) = (CHECKSUM.digest(), Vec::new());
    loop {
        let before = bytes.len();
        file.by_ref().take(PIECE as u64).read_to_end(&mut bytes)?;
        if bytes.len() == before {
            break;
        }
        let end = bytes.len().saturating_sub(CHECKSUM_LEN);
        digest.update(&bytes[..end]);
        bytes.drain(..end);
    }
    Ok(!is_checksum(digest.finalize(), &bytes, is_ours))
}

/// Returns whether the checksum matches, or is zero: other servers can be configured to omit it.
fn is_checksum(checksum: u64, bytes: &[u8], is_ours: bool) -> bool {
    bytes == checksum.to_le_bytes() || (!is_ours && bytes == [0; CHECKSUM_LEN])
}

/// A file with a buffer of bytes read ahead.
struct Source<R> {
    file: R,
    digest: Digest<'static, u64, Table<16>>,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer already parsed.
    done: usize,
    /// The number of bytes removed from the buffer.
    gone: u64,
    /// Whether the file claims to be written by this program.
    is_ours: bool,
}

/// A part of a file.
enum Part {
    /// A part that is ignored.
    Skipped,
    /// A field that only this program writes.
    Ours,
    Database(usize),
    Deadline(Timestamp),
    Key(Vec<u8>, Value),
    /// A key with an unsupported type of value.
    Foreign(Vec<u8>, u8),
    Unknown(u8),
    End,
}

impl<R: Read> Source<R> {
    fn new(file: R) -> Self {
        Source {
            file,
            digest: CHECKSUM.digest(),
            buffer: Vec::new(),
            done: 0,
            gone: 0,
            is_ours: false,
        }
    }

    fn keys(
        &mut self,
        now: Timestamp,
        limits: ListpackLimits,
    ) -> Result<Keyspace, SnapshotProblem> {
        self.header()?;
        let mut keyspace = Keyspace::default();
        keyspace.set_now(now);
        let mut deadline = None;
        loop {
            match self.take(|reader| part(reader, limits))? {
                Part::Skipped | Part::Database(0) => {}
                Part::Ours => self.is_ours = true,
                Part::Deadline(time) => deadline = Some(time),
                Part::Key(key, value) => {
                    let deadline = deadline.take();
                    if keyspace.value(&key).is_some() {
                        return Err(SnapshotProblem::DuplicateKey(key));
                    }
                    if deadline.is_none_or(|deadline| deadline > now) {
                        keyspace.set(&key, value);
                        keyspace.set_deadline(&key, deadline);
                    }
                }
                Part::Database(index) => return Err(SnapshotProblem::Database(index)),
                Part::Foreign(key, kind) => return Err(SnapshotProblem::Type { key, kind }),
                Part::Unknown(kind) => return Err(SnapshotProblem::Unknown(kind)),
                Part::End => break,
            }
        }
        self.end()?;
        Ok(keyspace)
    }

    fn header(&mut self) -> Result<(), SnapshotProblem> {
        let header = self.array::<9>()?;
        let (version, is_valkey) = match header.strip_prefix(b"REDIS") {
            Some(version) => (version, false),
            None => (header.strip_prefix(b"VALKEY").ok_or(SnapshotProblem::Magic)?, true),
        };
        let number = std::str::from_utf8(version).ok().and_then(|version| version.parse().ok());
        let is_known = number.is_some_and(|number| {
            if is_valkey { number == VALKEY_VERSION } else { REDIS_VERSIONS.contains(&number) }
        });
        if is_known { Ok(()) } else { Err(SnapshotProblem::Version(version.to_vec())) }
    }

    /// Reads the checksum, which must be followed by nothing.
    fn end(&mut self) -> Result<(), SnapshotProblem> {
        let checksum = self.digest.clone().finalize();
        let bytes = self.array::<CHECKSUM_LEN>()?;
        if !is_checksum(checksum, &bytes, self.is_ours) {
            return Err(SnapshotProblem::Checksum);
        }
        if self.done < self.buffer.len() || self.fill()? {
            return Err(SnapshotProblem::TrailingBytes);
        }
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotProblem> {
        self.take(|reader| {
            let array: [u8; N] = reader.array()?;
            Ok(array)
        })
    }

    /// Parses a part, reading more of the file until the part is complete.
    fn take<T>(
        &mut self,
        read: impl Fn(&mut Reader<'_>) -> Result<T, RestoreError>,
    ) -> Result<T, SnapshotProblem> {
        loop {
            let mut reader = Reader::new(&self.buffer[self.done..]);
            match read(&mut reader) {
                Ok(taken) => {
                    let end = self.buffer.len() - reader.rest();
                    self.digest.update(&self.buffer[self.done..end]);
                    self.done = end;
                    return Ok(taken);
                }
                Err(RestoreError::Truncated) => {
                    if !self.fill()? {
                        return Err(SnapshotProblem::Truncated);
                    }
                }
                Err(error) => {
                    let offset = self.gone + self.done as u64;
                    return Err(SnapshotProblem::Malformed { offset, error });
                }
            }
        }
    }

    /// Reads more bytes; returns whether there were any. The unparsed bytes double with each call, so
    /// that a large value is parsed only a few times.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.done);
        self.gone += self.done as u64;
        self.done = 0;
        let len = self.buffer.len();
        if self.buffer.capacity() > 2 * PIECE.max(2 * len) {
            // Shrink after a large value.
            self.buffer.shrink_to(2 * PIECE.max(len));
        }
        let more = PIECE.max(len) as u64;
        self.file.by_ref().take(more).read_to_end(&mut self.buffer)?;
        Ok(self.buffer.len() > len)
    }
}

/// Parses a complete part.
fn part(reader: &mut Reader<'_>, limits: ListpackLimits) -> Result<Part, RestoreError> {
    match reader.byte()? {
        opcode::AUXILIARY => {
            let name = reader.string()?;
            reader.string()?;
            if *name == *WRITER {
                return Ok(Part::Ours);
            }
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
        opcode::DATABASE => return Ok(Part::Database(reader.length()?)),
        opcode::DEADLINE_MILLIS => {
            let millis = i64::from_le_bytes(reader.array()?);
            return Ok(Part::Deadline(time_of(millis)));
        }
        opcode::DEADLINE_SECONDS => {
            let seconds = i32::from_le_bytes(reader.array()?);
            return Ok(Part::Deadline(time_of(i64::from(seconds) * 1000)));
        }
        opcode::END => return Ok(Part::End),
        kind @ opcode::SLOT_INFO.. => return Ok(Part::Unknown(kind)),
        kind => {
            let key = reader.string()?.into_owned();
            return match value::read(kind, reader, limits) {
                Ok(value) => Ok(Part::Key(key, value)),
                Err(RestoreError::Type(kind)) => Ok(Part::Foreign(key, kind)),
                Err(error) => Err(error),
            };
        }
    }
    Ok(Part::Skipped)
}
