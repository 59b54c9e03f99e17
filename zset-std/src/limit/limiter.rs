//! [`Limiter`]: an algorithm that decides on units, given the state of a key.

use super::{Decision, Funnel, Quota};
use crate::Timestamp;

/// A rate limiting algorithm: a value made of quotas, without state.
///
/// The algorithms of this crate are [`SlidingWindow`](super::SlidingWindow),
/// [`Funnel`](super::Funnel), [`WindowCounter`](super::WindowCounter) and
/// [`FixedWindow`](super::FixedWindow). An [`AnyLimiter`](super::AnyLimiter) is any one of them,
/// and [`Limits`](super::Limits) combine several. A [`Penalty`](super::Penalty) can be added to
/// each.
///
/// A *holder* owns the states. [`Direct`](super::Direct) owns the state of one key, and
/// [`Keyed`](super::Keyed) owns those of many keys. Programs call the methods of the holder. They
/// implement this trait only for an algorithm of their own.
///
/// # For implementors
///
/// - **A state** contains only what differs from key to key. It must work with every value of the
///   algorithm, since [`Keyed::set_limiter`](super::Keyed::set_limiter) replaces the value.
///   [`ADAPTS`](Self::ADAPTS) says whether states must be adapted then.
/// - **The holder handles the clock**: `now` is never before the time of an earlier
///   [`check_n`](Self::check_n) or [`record`](Self::record) of the same state. Methods without a
///   time may be called at any time. All times are valid, up to [`Timestamp::MAX`].
/// - **A decision** must have the meaning documented for [`Decision`] and
///   [`Verdict`](super::Verdict). Its durations count from `now`. Holders use `remaining` to
///   determine whether a key is over its limit, and whether more units fit in addition to
///   [held](crate::Hold) units.
/// - **0 units** are always allowed. A call for 0 units takes nothing, but may record the time.
///
/// # Examples
///
/// A number of bytes per day, counted from midnight in a time zone:
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
    /// What is stored for each key. The algorithm itself, with its quotas, is not.
    type State: Clone;

    /// The state of a key that has not been used, whatever the quotas.
    const NEW: Self::State;

    /// Whether states or [`idle_from`](Self::idle_from) depend on the quotas, or on anything else
    /// that the algorithm knows.
    ///
    /// If so, a changed algorithm [adapts](Self::adapt) the states of all keys, and the time from
    /// which each key is idle is computed again. With the default, `false`, neither happens. Then a
    /// state must mean the same under every value of the algorithm, and be idle from the same time.
    const ADAPTS: bool = false;

    /// Allows `n` units together, and takes them, or denies all of them, and takes none.
    ///
    /// More units than the limit are [`Verdict::Never`](super::Verdict::Never) allowed.
    fn check_n(&self, state: &mut Self::State, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything. The default
    /// checks a copy of the state.
    fn peek_n(&self, state: &Self::State, n: u32, now: Timestamp) -> Decision {
        self.check_n(&mut state.clone(), n, now)
    }

    /// Records `n` units, even beyond the limit, in addition to those on record.
    fn record(&self, state: &mut Self::State, n: u32, now: Timestamp);

    /// Refunds the `n` newest units, or all on record if they are fewer. Returns the number
    /// refunded.
    ///
    /// On record are the units that the latest [`check_n`](Self::check_n) or
    /// [`record`](Self::record) has left there, even if none of them counts any more.
    fn refund(&self, state: &mut Self::State, n: u32) -> u32;

    /// Returns the time from which the state is indistinguishable from a new one, if the key is not
    /// used in between; `Timestamp::ZERO` for a new one. [`Timestamp::MAX`] means never.
    ///
    /// A sweep may remove the key from then on. Indistinguishable means: by every call except
    /// [`refund`](Self::refund), and for a [`SingleQuota`], also by one with another quota.
    ///
    /// Only [`refund`](Self::refund) and [`adapt`](Self::adapt) may move this time earlier, unless
    /// it has passed: the holder does not ask again after other calls.
    fn idle_from(&self, state: &Self::State) -> Timestamp;

    /// Adapts a state that was used with the algorithm `before`, which `self` replaces. If
    /// [`ADAPTS`](Self::ADAPTS), it is called for every state, even that of an idle key.
    ///
    /// The default leaves the state unchanged, which is right if only
    /// [`idle_from`](Self::idle_from) depends on the quotas.
    fn adapt(&self, state: &mut Self::State, before: &Self) {
        let _ = (state, before);
    }

    /// Returns the quota, with the capacity of a funnel, if there is one quota.
    #[doc(hidden)]
    fn terms(&self) -> Option<Funnel> {
        None
    }

    /// Returns the algorithm with other terms for one call, on the same states, if it has one
    /// quota.
    #[doc(hidden)]
    fn under(&self, terms: Funnel) -> Option<impl Limiter<State = Self::State>> {
        let _ = terms;
        None::<Self>
    }

    /// Decides on `n` units of a key that has `held` others in flight, and takes none. A
    /// [`Penalty`](super::Penalty) counts a denial.
    #[doc(hidden)]
    fn hold_n(&self, state: &mut Self::State, n: u32, held: u64, now: Timestamp) -> Decision {
        // Check 0 units, so that the state records the time.
        let _ = self.check_n(state, 0, now);
        self.peek_n(state, n, now).with_held(n, held)
    }

    /// Records `n` units that were in flight. `n` must not be zero.
    #[doc(hidden)]
    fn charge(&self, state: &mut Self::State, n: u32, now: Timestamp) {
        self.record(state, n, now);
    }
}

/// An algorithm with a single quota, which a call may replace by another. Every algorithm of this
/// crate except [`Limits`](super::Limits) implements this trait. So does a
/// [`Penalty`](super::Penalty) around such an algorithm.
///
/// If the quota of a call makes a state idle later, the state must remember this, since
/// [`idle_from`](Limiter::idle_from) depends only on the algorithm's own quota.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Funnel, Keyed, Quota, SingleQuota, SlidingWindow};
///
/// // A window ignores the capacity.
/// fn change<L: SingleQuota>(limiter: &Keyed<u64, L>, funnel: Funnel) {
///     limiter.set_quota(funnel);
/// }
///
/// let limiter = Keyed::new(SlidingWindow::new(Quota::new(10, Duration::from_secs(1))?));
/// let quota = Quota::new(60, Duration::from_secs(60))?;
/// change(&limiter, Funnel::new(quota).with_capacity(5)?);
/// assert_eq!(limiter.limiter().quota(), quota);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait SingleQuota: Limiter {
    /// What a call may pass instead of the algorithm's quota: a [`Quota`] or, if the algorithm also
    /// has a capacity, a [`Funnel`]. Each converts to the other, for code that is generic over
    /// algorithms.
    type Terms: Copy + From<Quota> + From<Funnel> + Into<Funnel>;

    /// Returns the quota.
    fn quota(&self) -> Quota;

    /// Changes the quota and, of a funnel, the capacity. States are not changed: holders
    /// [adapt](Limiter::adapt) them afterwards.
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

    /// Like [`hold_n`](Limiter::hold_n), with a different quota for this call.
    #[doc(hidden)]
    fn hold_with(
        &self,
        state: &mut Self::State,
        terms: Self::Terms,
        n: u32,
        held: u64,
        now: Timestamp,
    ) -> Decision {
        // Check 0 units, so that the state records the time and the quota.
        let _ = self.check_with(state, terms, 0, now);
        self.peek_with(state, terms, n, now).with_held(n, held)
    }
}

/// An algorithm that decides by the terms of a call instead of its own.
#[derive(Clone)]
pub(super) struct Under<L: SingleQuota> {
    pub(super) limiter: L,
    pub(super) terms: L::Terms,
}

impl<L: SingleQuota> Limiter for Under<L> {
    type State = L::State;

    const NEW: L::State = L::NEW;

    fn check_n(&self, state: &mut L::State, n: u32, now: Timestamp) -> Decision {
        self.limiter.check_with(state, self.terms, n, now)
    }

    fn peek_n(&self, state: &L::State, n: u32, now: Timestamp) -> Decision {
        self.limiter.peek_with(state, self.terms, n, now)
    }

    fn record(&self, state: &mut L::State, n: u32, now: Timestamp) {
        self.limiter.record(state, n, now);
    }

    fn refund(&self, state: &mut L::State, n: u32) -> u32 {
        self.limiter.refund_with(state, self.terms, n)
    }

    fn idle_from(&self, state: &L::State) -> Timestamp {
        self.limiter.idle_from(state)
    }
}
