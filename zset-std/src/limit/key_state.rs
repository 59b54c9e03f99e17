//! [`KeyState`]: what a keyed limiter stores for each key.

use super::limiter::private::Sealed;
use super::{Decision, Limiter, Quota};
use crate::Timestamp;

/// The state that a [`Keyed`](super::Keyed) limiter stores for each key: a [`Limiter`], or a
/// [`CompactFunnel`](super::CompactFunnel), whose quota all keys share.
///
/// The trait is sealed, and its methods are not part of the public API. Their names differ from
/// those of [`Limiter`], so that no call is ambiguous where both traits are imported.
pub trait KeyState: Clone {
    /// The data that all keys share.
    #[doc(hidden)]
    type Settings: Clone;

    /// A decision as computed under the lock; it is converted after the lock is released.
    #[doc(hidden)]
    type RawDecision: Into<Decision>;

    #[doc(hidden)]
    fn new(settings: &Self::Settings) -> Self;
    #[doc(hidden)]
    fn check_under(
        &mut self,
        settings: &Self::Settings,
        n: u32,
        now: Timestamp,
    ) -> Self::RawDecision;
    #[doc(hidden)]
    fn peek_under(&self, settings: &Self::Settings, n: u32, now: Timestamp) -> Decision;
    #[doc(hidden)]
    fn refund_under(&mut self, settings: &Self::Settings, n: u32) -> u32;

    /// Returns the time from which the state is indistinguishable from a new one, if the key is not used
    /// in between; `Timestamp::ZERO` if it already is.
    #[doc(hidden)]
    fn idle_at(&self, _: Sealed) -> Timestamp;
}

/// A [`KeyState`] that accepts a different quota in each call: a [`WindowLog`](super::WindowLog) or a
/// [`CompactFunnel`](super::CompactFunnel).
///
/// The trait is sealed, and its methods are not part of the public API.
pub trait QuotaPerCall: KeyState {
    /// A quota and a number of units in the form that a check needs, computed before the lock is
    /// acquired.
    #[doc(hidden)]
    type Call;

    #[doc(hidden)]
    fn call(quota: Quota, n: u32) -> Self::Call;
    #[doc(hidden)]
    fn check_with_at(&mut self, call: &Self::Call, now: Timestamp) -> Self::RawDecision;
    #[doc(hidden)]
    fn peek_with_at(&self, call: &Self::Call, now: Timestamp) -> Decision;
}

impl<L: Limiter> KeyState for L {
    /// The initial state of each key.
    type Settings = L;
    type RawDecision = Decision;

    fn new(new: &L) -> L {
        new.clone()
    }

    fn check_under(&mut self, _: &L, n: u32, now: Timestamp) -> Decision {
        Limiter::check_n_at(self, n, now)
    }

    fn peek_under(&self, _: &L, n: u32, now: Timestamp) -> Decision {
        Limiter::peek_at(self, n, now)
    }

    fn refund_under(&mut self, _: &L, n: u32) -> u32 {
        Limiter::refund(self, n)
    }

    fn idle_at(&self, sealed: Sealed) -> Timestamp {
        Limiter::idle_at(self, sealed)
    }
}
