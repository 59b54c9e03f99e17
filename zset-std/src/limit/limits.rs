//! [`Limits`]: several limits combined.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use super::{Decision, Limiter, Verdict};
use crate::Timestamp;

/// Several limits of a key that must all agree, e.g. ten per second and a hundred per minute.
///
/// All limiters are checked before any units are taken, so a denial by one takes nothing from the
/// others. A denial reports the longest wait. The `limit` of a [`Decision`] is the smallest limit,
/// and `reset_after` is the time until all limiters would allow that many units.
///
/// To combine different algorithms, see [`AnyLimiter`](super::AnyLimiter).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Keyed, Limits, Quota, SlidingWindow, Timestamp};
///
/// let per_second = SlidingWindow::new(Quota::new(2, Duration::from_secs(1))?);
/// let per_minute = SlidingWindow::new(Quota::new(3, Duration::from_secs(60))?);
/// let limiter = Keyed::<u32, _>::new(Limits::new([per_second, per_minute]));
/// let decision = limiter.at(Timestamp::ZERO).check_n(&1, 2);
/// assert!(decision.is_allowed());
/// // The minute would allow one more, the second none.
/// assert_eq!((decision.limit, decision.remaining), (2, 0));
/// // Both deny two more, the minute for longer.
/// let denied = limiter.at(Timestamp::ZERO).check_n(&1, 2);
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(60)));
/// // Nothing was taken: the second allows two more, the minute one more.
/// let later = Timestamp::ZERO.saturating_add(Duration::from_secs(1));
/// assert_eq!(limiter.at(later).check_n(&1, 1).remaining, 0);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits<L> {
    limits: Box<[L]>,
}

impl<L: Limiter> Limits<L> {
    /// Combines limiters into one; without any limiters, it allows everything. **O(k)** for k
    /// limiters.
    pub fn new(limits: impl IntoIterator<Item = L>) -> Self {
        Limits { limits: limits.into_iter().collect() }
    }

    /// Returns the limiters, in the order given. **O(1)**.
    pub fn as_slice(&self) -> &[L] {
        &self.limits
    }

    /// Returns the limiters mutably, e.g. to change the quota of one of them. **O(1)**.
    pub fn as_mut_slice(&mut self) -> &mut [L] {
        &mut self.limits
    }

    /// Returns the limiters, each with its state, after adding missing states.
    fn parts<'a>(
        &'a self,
        states: &'a mut Vec<L::State>,
    ) -> impl Iterator<Item = (&'a L, &'a mut L::State)> {
        if states.len() != self.limits.len() {
            states.reserve_exact(self.limits.len().saturating_sub(states.len()));
            states.resize(self.limits.len(), L::NEW);
        }
        self.limits.iter().zip(states)
    }

    /// Peeks at each limiter. A missing state counts as new.
    fn peek<'a>(
        &'a self,
        states: &'a [L::State],
        n: u32,
        now: Timestamp,
    ) -> impl Iterator<Item = Decision> + 'a {
        self.limits.iter().enumerate().map(move |(index, limiter)| match states.get(index) {
            Some(state) => limiter.peek_n(state, n, now),
            None => limiter.peek_n(&L::NEW, n, now),
        })
    }

    /// Returns a decision whose `reset_after` is the time until all limiters allow `limit` units,
    /// the smallest of their limits.
    fn decision(
        &self,
        states: &[L::State],
        verdict: Verdict,
        (limit, remaining): (u32, u32),
        now: Timestamp,
    ) -> Decision {
        let reset_after = match together(self.peek(states, limit, now)) {
            Verdict::Denied { retry_after } => retry_after,
            Verdict::Allowed | Verdict::Never => Duration::ZERO,
        };
        Decision { verdict, limit, remaining, reset_after }
    }
}

/// A call makes **O(k)** peeks and checks for k limiters: a constant number for each limiter.
impl<L: Limiter> Limiter for Limits<L> {
    type State = Vec<L::State>;

    const NEW: Self::State = Vec::new();

    const ADAPTS: bool = true;

    fn check_n(&self, states: &mut Self::State, n: u32, now: Timestamp) -> Decision {
        let verdict = together(self.peek(states, n, now));
        let taken = if verdict == Verdict::Allowed { n } else { 0 };
        // Check even 0 units, so that each limiter records the time.
        let checks = self.parts(states).map(|(limiter, state)| limiter.check_n(state, taken, now));
        let smallest = smallest(checks);
        self.decision(states, verdict, smallest, now)
    }

    fn peek_n(&self, states: &Self::State, n: u32, now: Timestamp) -> Decision {
        let verdict = together(self.peek(states, n, now));
        if verdict == Verdict::Allowed && n > 0 {
            // `remaining` must be the number after a check, so check a copy of the states.
            return self.check_n(&mut states.clone(), n, now);
        }
        self.decision(states, verdict, smallest(self.peek(states, 0, now)), now)
    }

    fn record(&self, states: &mut Self::State, n: u32, now: Timestamp) {
        self.parts(states).for_each(|(limiter, state)| limiter.record(state, n, now));
    }

    /// Returns the largest number refunded by any of the limiters.
    fn refund(&self, states: &mut Self::State, n: u32) -> u32 {
        let refunded = self.limits.iter().zip(states);
        refunded.map(|(limiter, state)| limiter.refund(state, n)).max().unwrap_or(0)
    }

    fn idle_from(&self, states: &Self::State) -> Timestamp {
        let idle = self.limits.iter().zip(states).map(|(limiter, state)| limiter.idle_from(state));
        idle.max().unwrap_or(Timestamp::ZERO)
    }

    /// Each state stays with the limiter at its index.
    fn adapt(&self, states: &mut Self::State, before: &Self) {
        states.truncate(self.limits.len());
        for ((limiter, before), state) in self.limits.iter().zip(&before.limits).zip(states) {
            limiter.adapt(state, before);
        }
    }
}

/// Returns the combined verdict of all decisions, with the longest wait.
fn together(decisions: impl Iterator<Item = Decision>) -> Verdict {
    decisions.fold(Verdict::Allowed, |together, decision| match (together, decision.verdict) {
        (Verdict::Never, _) | (_, Verdict::Never) => Verdict::Never,
        (Verdict::Denied { retry_after: a }, Verdict::Denied { retry_after: b }) => {
            Verdict::Denied { retry_after: a.max(b) }
        }
        (verdict, Verdict::Allowed) | (Verdict::Allowed, verdict) => verdict,
    })
}

/// Returns the smallest limit and the fewest remaining units of all decisions.
fn smallest(decisions: impl Iterator<Item = Decision>) -> (u32, u32) {
    decisions.fold((u32::MAX, u32::MAX), |(limit, remaining), decision| {
        (limit.min(decision.limit), remaining.min(decision.remaining))
    })
}
