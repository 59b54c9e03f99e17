//! [`AsyncKeyedLimiter`]: the common interface of keyed limiters in this process and on servers.

use std::borrow::{Borrow, ToOwned};
use std::convert::Infallible;
use std::future::{Future, ready};
use std::hash::{BuildHasher, Hash};

use super::{Decision, KeyState, Keyed};
use crate::Clock;

/// A limiter for each of many keys whose decisions may have to be awaited, and may fail: for code that
/// works with limiters in this process as well as with limiters whose state is on a server.
///
/// [`Keyed`] implements it: its decisions are ready at once, and never fail. Pointers to a limiter
/// implement only [`KeyedLimiter`](super::KeyedLimiter), so that a call through one is never
/// ambiguous; pass the limiter itself, e.g. `&*limiter` for an `Arc`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{AsyncKeyedLimiter, Funnels, Quota};
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
/// let limiter = Funnels::<String>::new(Quota::new(1, Duration::from_secs(60))?);
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
    fn peek(&self, key: &Q, n: u32) -> impl Future<Output = Result<Decision, Self::Error>> + Send;

    /// Refunds the `n` newest units of a key, or as many as are on record, and returns how many.
    ///
    /// # Errors
    ///
    /// `Self::Error` if it is not known whether the units are refunded.
    fn refund(&self, key: &Q, n: u32) -> impl Future<Output = Result<u32, Self::Error>> + Send;
}

impl<K, L, C, H, Q> AsyncKeyedLimiter<Q> for Keyed<K, L, C, H>
where
    K: Eq + Hash + Borrow<Q>,
    L: KeyState,
    C: Clock,
    H: BuildHasher,
    Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
{
    type Error = Infallible;

    fn check_n(
        &self,
        key: &Q,
        n: u32,
    ) -> impl Future<Output = Result<Decision, Infallible>> + Send {
        ready(Ok(self.check_n(key, n)))
    }

    fn peek(&self, key: &Q, n: u32) -> impl Future<Output = Result<Decision, Infallible>> + Send {
        ready(Ok(self.peek(key, n)))
    }

    fn refund(&self, key: &Q, n: u32) -> impl Future<Output = Result<u32, Infallible>> + Send {
        ready(Ok(self.refund(key, n)))
    }
}
