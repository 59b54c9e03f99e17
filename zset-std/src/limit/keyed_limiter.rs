//! [`KeyedLimiter`]: the common interface of keyed limiters.

use std::borrow::{Borrow, ToOwned};
use std::boxed::Box;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::{Decision, KeyState, Keyed};
use crate::{Clock, Timestamp};

/// A limiter for each of many keys, looked up by `Q`: for code that works with any keyed limiter, such
/// as the middleware of a server.
///
/// Every [`Keyed`] limiter implements it, including [`SlidingWindow`](super::SlidingWindow) and
/// [`Funnels`](super::Funnels), and so do references to limiters, and `Box`es and `Arc`s of them. It can
/// be implemented for other types, e.g. for a limiter whose state is on a server, or for a stub in
/// tests. The trait is dyn-compatible.
///
/// # Examples
///
/// A function generic over the limiter:
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FakeClock, Funnels, KeyedLimiter, Quota, SlidingWindow, Verdict};
///
/// /// Returns the status of the response, and the seconds to wait before retrying.
/// fn admit(limiter: &impl KeyedLimiter<str>, user: &str) -> (u16, Option<u64>) {
///     match limiter.check(user).verdict {
///         Verdict::Allowed => (200, None),
///         Verdict::Denied { retry_after } => {
///             let is_rounded_up = retry_after.subsec_nanos() > 0;
///             (429, Some(retry_after.as_secs() + u64::from(is_rounded_up)))
///         }
///         Verdict::Never => (413, None),
///     }
/// }
///
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let windows = SlidingWindow::<String>::new(quota).with_clock(FakeClock::new());
/// assert_eq!(admit(&windows, "ann"), (200, None));
/// assert_eq!(admit(&windows, "ann"), (429, Some(60)));
/// assert_eq!(admit(&Funnels::<String>::new(quota), "ann"), (200, None));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
///
/// A limiter whose type is chosen at run time:
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Funnels, KeyedLimiter, Quota, SlidingWindow};
///
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let is_smooth = true;
/// let limiter: Box<dyn KeyedLimiter<u64>> =
///     if is_smooth { Box::new(Funnels::new(quota)) } else { Box::new(SlidingWindow::new(quota)) };
/// assert!(limiter.check(&7).is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait KeyedLimiter<Q: ?Sized> {
    /// Returns the time of the limiter's clock, used by the methods without a time argument.
    fn now(&self) -> Timestamp;

    /// Allows `n` units of a key together at time `now`, or denies all of them; 0 units are always
    /// allowed.
    fn check_n_at(&self, key: &Q, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`check_n_at`](Self::check_n_at) would return, without recording any units.
    fn peek_at(&self, key: &Q, n: u32, now: Timestamp) -> Decision;

    /// Refunds the `n` newest units of a key, or as many as are on record, and returns how many.
    fn refund(&self, key: &Q, n: u32) -> u32;

    /// Removes a key, with its history, and returns whether it was present.
    fn reset(&self, key: &Q) -> bool;

    /// Allows one unit of a key, or denies it.
    fn check(&self, key: &Q) -> Decision {
        self.check_n_at(key, 1, self.now())
    }

    /// Like [`check`](Self::check), at time `now`.
    fn check_at(&self, key: &Q, now: Timestamp) -> Decision {
        self.check_n_at(key, 1, now)
    }

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    fn check_n(&self, key: &Q, n: u32) -> Decision {
        self.check_n_at(key, n, self.now())
    }

    /// Returns what [`check_n`](Self::check_n) would return, without recording any units.
    fn peek(&self, key: &Q, n: u32) -> Decision {
        self.peek_at(key, n, self.now())
    }
}

impl<K, L, C, H, Q> KeyedLimiter<Q> for Keyed<K, L, C, H>
where
    K: Eq + Hash + Borrow<Q>,
    L: KeyState,
    C: Clock,
    H: BuildHasher,
    Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
{
    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    #[inline]
    fn check_n_at(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.check_n_at(key, n, now)
    }

    fn peek_at(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.peek_at(key, n, now)
    }

    fn refund(&self, key: &Q, n: u32) -> u32 {
        self.refund(key, n)
    }

    fn reset(&self, key: &Q) -> bool {
        self.reset(key)
    }
}

/// Delegates to the limiter behind a pointer.
macro_rules! behind_a_pointer {
    ($($pointer:ty),*) => {$(
        impl<L: KeyedLimiter<Q> + ?Sized, Q: ?Sized> KeyedLimiter<Q> for $pointer {
            fn now(&self) -> Timestamp {
                (**self).now()
            }

            fn check_n_at(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
                (**self).check_n_at(key, n, now)
            }

            fn peek_at(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
                (**self).peek_at(key, n, now)
            }

            fn refund(&self, key: &Q, n: u32) -> u32 {
                (**self).refund(key, n)
            }

            fn reset(&self, key: &Q) -> bool {
                (**self).reset(key)
            }

            fn check(&self, key: &Q) -> Decision {
                (**self).check(key)
            }

            fn check_at(&self, key: &Q, now: Timestamp) -> Decision {
                (**self).check_at(key, now)
            }

            fn check_n(&self, key: &Q, n: u32) -> Decision {
                (**self).check_n(key, n)
            }

            fn peek(&self, key: &Q, n: u32) -> Decision {
                (**self).peek(key, n)
            }
        }
    )*};
}

behind_a_pointer!(&L, Box<L>, Arc<L>);
