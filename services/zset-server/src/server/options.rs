//! [`Options`] and [`Limits`] of a server, and why it cannot start.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::config::{DebugCommand, OutputLimit};

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to listen on; port 0 means any free port. An address reachable from other
    /// machines requires a password.
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
            allocated: None,
        }
    }
}

/// Why a server cannot start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is reachable from other machines, but no password is set.
    NoPassword(SocketAddr),
    /// The server cannot listen at this address or path.
    Listen(String, io::Error),
    /// The async runtime or the signal handlers cannot be set up.
    Runtime(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::NoPassword(address) => {
                write!(f, "others can reach {address}, so it needs a password")
            }
            ServeError::Listen(place, error) => write!(f, "cannot listen on {place}: {error}"),
            ServeError::Runtime(error) => write!(f, "cannot wait for connections: {error}"),
        }
    }
}

impl Error for ServeError {}

/// The limits on clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections.
    pub max_clients: usize,
    /// The number of unread reply bytes at which the server stops reading from a client. Clients
    /// that send many requests before they read the replies need a large value.
    pub pause_at: usize,
    /// The number of unread reply bytes at which a client is disconnected. Only a single reply can
    /// exceed `pause_at` by much.
    pub output: OutputLimit,
    /// The bytes held for all clients together: requests that have not run, commands of
    /// transactions, and unread replies. Above half of it, the server stops reading from clients
    /// with unread replies; above it, the clients that hold the most are disconnected. With a
    /// memory limit it is lower, as described at `Engine::max_held`.
    pub all_clients: usize,
    /// How long a client may stay without authenticating if the maximum number of clients is
    /// reached, so that unauthenticated clients do not keep others out.
    pub strangers: Duration,
    /// How long a stopping server waits for its clients to read their replies.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_clients: 10_000,
            pause_at: 32 * 1024 * 1024,
            output: OutputLimit::default(),
            all_clients: 2 * 1024 * 1024 * 1024,
            strangers: Duration::from_secs(10),
            grace: Duration::from_secs(5),
        }
    }
}

/// Open files other than connections: listeners, the log, those of the runtime, and connections
/// that are being refused.
const OTHER_FILES: u64 = 256;

/// Raises the limit on open files, as far as the operating system allows, for this number of
/// clients; returns the number of clients for which it suffices.
pub(super) fn allow_clients(wanted: usize) -> usize {
    let needed = wanted as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        limit.current = Some(limit.maximum.map_or(needed, |maximum| maximum.min(needed)));
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "cannot raise the limit on open files");
        }
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(files.saturating_sub(OTHER_FILES).max(1)).unwrap_or(usize::MAX)
}
