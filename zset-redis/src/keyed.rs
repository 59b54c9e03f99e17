//! [`Keyed`]: a limiter of many keys, to be awaited.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use redis::aio::ConnectionLike;
use zset_std::limit::Throttle;
use zset_std::{AsyncKeyedLimiter, Decision, Timestamp};

use crate::flights::Flights;
use crate::limit::{Policy, Request, Step, parse_throttle};
use crate::run::{Link, end};
use crate::{Breaker, Error, Rule};

/// A limiter for each of many keys, whose state is on the server: a
/// [`SlidingWindow`](crate::SlidingWindow), [`Funnel`](crate::Funnel),
/// [`FixedWindow`](crate::FixedWindow), [`WindowCounter`](crate::WindowCounter), or several combined as
/// [`Limits`](crate::Limits).
///
/// Keys are strings or bytes. `C` is a connection that can be cloned: a
/// [`ConnectionManager`](redis::aio::ConnectionManager), a connection to a cluster, or a
/// [`MultiplexedConnection`](redis::aio::MultiplexedConnection), on which all calls fail once it is broken.
/// `L` says which limiter it is. Clones share the connection.
///
/// Each method is one round trip. If the server fails or does not reply before the deadline, what was
/// chosen as [`OnFailure`](crate::OnFailure) decides.
///
/// # Hot keys
///
/// Checks of one unit of a key share a script if clones make them at the same time. The first is
/// sent at once. Those made before its reply wait for that, and are then sent together, decided one
/// after the other in the order of the calls. So a process has at most one such script under way
/// for a key, whatever the number of its callers, and a call may take two round trips, both within
/// its deadline, whatever the deadlines of the others. All receive the state after the last of them
/// as `remaining` and `reset_after`.
///
/// Scripts of checks run in tasks of their own, so calls need a runtime of `tokio`.
pub struct Keyed<C, L> {
    pub(crate) link: Link<C>,
    pub(crate) policy: Policy,
    pub(crate) flights: Arc<Flights>,
    limiter: PhantomData<fn() -> L>,
}

impl<C, L> Keyed<C, L> {
    pub(crate) fn with_policy(connection: C, policy: Policy) -> Self {
        let link = Link::new(connection);
        Keyed { link, policy, flights: Arc::new(Flights::new()), limiter: PhantomData }
    }

    /// Returns the limiter with hashed keys: the server stores a hash of each key, keyed with
    /// `secret`, instead of the key. **O(n)** for n bytes of the secret.
    ///
    /// It is for keys such as tokens and addresses. All machines use the same secret: with another
    /// one, a limiter has another state. [Hashed keys](crate#hashed-keys) says what is stored.
    pub fn hashed_keys(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.policy.names.hash_keys(secret.as_ref());
        self
    }

    /// Returns the limiter with another deadline for each call; the default is one second. **O(1)**.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.policy.deadline = deadline;
        self
    }

    /// Returns the limiter with a breaker: while the server is down, calls fail at once. By default
    /// there is none. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Breaker`].
    pub fn with_breaker(mut self, breaker: Breaker) -> Self {
        self.policy.breaker = Some(breaker);
        self
    }

    /// Returns the limiter without a breaker: all calls are sent. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::{Breaker, Funnel, redis::aio::ConnectionManager};
    /// # fn example(logins: Funnel<ConnectionManager>) {
    /// let logins = logins.with_breaker(Breaker::new());
    /// let refunds = logins.clone().without_breaker();
    /// # }
    /// ```
    pub fn without_breaker(mut self) -> Self {
        self.policy.breaker = None;
        self
    }

    /// Returns the limiter with an observer that receives each failure, also of calls that then succeed by
    /// [`OnFailure`](crate::OnFailure). **O(1)**.
    ///
    /// It is called on the caller's task, and should not block.
    pub fn with_failure_observer(
        mut self,
        observer: impl Fn(&Error) + Send + Sync + 'static,
    ) -> Self {
        self.policy.set_observer(Arc::new(observer));
        self
    }

    /// Returns the quotas, each with the limiter that keeps to it. **O(1)**.
    pub fn rules(&self) -> &[Rule] {
        &self.policy.rules
    }
}

impl<C: ConnectionLike + Clone + Send + Sync + 'static, L: 'static> Keyed<C, L> {
    /// Allows one unit of a key, or denies it.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless [`OnFailure`](crate::OnFailure) replaces it.
    pub async fn check<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), 1, None).await
    }

    /// Like [`check`](Self::check), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check), or [`Error::TimeTooLate`].
    pub async fn check_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        now: Timestamp,
    ) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), 1, Some(now)).await
    }

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub async fn check_n<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
    ) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), n, None).await
    }

    /// Like [`check_n`](Self::check_n), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check_at`](Self::check_at).
    pub async fn check_n_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), n, Some(now)).await
    }

    /// Returns what [`check_n`](Self::check_n) would return, without recording any units.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub async fn peek<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<Decision, Error> {
        self.decide(Step::Peek, key.as_ref(), n, None).await
    }

    /// Like [`peek`](Self::peek), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check_at`](Self::check_at).
    pub async fn peek_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<Decision, Error> {
        self.decide(Step::Peek, key.as_ref(), n, Some(now)).await
    }

    /// Returns whether the limit of a key is reached: the first of two steps, before something that is
    /// [recorded](Self::record) only if it fails, such as a login.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub async fn over_limit<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<bool, Error> {
        Ok(self.peek(key, 0).await?.remaining == 0)
    }

    /// Like [`over_limit`](Self::over_limit), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check_at`](Self::check_at).
    pub async fn over_limit_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        now: Timestamp,
    ) -> Result<bool, Error> {
        Ok(self.peek_at(key, 0, now).await?.remaining == 0)
    }

    /// Records `n` units of a key, even beyond the limit.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless a limiter in this process records the units.
    pub async fn record<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<(), Error> {
        let request = self.policy.request(Step::Record, key.as_ref(), n, None);
        self.policy.recorded(&request, self.run(&request).await)
    }

    /// Like [`record`](Self::record), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`record`](Self::record), or [`Error::TimeTooLate`].
    pub async fn record_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<(), Error> {
        let request = self.policy.request(Step::Record, key.as_ref(), n, Some(now));
        self.policy.recorded(&request, self.run(&request).await)
    }

    /// Refunds the `n` newest units of a key, or as many as still count, and returns how many.
    ///
    /// A sliding window takes **O(m log n)** on the server for m of its n entries, in which the
    /// server runs nothing else: two microseconds each or more, e.g. 0.4 seconds for 200,000. The
    /// others take **O(1)**.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless a limiter in this process refunds the units.
    pub async fn refund<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<u32, Error> {
        let request = self.policy.request(Step::Refund, key.as_ref(), n, None);
        self.policy.refunded(&request, self.run(&request).await)
    }

    /// Like [`refund`](Self::refund), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`refund`](Self::refund), or [`Error::TimeTooLate`].
    pub async fn refund_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<u32, Error> {
        let request = self.policy.request(Step::Refund, key.as_ref(), n, Some(now));
        self.policy.refunded(&request, self.run(&request).await)
    }

    /// Removes a key, with its history, and returns whether it was present.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless a limiter in this process removes the key.
    pub async fn reset<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<bool, Error> {
        let request = self.policy.request(Step::Reset, key.as_ref(), 0, None);
        self.policy.reset(&request, self.run(&request).await)
    }

    async fn decide(
        &self,
        step: Step,
        key: &[u8],
        n: u32,
        at: Option<Timestamp>,
    ) -> Result<Decision, Error> {
        let request = self.policy.request(step, key, n, at);
        if step == Step::Check && n == 1 && at.is_none() {
            let decision = self.check_together(key).await;
            return decision.or_else(|error| self.policy.decision(&request, Err(error)));
        }
        self.policy.decision(&request, self.run(&request).await)
    }

    /// Decides by the arguments of `CL.THROTTLE` instead of the limiter's own rules.
    pub(crate) async fn throttle_with(
        &self,
        key: &[u8],
        [max_burst, count, period, quantity]: [i64; 4],
        at: Option<Timestamp>,
    ) -> Result<Throttle, Error> {
        let (rule, n) = parse_throttle(max_burst, count, period, quantity)?;
        let request = Request { rules: &[rule], ..self.policy.request(Step::Check, key, n, at) };
        let decision = self.policy.decision(&request, self.run(&request).await)?;
        Ok(decision.into())
    }

    pub(crate) async fn run(&self, request: &Request<'_>) -> Result<Value, Error> {
        let call = request.call(&self.policy.names)?;
        let pass = self.policy.pass()?;
        let reply = self.link.run(&call, end(self.policy.deadline)).await;
        pass.end(&reply);
        reply
    }
}

impl<C: Clone, L> Clone for Keyed<C, L> {
    fn clone(&self) -> Self {
        let Keyed { link, policy, flights, limiter } = self;
        Keyed {
            link: link.clone(),
            policy: policy.clone(),
            flights: flights.clone(),
            limiter: *limiter,
        }
    }
}

impl<C, L> fmt::Debug for Keyed<C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// Implements the trait for each type of keys.
macro_rules! for_keys {
    ($($key:ty),*) => {$(
        impl<C: ConnectionLike + Clone + Send + Sync + 'static, L: 'static> AsyncKeyedLimiter<$key> for Keyed<C, L> {
            type Error = Error;

            async fn check_n(&self, key: &$key, n: u32) -> Result<Decision, Error> {
                self.check_n(key, n).await
            }

            async fn peek_n(&self, key: &$key, n: u32) -> Result<Decision, Error> {
                self.peek(key, n).await
            }

            async fn refund(&self, key: &$key, n: u32) -> Result<u32, Error> {
                self.refund(key, n).await
            }
        }
    )*};
}

for_keys!(str, String, [u8], Vec<u8>);
