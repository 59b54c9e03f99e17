//! [`KeyedLimiter`] and [`AsyncKeyedLimiter`]: the common interfaces of keyed limiters, in this
//! process and on servers.

use std::boxed::Box;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::{Decision, Keyed, Limiter, ToKey};
use crate::{At, Clock, Timestamp};

/// A limiter for each of many keys, looked up by `Q`: for code that works with any keyed limiter,
/// such as the middleware of a server.
///
/// Every [`Keyed`] limiter implements it, and so do a limiter [at a given time](At), references to
/// limiters, and `Box`es and `Arc`s of them. It can be implemented for other types, e.g. for a
/// limiter whose state is on a server, or for a stub in tests. The trait is dyn-compatible: a
/// `Box<dyn KeyedLimiter<u64>>` is a limiter whose type is chosen at run time.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{FakeClock, Funnel, Keyed, KeyedLimiter, Quota, SlidingWindow, Verdict};
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
/// let windows = Keyed::<String, _>::new(SlidingWindow::new(quota)).with_clock(FakeClock::new());
/// assert_eq!(admit(&windows, "ann"), (200, None));
/// assert_eq!(admit(&windows, "ann"), (429, Some(60)));
/// assert_eq!(admit(&Keyed::<String, _>::new(Funnel::new(quota)), "ann"), (200, None));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait KeyedLimiter<Q: ?Sized> {
    /// Returns the time of the limiter's clock, at which [`check_n`](Self::check_n) and
    /// [`peek_n`](Self::peek_n) decide.
    fn now(&self) -> Timestamp;

    /// Allows `n` units of a key together at time `now`, or denies all of them; 0 units are always
    /// allowed.
    fn decide(&self, key: &Q, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`decide`](Self::decide) would return, without recording any units.
    fn preview(&self, key: &Q, n: u32, now: Timestamp) -> Decision;

    /// Refunds the `n` newest units of a key, or as many as are on record, and returns how many.
    fn refund(&self, key: &Q, n: u32) -> u32;

    /// Removes a key, with its history, and returns whether it was present.
    fn reset(&self, key: &Q) -> bool;

    /// Decides on `n` units of a key at time `now` of which it is known later whether they count.
    ///
    /// If they are allowed, they are held until they are [charged](Self::charge) or
    /// [released](Self::release), except for 0 units. Held units are not on record, but beside
    /// them: both together never exceed the limit of the key, or of the bucket shared by keys
    /// without room. A denial counts as that of [`check_n`](Self::check_n) does. A key stays while
    /// units of it are held, even if it would be idle.
    ///
    /// The default is for limiters that cannot hold units: they are taken, and refunded if they are
    /// released.
    fn hold(&self, key: &Q, n: u32, now: Timestamp) -> (Decision, Held) {
        (self.decide(key, n, now), Held::Taken)
    }

    /// Returns what [`hold`](Self::hold) would return, without holding anything.
    fn preview_hold(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.preview(key, n, now)
    }

    /// Records `n` units that were held, or as many as there is room for if other calls have taken
    /// it.
    fn charge(&self, key: &Q, held: Held, n: u32, now: Timestamp) {
        let _ = (key, held, n, now);
    }

    /// Ends a hold of `n` units that do not count, and returns how many are available again.
    fn release(&self, key: &Q, held: Held, n: u32) -> u32 {
        if held == Held::Taken { self.refund(key, n) } else { n }
    }

    /// Allows one unit of a key, or denies it.
    fn check(&self, key: &Q) -> Decision {
        self.decide(key, 1, self.now())
    }

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    fn check_n(&self, key: &Q, n: u32) -> Decision {
        self.decide(key, n, self.now())
    }

    /// Returns what [`check`](Self::check) would return, without recording a unit.
    fn peek(&self, key: &Q) -> Decision {
        self.preview(key, 1, self.now())
    }

    /// Returns what [`check_n`](Self::check_n) would return, without recording any units.
    fn peek_n(&self, key: &Q, n: u32) -> Decision {
        self.preview(key, n, self.now())
    }
}

/// How units are held; see [`KeyedLimiter::hold`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Beside the units on record of the key.
    Key,
    /// In the bucket shared by all keys without room; see
    /// [`WhenFull::SharedBucket`](super::WhenFull::SharedBucket).
    Shared,
    /// They are on record, by a limiter that cannot hold units.
    Taken,
}

impl<K, L, C, H, Q> KeyedLimiter<Q> for Keyed<K, L, C, H>
where
    K: Eq + Hash,
    L: Limiter,
    C: Clock,
    H: BuildHasher,
    Q: ToKey<K> + ?Sized,
{
    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    #[inline]
    fn decide(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.at(now).check_n(key, n)
    }

    fn preview(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.at(now).peek_n(key, n)
    }

    fn refund(&self, key: &Q, n: u32) -> u32 {
        self.refund(key, n)
    }

    fn reset(&self, key: &Q) -> bool {
        self.reset(key)
    }

    fn hold(&self, key: &Q, n: u32, now: Timestamp) -> (Decision, Held) {
        self.hold(key, n, now)
    }

    fn preview_hold(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.preview_hold(key, n, now)
    }

    fn charge(&self, key: &Q, held: Held, n: u32, now: Timestamp) {
        self.charge(key, held, n, now);
    }

    fn release(&self, key: &Q, held: Held, n: u32) -> u32 {
        self.release(key, held, n);
        n
    }
}

/// Delegates to the limiter it points to.
macro_rules! delegate {
    (|$self:ident| $limiter:expr, now: $now:expr; $($pointer:ty),*) => {$(
        impl<L: KeyedLimiter<Q> + ?Sized, Q: ?Sized> KeyedLimiter<Q> for $pointer {
            fn now(&$self) -> Timestamp {
                $now
            }

            fn decide(&$self, key: &Q, n: u32, now: Timestamp) -> Decision {
                $limiter.decide(key, n, now)
            }

            fn preview(&$self, key: &Q, n: u32, now: Timestamp) -> Decision {
                $limiter.preview(key, n, now)
            }

            fn refund(&$self, key: &Q, n: u32) -> u32 {
                $limiter.refund(key, n)
            }

            fn reset(&$self, key: &Q) -> bool {
                $limiter.reset(key)
            }

            fn hold(&$self, key: &Q, n: u32, now: Timestamp) -> (Decision, Held) {
                $limiter.hold(key, n, now)
            }

            fn preview_hold(&$self, key: &Q, n: u32, now: Timestamp) -> Decision {
                $limiter.preview_hold(key, n, now)
            }

            fn charge(&$self, key: &Q, held: Held, n: u32, now: Timestamp) {
                $limiter.charge(key, held, n, now);
            }

            fn release(&$self, key: &Q, held: Held, n: u32) -> u32 {
                $limiter.release(key, held, n)
            }
        }
    )*};
}

delegate!(|self| (**self), now: (**self).now(); &L, Box<L>, Arc<L>);
delegate!(|self| self.timed().0, now: self.timed().1; At<'_, L>);

/// A limiter for each of many keys whose decisions may have to be awaited, and may fail: for code
/// that works with limiters in this process as well as with limiters whose state is on a server.
///
/// [`Keyed`] implements it: its decisions are ready at once, and never fail. Pointers to a limiter
/// implement only [`KeyedLimiter`], so that a call through one is never ambiguous; pass the limiter
/// itself, e.g. `&*limiter` for an `Arc`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{AsyncKeyedLimiter, Funnel, Keyed, Quota};
///
/// /// Returns the status of the response.
/// async fn admit(limiter: &impl AsyncKeyedLimiter<str>, user: &str) -> u16 {
///     match limiter.check_n(user, 1).await {
///         Ok(decision) if decision.is_allowed() => 200,
///         Ok(_) => 429,
///         Err(_) => 503,
///     }
/// }
///
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let limiter = Keyed::<String, _>::new(Funnel::new(quota));
/// pollster::block_on(async {
///     assert_eq!(admit(&limiter, "ann").await, 200);
///     assert_eq!(admit(&limiter, "ann").await, 429);
/// });
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait AsyncKeyedLimiter<Q: ?Sized> {
    /// Why there is no decision; [`Infallible`] for a limiter in this process.
    type Error;

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    ///
    /// # Errors
    ///
    /// `Self::Error` if there is no decision.
    fn check_n(
        &self,
        key: &Q,
        n: u32,
    ) -> impl Future<Output = Result<Decision, Self::Error>> + Send;

    /// Returns what [`check_n`](Self::check_n) would return, without recording any units.
    ///
    /// # Errors
    ///
    /// `Self::Error` if there is no decision.
    fn peek_n(&self, key: &Q, n: u32)
    -> impl Future<Output = Result<Decision, Self::Error>> + Send;

    /// Refunds the `n` newest units of a key, or as many as are on record, and returns how many.
    ///
    /// # Errors
    ///
    /// `Self::Error` if it is not known whether the units are refunded.
    fn refund(&self, key: &Q, n: u32) -> impl Future<Output = Result<u32, Self::Error>> + Send;
}

impl<K, L, C, H, Q> AsyncKeyedLimiter<Q> for Keyed<K, L, C, H>
where
    K: Eq + Hash,
    L: Limiter,
    C: Clock,
    H: BuildHasher,
    Q: ToKey<K> + ?Sized,
{
    type Error = Infallible;

    fn check_n(
        &self,
        key: &Q,
        n: u32,
    ) -> impl Future<Output = Result<Decision, Infallible>> + Send {
        ready(Ok(self.check_n(key, n)))
    }

    fn peek_n(&self, key: &Q, n: u32) -> impl Future<Output = Result<Decision, Infallible>> + Send {
        ready(Ok(self.peek_n(key, n)))
    }

    fn refund(&self, key: &Q, n: u32) -> impl Future<Output = Result<u32, Infallible>> + Send {
        ready(Ok(self.refund(key, n)))
    }
}
