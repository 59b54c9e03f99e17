//! [`Slots`]: counts connections and limits their number.

use tokio::sync::watch;

/// Counts connections. Each connection holds a receiver of the channel until it ends, so the number
/// of receivers is the number of connections.
#[derive(Default)]
pub(super) struct Slots(watch::Sender<()>);

/// A permission for one connection. Dropping it frees the slot.
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
