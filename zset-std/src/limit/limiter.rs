//! [`Limiter`]: the common interface of limiters of one key.

use super::Decision;
use crate::Timestamp;
use per_key::PerKey;

/// A limiter of one key.
///
/// [`Keyed`](super::Keyed) keeps the state of one for each key, and [`Limits`](super::Limits)
/// combines several. The trait is sealed: only this crate can implement it. Code that works with
/// the quota of any limiter takes an [`AnyLimiter`](super::AnyLimiter).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FixedWindow, Funnel, Limiter, Quota, Timestamp, WindowLog};
///
/// fn burst(mut limiter: impl Limiter) -> usize {
///     (0..10).filter(|_| limiter.check(Timestamp::ZERO).is_allowed()).count()
/// }
///
/// let quota = Quota::new(3, Duration::from_secs(1))?;
/// assert_eq!(burst(WindowLog::new(quota)), 3);
/// assert_eq!(burst(Funnel::new(quota.with_capacity(5)?)), 5);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait Limiter: PerKey {
    /// Allows `n` units together, or denies all of them; 0 units are always allowed.
    fn check_n(&mut self, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`check_n`](Self::check_n) would return, without changing anything.
    fn peek_n(&self, n: u32, now: Timestamp) -> Decision;

    /// Refunds the `n` newest units, or as many as are on record, and returns how many.
    fn refund(&mut self, n: u32) -> u32;

    /// Forgets all recorded units.
    fn reset(&mut self);

    /// Allows one unit, or denies it.
    fn check(&mut self, now: Timestamp) -> Decision {
        self.check_n(1, now)
    }

    /// Returns what [`check`](Self::check) would return, without changing anything.
    fn peek(&self, now: Timestamp) -> Decision {
        self.peek_n(1, now)
    }
}

/// What a keyed limiter needs of the limiter that it has for each key. The traits are public, since
/// they are in bounds of public methods, but cannot be named from outside.
pub(super) mod per_key {
    use super::{Decision, Timestamp};
    #[cfg(feature = "std")]
    use crate::Quota;

    /// A limiter in two parts: the settings, which all keys share, and the state of one key. `Self`
    /// is the settings, and, as a limiter of one key, has the state with which every key starts.
    ///
    /// The names of the methods differ from those of [`Limiter`](super::Limiter), so that no call
    /// is ambiguous.
    pub trait PerKey: Clone {
        type State: Clone;

        /// A decision as computed under the lock; it is converted after the lock is released.
        type RawDecision: Into<Decision>;

        fn new_state(&self) -> Self::State;
        fn check_state(&self, state: &mut Self::State, n: u32, now: Timestamp)
        -> Self::RawDecision;
        fn peek_state(&self, state: &Self::State, n: u32, now: Timestamp) -> Decision;
        fn refund_state(&self, state: &mut Self::State, n: u32) -> u32;

        /// Decides on `n` units that are held, beside `held` others, and takes none.
        fn hold_state(
            &self,
            state: &mut Self::State,
            n: u32,
            held: u32,
            now: Timestamp,
        ) -> Decision {
            self.peek_state(state, n, now).beside(n, held)
        }

        /// Takes `n` units that were held, or as many as there is room for.
        fn charge_state(&self, state: &mut Self::State, n: u32, now: Timestamp) {
            let room = self.peek_state(state, 0, now).remaining;
            self.check_state(state, n.min(room), now);
        }

        /// Returns the time from which the state is indistinguishable from a new one, if the key is
        /// not used in between. Only a refund or another quota of the limiter makes it earlier,
        /// unless it has passed: no check does.
        fn state_idle_from(&self, state: &Self::State) -> Timestamp;

        /// Returns the same for a limiter of one key.
        fn idle_from(&self) -> Timestamp;
    }

    /// A limiter with one quota: every limiter of one key except [`Limits`](crate::Limits).
    #[cfg(feature = "std")]
    pub trait OneQuota: PerKey {
        /// Changes the quota of the state of a key; `None` if states do not contain it.
        const SET_QUOTA_OF_STATE: Option<fn(&mut Self::State, Quota)>;

        fn get_quota(&self) -> Quota;
        fn change_quota(&mut self, quota: Quota);
    }

    /// A limiter that accepts a different quota in each call: every limiter with one quota.
    #[cfg(feature = "std")]
    pub trait QuotaPerCall: PerKey {
        /// A quota and a number of units in the form that a check needs, computed before the lock
        /// is acquired.
        type Call;

        fn call(quota: Quota, n: u32) -> Self::Call;
        fn check_call(
            &self,
            state: &mut Self::State,
            call: &Self::Call,
            now: Timestamp,
        ) -> Self::RawDecision;
        fn peek_call(&self, state: &Self::State, call: &Self::Call, now: Timestamp) -> Decision;
    }
}

/// Implements [`Limiter`] by the inherent methods, and the inherent methods for one unit.
macro_rules! limiter {
    ([$($generics:tt)*] $limiter:ty) => {
        impl<$($generics)*> $limiter {
            /// Allows one unit, or denies it. Costs as much as [`check_n`](Self::check_n): **O(1)**
            /// for limiters in constant memory.
            #[inline]
            pub fn check(&mut self, now: $crate::Timestamp) -> $crate::Decision {
                self.check_n(1, now)
            }

            /// Returns what [`check`](Self::check) would return, without changing anything. Costs
            /// as much as [`peek_n`](Self::peek_n): **O(1)** for limiters in constant memory.
            #[inline]
            pub fn peek(&self, now: $crate::Timestamp) -> $crate::Decision {
                self.peek_n(1, now)
            }
        }

        impl<$($generics)*> $crate::Limiter for $limiter {
            fn check_n(&mut self, n: u32, now: $crate::Timestamp) -> $crate::Decision {
                self.check_n(n, now)
            }

            fn peek_n(&self, n: u32, now: $crate::Timestamp) -> $crate::Decision {
                self.peek_n(n, now)
            }

            fn refund(&mut self, n: u32) -> u32 {
                self.refund(n)
            }

            fn reset(&mut self) {
                self.reset();
            }
        }
    };
}

/// Implements [`PerKey`] for a limiter that is stored for each key as a whole, by the inherent
/// methods.
macro_rules! stored_whole {
    ([$($generics:tt)*] $limiter:ty) => {
        impl<$($generics)*> $crate::limit::limiter::per_key::PerKey for $limiter {
            type State = Self;
            type RawDecision = $crate::Decision;

            fn new_state(&self) -> Self {
                self.clone()
            }

            #[inline]
            fn check_state(
                &self,
                state: &mut Self,
                n: u32,
                now: $crate::Timestamp,
            ) -> $crate::Decision {
                state.check_n(n, now)
            }

            fn peek_state(&self, state: &Self, n: u32, now: $crate::Timestamp) -> $crate::Decision {
                state.peek_n(n, now)
            }

            fn refund_state(&self, state: &mut Self, n: u32) -> u32 {
                state.refund(n)
            }

            fn state_idle_from(&self, state: &Self) -> $crate::Timestamp {
                state.idle_from()
            }

            fn idle_from(&self) -> $crate::Timestamp {
                self.idle_from()
            }
        }
    };
}

/// Implements [`OneQuota`](per_key::OneQuota) by the inherent methods, and, for a state that has
/// `check_with` and `peek_with`, [`QuotaPerCall`](per_key::QuotaPerCall).
macro_rules! one_quota {
    ($limiter:ty, $set_quota_of_state:expr, quota_per_call) => {
        $crate::limit::limiter::one_quota!($limiter, $set_quota_of_state);

        #[cfg(feature = "std")]
        impl $crate::limit::limiter::per_key::QuotaPerCall for $limiter {
            type Call = ($crate::Quota, u32);

            fn call(quota: $crate::Quota, n: u32) -> Self::Call {
                (quota, n)
            }

            fn check_call(
                &self,
                state: &mut Self::State,
                &(quota, n): &Self::Call,
                now: $crate::Timestamp,
            ) -> $crate::Decision {
                state.check_with(quota, n, now)
            }

            fn peek_call(
                &self,
                state: &Self::State,
                &(quota, n): &Self::Call,
                now: $crate::Timestamp,
            ) -> $crate::Decision {
                state.peek_with(quota, n, now)
            }
        }
    };
    ($limiter:ty, $set_quota_of_state:expr) => {
        #[cfg(feature = "std")]
        impl $crate::limit::limiter::per_key::OneQuota for $limiter {
            const SET_QUOTA_OF_STATE: Option<fn(&mut Self::State, $crate::Quota)> =
                $set_quota_of_state;

            fn get_quota(&self) -> $crate::Quota {
                self.quota()
            }

            fn change_quota(&mut self, quota: $crate::Quota) {
                self.set_quota(quota);
            }
        }
    };
}

pub(super) use {limiter, one_quota, stored_whole};
