//! Tests limiters whose calls are awaited, fail, or lose a race against another request.

use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::StatusCode;
use tower::Layer;
use zset_std::{
    AsyncKeyedLimiter, Decision, FakeClock, Funnel, Keyed, KeyedLimiter, Quota, SlidingWindow,
    Verdict,
};
use zset_tower::key::{Extension, Global};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::common::problem;
use crate::{
    ANN, Inner, Yield, by_user, call, header, limited, minute, per_minute, per_user, request,
    statuses, without_user,
};

/// The error of a server that is down.
pub(crate) fn down() -> io::Error {
    io::Error::other("connection refused at redis.internal")
}

/// The calls of a limiter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Call {
    Check,
    Peek,
    Refund,
}

/// A limiter whose replies come from a function. It refunds all units unless the reply is an error,
/// and accepts no quota with a call.
pub(crate) struct Replies<F>(pub(crate) F);

impl<K, F, T, E> AsyncKeyedLimiter<K> for Replies<F>
where
    K: Sync,
    F: Fn(Call, u32) -> T + Sync,
    T: Future<Output = Result<Decision, E>> + Send,
{
    type Error = E;

    async fn check_n(&self, _: &K, n: u32) -> Result<Decision, E> {
        self.0(Call::Check, n).await
    }

    async fn peek_n(&self, _: &K, n: u32) -> Result<Decision, E> {
        self.0(Call::Peek, n).await
    }

    async fn refund(&self, _: &K, n: u32) -> Result<u32, E> {
        self.0(Call::Refund, n).await.map(|_| n)
    }

    fn terms(&self) -> Option<Funnel> {
        Some(per_minute(1).into())
    }
}

type Shared<K> = Arc<dyn KeyedLimiter<K> + Send + Sync>;

/// A limiter on a simulated server, which counts calls and can be down.
pub(crate) struct OnServer<K = &'static str> {
    limiter: Shared<K>,
    /// The quota of all calls, or `None` for the limiter's own.
    terms: Option<Funnel>,
    /// The number of calls after which the server is down.
    down_after: u32,
    calls: Arc<AtomicU32>,
}

impl<K> Clone for OnServer<K> {
    fn clone(&self) -> Self {
        let (limiter, calls) = (Arc::clone(&self.limiter), Arc::clone(&self.calls));
        OnServer { limiter, calls, ..*self }
    }
}

impl OnServer {
    pub(crate) fn new(quota: Quota, down_after: u32) -> Self {
        let limiter = Keyed::new(SlidingWindow::new(quota)).with_clock(FakeClock::new());
        OnServer::of(Arc::new(limiter)).down_after(down_after)
    }

    pub(crate) fn policy(self, name: &str, failed_limiter: FailedLimiter) -> Policy {
        let (key, missing_key) = (Extension::new(), MissingKey::deny());
        Policy::new_async(name, self, key, missing_key, failed_limiter).unwrap()
    }
}

impl<K> OnServer<K> {
    pub(crate) fn down_after(self, calls: u32) -> Self {
        OnServer { down_after: calls, ..self }
    }

    pub(crate) fn of(limiter: Shared<K>) -> Self {
        OnServer { limiter, terms: None, down_after: u32::MAX, calls: Arc::default() }
    }

    async fn ask<T>(&self, ask: impl FnOnce(&dyn KeyedLimiter<K>) -> T) -> io::Result<T> {
        Yield::default().await;
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.down_after {
            return Err(down());
        }
        Ok(match self.terms {
            Some(terms) => ask(&*self.limiter.under(terms).unwrap()),
            None => ask(&*self.limiter),
        })
    }
}

impl<K: Sync> AsyncKeyedLimiter<K> for OnServer<K> {
    type Error = io::Error;

    async fn check_n(&self, key: &K, n: u32) -> io::Result<Decision> {
        self.ask(|limiter| limiter.check_n(key, n)).await
    }

    async fn peek_n(&self, key: &K, n: u32) -> io::Result<Decision> {
        self.ask(|limiter| limiter.peek_n(key, n)).await
    }

    async fn refund(&self, key: &K, n: u32) -> io::Result<u32> {
        self.ask(|limiter| limiter.refund(key, n)).await
    }

    fn terms(&self) -> Option<Funnel> {
        self.limiter.terms()
    }

    fn under(
        &self,
        terms: Funnel,
    ) -> Option<impl AsyncKeyedLimiter<K, Error = io::Error> + Send + Sync> {
        Some(OnServer { terms: Some(terms), ..self.clone() })
    }
}

#[test]
fn a_single_policy_makes_one_call_and_none_without_a_key() {
    let limiter = OnServer::new(per_minute(2), u32::MAX);
    let calls = limiter.calls.clone();
    let service = limited(limiter.policy("user", FailedLimiter::Deny));
    assert_eq!(statuses(&service, [ANN, ANN, ANN]), [200, 200, 429]);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    assert_eq!(call(&service, without_user()).status(), StatusCode::FORBIDDEN);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

#[test]
fn a_failed_limiter_rejects_with_503_or_lets_pass() {
    let policy = |failed_limiter| OnServer::new(per_minute(2), 1).policy("user", failed_limiter);
    let service = limited(policy(FailedLimiter::Deny));
    assert_eq!(statuses(&service, [ANN]), [200]);
    let failed = call(&service, request(ANN));
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(problem(failed.body()), (503, vec![]));
    assert!(!failed.body().contains("redis.internal"));

    let service = limited(policy(FailedLimiter::Allow));
    for expected in [r#""user";r=1;t=60"#, "", "", ""] {
        let answer = call(&service, request(ANN));
        assert_eq!((answer.status(), header(&answer, "ratelimit")), (StatusCode::OK, expected));
    }
}

#[test]
fn what_was_taken_before_a_failure_is_refunded() {
    // The server replies to the peek, and is down for the check.
    let failing = OnServer::new(per_minute(9), 1).policy("server", FailedLimiter::Deny);
    let limiter = Keyed::new(Funnel::new(per_minute(5))).with_clock(FakeClock::new());
    let limiter = Arc::new(limiter);
    let local = by_user("local", limiter.clone());
    let service = RateLimitLayer::new(local).with_policy(failing).layer(Inner);
    let failed = call(&service, request(ANN));
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(header(&failed, "ratelimit"), r#""local";r=5;t=12"#);
    assert_eq!(KeyedLimiter::peek_n(&limiter, &ANN, 0).remaining, 5);
}

/// A policy that allows a peek, and denies the check after it, as if another request had been
/// faster.
fn racing() -> Policy {
    let limiter = Replies(|call, n: u32| {
        let (verdict, remaining, reset_after) = match call {
            Call::Check => (Verdict::Denied { retry_after: Duration::ZERO }, 0, Duration::MAX),
            Call::Peek | Call::Refund => (Verdict::Allowed, 3 - n, minute()),
        };
        ready(Ok::<_, Infallible>(Decision { verdict, limit: 3, remaining, reset_after }))
    });
    let (key, missing_key) = (Global::new(), MissingKey::Allow);
    Policy::new_async("race", limiter, key, missing_key, FailedLimiter::Allow).unwrap()
}

#[test]
fn a_lost_race_is_refunded_and_denied() {
    let user = per_user("user", 2, &FakeClock::new());
    let service = RateLimitLayer::new(user).with_policy(racing()).layer(Inner);
    for _ in 0..3 {
        let denied = call(&service, request(ANN));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
        // `Retry-After` is at least 1, although the limiter returns a wait of zero.
        assert_eq!(header(&denied, "retry-after"), "1");
        assert_eq!(header(&denied, "ratelimit"), r#""user";r=2;t=1, "race";r=0;t=1"#);
        assert_eq!(problem(denied.body()).1, ["race"]);
    }
}

#[test]
fn units_that_cannot_be_refunded_are_shown_as_taken() {
    // The server replies to the peek and the check, and is down for the refund.
    let failing = OnServer::new(per_minute(2), 2).policy("user", FailedLimiter::Deny);
    let service = RateLimitLayer::new(failing).with_policy(racing()).layer(Inner);
    let denied = call(&service, request(ANN));
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&denied, "ratelimit"), r#""user";r=1;t=1, "race";r=0;t=1"#);
}

/// With the names of all crates imported, method calls are unambiguous.
mod all_imported {
    use std::sync::Arc;

    use zset_redis::*;
    use zset_std::*;
    use zset_tower::key::*;

    /// Calls limiters in this process and on a server. It only needs to compile.
    async fn limit<C>(
        here: Arc<zset_std::Keyed<String, Funnel>>,
        there: Arc<zset_redis::Keyed<C, Funnel>>,
    ) where
        C: AsyncConnection,
    {
        let _: Decision = here.check_n("ann", 1);
        let _: Result<Decision, LimiterError> = there.check_n("ann", 1).await;
        let _: Result<u32, LimiterError> = there.refund("ann", 1).await;
    }

    #[test]
    fn calls_are_unambiguous() {
        let _ = limit::<zset_redis::redis::aio::MultiplexedConnection>;
        let limiter = Arc::new(zset_std::Keyed::<u32, _>::new(Funnel::new(super::per_minute(2))));
        assert!(limiter.check_n(&1, 2).is_allowed());
        assert_eq!((limiter.peek_n(&1, 0).remaining, limiter.refund(&1, 1)), (0, 1));
        let _ = Key::map(Global::new(), |_| 7_u32);
        let _ = Global::new().map(|_| 7_u32);
    }
}
