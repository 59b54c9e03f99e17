//! Limiters whose calls are awaited, fail, or lose races.

use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Request, StatusCode};
use tower::Layer;
use zset_std::{
    AsyncKeyedLimiter, Decision, FakeClock, Funnel, Keyed, KeyedLimiter, Quota, SlidingWindow,
    Verdict,
};
use zset_tower::key::{Extension, Global};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::common::problem;
use crate::{ANN, Inner, Yield, call, header, minute, per_minute, per_user, request};

#[derive(Debug)]
pub(crate) struct Down;

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection refused at redis.internal")
    }
}

impl std::error::Error for Down {}

type Shared<K> = Arc<dyn KeyedLimiter<K> + Send + Sync>;

/// A limiter on a server that counts calls and can be down.
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
        let missing_key = MissingKey::deny();
        let key = Extension::<&'static str>::new();
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

    async fn ask<T>(&self, ask: impl FnOnce(&dyn KeyedLimiter<K>) -> T) -> Result<T, Down> {
        Yield::default().await;
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.down_after {
            return Err(Down);
        }
        Ok(match self.terms {
            Some(terms) => ask(&*self.limiter.under(terms).unwrap()),
            None => ask(&*self.limiter),
        })
    }
}

impl<K: Sync> AsyncKeyedLimiter<K> for OnServer<K> {
    type Error = Down;

    async fn check_n(&self, key: &K, n: u32) -> Result<Decision, Down> {
        self.ask(|limiter| limiter.check_n(key, n)).await
    }

    async fn peek_n(&self, key: &K, n: u32) -> Result<Decision, Down> {
        self.ask(|limiter| limiter.peek_n(key, n)).await
    }

    async fn refund(&self, key: &K, n: u32) -> Result<u32, Down> {
        self.ask(|limiter| limiter.refund(key, n)).await
    }

    fn terms(&self) -> Option<Funnel> {
        self.limiter.terms()
    }

    fn under(
        &self,
        terms: Funnel,
    ) -> Option<impl AsyncKeyedLimiter<K, Error = Down> + Send + Sync> {
        Some(OnServer { terms: Some(terms), ..self.clone() })
    }
}

#[test]
fn a_limiter_on_a_server_is_awaited() {
    let limiter = OnServer::new(per_minute(2), u32::MAX);
    let calls = limiter.calls.clone();
    let policy = limiter.policy("user", FailedLimiter::Deny);
    let service = RateLimitLayer::new(policy).layer(Inner);
    assert_eq!(header(&call(&service, request(ANN)), "ratelimit"), r#""user";r=1;t=60"#);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    let denied = call(&service, request(ANN));
    assert_eq!(
        (denied.status(), header(&denied, "retry-after")),
        (StatusCode::TOO_MANY_REQUESTS, "60")
    );
    // A single policy makes one call.
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    let unknown = call(&service, Request::new(String::new()));
    assert_eq!(unknown.status(), StatusCode::FORBIDDEN);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

#[test]
fn a_failed_limiter_rejects_with_503_or_lets_pass() {
    let policy = |failed_limiter| OnServer::new(per_minute(2), 1).policy("user", failed_limiter);
    let service = RateLimitLayer::new(policy(FailedLimiter::Deny)).layer(Inner);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    let failed = call(&service, request(ANN));
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(problem(failed.body()), (503, vec![]));
    assert!(!failed.body().contains("redis.internal"));

    let service = RateLimitLayer::new(policy(FailedLimiter::Allow)).layer(Inner);
    for expected in [r#""user";r=1;t=60"#, "", "", ""] {
        let answer = call(&service, request(ANN));
        assert_eq!((answer.status(), header(&answer, "ratelimit")), (StatusCode::OK, expected));
    }
}

#[test]
fn what_was_taken_before_a_failure_is_refunded() {
    // The server is up for the peek, and down for the check.
    let failing = OnServer::new(per_minute(9), 1);
    let clock = FakeClock::new();
    let limiter = Arc::new(Keyed::new(Funnel::new(per_minute(5))).with_clock(clock));
    let local =
        Policy::new("local", limiter.clone(), Extension::<&'static str>::new(), MissingKey::Allow);
    let service = RateLimitLayer::new(local.unwrap())
        .with_policy(failing.policy("server", FailedLimiter::Deny))
        .layer(Inner);
    let failed = call(&service, request(ANN));
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(header(&failed, "ratelimit"), r#""local";r=5;t=12"#);
    assert_eq!(KeyedLimiter::peek_n(&limiter, &ANN, 0).remaining, 5);
}

/// Allows a peek, and denies the check after it, as if another request had been faster.
struct Racing(Mutex<Vec<u32>>);

impl AsyncKeyedLimiter<String> for Racing {
    type Error = Infallible;

    async fn check_n(&self, _: &String, _: u32) -> Result<Decision, Infallible> {
        let verdict = Verdict::Denied { retry_after: Duration::ZERO };
        Ok(Decision { verdict, limit: 3, remaining: 0, reset_after: Duration::MAX })
    }

    async fn peek_n(&self, _: &String, n: u32) -> Result<Decision, Infallible> {
        let verdict = Verdict::Allowed;
        Ok(Decision { verdict, limit: 3, remaining: 3 - n, reset_after: minute() })
    }

    async fn refund(&self, _: &String, n: u32) -> Result<u32, Infallible> {
        self.0.lock().unwrap().push(n);
        Ok(n)
    }
}

#[test]
fn a_lost_race_is_refunded_and_denied() {
    let clock = FakeClock::new();
    let racing = Racing(Mutex::default());
    let policy =
        Policy::new_async("race", racing, Global::new(), MissingKey::Allow, FailedLimiter::Allow);
    let service = RateLimitLayer::new(per_user("user", per_minute(2), &clock))
        .with_policy(policy.unwrap())
        .layer(Inner);
    for _ in 0..3 {
        let denied = call(&service, request(ANN));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
        // Never zero, although the limiter returns zero.
        assert_eq!(header(&denied, "retry-after"), "1");
        assert_eq!(header(&denied, "ratelimit"), r#""user";r=2;t=1, "race";r=0;t=1"#);
        assert_eq!(problem(denied.body()).1, ["race"]);
    }
}

#[test]
fn units_that_cannot_be_refunded_are_shown_as_taken() {
    // The server is up for the peek and the check, and down for the refund.
    let failing = OnServer::new(per_minute(2), 2).policy("user", FailedLimiter::Deny);
    let racing = Racing(Mutex::default());
    let racing =
        Policy::new_async("race", racing, Global::new(), MissingKey::Allow, FailedLimiter::Allow);
    let service = RateLimitLayer::new(failing).with_policy(racing.unwrap()).layer(Inner);
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

    /// Compiles calls of limiters in this process and on a server.
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
