//! The state of a funnel in one word, for threads to change at the same time.
//!
//! The word is the time at which the funnel will be empty (the "theoretical arrival time" of the
//! generic cell rate algorithm: ITU-T I.371, "Traffic control and congestion control in B-ISDN"), in
//! ticks of a quarter nanosecond. What is poured in moves it on by one interval for each unit; a
//! funnel has space while it is not further ahead than the capacity's intervals.
//!
//! ```text
//!              now                 empty at                 now + capacity
//! ──────────────┼─────────────────────┼──────────────────────────┤
//!               │◄── in the funnel ──►│◄──────── space ─────────►│
//! ```

use std::time::Duration;

use super::quota::TICKS_PER_NANO;
use super::registry::State;
use super::{Decision, Quota, Verdict};
use crate::Timestamp;
use crate::sync::{AtomicU64, Ordering};

/// When a funnel will be empty, in ticks.
pub(crate) struct Word(AtomicU64);

/// A quota in ticks.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    capacity: u32,
    /// From one unit to the next, rounded up.
    interval: u64,
    /// The intervals of the whole capacity.
    burst: u64,
}

impl Pace {
    pub(crate) fn new(quota: Quota) -> Self {
        let interval = quota.interval_in_ticks();
        // A quota is checked not to exceed the ticks of a u64.
        let burst = interval.saturating_mul(quota.capacity().into());
        Pace { capacity: quota.capacity(), interval, burst }
    }

    /// Returns the decision for a funnel that is empty at `word`, and when it is empty then.
    fn decide(self, word: u64, n: u32, now: Timestamp) -> (Decision, u64) {
        let now = now.as_nanos().saturating_mul(TICKS_PER_NANO);
        let empty_at = word.max(now);
        // The products fit, since n is at most the capacity; the sum may be beyond the end of time.
        let poured =
            (n <= self.capacity).then(|| empty_at.checked_add(self.interval * u64::from(n)));
        let (verdict, empty_at) = match poured {
            None => (Verdict::Never, empty_at),
            Some(Some(filled)) if n == 0 || filled - now <= self.burst => {
                (Verdict::Allowed, filled)
            }
            Some(filled) => {
                let wait = filled.unwrap_or(u64::MAX) - now;
                let retry_after = duration(wait.saturating_sub(self.burst).max(1));
                (Verdict::Denied { retry_after }, empty_at)
            }
        };
        let inside = empty_at - now;
        let remaining = self.burst.saturating_sub(inside) / self.interval;
        let decision = Decision {
            verdict,
            limit: self.capacity,
            remaining: u32::try_from(remaining).unwrap_or(u32::MAX),
            reset_after: duration(inside),
        };
        (decision, empty_at)
    }
}

/// Returns the duration of some ticks, rounded up.
fn duration(ticks: u64) -> Duration {
    Duration::from_nanos(ticks.div_ceil(TICKS_PER_NANO))
}

impl Word {
    /// Makes an empty funnel.
    pub(crate) fn new() -> Self {
        Word(AtomicU64::new(0))
    }

    /// Pours in `n` units, if there is space for all of them.
    pub(crate) fn pour(&self, pace: Pace, n: u32, now: Timestamp) -> Decision {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let (decision, filled) = pace.decide(word, n, now);
            if n == 0 || !decision.is_allowed() {
                return decision;
            }
            // Nothing else is published by the word, so no stronger ordering is needed.
            match self.0.compare_exchange_weak(word, filled, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return decision,
                Err(changed) => word = changed,
            }
        }
    }

    /// Returns what `pour` would answer.
    pub(crate) fn peek(&self, pace: Pace, n: u32, now: Timestamp) -> Decision {
        pace.decide(self.0.load(Ordering::Relaxed), n, now).0
    }

    /// Takes `n` units out again, or what is in it.
    pub(crate) fn refund(&self, pace: Pace, n: u32) {
        let back = pace.interval.saturating_mul(n.into());
        // A time before now is an empty funnel, however far before.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |word| {
            Some(word.saturating_sub(back))
        });
    }
}

impl State for Word {
    fn idle_at(&self) -> Timestamp {
        Timestamp::from_nanos(self.0.load(Ordering::Relaxed).div_ceil(TICKS_PER_NANO))
    }
}
