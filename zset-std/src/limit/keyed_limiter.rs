//! [`KeyedLimiter`] and [`AsyncKeyedLimiter`]: the common interfaces of keyed limiters, in this
//! process and on servers.

use std::boxed::Box;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

#[cfg(doc)]
use super::Hold;
use super::hold::Place;
use super::keyed::hold_under;
use super::{Decision, Funnel, Keyed, Limiter, ToKey};
use crate::{At, Clock, Timestamp};

/// A limiter of many keys, which are looked up by `Q`. Use this trait in code that works with any
/// keyed limiter, such as a server's middleware.
///
/// Every [`Keyed`] limiter implements this trait, and so do limiters [at a given time](At), as well
/// as references, `Box`es and `Arc`s of limiters. You can implement it for other types, e.g. for a
/// limiter whose state is on a server, or for a stub in tests. The trait is dyn-compatible: a
/// `Box<dyn KeyedLimiter<u64>>` is a limiter whose type is chosen at run time. Units of any such
/// limiter can be [held](Hold).
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

    /// Refunds the `n` newest units of a key, or all on record if they are fewer. Returns the
    /// number refunded.
    fn refund(&self, key: &Q, n: u32) -> u32;

    /// Removes a key, with its history, and returns whether it was present. Units that are
    /// [held](Hold) stay.
    fn reset(&self, key: &Q) -> bool;

    /// Decides on `n` units of a key at time `now` and, if they are allowed, holds them. For
    /// [`Hold`]. The default, for limiters that cannot hold units, takes them.
    #[doc(hidden)]
    fn hold_raw(&self, key: &Q, n: u32, now: Timestamp) -> (Decision, Place) {
        (self.decide(key, n, now), Place::Record)
    }

    /// Ends a hold of `held` units, `charged` of which are recorded at time `now`, and returns how
    /// many of the others are available again. Must be called once for each hold.
    #[doc(hidden)]
    fn settle_raw(&self, key: &Q, place: Place, held: u32, charged: u32, now: Timestamp) -> u32 {
        let _ = (place, now);
        match held - charged {
            0 => 0,
            released => self.refund(key, released),
        }
    }

    /// Returns the quota of each key, with the capacity of a funnel; `None` if it has several
    /// quotas or if it is not known. The default is `None`.
    fn terms(&self) -> Option<Funnel> {
        None
    }

    /// Returns the same limiter under another quota, which may differ from call to call, as in
    /// [`Keyed::check_with`]; `None` if it has several quotas or cannot do that. The default is
    /// `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Keyed, KeyedLimiter, Quota, SlidingWindow};
    ///
    /// let minute = Duration::from_secs(60);
    /// let windows = Keyed::<u32, _>::new(SlidingWindow::new(Quota::new(1, minute)?));
    /// let limiter: &dyn KeyedLimiter<u32> = &windows;
    /// let generous = limiter.under(Quota::new(5, minute)?.into()).unwrap();
    /// assert_eq!(generous.check_n(&7, 4).remaining, 1);
    /// assert!(!limiter.check(&7).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    fn under(&self, terms: Funnel) -> Option<Box<dyn KeyedLimiter<Q> + '_>> {
        let _ = terms;
        None
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

    fn hold_raw(&self, key: &Q, n: u32, now: Timestamp) -> (Decision, Place) {
        self.hold(key, None, n, now)
    }

    fn settle_raw(&self, key: &Q, place: Place, held: u32, charged: u32, now: Timestamp) -> u32 {
        self.settle(key, None, place, (held, charged), now)
    }

    fn terms(&self) -> Option<Funnel> {
        self.limiter().terms()
    }

    fn under(&self, terms: Funnel) -> Option<Box<dyn KeyedLimiter<Q> + '_>> {
        Some(Box::new(Under { keyed: self, terms }))
    }
}

/// A [`Keyed`] under the terms of a call. If its algorithm has several quotas, it ignores the
/// terms.
struct Under<'a, K, L: Limiter, C, H> {
    keyed: &'a Keyed<K, L, C, H>,
    terms: Funnel,
}

impl<K, L, C, H, Q> KeyedLimiter<Q> for Under<'_, K, L, C, H>
where
    K: Eq + Hash,
    L: Limiter,
    C: Clock,
    H: BuildHasher,
    Q: ToKey<K> + ?Sized,
{
    fn now(&self) -> Timestamp {
        self.keyed.clock().now()
    }

    fn decide(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        let Under { keyed, terms } = *self;
        let check = |limiter: &L, state: &mut L::State, now| match limiter.under(terms) {
            Some(limiter) => limiter.check_n(state, n, now),
            None => limiter.check_n(state, n, now),
        };
        keyed.check_by(key, n, now, check, |limiter, state, held, now| {
            hold_under(limiter, Some(terms), state, (n, held), now)
        })
    }

    fn preview(&self, key: &Q, n: u32, now: Timestamp) -> Decision {
        self.keyed.preview(key, Some(self.terms), n, now)
    }

    fn refund(&self, key: &Q, n: u32) -> u32 {
        self.keyed.refund_by(key, |limiter, state| match limiter.under(self.terms) {
            Some(limiter) => limiter.refund(state, n),
            None => limiter.refund(state, n),
        })
    }

    fn reset(&self, key: &Q) -> bool {
        self.keyed.reset(key)
    }

    fn hold_raw(&self, key: &Q, n: u32, now: Timestamp) -> (Decision, Place) {
        self.keyed.hold(key, Some(self.terms), n, now)
    }

    fn settle_raw(&self, key: &Q, place: Place, held: u32, charged: u32, now: Timestamp) -> u32 {
        self.keyed.settle(key, Some(self.terms), place, (held, charged), now)
    }
}

/// Implements [`KeyedLimiter`] for a pointer by delegating to the limiter it points to.
macro_rules! delegate {
    (
        |$self:ident| $limiter:expr, now: $now:expr, under: |$terms:ident| $under:expr;
        $($pointer:ty),*
    ) => {$(
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

            fn hold_raw(&$self, key: &Q, n: u32, now: Timestamp) -> (Decision, Place) {
                $limiter.hold_raw(key, n, now)
            }

            fn settle_raw(
                &$self,
                key: &Q,
                place: Place,
                held: u32,
                charged: u32,
                now: Timestamp,
            ) -> u32 {
                $limiter.settle_raw(key, place, held, charged, now)
            }

            fn terms(&$self) -> Option<Funnel> {
                $limiter.terms()
            }

            fn under(&$self, $terms: Funnel) -> Option<Box<dyn KeyedLimiter<Q> + '_>> {
                $under
            }
        }
    )*};
}

delegate! {
    |self| (**self), now: (**self).now(), under: |terms| (**self).under(terms);
    &L, Box<L>, Arc<L>
}
// `At` does not support `under`: the returned limiter would read the clock instead of using the
// fixed time.
delegate! {
    |self| self.timed().0, now: self.timed().1, under: |_terms| None;
    At<'_, L>
}

/// A limiter of many keys whose decisions may have to be awaited and may fail. Use this trait in
/// code that works both with limiters in this process and with limiters whose state is on a server.
///
/// [`Keyed`] implements it: its decisions are ready at once and never fail. Pointers to a limiter
/// implement only [`KeyedLimiter`], so that a call through a pointer is never ambiguous. Pass a
/// reference to the limiter itself, e.g. `&*limiter` for an `Arc`.
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

    /// Refunds the `n` newest units of a key, or all on record if they are fewer. Returns the
    /// number refunded.
    ///
    /// # Errors
    ///
    /// `Self::Error` if it is not known whether the units are refunded.
    fn refund(&self, key: &Q, n: u32) -> impl Future<Output = Result<u32, Self::Error>> + Send;

    /// Returns the quota of each key, with the capacity of a funnel; `None` if it has several
    /// quotas or if it is not known. The default is `None`.
    fn terms(&self) -> Option<Funnel> {
        None
    }

    /// Returns the same limiter under another quota, which may differ from call to call; `None` if
    /// it has several quotas or cannot do that. The default is `None`.
    fn under(
        &self,
        terms: Funnel,
    ) -> Option<impl AsyncKeyedLimiter<Q, Error = Self::Error> + Send + Sync>
    where
        Self: Sized + Send + Sync,
    {
        let _ = terms;
        None::<Self>
    }
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

    fn terms(&self) -> Option<Funnel> {
        self.limiter().terms()
    }
}
