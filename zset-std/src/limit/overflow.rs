//! What happens to a new key for which there is no room.

use std::time::Duration;

use super::registry::Full;
use super::{Decision, Verdict};
use crate::Timestamp;

/// What happens to a new key when there are as many as there may be, and none is idle.
///
/// Whoever can make up keys can fill the room for them. A key that is in use never goes for a new
/// one, since then it would be forgotten what has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is denied. When to retry is then a guess: when some key may be idle.
    RefuseNew,
    /// It shares one more limiter with all others of its kind.
    SharedBucket,
}

/// Makes the decision on a key that is refused, of what it would be if there were room.
pub(super) fn refused(peeked: Decision, now: Timestamp, full: &Full) -> Decision {
    if peeked.verdict == Verdict::Never {
        return peeked;
    }
    let wait = full.retry_at.saturating_duration_since(now).max(Duration::from_nanos(1));
    Decision {
        verdict: Verdict::Denied { retry_after: wait },
        limit: peeked.limit,
        remaining: 0,
        reset_after: wait,
    }
}
