//! The policy for a new key when there is no room.

use std::time::Duration;

use super::registry::Full;
use super::{Decision, Verdict};
use crate::Timestamp;
use crate::sync::SpinLock;

/// What happens to a new key when the limiter has its maximum number of keys and none is idle.
///
/// An attacker who can choose keys can use up the room for them. A key in use is still never evicted for
/// a new one: evicting a live key would discard its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenFull {
    /// The new key is denied. `retry_after` is then an estimate: the earliest time at which some key may
    /// be idle.
    RefuseNew,
    /// The new key shares one additional limiter with all other keys without room.
    ///
    /// This does not hold each key to its limit: a key that later gets room of its own starts there as
    /// new, whatever it has used of the shared limiter.
    SharedBucket,
}

/// Returns the decision on `n` units of a refused key, given the decision that a new key would get.
pub(super) fn refused(peeked: Decision, n: u32, now: Timestamp, full: &Full) -> Decision {
    let wait = full.retry_at.saturating_duration_since(now).max(Duration::from_nanos(1));
    let verdict = match peeked.verdict {
        Verdict::Never => Verdict::Never,
        _ if n == 0 => Verdict::Allowed,
        _ => Verdict::Denied { retry_after: wait },
    };
    Decision { verdict, limit: peeked.limit, remaining: 0, reset_after: wait }
}

/// The state that all keys without room share.
pub(super) struct Shared<L>(SpinLock<State<L>>);

struct State<L> {
    limiter: L,
    /// The latest time seen; needed here since the keys belong to different shards.
    newest: Timestamp,
}

impl<L> Shared<L> {
    pub(super) fn new(limiter: L) -> Self {
        Shared(SpinLock::new(State { limiter, newest: Timestamp::ZERO }))
    }

    /// Changes the state; `change` receives the effective time.
    pub(super) fn change<R>(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut L, Timestamp) -> R,
    ) -> R {
        let State { limiter, newest } = &mut *self.0.lock();
        *newest = now.max(*newest);
        change(limiter, *newest)
    }

    /// Reads the state; `read` receives the effective time.
    pub(super) fn read<R>(&self, now: Timestamp, read: impl FnOnce(&L, Timestamp) -> R) -> R {
        let State { limiter, newest } = &*self.0.lock();
        read(limiter, now.max(*newest))
    }
}
