//! [`SnapshotError`]: why a snapshot could not be loaded or saved.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use zset_core::rdb::RestoreError;

/// The maximum number of bytes of a key in an error message.
const MAX_SHOWN: usize = 64;

/// Why a snapshot could not be loaded or saved.
#[derive(Debug)]
pub struct SnapshotError {
    path: PathBuf,
    problem: SnapshotProblem,
}

/// What is wrong with a snapshot.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotProblem {
    /// The file cannot be read or written.
    Io(io::Error),
    /// The file is used by another server.
    InUse,
    /// The file does not start like a snapshot.
    Magic,
    /// The version of the format is not supported.
    Version(Vec<u8>),
    /// The file ends too early.
    Truncated,
    /// The checksum does not match, so the file is damaged.
    Checksum,
    /// There are bytes after the end of the snapshot.
    TrailingBytes,
    /// A part of the snapshot is malformed.
    Malformed {
        /// The offset of the part in the file.
        offset: u64,
        /// The error in the part.
        error: RestoreError,
    },
    /// The type of a key's value is not supported.
    Type {
        /// The key.
        key: Vec<u8>,
        /// The number of the type.
        kind: u8,
    },
    /// A key is repeated.
    DuplicateKey(Vec<u8>),
    /// There are keys in a database other than the first.
    Database(usize),
    /// A part of this unknown type.
    Unknown(u8),
}

impl SnapshotError {
    pub(super) fn new(path: &Path, problem: SnapshotProblem) -> Self {
        SnapshotError { path: path.to_owned(), problem }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what is wrong with the file.
    pub fn problem(&self) -> &SnapshotProblem {
        &self.problem
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "snapshot {}: {}", self.path.display(), self.problem)
    }
}

impl Error for SnapshotError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            SnapshotProblem::Io(error) => Some(error),
            SnapshotProblem::Malformed { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for SnapshotProblem {
    fn from(error: io::Error) -> Self {
        SnapshotProblem::Io(error)
    }
}

impl fmt::Display for SnapshotProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotProblem::Io(error) => error.fmt(f),
            SnapshotProblem::InUse => f.write_str("another server uses it"),
            SnapshotProblem::Magic => f.write_str("it is not an RDB file"),
            SnapshotProblem::Version(version) => {
                write!(f, "RDB version {} is not known", version.escape_ascii())
            }
            SnapshotProblem::Truncated => f.write_str("it is damaged: it ends too early"),
            SnapshotProblem::Checksum => f.write_str("it is damaged: its checksum does not match"),
            SnapshotProblem::TrailingBytes => {
                f.write_str("it is damaged: it goes on behind its end")
            }
            SnapshotProblem::Malformed { offset, error } => {
                write!(f, "it is malformed at byte {offset}: {error}")
            }
            SnapshotProblem::Type { key, kind } => {
                write!(f, "key '{}' is {}, which is not stored here", shown(key), type_name(*kind))
            }
            SnapshotProblem::DuplicateKey(key) => {
                write!(f, "it is malformed: key '{}' is there twice", shown(key))
            }
            SnapshotProblem::Database(index) => {
                write!(f, "it has keys in database {index}, and there is only database 0")
            }
            SnapshotProblem::Unknown(kind) => {
                write!(f, "it has {}, which is not known here", part_name(*kind))
            }
        }
    }
}

/// Returns the start of a key as text.
fn shown(key: &[u8]) -> String {
    let end = key.len().min(MAX_SHOWN);
    let dots = if end < key.len() { "..." } else { "" };
    format!("{}{dots}", key[..end].escape_ascii())
}

/// Returns Redis's name for a type, given its number in files.
fn type_name(kind: u8) -> String {
    let name = match kind {
        1 | 10 | 14 | 18 => "a list",
        3 | 12 => "a sorted set as servers before Redis 7 write it",
        4 | 9 | 13 | 16 | 22..=25 => "a hash",
        6 | 7 => "a value of a module",
        15 | 19 | 21 => "a stream",
        _ => return format!("of type {kind}"),
    };
    name.to_owned()
}

/// Returns the name of a part that is not a key.
fn part_name(kind: u8) -> String {
    match kind {
        super::opcode::FUNCTION => "a library of functions".to_owned(),
        super::opcode::MODULE => "data of a module".to_owned(),
        _ => format!("a part of kind {kind}"),
    }
}
