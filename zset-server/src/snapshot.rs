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
use zset_std::{Clock, Timestamp};

use crate::engine::{Engine, State};
use crate::keyspace::Version;
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
}

impl State {
    /// Saves all keys if there is a file to save to; returns whether there is.
    pub(crate) fn save(&mut self) -> Result<bool, SnapshotError> {
        let Some((path, place)) = &self.snapshots.place else { return Ok(false) };
        let result = place.replace(|file| write::write(&self.keyspace, file));
        self.snapshots.has_failed = result.is_err();
        match result {
            Ok(()) => {
                self.snapshots.last = Some(self.keyspace.now());
                self.snapshots.saved += 1;
                self.snapshots.version = Some(self.keyspace.version());
                tracing::info!(path = %path.display(), keys = self.keyspace.len(), "saved");
                Ok(true)
            }
            Err(error) => {
                tracing::error!(path = %path.display(), %error, "not saved");
                Err(SnapshotError::new(path, SnapshotProblem::Io(error)))
            }
        }
    }
}

impl<C: Clock> Engine<C> {
    /// Makes SAVE write to a file, and loads that file if it exists, replacing all current keys. The file
    /// stays reserved for this engine until the engine is dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be loaded, could not be replaced later, or is used by another
    /// server. The keys and the file are then unchanged.
    pub fn open_snapshot(&mut self, path: &Path) -> Result<(), SnapshotError> {
        self.expire(0);
        let place = self.load(path).map_err(|problem| SnapshotError::new(path, problem))?;
        self.state.snapshots.place = Some((path.to_owned(), place));
        Ok(())
    }

    fn load(&mut self, path: &Path) -> Result<Place, SnapshotProblem> {
        let (now, limits) = (self.state.keyspace.now(), self.state.config.limits());
        let place = Place::take(path)?;
        if let Some(file) = place.open()? {
            self.state.keyspace = read::load(file, now, limits)?;
            self.state.snapshots.last = Some(now);
            tracing::info!(path = %path.display(), keys = self.state.keyspace.len(), "loaded");
        }
        Ok(place)
    }

    /// Saves the keys to the file of [`open_snapshot`](Self::open_snapshot), if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if saving fails. Even then the file is complete, either the old one or the new
    /// one.
    pub fn save(&mut self) -> Result<(), SnapshotError> {
        self.expire(0);
        self.state.save().map(|_| ())
    }

    /// Like [`save`](Self::save), but a no-op if nothing has changed since.
    pub(crate) fn save_changes(&mut self) -> Result<(), SnapshotError> {
        let has_changed = self.state.snapshots.version != Some(self.state.keyspace.version());
        if has_changed { self.save() } else { Ok(()) }
    }
}
