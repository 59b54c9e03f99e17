//! [`Options`] of a server, and why it cannot start.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use super::Limits;
use crate::config::DebugCommand;
use crate::snapshot::SnapshotError;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to listen on; port 0 means any free port. An address reachable from other machines
    /// requires a password.
    pub addresses: Vec<SocketAddr>,
    /// The path of a Unix socket for clients on the same machine.
    pub unix_socket: Option<PathBuf>,
    /// The password that clients must send; empty means that none is required.
    pub password: String,
    /// The memory limit of the data, in bytes.
    pub max_memory: Option<u64>,
    /// The limits on clients.
    pub limits: Limits,
    /// Which clients may use DEBUG.
    pub debug_command: DebugCommand,
    /// The snapshot file, loaded at startup if it exists and written when the server stops. While it
    /// cannot be written, a single signal does not stop the server.
    pub snapshot: Option<PathBuf>,
    /// Returns the number of allocated bytes; without it, memory counts as unused.
    pub allocated: Option<fn() -> usize>,
}

impl Options {
    /// The default port of clients.
    pub const PORT: u16 = 6379;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            addresses: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, Options::PORT))],
            unix_socket: None,
            password: String::new(),
            max_memory: None,
            limits: Limits::default(),
            debug_command: DebugCommand::default(),
            snapshot: None,
            allocated: None,
        }
    }
}

/// Why a server cannot start, or had to stop.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is reachable from other machines, but no password is set.
    NoPassword(SocketAddr),
    /// The server cannot listen at an address or path.
    Listen {
        /// The address or path.
        place: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The async runtime or the signal handlers cannot be set up.
    Runtime(io::Error),
    /// The snapshot cannot be loaded at startup, or saved at shutdown.
    Snapshot(SnapshotError),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::NoPassword(address) => {
                write!(f, "others can reach {address}, so it needs a password")
            }
            ServeError::Listen { place, error } => write!(f, "cannot listen on {place}: {error}"),
            ServeError::Runtime(error) => write!(f, "cannot wait for connections: {error}"),
            ServeError::Snapshot(error) => error.fmt(f),
        }
    }
}

impl Error for ServeError {}
