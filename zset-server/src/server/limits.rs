//! [`Limits`]: what clients may take, and [`Slots`]: how many there are.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;

/// What clients may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time.
    pub max_clients: usize,
    /// Bytes of replies that a client has not read, from which on nothing more is read from it. Clients
    /// that send many requests before they read the replies need room for these.
    pub pause_at: usize,
    /// Bytes of replies that a client has not read, above which it is cut off. Only a single reply gets
    /// beyond `pause_at` by much.
    pub close_at: usize,
    /// How long a client that is paused may read nothing until it is cut off.
    pub stalled: Duration,
    /// How long a server that stops waits for its clients to read what it has for them.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_clients: 10_000,
            pause_at: 32 * 1024 * 1024,
            close_at: 1024 * 1024 * 1024,
            stalled: Duration::from_secs(60),
            grace: Duration::from_secs(5),
        }
    }
}

/// Files that are open apart from connections: listeners, the log, snapshots, the runtime's own, and
/// connections that are being refused.
const OTHER_FILES: u64 = 128;

impl Limits {
    /// Returns the most bytes of replies that are ever there: above it there are more than `close_at`
    /// that are not sent. When a command begins there are at most `pause_at` of these, and as many that
    /// are.
    pub(super) fn most_replies(&self) -> usize {
        self.close_at.saturating_add(self.pause_at.saturating_mul(2))
    }

    /// Asks the system for as many open files as there may be clients; fewer clients, if it refuses.
    #[cfg(unix)]
    pub(super) fn with_open_files(mut self) -> Self {
        use rustix::process::{Resource, getrlimit, setrlimit};

        let wanted = self.max_clients as u64 + OTHER_FILES;
        let mut limit = getrlimit(Resource::Nofile);
        let Some(current) = limit.current.filter(|current| *current < wanted) else { return self };
        let possible = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        limit.current = Some(possible);
        let open_files = setrlimit(Resource::Nofile, limit).map_or(current, |()| possible);
        if open_files < wanted {
            self.max_clients =
                usize::try_from(open_files.saturating_sub(OTHER_FILES)).unwrap_or(0).max(1);
            tracing::warn!(
                self.max_clients,
                open_files,
                "fewer clients, since files may not be open"
            );
        }
        self
    }

    /// Leaves all as it is: the system has no such limit.
    #[cfg(not(unix))]
    pub(super) fn with_open_files(self) -> Self {
        self
    }
}

/// How many clients there are, of so many at most.
#[derive(Debug)]
pub(super) struct Slots {
    max: usize,
    taken: Cell<usize>,
    freed: Notify,
}

/// The right to be connected, until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Rc<Slots>,
}

impl Slots {
    pub(super) fn new(max: usize) -> Self {
        Slots { max, taken: Cell::new(0), freed: Notify::new() }
    }

    pub(super) fn taken(&self) -> usize {
        self.taken.get()
    }

    /// Takes one, if there is one.
    pub(super) fn take(self: &Rc<Self>) -> Option<Slot> {
        if self.taken.get() >= self.max {
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
