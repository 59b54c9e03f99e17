//! [`SnapshotError`]: why a snapshot was not loaded, or not saved.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use zset_core::rdb::RestoreError;

/// The most bytes of a key that an error shows.
const MAX_SHOWN: usize = 64;

/// Why a snapshot was not loaded, or not saved.
#[derive(Debug)]
pub struct SnapshotError {
    path: PathBuf,
    problem: SnapshotProblem,
}

/// What is wrong with a snapshot.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotProblem {
    /// The system does not read, or write, the file.
    Io(io::Error),
    /// Another server has it.
    InUse,
    /// It does not begin as such a file does.
    Magic,
    /// It is of a version that is not known.
    Version(Vec<u8>),
    /// It ends too early.
    Truncated,
    /// It is not what was written once: its checksum does not match.
    Checksum,
    /// It goes on behind its end.
    TrailingBytes,
    /// Something in it is malformed.
    Malformed {
        /// How many bytes stand before it.
        offset: u64,
        /// What it is.
        error: RestoreError,
    },
    /// A key stands for something that is not stored here.
    Type {
        /// The key.
        key: Vec<u8>,
        /// The number of the type.
        kind: u8,
    },
    /// A key is there twice.
    DuplicateKey(Vec<u8>),
    /// There are keys in another database than the first.
    Database(usize),
    /// There is something in it, by this number, that is not known.
    Unknown(u8),
}

impl SnapshotError {
    pub(super) fn new(path: &Path, problem: SnapshotProblem) -> Self {
        SnapshotError { path: path.to_owned(), problem }
    }

    /// Returns which file it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what is wrong with it.
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

/// Returns the beginning of a key, as text.
fn shown(key: &[u8]) -> String {
    let end = key.len().min(MAX_SHOWN);
    let dots = if end < key.len() { "..." } else { "" };
    format!("{}{dots}", key[..end].escape_ascii())
}

/// Returns what Redis calls a type, by its number in files.
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

/// Returns what a part is that is no key.
fn part_name(kind: u8) -> String {
    match kind {
        super::opcode::FUNCTION => "a library of functions".to_owned(),
        super::opcode::MODULE => "data of a module".to_owned(),
        _ => format!("a part of kind {kind}"),
    }
}
