//! [`Slots`]: the number of connections, and how many there may be.

use tokio::sync::watch;

/// Counts connections: each has a receiver, until it ends.
#[derive(Default)]
pub(super) struct Slots(watch::Sender<()>);

/// The permission to be connected, until it is dropped.
pub(super) type Slot = watch::Receiver<()>;

impl Slots {
    pub(super) fn taken(&self) -> usize {
        self.0.receiver_count()
    }

    /// Takes a slot if fewer than `max` are taken.
    pub(super) fn take(&self, max: usize) -> Option<Slot> {
        (self.taken() < max).then(|| self.0.subscribe())
    }

    /// Waits until no slot is taken.
    pub(super) async fn all_free(&self) {
        self.0.closed().await;
    }
}
