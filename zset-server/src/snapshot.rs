//! Snapshots: all keys in a file, in Redis's RDB format.
//!
//! ```text
//! "REDIS" "0010"               the version of Redis 7.0, which all later versions read
//! FA name text                 metadata: the version of the writer, and the time
//! FE 0                         the database
//! FB keys expiring             the numbers of keys and of deadlines
//! [FC milliseconds] type key value     for each key
//! FF CRC64                     the checksum of all bytes before it
//! ```
//!
//! The limits of CL.THROTTLE are not keys, and are not saved. A file is used by one server at a time: a
//! second one with the same file refuses to start.
//!
//! `redis-server` and `valkey-server` can load these files, and this server can load theirs as far as it
//! supports their types. The format is defined by Redis's `rdb.c`.

mod error;
mod file;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod value;
mod write;

use std::path::{Path, PathBuf};

use crc::{CRC_64_REDIS, Crc, Table};
use zset_core::ListpackLimits;
use zset_std::Timestamp;

use crate::keyspace::{Keyspace, Version};
use file::Place;

pub use error::{SnapshotError, SnapshotProblem};

/// The CRC-64 of Jones, as used by Redis, processing sixteen bytes at a time.
static CHECKSUM: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);

/// The name of the field with the version of this program that wrote the file; other programs use other
/// names.
const WRITER: &[u8] = b"zset-ver";

/// The number of bytes written or read at a time.
const PIECE: usize = 64 * 1024;

/// The type bytes of everything that is not a value.
mod opcode {
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
    /// The path as given, and the file that it leads to.
    place: Option<(PathBuf, Place)>,
    /// When the keys were last saved or loaded.
    last: Option<Timestamp>,
    has_failed: bool,
    saved: u64,
    /// The [version](Keyspace::version) of the keys when they were last saved.
    version: Option<Version>,
}

impl Snapshots {
    /// Returns whether there is a file to save to.
    pub(crate) fn is_on(&self) -> bool {
        self.place.is_some()
    }

    /// Returns when the keys were last saved or loaded, if ever.
    pub(crate) fn last(&self) -> Option<Timestamp> {
        self.last
    }

    /// Returns whether saving has ever been attempted.
    pub(crate) fn is_tried(&self) -> bool {
        self.saved > 0 || self.has_failed
    }

    /// Returns whether the last attempt to save failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Returns the number of successful saves.
    pub(crate) fn saved(&self) -> u64 {
        self.saved
    }

    /// Returns whether the keys have not changed since they were last saved.
    pub(crate) fn is_saved(&self, keyspace: &Keyspace) -> bool {
        self.version == Some(keyspace.version())
    }

    /// Saves all keys if there is a file to save to; returns whether there is.
    pub(crate) fn save(&mut self, keyspace: &Keyspace) -> Result<bool, SnapshotError> {
        let Some((path, place)) = &self.place else { return Ok(false) };
        let result = place.replace(|file| write::write(keyspace, file));
        self.has_failed = result.is_err();
        match result {
            Ok(()) => {
                self.last = Some(keyspace.now());
                self.saved += 1;
                self.version = Some(keyspace.version());
                tracing::info!(path = %path.display(), keys = keyspace.len(), "saved");
                Ok(true)
            }
            Err(error) => {
                tracing::error!(path = %path.display(), %error, "not saved");
                Err(SnapshotError::new(path, SnapshotProblem::Io(error)))
            }
        }
    }

    /// Uses a file from now on, and loads it if it exists, replacing all keys; sorted sets get these
    /// limits.
    pub(crate) fn open(
        &mut self,
        path: &Path,
        keyspace: &mut Keyspace,
        limits: ListpackLimits,
    ) -> Result<(), SnapshotError> {
        let place = self.load(path, keyspace, limits);
        let place = place.map_err(|problem| SnapshotError::new(path, problem))?;
        self.place = Some((path.to_owned(), place));
        Ok(())
    }

    fn load(
        &mut self,
        path: &Path,
        keyspace: &mut Keyspace,
        limits: ListpackLimits,
    ) -> Result<Place, SnapshotProblem> {
        let now = keyspace.now();
        let place = Place::take(path)?;
        if let Some(file) = place.open()? {
            *keyspace = read::load(file, now, limits)?;
            self.last = Some(now);
            tracing::info!(path = %path.display(), keys = keyspace.len(), "loaded");
        }
        Ok(place)
    }
}
