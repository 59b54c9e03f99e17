//! Snapshots: all keys in a file, in Redis's RDB format.
//!
//! ```text
//! "REDIS" "0010"               the version of Redis 7.0, which all later versions read
//! FE 0                         the database
//! FB keys expiring             the numbers of keys and of deadlines
//! [FC milliseconds] type key value     for each key
//! FF CRC64                     the checksum of all bytes before it
//! ```
//!
//! `redis-server` and `valkey-server` can load these files, and this server can load theirs as far
//! as it supports their types. The format is defined by Redis's `rdb.c`. The limits of CL.THROTTLE
//! are not keys, and are not saved.

mod read;
pub(crate) mod value;

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crc::{CRC_64_REDIS, Crc, Digest, Table};
use zset_core::ListpackLimits;
use zset_core::rdb::{RestoreError, write_length, write_string};
use zset_std::Timestamp;

use crate::keyspace::Keyspace;

/// The CRC-64 of Jones, as used by Redis, processing sixteen bytes at a time.
static CHECKSUM: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);

/// The number of bytes written at a time.
const PIECE: usize = 64 * 1024;

/// The first bytes of all parts that are not a key with its value.
mod opcode {
    /// Above all types of values: these parts are numbered down from 255, and types up from 0.
    pub(super) const LOWEST: u8 = 0x80;
    pub(super) const SLOT_INFO: u8 = 0xF4;
    pub(super) const FUNCTION: u8 = 0xF5;
    pub(super) const MODULE: u8 = 0xF7;
    pub(super) const IDLE: u8 = 0xF8;
    pub(super) const FREQUENCY: u8 = 0xF9;
    pub(super) const AUXILIARY: u8 = 0xFA;
    pub(super) const SIZES: u8 = 0xFB;
    pub(super) const DEADLINE_MILLIS: u8 = 0xFC;
    pub(super) const DEADLINE_SECONDS: u8 = 0xFD;
    pub(super) const DATABASE: u8 = 0xFE;
    pub(super) const END: u8 = 0xFF;
}

/// The location of the snapshot, and the state of saving.
#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    path: Option<PathBuf>,
    /// When the keys were last saved or loaded.
    pub(crate) last: Option<Timestamp>,
    /// Whether the last attempt to save failed.
    pub(crate) has_failed: bool,
    /// The number of successful saves.
    pub(crate) saved: u64,
    /// The number of changes when they were last saved.
    version: Option<u64>,
}

impl Snapshots {
    /// Makes [`save`](Self::save) write to a file, and loads that file if it exists, replacing all
    /// keys. Sorted sets get these limits.
    pub(crate) fn open(
        &mut self,
        path: &Path,
        keyspace: &mut Keyspace,
        limits: ListpackLimits,
    ) -> Result<(), SnapshotError> {
        // If the path is a link, its target is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match load(&path, keyspace.now(), limits) {
            Ok(None) => {}
            Ok(Some(loaded)) => {
                tracing::info!(path = %path.display(), keys = loaded.len(), "loaded");
                self.last = Some(keyspace.now());
                *keyspace = loaded;
            }
            Err(problem) => return Err(SnapshotError { path, problem }),
        }
        self.path = Some(path);
        Ok(())
    }

    /// Saves all keys if there is a file to save to; returns whether there is. Even after a crash
    /// of the machine, the file is complete, either the old one or the new one.
    pub(crate) fn save(&mut self, keyspace: &Keyspace) -> Result<bool, SnapshotError> {
        let Some(path) = &self.path else { return Ok(false) };
        let result = replace(path, keyspace);
        self.has_failed = result.is_err();
        if let Err(error) = result {
            tracing::error!(path = %path.display(), %error, "not saved");
            return Err(SnapshotError { path: path.clone(), problem: error.into() });
        }
        self.last = Some(keyspace.now());
        self.saved += 1;
        self.version = Some(keyspace.version);
        tracing::info!(path = %path.display(), keys = keyspace.len(), "saved");
        Ok(true)
    }

    /// Returns whether the keys have not changed since they were last saved.
    pub(crate) fn is_saved(&self, keyspace: &Keyspace) -> bool {
        self.version == Some(keyspace.version)
    }

    /// Returns the number of changes since the keys were last saved, or else since the start.
    pub(crate) fn changes_since(&self, keyspace: &Keyspace) -> u64 {
        keyspace.version - self.version.unwrap_or(0)
    }
}

/// Loads a file, if it exists, after checking that it can be replaced.
fn load(path: &Path, now: Timestamp, limits: ListpackLimits) -> Result<Option<Keyspace>, Problem> {
    check_writable(path)?;
    if !path.exists() {
        return Ok(None);
    }
    // Opening anything other than a regular file could block forever.
    if !path.is_file() {
        return Err("it is not a regular file".into());
    }
    read::load(&fs::read(path)?, now, limits).map(Some)
}

/// Why a snapshot could not be loaded or saved.
#[derive(Debug)]
pub struct SnapshotError {
    path: PathBuf,
    problem: Problem,
}

/// The problem of a snapshot: an [`io::Error`], a [`RestoreError`], or a sentence.
type Problem = Box<dyn Error + Send + Sync>;

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_malformed = self.problem.is::<RestoreError>();
        let malformed = if is_malformed { "it is malformed: " } else { "" };
        write!(f, "snapshot {}: {malformed}{}", self.path.display(), self.problem)
    }
}

impl Error for SnapshotError {}

/// Checks that a file can be created next to a path. Removes an incomplete file left by a killed
/// server.
fn check_writable(path: &Path) -> io::Result<()> {
    let (unfinished, _) = create(path)?;
    fs::remove_file(unfinished)
}

/// Replaces a file by one with these keys.
fn replace(path: &Path, keyspace: &Keyspace) -> io::Result<()> {
    let (unfinished, mut file) = create(path)?;
    let written = write(keyspace, &mut file).and_then(|()| file.sync_all());
    let replaced = written.and_then(|()| fs::rename(&unfinished, path));
    if replaced.is_err() {
        // If this fails, the next save or start removes the file.
        let _ = fs::remove_file(&unfinished);
    }
    replaced?;
    sync_folder(path)
}

/// Creates a file in the same folder as a path, so that it can be renamed to the path. Only its
/// owner may read it.
fn create(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut unfinished = OsString::from(path);
    unfinished.push(".unfinished");
    let _ = fs::remove_file(&unfinished);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let file = options.open(&unfinished)?;
    Ok((unfinished.into(), file))
}

/// Makes the operating system persist a renamed file's directory entry.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Writes to a file in pieces and computes the checksum.
struct Sink<'a, W> {
    file: &'a mut W,
    digest: Digest<'static, u64, Table<16>>,
}

impl<W: Write> Sink<'_, W> {
    fn write(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.digest.update(out);
        self.file.write_all(out)?;
        out.clear();
        Ok(())
    }

    /// Writes the buffer to the file if it is large enough.
    fn spill(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if out.len() < PIECE { Ok(()) } else { self.write(out) }
    }
}

/// Writes all keys piece by piece, so only one piece at a time is duplicated in memory.
fn write(keyspace: &Keyspace, file: &mut impl Write) -> io::Result<()> {
    let mut sink = Sink { file, digest: CHECKSUM.digest() };
    let mut out = b"REDIS0010".to_vec();
    out.extend([opcode::DATABASE, 0, opcode::SIZES]);
    write_length(keyspace.len(), &mut out);
    write_length(keyspace.expiring_len(), &mut out);
    for (key, value) in keyspace.iter() {
        if let Some(deadline) = keyspace.deadline(key).flatten() {
            out.push(opcode::DEADLINE_MILLIS);
            // Rounded up: the largest timestamp is not a whole number of milliseconds.
            out.extend(deadline.as_nanos().div_ceil(1_000_000).to_le_bytes());
        }
        out.push(value::type_of(value));
        write_string(key, &mut out);
        value::write(value, &mut out, |out| sink.spill(out))?;
        sink.spill(&mut out)?;
    }
    out.push(opcode::END);
    sink.write(&mut out)?;
    sink.file.write_all(&sink.digest.finalize().to_le_bytes())
}
