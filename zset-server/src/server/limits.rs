//! [`Limits`]: what clients may take, and [`Slots`]: how many there are.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::config::OutputLimits;

/// What clients may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time.
    pub max_clients: usize,
    /// Bytes of replies that a client has not read, from which on nothing more is read from it. Clients
    /// that send many requests before they read the replies need room for these.
    pub pause_at: usize,
    /// Bytes of replies that a client may leave unread before it is closed. Only a single reply gets beyond
    /// `pause_at` by much.
    pub output: OutputLimits,
    /// How long a client may read next to nothing of the replies that are there for it until it is cut
    /// off: less than one byte of 32.
    pub stalled: Duration,
    /// Bytes that are held for all clients together: requests that have not run, commands of transactions,
    /// watched keys, and replies that have not been read. Above half of it, nothing more is read from those
    /// who have not read their replies; above it, the clients holding the most are closed. Where memory has
    /// a limit, it is what the data leaves of it, if that is less, but never less than `pause_at` or an
    /// eighth of the limit. One client may hold as much as that limit while the others hold little.
    pub all_clients: usize,
    /// How long a client may be there without the password that it needs, if there are as many clients as
    /// may be: strangers do not keep the others out.
    pub strangers: Duration,
    /// How long a server that stops waits for its clients to read what it has for them.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_clients: 10_000,
            pause_at: 32 * 1024 * 1024,
            output: OutputLimits::default(),
            stalled: Duration::from_secs(60),
            all_clients: 2 * 1024 * 1024 * 1024,
            strangers: Duration::from_secs(10),
            grace: Duration::from_secs(5),
        }
    }
}

/// Files that are open apart from connections: listeners, the log, snapshots, the runtime's own, and
/// connections that are being refused.
const OTHER_FILES: u64 = 256;

/// Returns how many clients there can be, given how many files the system lets the process have open.
#[cfg(unix)]
pub(super) fn possible_clients() -> usize {
    let maximum = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    let files = maximum.map(|maximum| maximum.saturating_sub(OTHER_FILES).max(1));
    files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX)
}

/// Returns how many clients there can be; the system has no such limit.
#[cfg(not(unix))]
pub(super) fn possible_clients() -> usize {
    usize::MAX
}

/// Asks the system for as many open files as it takes to have so many clients.
#[cfg(unix)]
pub(super) fn raise_open_files(clients: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let wanted = clients as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(limit.maximum.map_or(wanted, |maximum| maximum.min(wanted)));
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(clients, %error, "there may be too few open files");
        }
    }
}

/// Leaves all as it is: the system has no such limit.
#[cfg(not(unix))]
pub(super) fn raise_open_files(_: usize) {}

/// How many clients there are.
#[derive(Debug, Default)]
pub(super) struct Slots {
    taken: Cell<usize>,
    freed: Notify,
}

/// The right to be there, until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Rc<Slots>,
}

impl Slots {
    pub(super) fn taken(&self) -> usize {
        self.taken.get()
    }

    /// Takes one, if fewer than `max` are taken.
    pub(super) fn take(self: &Rc<Self>, max: usize) -> Option<Slot> {
        if self.taken.get() >= max {
            return None;
        }
        self.taken.set(self.taken.get() + 1);
        Some(Slot { slots: Rc::clone(self) })
    }

    /// Waits until none is taken.
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
