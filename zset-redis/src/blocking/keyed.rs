//! [`Keyed`]: a limiter of many keys that blocks.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use zset_std::limit::Throttle;
use zset_std::{Decision, Timestamp};

use super::{Connect, Pool};
use crate::limit::{Policy, Request, Step, parse_throttle};
use crate::{Breaker, Error, Rule};

/// A limiter for each of many keys, whose state is on the server: a
/// [`SlidingWindow`](super::SlidingWindow), [`Funnel`](super::Funnel),
/// [`FixedWindow`](super::FixedWindow), [`WindowCounter`](super::WindowCounter), or several combined as
/// [`Limits`](super::Limits).
///
/// Keys are strings or bytes. `M` is the client that opens the connections of the [`Pool`], and `L` says
/// which limiter it is. Clones share the pool.
///
/// Each method is one round trip. If the server fails or does not reply before the deadline, what was
/// chosen as [`OnFailure`](crate::OnFailure) decides.
pub struct Keyed<M: Connect, L> {
    pool: Pool<M>,
    policy: Policy,
    limiter: PhantomData<fn() -> L>,
}

impl<M: Connect, L> Keyed<M, L> {
    pub(crate) fn with_policy(pool: Pool<M>, policy: Policy) -> Self {
        Keyed { pool, policy, limiter: PhantomData }
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
    /// # use zset_redis::{Breaker, blocking::Funnel};
    /// # fn example(logins: Funnel) {
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
    /// It is called on the caller's thread, without holding a lock.
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

impl<M: Connect, L> Keyed<M, L> {
    /// Allows one unit of a key, or denies it.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless [`OnFailure`](crate::OnFailure) replaces it.
    pub fn check<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), 1, None)
    }

    /// Like [`check`](Self::check), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check), or [`Error::TimeTooLate`].
    pub fn check_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        now: Timestamp,
    ) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), 1, Some(now))
    }

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub fn check_n<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), n, None)
    }

    /// Like [`check_n`](Self::check_n), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check_at`](Self::check_at).
    pub fn check_n_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<Decision, Error> {
        self.decide(Step::Check, key.as_ref(), n, Some(now))
    }

    /// Returns what [`check_n`](Self::check_n) would return, without recording any units.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub fn peek<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<Decision, Error> {
        self.decide(Step::Peek, key.as_ref(), n, None)
    }

    /// Like [`peek`](Self::peek), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check_at`](Self::check_at).
    pub fn peek_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<Decision, Error> {
        self.decide(Step::Peek, key.as_ref(), n, Some(now))
    }

    /// Returns whether the limit of a key is reached: the first of two steps, before something that is
    /// [recorded](Self::record) only if it fails, such as a login.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub fn over_limit<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<bool, Error> {
        Ok(self.peek(key, 0)?.remaining == 0)
    }

    /// Like [`over_limit`](Self::over_limit), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`check_at`](Self::check_at).
    pub fn over_limit_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        now: Timestamp,
    ) -> Result<bool, Error> {
        Ok(self.peek_at(key, 0, now)?.remaining == 0)
    }

    /// Records `n` units of a key, even beyond the limit.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless a limiter in this process records the units.
    pub fn record<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<(), Error> {
        let request = self.policy.request(Step::Record, key.as_ref(), n, None);
        self.policy.recorded(&request, self.run(&request))
    }

    /// Like [`record`](Self::record), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`record`](Self::record), or [`Error::TimeTooLate`].
    pub fn record_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<(), Error> {
        let request = self.policy.request(Step::Record, key.as_ref(), n, Some(now));
        self.policy.recorded(&request, self.run(&request))
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
    pub fn refund<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> Result<u32, Error> {
        let request = self.policy.request(Step::Refund, key.as_ref(), n, None);
        self.policy.refunded(&request, self.run(&request))
    }

    /// Like [`refund`](Self::refund), at time `now`, rounded down to microseconds.
    ///
    /// # Errors
    ///
    /// Like [`refund`](Self::refund), or [`Error::TimeTooLate`].
    pub fn refund_at<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
    ) -> Result<u32, Error> {
        let request = self.policy.request(Step::Refund, key.as_ref(), n, Some(now));
        self.policy.refunded(&request, self.run(&request))
    }

    /// Removes a key, with its history, and returns whether it was present.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, unless a limiter in this process removes the key.
    pub fn reset<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<bool, Error> {
        let request = self.policy.request(Step::Reset, key.as_ref(), 0, None);
        self.policy.reset(&request, self.run(&request))
    }

    fn decide(
        &self,
        step: Step,
        key: &[u8],
        n: u32,
        at: Option<Timestamp>,
    ) -> Result<Decision, Error> {
        let request = self.policy.request(step, key, n, at);
        self.policy.decision(&request, self.run(&request))
    }

    /// Decides by the arguments of `CL.THROTTLE` instead of the limiter's own rules.
    pub(crate) fn throttle_with(
        &self,
        key: &[u8],
        [max_burst, count, period, quantity]: [i64; 4],
        at: Option<Timestamp>,
    ) -> Result<Throttle, Error> {
        let (rule, n) = parse_throttle(max_burst, count, period, quantity)?;
        let request = Request { rules: &[rule], ..self.policy.request(Step::Check, key, n, at) };
        let decision = self.policy.decision(&request, self.run(&request))?;
        Ok(decision.into())
    }

    fn run(&self, request: &Request<'_>) -> Result<Value, Error> {
        let call = request.call(&self.policy.names)?;
        let pass = self.policy.pass()?;
        let reply = self.pool.run(&call, self.policy.deadline);
        pass.end(&reply);
        reply
    }
}

impl<M: Connect, L> Clone for Keyed<M, L> {
    fn clone(&self) -> Self {
        Self::with_policy(self.pool.clone(), self.policy.clone())
    }
}

impl<M: Connect, L> fmt::Debug for Keyed<M, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("pool", &self.pool).field("policy", &self.policy).finish()
    }
}
