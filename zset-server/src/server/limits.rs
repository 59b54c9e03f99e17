//! [`Limits`]: the limits on clients, and [`Slots`]: the number of clients.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::sync::Notify;

use crate::config::OutputLimits;

/// The limits on clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections.
    pub max_clients: usize,
    /// The number of unread reply bytes at which the server stops reading from a client. Clients that
    /// send many requests before they read the replies need a large value.
    pub pause_at: usize,
    /// The number of unread reply bytes at which a client is disconnected. Only a single reply can exceed
    /// `pause_at` by much.
    pub output: OutputLimits,
    /// The bytes held for all clients together: requests that have not run, commands of transactions,
    /// and unread replies. Above half of it, the server stops reading from clients with
    /// unread replies; above it, the clients that hold the most are disconnected. With a memory limit, it
    /// is what the data leaves of that limit, if that is less, but never less than `pause_at` or an
    /// eighth of the limit. A single client may hold as much as that limit while the others hold little.
    pub all_clients: usize,
    /// How long a client may stay without authenticating if the maximum number of clients is reached, so
    /// that unauthenticated clients do not keep others out.
    pub strangers: Duration,
    /// How long a stopping server waits for its clients to read their replies.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_clients: 10_000,
            pause_at: 32 * 1024 * 1024,
            output: OutputLimits::default(),
            all_clients: 2 * 1024 * 1024 * 1024,
            strangers: Duration::from_secs(10),
            grace: Duration::from_secs(5),
        }
    }
}

/// Open files other than connections: listeners, the log, snapshots, those of the runtime, and
/// connections that are being refused.
const OTHER_FILES: u64 = 256;

/// Returns the maximum number of clients under the operating system's limit on open files.
pub(super) fn possible_clients() -> usize {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let files = maximum.map(|maximum| maximum.saturating_sub(OTHER_FILES).max(1));
    files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX)
}

/// Raises the limit on open files to allow for this number of clients.
pub(super) fn raise_open_files(clients: usize) {
    let wanted = clients as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(limit.maximum.map_or(wanted, |maximum| maximum.min(wanted)));
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(clients, %error, "there may be too few open files");
        }
    }
}

/// The number of connected clients.
#[derive(Debug, Default)]
pub(super) struct Slots {
    taken: Cell<usize>,
    freed: Notify,
}

/// The permission to be connected, until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Rc<Slots>,
}

impl Slots {
    pub(super) fn taken(&self) -> usize {
        self.taken.get()
    }

    /// Takes a slot if fewer than `max` are taken.
    pub(super) fn take(self: &Rc<Self>, max: usize) -> Option<Slot> {
        if self.taken.get() >= max {
            return None;
        }
        self.taken.set(self.taken.get() + 1);
        Some(Slot { slots: Rc::clone(self) })
    }

    /// Waits until no slot is taken.
    pub(super) async fn all_free(&self) {
        while self.taken.get() > 0 {
            self.freed.notified().await;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken.set(self.slots.taken.get() - 1);
        self.slots.freed.notify_one();
    }
}
