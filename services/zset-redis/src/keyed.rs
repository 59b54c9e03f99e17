//! [`Keyed`]: a limiter of many keys.

use std::fmt;
#[cfg(feature = "tokio")]
use std::sync::Arc;

use redis::Value;
use zset_std::limit::Throttle;
use zset_std::{Decision, Funnel, Quota, SingleQuota, Timestamp};

#[cfg(feature = "tokio")]
use crate::AsyncConnection;
use crate::blocking::{Connect, Pool};
use crate::breaker::Pass;
use crate::connection::{Caller, end};
#[cfg(feature = "tokio")]
use crate::flights::Flights;
use crate::limit::{Policy, Read, Request, ServerLimiter, Step};
use crate::operation::operations;
use crate::settings::settings;
use crate::{Connection, Failure, LimiterError, OnFailure, UnsupportedQuota};

/// A limiter of many keys whose state is on the server, for an algorithm `L` of [`zset_std`].
///
/// Keys are strings or bytes. `C` is the connection:
///
/// - over a [`Pool`], calls block the thread;
/// - over an `AsyncConnection`, calls are awaited. It is a `ConnectionManager`, a cluster
///   connection, one of your own, or a `MultiplexedConnection`, on which all calls fail once it is
///   broken.
///
/// Clones share the connection.
///
/// Each call is usually one round trip; a [shared check](#hot-keys) may take two. If the server
/// fails or does not reply before the deadline, the chosen [`OnFailure`] decides.
///
/// # Hot keys
///
/// Concurrent awaited checks of one unit of a key share scripts if they are made through one
/// limiter and its clones, at the server's time and under the limiter's own quota. The first two
/// are sent immediately. Checks made before the second reply wait for it, and are then sent
/// together and decided in the order of the calls. So clones usually have at most two such scripts
/// in flight for a key. A call may take two round trips, both within its own deadline. All calls of
/// a script return the state after the last of them as `remaining` and `reset_after`.
///
/// Shared scripts run in a separate task, so awaited calls need a `tokio` runtime. A lone check
/// starts no task.
///
/// # Examples
///
#[cfg_attr(feature = "tokio", doc = "```no_run")]
#[cfg_attr(not(feature = "tokio"), doc = "```ignore")]
/// use std::time::Duration;
/// use zset_redis::{Keyed, OnFailure};
/// use zset_std::{Quota, SlidingWindow};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let connection = redis::Client::open("redis://127.0.0.1/")?.get_connection_manager().await?;
/// let three_a_minute = SlidingWindow::new(Quota::new(3, Duration::from_secs(60))?);
/// let failures = Keyed::new(connection, "logins", three_a_minute, OnFailure::Deny)?;
///
/// // Only wrong passwords count.
/// if failures.over_limit("ann").await? {
///     println!("show a captcha");
/// } else if !is_right("password") {
///     failures.record("ann", 1).await?;
/// }
/// # fn is_right(_: &str) -> bool { true }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Keyed<C: Connection, L> {
    caller: Caller<C>,
    policy: Policy,
    /// The checks in flight, for awaited calls.
    #[cfg(feature = "tokio")]
    pub(crate) flights: Arc<Flights>,
    limiter: L,
}

impl<C: Connection, L: ServerLimiter> Keyed<C, L> {
    /// Makes a limiter; keys on the server begin with `name`. **O(k)** for k limits.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota`] if the server cannot be exact for a quota, or if there is none.
    ///
    /// # Examples
    ///
    /// Several limits, and a penalty:
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use std::time::Duration;
    /// use zset_redis::blocking::Pool;
    /// use zset_redis::{Keyed, OnFailure, redis};
    /// use zset_std::{AnyLimiter, Block, Funnel, Limits, Penalty, Quota, SlidingWindow};
    ///
    /// let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
    /// let smooth = Funnel::new(Quota::new(10, Duration::from_secs(1))?);
    /// let hourly = SlidingWindow::new(Quota::new(1000, Duration::from_secs(3600))?);
    /// let limits = Limits::new([AnyLimiter::from(smooth), hourly.into()]);
    /// // After 20 denials in a row, a minute, then two, then four, up to a day.
    /// let block = Block::after(NonZeroU32::new(20).unwrap(), Duration::from_secs(60))
    ///     .doubling_up_to(Duration::from_secs(86_400));
    /// let logins = Keyed::new(pool, "logins", Penalty::new(limits, block), OnFailure::Deny)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        connection: C,
        name: &str,
        limiter: L,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        Ok(Keyed {
            caller: Caller::new(connection),
            policy: Policy::new(name, &limiter, on_failure)?,
            #[cfg(feature = "tokio")]
            flights: Arc::default(),
            limiter,
        })
    }

    /// Returns the algorithm. **O(1)**.
    pub fn limiter(&self) -> &L {
        &self.limiter
    }
}

impl<C: Connection, L> Keyed<C, L> {
    settings!(
        limiter:
        #[cfg(feature = "tokio")]
        flights
    );
}

impl<C: Connection, L: SingleQuota> Keyed<C, L> {
    /// Returns the quota of each key. **O(1)**.
    pub fn quota(&self) -> Quota {
        self.limiter.quota()
    }
}

impl<C: Connection, L: Clone> Keyed<C, L> {
    /// Returns the same limiter with its clock fixed at `now`, rounded down to microseconds.
    /// **O(1)**.
    ///
    /// It is for tests: see [time](crate#time). Calls return [`LimiterError::TimeTooLate`] if `now`
    /// is too late.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::{Keyed, LimiterError, blocking::Pool};
    /// # fn example(logins: Keyed<Pool, zset_std::Funnel>) -> Result<(), LimiterError> {
    /// use zset_std::Timestamp;
    ///
    /// let mut now = Timestamp::ZERO;
    /// assert!(logins.at(now).check("ann")?.is_allowed());
    /// now = now.saturating_add(Duration::from_secs(60));
    /// assert!(logins.at(now).check("ann")?.is_allowed());
    /// # Ok(())
    /// # }
    /// ```
    pub fn at(&self, now: Timestamp) -> Self {
        let mut limiter = self.clone();
        limiter.policy.at = Some(now);
        limiter
    }
}

operations! {
    LimiterError:
    impl<C, L: ServerLimiter + 'static> Keyed<C, L> {
        /// Allows one unit of a key, or denies it.
        ///
        /// # Errors
        ///
        /// [`LimiterError`] if the server fails, unless [`OnFailure`] replaces it.
        pub fn check(&self, key: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Decision> {
            self.policy.request(Step::Check, key.as_ref(), 1, Read::DECISION)
        }

        /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
        pub fn check_n(
            &self,
            key: &(impl AsRef<[u8]> + ?Sized),
            n: u32,
        ) -> Operation<Decision> {
            self.policy.request(Step::Check, key.as_ref(), n, Read::DECISION)
        }

        /// Returns what [`check`](Self::check) would return, without recording any units.
        pub fn peek(&self, key: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Decision> {
            self.policy.request(Step::Peek, key.as_ref(), 1, Read::DECISION)
        }

        /// Returns what [`check_n`](Self::check_n) would return, without recording any units.
        pub fn peek_n(&self, key: &(impl AsRef<[u8]> + ?Sized), n: u32) -> Operation<Decision> {
            self.policy.request(Step::Peek, key.as_ref(), n, Read::DECISION)
        }

        /// Returns whether the limit of a key is reached. It is the first of two steps:
        /// [record](Self::record) the unit afterwards, only if the action fails, e.g. a login.
        pub fn over_limit(&self, key: &(impl AsRef<[u8]> + ?Sized)) -> Operation<bool> {
            let read = Read::Decision(|decision| decision.remaining == 0);
            self.policy.request(Step::Peek, key.as_ref(), 0, read)
        }

        /// Records `n` units of a key, even above the limit. A penalty is unchanged, as it is by a
        /// [refund](Self::refund).
        ///
        /// # Errors
        ///
        /// [`LimiterError`] if the server fails, unless a limiter in this process replaces the
        /// server.
        pub fn record(&self, key: &(impl AsRef<[u8]> + ?Sized), n: u32) -> Operation<()> {
            self.policy.request(Step::Record, key.as_ref(), n, Read::Reply(Request::recorded))
        }

        /// Refunds the `n` newest units of a key, or all that still count if there are fewer, and
        /// returns how many it refunded.
        ///
        /// A sliding window takes **O(m log n)** on the server for m of its n entries, during which
        /// the server runs nothing else: some two to three microseconds each, so about half a
        /// second for 200,000. The other algorithms take **O(1)**.
        ///
        /// # Errors
        ///
        /// [`LimiterError`] if the server fails, unless a limiter in this process replaces the
        /// server.
        pub fn refund(&self, key: &(impl AsRef<[u8]> + ?Sized), n: u32) -> Operation<u32> {
            self.policy.request(Step::Refund, key.as_ref(), n, Read::Reply(Request::refunded))
        }

        /// Removes a key with its history, which ends a block, and returns whether it was present.
        ///
        /// # Errors
        ///
        /// [`LimiterError`] if the server fails, even if a limiter in this process replaces it.
        /// That limiter removes the key, but the server may still have the key and block it.
        pub fn reset(&self, key: &(impl AsRef<[u8]> + ?Sized)) -> Operation<bool> {
            self.policy.request(Step::Reset, key.as_ref(), 0, Read::Reply(Request::was_reset))
        }
    }
}

operations! {
    LimiterError:
    impl<C, L: ServerLimiter + SingleQuota + 'static> Keyed<C, L> {
        /// Like [`check_n`](Self::check_n), with a different quota for this call: for tiers, and
        /// for quotas from a database. If the algorithm is a funnel, pass a [`Funnel`] to set the
        /// capacity as well.
        ///
        /// All calls share the history of the key: units allowed under one quota count under the
        /// others until the key expires, as in [`zset_std::Keyed::check_with`]. The count or
        /// capacity may differ in each call. The period may be
        ///
        /// - for a [`Funnel`], any: the time at which the bucket is empty carries over, rounded up
        ///   to microseconds if the count differs;
        /// - for a [`SlidingWindow`](zset_std::SlidingWindow), at most the limiter's, for which the
        ///   log is kept: create the limiter with the longest period;
        /// - for a [`FixedWindow`](zset_std::FixedWindow) or a
        ///   [`WindowCounter`](zset_std::WindowCounter), only the limiter's: the server does not
        ///   store the times of single units, which another window would need.
        ///
        /// [`Limits`](zset_std::Limits) do not have this method, since they have several quotas. A
        /// refund applies to the limiter's own quota. A limiter in this process that
        /// [replaces](OnFailure::Local) the server uses its own quota.
        ///
        /// # Errors
        ///
        /// Those of [`check`](Self::check), and [`LimiterError::Quota`] if the quota is not
        /// supported.
        ///
        /// # Examples
        ///
        /// ```no_run
        /// # use zset_redis::{Keyed, blocking::Pool};
        /// # use zset_std::SlidingWindow;
        /// # fn example(requests: Keyed<Pool, SlidingWindow>) -> Result<(), Box<dyn std::error::Error>> {
        /// use std::time::Duration;
        /// use zset_std::Quota;
        ///
        /// let paid = Quota::new(1000, Duration::from_secs(60))?;
        /// assert!(requests.check_with("ann", paid, 1)?.is_allowed());
        /// # Ok(())
        /// # }
        /// ```
        pub fn check_with(
            &self,
            key: &(impl AsRef<[u8]> + ?Sized),
            quota: impl Into<L::Terms>,
            n: u32,
        ) -> Operation<Decision> {
            self.policy.with_quota(Step::Check, key.as_ref(), quota.into().into(), n)
        }

        /// Returns what [`check_with`](Self::check_with) would return, without recording any units.
        ///
        /// # Errors
        ///
        /// Those of [`check_with`](Self::check_with).
        pub fn peek_with(
            &self,
            key: &(impl AsRef<[u8]> + ?Sized),
            quota: impl Into<L::Terms>,
            n: u32,
        ) -> Operation<Decision> {
            self.policy.with_quota(Step::Peek, key.as_ref(), quota.into().into(), n)
        }
    }
}

operations! {
    LimiterError:
    impl<C> Keyed<C, Funnel> {
        /// Implements redis-cell's `CL.THROTTLE key max_burst count period quantity`: `count` units
        /// per `period` seconds, and up to `max_burst + 1` at once. The quota of the limiter is not
        /// used.
        ///
        /// # Errors
        ///
        /// Those of [`check`](Self::check), and [`LimiterError::Throttle`] or
        /// [`LimiterError::Quota`] if an argument is invalid.
        pub fn throttle(
            &self,
            key: &(impl AsRef<[u8]> + ?Sized),
            max_burst: i64,
            count: i64,
            period: i64,
            quantity: i64,
        ) -> Operation<Throttle> {
            self.policy.throttle(key.as_ref(), [max_burst, count, period, quantity])
        }
    }
}

impl<C: Connection, L> Keyed<C, L> {
    async fn send<T>(&self, request: &Request<'_, T>) -> Result<Value, Failure> {
        let pass = Pass::of(self.policy.breaker.as_ref())?;
        self.caller.call(&request.call(1), end(self.policy.deadline), pass).await
    }
}

impl<M: Connect, L> Keyed<Pool<M>, L> {
    async fn run<T>(
        &self,
        request: Result<Request<'_, T>, LimiterError>,
    ) -> Result<T, LimiterError> {
        let request = request?;
        request.read(self.send(&request).await)
    }
}

#[cfg(feature = "tokio")]
mod awaited {
    use zset_std::{AsyncKeyedLimiter, Decision, Funnel};

    use super::{AsyncConnection, Keyed, LimiterError, Request, ServerLimiter};
    use crate::flights;

    impl<C: AsyncConnection, L> Keyed<C, L> {
        pub(super) async fn run<T>(
            &self,
            request: Result<Request<'_, T>, LimiterError>,
        ) -> Result<T, LimiterError> {
            let request = request?;
            if let Some(read) = request.if_shared() {
                let decision = flights::check(&self.flights, &self.caller, &request).await;
                return Ok(read(request.or_instead(decision)?));
            }
            request.read(self.send(&request).await)
        }
    }

    impl<C, L, Q> AsyncKeyedLimiter<Q> for Keyed<C, L>
    where
        C: AsyncConnection,
        L: ServerLimiter,
        Q: AsRef<[u8]> + Sync + ?Sized,
    {
        type Error = LimiterError;

        async fn check_n(&self, key: &Q, n: u32) -> Result<Decision, LimiterError> {
            self.check_n(key, n).await
        }

        async fn peek_n(&self, key: &Q, n: u32) -> Result<Decision, LimiterError> {
            self.peek_n(key, n).await
        }

        async fn refund(&self, key: &Q, n: u32) -> Result<u32, LimiterError> {
            self.refund(key, n).await
        }

        fn terms(&self) -> Option<Funnel> {
            self.limiter.terms()
        }

        fn under(
            &self,
            terms: Funnel,
        ) -> Option<impl AsyncKeyedLimiter<Q, Error = LimiterError> + Send + Sync> {
            // Only algorithms with one quota have terms.
            self.limiter.terms()?;
            let mut limiter = self.clone();
            limiter.policy.terms = Some(terms);
            Some(limiter)
        }
    }
}

impl<C: Connection, L> fmt::Debug for Keyed<C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("policy", &self.policy).finish_non_exhaustive()
    }
}
