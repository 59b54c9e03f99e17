//! [`Limiter`]: how an algorithm decides on the state of a key.

use super::{Decision, Funnel, Quota};
use crate::Timestamp;

/// A rate limiting algorithm: a value made of quotas, without state.
///
/// The algorithms of this crate are [`SlidingWindow`](super::SlidingWindow),
/// [`Funnel`](super::Funnel), [`WindowCounter`](super::WindowCounter) and
/// [`FixedWindow`](super::FixedWindow), any one of them as [`AnyLimiter`](super::AnyLimiter),
/// several together as [`Limits`](super::Limits), and each with a [`Penalty`](super::Penalty). A
/// *holder* owns the states: [`Direct`](super::Direct) that of one key, [`Keyed`](super::Keyed)
/// those of many keys. Programs call the methods of the holder, and implement this trait only for
/// an algorithm of their own.
///
/// # For implementors
///
/// The holder handles the clock: `now` is never before the time of an earlier
/// [`check_n`](Self::check_n) or [`record`](Self::record) of the same state. A state holds only
/// what differs from key to key.
///
/// # Examples
///
/// A number of bytes a day, counted from midnight of a time zone:
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Decision, Direct, Keyed, Limiter, Timestamp, Verdict};
///
/// const DAY: u64 = 86_400_000_000_000;
///
/// #[derive(Clone)]
/// struct BytesPerDay {
///     limit: u32,
///     /// East of Greenwich.
///     offset: Duration,
/// }
///
/// /// What a key has used, and the end of the day on which it did.
/// #[derive(Clone)]
/// struct Used {
///     bytes: u32,
///     until: Timestamp,
/// }
///
/// impl BytesPerDay {
///     fn midnight_after(&self, now: Timestamp) -> Timestamp {
///         let local = now.saturating_add(self.offset).as_nanos();
///         now.saturating_add(Duration::from_nanos(DAY - local % DAY))
///     }
/// }
///
/// impl Limiter for BytesPerDay {
///     type State = Used;
///     const NEW: Used = Used { bytes: 0, until: Timestamp::ZERO };
///
///     fn check_n(&self, used: &mut Used, n: u32, now: Timestamp) -> Decision {
///         if now >= used.until {
///             *used = Used { bytes: 0, until: self.midnight_after(now) };
///         }
///         let rest = used.until.saturating_duration_since(now);
///         let room = self.limit.saturating_sub(used.bytes);
///         let verdict = if n > self.limit {
///             Verdict::Never
///         } else if n > room {
///             Verdict::Denied { retry_after: rest }
///         } else {
///             used.bytes += n;
///             Verdict::Allowed
///         };
///         Decision {
///             verdict,
///             limit: self.limit,
///             remaining: self.limit.saturating_sub(used.bytes),
///             reset_after: if used.bytes > 0 { rest } else { Duration::ZERO },
///         }
///     }
///
///     fn record(&self, used: &mut Used, n: u32, now: Timestamp) {
///         let _ = self.check_n(used, 0, now);
///         used.bytes = used.bytes.saturating_add(n);
///     }
///
///     fn refund(&self, used: &mut Used, n: u32) -> u32 {
///         let refunded = n.min(used.bytes);
///         used.bytes -= refunded;
///         refunded
///     }
///
///     fn idle_from(&self, used: &Used) -> Timestamp {
///         if used.bytes > 0 { used.until } else { Timestamp::ZERO }
///     }
/// }
///
/// let at = |hours: u64| Timestamp::ZERO.saturating_add(Duration::from_secs(hours * 3600));
/// let daily = BytesPerDay { limit: 1000, offset: Duration::from_secs(2 * 3600) };
/// let mut one = Direct::new(daily.clone());
/// assert!(one.check_n(1000, at(0)).is_allowed());
/// // Two in the morning: the day has 22 more hours.
/// assert_eq!(one.check(at(0)).retry_after(), Some(Duration::from_secs(22 * 3600)));
/// assert!(one.check(at(22)).is_allowed());
///
/// let many = Keyed::<String, _>::new(daily);
/// assert!(many.at(at(0)).check_n("ann", 700).is_allowed());
/// assert!(!many.at(at(21)).check_n("ann", 700).is_allowed());
/// assert!(many.at(at(22)).check_n("ann", 700).is_allowed());
/// ```
pub trait Limiter: Clone {
    /// What is stored for a key: nothing that the algorithm knows.
    type State: Clone;

    /// The state of a key that has not been used.
    const NEW: Self::State;

    /// Whether states or [`idle_from`](Self::idle_from) depend on the quotas.
    ///
    /// If so, a changed algorithm [adapts](Self::adapt) the states of all keys, and the time from
    /// which each key is idle is computed again.
    const ADAPTS: bool = false;

    /// Allows `n` units together, or denies all of them; 0 units are always allowed.
    fn check_n(&self, state: &mut Self::State, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. The default
    /// checks a copy of the state.
    fn peek_n(&self, state: &Self::State, n: u32, now: Timestamp) -> Decision {
        self.check_n(&mut state.clone(), n, now)
    }

    /// Records `n` units, even beyond the limit.
    fn record(&self, state: &mut Self::State, n: u32, now: Timestamp);

    /// Refunds the `n` newest units, or as many as are on record, and returns how many.
    fn refund(&self, state: &mut Self::State, n: u32) -> u32;

    /// Returns the time from which the state is indistinguishable from a new one, if the key is not
    /// used in between; `Timestamp::ZERO` for a new one.
    ///
    /// Only [`refund`](Self::refund) and [`adapt`](Self::adapt) may make it earlier, unless it has
    /// passed.
    fn idle_from(&self, state: &Self::State) -> Timestamp;

    /// Adapts a state that was used with the algorithm `before`. It is called if
    /// [`ADAPTS`](Self::ADAPTS).
    ///
    /// The default leaves the state unchanged.
    fn adapt(&self, state: &mut Self::State, before: &Self) {
        let _ = (state, before);
    }

    /// Decides on `n` units that are held until it is known whether they count, in addition to
    /// `held` others, and takes none. The default only peeks; a [`Penalty`](super::Penalty) counts
    /// a denial.
    fn hold_n(&self, state: &mut Self::State, n: u32, held: u32, now: Timestamp) -> Decision {
        self.peek_hold_n(state, n, held, now)
    }

    /// Returns what [`hold_n`](Self::hold_n) would return, without changing anything.
    fn peek_hold_n(&self, state: &Self::State, n: u32, held: u32, now: Timestamp) -> Decision {
        self.peek_n(state, n, now).beside(n, held)
    }

    /// Takes `n` units that were held, or as many as there is room for.
    fn charge(&self, state: &mut Self::State, n: u32, now: Timestamp) {
        let room = self.peek_n(state, 0, now).remaining;
        let _ = self.check_n(state, n.min(room), now);
    }
}

/// An algorithm with one quota, which may be another in each call: every one of this crate except
/// [`Limits`](super::Limits).
pub trait SingleQuota: Limiter {
    /// What a call may pass instead of the algorithm's quota: a [`Quota`] or, if the algorithm also
    /// has a capacity, a [`Funnel`].
    type Terms: Copy + From<Quota> + Into<Funnel>;

    /// Returns the quota.
    fn quota(&self) -> Quota;

    /// Changes the quota and, of a funnel, the capacity. Holders [adapt](Limiter::adapt) the
    /// states.
    fn set_quota(&mut self, terms: Self::Terms);

    /// Like [`check_n`](Limiter::check_n), with a different quota for this call.
    fn check_with(
        &self,
        state: &mut Self::State,
        terms: Self::Terms,
        n: u32,
        now: Timestamp,
    ) -> Decision;

    /// Returns what [`check_with`](Self::check_with) would return, without changing anything. The
    /// default checks a copy of the state.
    fn peek_with(
        &self,
        state: &Self::State,
        terms: Self::Terms,
        n: u32,
        now: Timestamp,
    ) -> Decision {
        self.check_with(&mut state.clone(), terms, n, now)
    }

    /// Like [`refund`](Limiter::refund), for units that were allowed under another quota. The
    /// default is for algorithms that count units, whatever their quota.
    fn refund_with(&self, state: &mut Self::State, terms: Self::Terms, n: u32) -> u32 {
        let _ = terms;
        self.refund(state, n)
    }
}
