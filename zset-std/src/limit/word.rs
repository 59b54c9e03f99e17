//! The state of a funnel in one word.
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
    /// `2^64 / interval`, less by at most 1: to multiply takes less time than to divide.
    reciprocal: u64,
}

/// What is decided on a funnel, in ticks.
///
/// It is all that has to be known under a lock, and it is computed without a branch on the verdict,
/// which nobody can predict where limits matter.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    pace: Pace,
    allowed: bool,
    never: bool,
    /// How far ahead of now the word would be, had all been poured in.
    filled: u64,
    /// How far it is ahead.
    inside: u64,
    word: u64,
}

impl Pace {
    pub(crate) fn new(quota: Quota) -> Self {
        let interval = quota.interval_in_ticks();
        // A quota is checked not to exceed the ticks of a u64.
        let burst = interval.saturating_mul(quota.capacity().into());
        Pace { capacity: quota.capacity(), interval, burst, reciprocal: u64::MAX / interval }
    }

    /// Decides on a funnel that is empty at `word`.
    #[inline]
    pub(crate) fn decide(self, word: u64, n: u32, now: Timestamp) -> Outcome {
        let now = now.as_nanos().saturating_mul(TICKS_PER_NANO);
        let inside = word.saturating_sub(now);
        // It fits, unless n is more than the capacity: then it does not matter.
        let units = self.interval.wrapping_mul(n.into());
        let filled = inside.saturating_add(units);
        let never = n > self.capacity;
        // Nor may the sum be beyond the end of time.
        let has_space = filled <= self.burst.min(u64::MAX - now);
        let poured = n > 0 && !never && has_space;
        let if_poured = 0_u64.wrapping_sub(poured.into());
        let inside = inside + (units & if_poured);
        let word = word ^ ((word ^ now.wrapping_add(filled)) & if_poured);
        Outcome { pace: self, allowed: n == 0 || poured, never, filled, inside, word }
    }

    /// Returns how many whole intervals there are in some ticks.
    #[inline]
    fn units_in(self, ticks: u64) -> u64 {
        // The reciprocal lacks at most 1, so the quotient less than `ticks / 2^64`, which is below 1.
        let estimate = ((u128::from(ticks) * u128::from(self.reciprocal)) >> 64) as u64;
        estimate + u64::from(ticks - estimate * self.interval >= self.interval)
    }
}

impl Outcome {
    pub(crate) fn is_allowed(&self) -> bool {
        self.allowed
    }

    /// Returns the decision that it comes to.
    #[inline]
    pub(crate) fn decision(self) -> Decision {
        let Outcome { pace, filled, inside, .. } = self;
        let retry_after = duration(filled.saturating_sub(pace.burst).max(1));
        let verdict = if self.never {
            Verdict::Never
        } else if self.allowed {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after }
        };
        let remaining = pace.units_in(pace.burst.saturating_sub(inside));
        Decision {
            verdict,
            limit: pace.capacity,
            remaining: u32::try_from(remaining).unwrap_or(u32::MAX),
            reset_after: duration(inside),
        }
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

    /// Pours in `n` units, if there is space for all of them; for threads that share the word.
    pub(crate) fn pour_shared(&self, pace: Pace, n: u32, now: Timestamp) -> Outcome {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let outcome = pace.decide(word, n, now);
            if outcome.word == word {
                return outcome;
            }
            // Nothing else is published by the word, so no stronger ordering is needed.
            match self.0.compare_exchange_weak(
                word,
                outcome.word,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return outcome,
                Err(changed) => word = changed,
            }
        }
    }

    /// Does what `pour_shared` does, for a thread that has the word alone.
    #[inline]
    pub(crate) fn pour(&mut self, pace: Pace, n: u32, now: Timestamp) -> Outcome {
        let outcome = pace.decide(self.0.load(Ordering::Relaxed), n, now);
        self.0.store(outcome.word, Ordering::Relaxed);
        outcome
    }

    /// Returns what `pour` would answer.
    pub(crate) fn peek(&self, pace: Pace, n: u32, now: Timestamp) -> Outcome {
        pace.decide(self.0.load(Ordering::Relaxed), n, now)
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
