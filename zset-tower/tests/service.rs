//! The layer as a tower service, without a socket: policies, costs, keys and failures.

mod common;

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, future, thread};

use http::{HeaderName, Request, Response, StatusCode};
use http_body_util::BodyExt;
use pollster::block_on;
use tower::{Layer, Service, ServiceExt, service_fn};
use zset_std::{
    AsyncKeyedLimiter, Decision, FakeClock, Funnels, Keyed, KeyedLimiter, Quota, SlidingWindow,
    Verdict, WindowCounter,
};
use zset_tower::key::{self, Extension, Global, Header, Key, Path};
use zset_tower::{
    MissingKey, OnFailure, Policy, PolicyError, RateLimit, RateLimitLayer, Rejection,
};

use common::{parameters, problem};

const ANN: &str = "ann";
const BOB: &str = "bob";

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn per_minute(count: u32) -> Quota {
    Quota::new(count, minute()).unwrap()
}

/// Requests with a user, an extension.
fn request(user: &'static str) -> Request<String> {
    Request::builder().extension(user).body(String::new()).unwrap()
}

fn per_user(name: &str, quota: Quota, clock: &FakeClock) -> Policy {
    let limiter = SlidingWindow::new(quota).with_clock(clock.clone());
    let missing_key = MissingKey::Deny(StatusCode::UNAUTHORIZED);
    let key = Extension::<&'static str>::new();
    Policy::new(name, limiter, key, missing_key).unwrap().with_quota(quota)
}

/// A service that answers 200, or 404 to the path `/absent`.
#[derive(Clone)]
struct Inner;

impl Service<Request<String>> for Inner {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = future::Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<String>) -> Self::Future {
        let mut response = Response::new("hello".to_owned());
        if request.uri().path() == "/absent" {
            *response.status_mut() = StatusCode::NOT_FOUND;
        }
        future::ready(Ok(response))
    }
}

type Answer = Response<String>;

/// Calls a clone of a service, as axum does for each connection.
fn call(service: &RateLimit<Inner>, request: Request<String>) -> Answer {
    block_on(async {
        let response = service.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Response::from_parts(parts, String::from_utf8(body.to_vec()).unwrap())
    })
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[test]
fn limits_hold_across_clones_and_a_denied_request_says_when_to_retry() {
    let clock = FakeClock::new();
    let service = RateLimitLayer::new(per_user("user", per_minute(2), &clock)).layer(Inner);
    let first = call(&service, request(ANN));
    assert_eq!((first.status(), first.body().as_str()), (StatusCode::OK, "hello"));
    assert_eq!(header(&first, "ratelimit-policy"), r#""user";q=2;w=60"#);
    assert_eq!(header(&first, "ratelimit"), r#""user";r=1;t=60"#);
    clock.advance(Duration::from_millis(1500));
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);

    let denied = call(&service, request(ANN));
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    // 58.5 s, rounded up; the effective window does not end later.
    assert_eq!(header(&denied, "retry-after"), "59");
    assert_eq!(header(&denied, "ratelimit"), r#""user";r=0;t=59"#);
    assert_eq!(header(&denied, "x-ratelimit-limit"), "");
    assert_eq!(problem(denied.body()), (429, vec!["user".to_owned()]));
    assert_eq!(call(&service, request(BOB)).status(), StatusCode::OK);

    clock.advance(Duration::from_millis(58_500));
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
}

#[test]
fn errors_of_the_service_have_the_headers_too() {
    let policy = per_user("user", per_minute(2), &FakeClock::new());
    let service = RateLimitLayer::new(policy).layer(Inner);
    let mut absent = request(ANN);
    *absent.uri_mut() = "/absent".parse().unwrap();
    let answer = call(&service, absent);
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(header(&answer, "ratelimit"), r#""user";r=1;t=60"#);
}

#[test]
fn a_request_denied_by_one_policy_takes_nothing_from_the_others() {
    let clock = FakeClock::new();
    let global = Keyed::of(WindowCounter::new(per_minute(10))).with_clock(clock.clone());
    let global = Arc::new(global);
    let all = Policy::new("all", global.clone(), Global, MissingKey::Allow).unwrap();
    let service = RateLimitLayer::new(all)
        .with_policy(per_user("user", per_minute(1), &clock))
        .with_legacy_headers()
        .layer(Inner);
    let allowed = call(&service, request(ANN));
    // The quota of `all` is not given, so its window is not known.
    assert_eq!(header(&allowed, "ratelimit-policy"), r#""all";q=10, "user";q=1;w=60"#);
    let limits = parameters(header(&allowed, "ratelimit"), ["r", "t"]);
    assert_eq!((limits[0].1[0], limits[1].1[0]), (9, 0));
    for _ in 0..5 {
        let denied = call(&service, request(ANN));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
        let limits = parameters(header(&denied, "ratelimit"), ["r", "t"]);
        assert_eq!((limits[0].1[0], limits[1].1), (9, [0, 60]));
        assert_eq!(problem(denied.body()).1, ["user"]);
        // Those of the policy that denies.
        assert_eq!(header(&denied, "x-ratelimit-limit"), "1");
        assert_eq!(header(&denied, "x-ratelimit-remaining"), "0");
        assert_eq!(header(&denied, "x-ratelimit-reset"), "60");
    }
    assert_eq!(KeyedLimiter::peek(&global, &(), 0).remaining, 9);

    // Both deny: the longer wait counts.
    let _ = KeyedLimiter::check_n(&global, &(), 9);
    let denied = call(&service, request(ANN));
    assert_eq!(problem(denied.body()).1, ["all", "user"]);
    assert!(header(&denied, "retry-after").parse::<u64>().unwrap() >= 60);
}

#[test]
fn a_policy_applies_to_the_requests_of_its_tier() {
    let clock = FakeClock::new();
    let is_paying = |parts: &http::request::Parts| parts.headers.contains_key("paying");
    let service = RateLimitLayer::new(
        per_user("free", per_minute(1), &clock).when(move |parts| !is_paying(parts)),
    )
    .with_policy(per_user("paid", per_minute(3), &clock).when(is_paying))
    .layer(Inner);
    let paying = || {
        let mut request = request(ANN);
        request.headers_mut().insert("paying", "yes".parse().unwrap());
        request
    };
    assert_eq!(header(&call(&service, request(ANN)), "ratelimit"), r#""free";r=0;t=60"#);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    for left in [2, 1, 0] {
        let answer = call(&service, paying());
        assert_eq!(header(&answer, "ratelimit"), format!(r#""paid";r={left};t=60"#));
    }
    assert_eq!(call(&service, paying()).status(), StatusCode::TOO_MANY_REQUESTS);
}

#[test]
fn a_request_to_which_no_policy_applies_passes_without_headers() {
    let policy = per_user("user", per_minute(1), &FakeClock::new()).when(|_| false);
    let service = RateLimitLayer::new(policy).layer(Inner);
    for _ in 0..3 {
        let answer = call(&service, request(ANN));
        assert_eq!(answer.status(), StatusCode::OK);
        assert!(answer.headers().is_empty());
    }
}

#[test]
fn a_request_takes_its_cost_and_too_high_a_cost_is_413() {
    let policy = per_user("user", per_minute(5), &FakeClock::new())
        .with_quota_unit("content-bytes")
        .unwrap()
        .with_cost(|parts| parts.uri.path()[1..].parse().unwrap());
    let service = RateLimitLayer::new(policy).layer(Inner);
    let cost = |cost: u32| {
        let mut request = request(ANN);
        *request.uri_mut() = format!("/{cost}").parse().unwrap();
        call(&service, request)
    };
    let answer = cost(3);
    assert_eq!(header(&answer, "ratelimit-policy"), r#""user";q=5;qu="content-bytes";w=60"#);
    assert_eq!(header(&answer, "ratelimit"), r#""user";r=2;t=60"#);
    assert_eq!(cost(3).status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&cost(0), "ratelimit"), r#""user";r=2;t=60"#);
    let never = cost(6);
    assert_eq!(never.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(header(&never, "retry-after"), "");
    assert_eq!(problem(never.body()), (413, vec!["user".to_owned()]));
    assert_eq!(cost(2).status(), StatusCode::OK);
}

#[test]
fn a_request_without_a_key_is_handled_as_chosen() {
    let without_key = || Request::new(String::new());
    let service = |missing_key| {
        let key = Header::new(HeaderName::from_static("x-api-key"));
        let policy = Policy::window("key", per_minute(1), key, missing_key).unwrap();
        RateLimitLayer::new(policy).layer(Inner)
    };
    let denying = service(MissingKey::Deny(StatusCode::UNAUTHORIZED));
    let answer = call(&denying, without_key());
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!((header(&answer, "ratelimit"), header(&answer, "retry-after")), ("", ""));
    assert_eq!(problem(answer.body()), (401, vec![]));

    let allowing = service(MissingKey::Allow);
    for _ in 0..3 {
        let answer = call(&allowing, without_key());
        assert_eq!((answer.status(), header(&answer, "ratelimit")), (StatusCode::OK, ""));
    }

    let sharing = service(MissingKey::Shared("anonymous".to_owned()));
    assert_eq!(call(&sharing, without_key()).status(), StatusCode::OK);
    assert_eq!(call(&sharing, without_key()).status(), StatusCode::TOO_MANY_REQUESTS);
}

/// Finds the key of a request.
type KeyOf<'a> = &'a dyn Fn(&http::request::Parts) -> Option<String>;

#[test]
fn keys_are_headers_paths_tuples_and_functions() {
    let api_key = || Header::new(HeaderName::from_static("x-api-key"));
    let found = |key: KeyOf<'_>, lines: &[&str]| {
        let mut request = Request::builder().uri("/a?b");
        for line in lines {
            request = request.header("x-api-key", *line);
        }
        key(&request.body(()).unwrap().into_parts().0)
    };
    let text = |key: key::Found<String>| match key {
        key::Found::Ready(key) => key,
        key::Found::Later(future) => block_on(future),
    };
    let header = |parts: &http::request::Parts| text(api_key().key(parts));
    assert_eq!(found(&header, &["k"]).as_deref(), Some("k"));
    assert_eq!(found(&header, &[]), None);
    assert_eq!(found(&header, &["k", "k"]), None);
    assert_eq!(found(&header, &["é"]), None);
    assert_eq!(found(&header, &[&"k".repeat(1024)]).unwrap().len(), 1024);
    assert_eq!(found(&header, &[&"k".repeat(1025)]), None);

    let sync = (api_key(), Path, Global).map(|(key, path, ())| key + &path);
    let sync = |parts: &http::request::Parts| text(sync.key(parts));
    let slow = key::from_async_fn(|parts| {
        let path = parts.uri.path().to_owned();
        async move {
            Yield::default().await;
            Some(path)
        }
    });
    let slow = (api_key(), slow).map(|(key, path)| key + &path);
    let slow = |parts: &http::request::Parts| text(slow.key(parts));
    for key in [&sync as KeyOf<'_>, &slow] {
        assert_eq!(found(key, &["k"]).as_deref(), Some("k/a"));
        assert_eq!(found(key, &[]), None);
    }
}

/// Is ready when it is polled for the second time.
#[derive(Default)]
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[derive(Debug)]
struct Down;

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection refused at redis.internal")
    }
}

impl std::error::Error for Down {}

/// A limiter on a server, which counts calls and can be down.
#[derive(Clone)]
struct OnServer {
    limiter: Arc<SlidingWindow<&'static str, FakeClock>>,
    /// The calls from which on the server is down.
    down_after: u32,
    calls: Arc<AtomicU32>,
}

impl OnServer {
    fn new(quota: Quota, down_after: u32) -> Self {
        let limiter = SlidingWindow::new(quota).with_clock(FakeClock::new());
        OnServer { limiter: Arc::new(limiter), down_after, calls: Arc::default() }
    }

    async fn ask<T>(
        &self,
        ask: impl FnOnce(&SlidingWindow<&'static str, FakeClock>) -> T,
    ) -> Result<T, Down> {
        Yield::default().await;
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.down_after {
            Ok(ask(&self.limiter))
        } else {
            Err(Down)
        }
    }

    fn policy(self, name: &str, on_failure: OnFailure) -> Policy {
        let missing_key = MissingKey::Deny(StatusCode::UNAUTHORIZED);
        let key = Extension::<&'static str>::new();
        Policy::new_async(name, self, key, missing_key, on_failure).unwrap()
    }
}

impl AsyncKeyedLimiter<&'static str> for OnServer {
    type Error = Down;

    async fn check_n(&self, key: &&'static str, n: u32) -> Result<Decision, Down> {
        self.ask(|limiter| limiter.check_n(key, n)).await
    }

    async fn peek(&self, key: &&'static str, n: u32) -> Result<Decision, Down> {
        self.ask(|limiter| limiter.peek(key, n)).await
    }

    async fn refund(&self, key: &&'static str, n: u32) -> Result<u32, Down> {
        self.ask(|limiter| limiter.refund(key, n)).await
    }
}

#[test]
fn a_limiter_on_a_server_is_awaited() {
    let limiter = OnServer::new(per_minute(2), u32::MAX);
    let calls = limiter.calls.clone();
    let policy = limiter.policy("user", OnFailure::ServiceUnavailable);
    let service = RateLimitLayer::new(policy).layer(Inner);
    assert_eq!(header(&call(&service, request(ANN)), "ratelimit"), r#""user";r=1;t=60"#);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    let denied = call(&service, request(ANN));
    assert_eq!(
        (denied.status(), header(&denied, "retry-after")),
        (StatusCode::TOO_MANY_REQUESTS, "60")
    );
    // A single policy takes one call.
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    let unknown = call(&service, Request::new(String::new()));
    assert_eq!(unknown.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

#[test]
fn a_failed_limiter_rejects_with_503_or_lets_pass() {
    let policy = |on_failure| OnServer::new(per_minute(2), 1).policy("user", on_failure);
    let service = RateLimitLayer::new(policy(OnFailure::ServiceUnavailable)).layer(Inner);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    let failed = call(&service, request(ANN));
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(problem(failed.body()), (503, vec![]));
    assert!(!failed.body().contains("redis.internal"));

    let service = RateLimitLayer::new(policy(OnFailure::Pass)).layer(Inner);
    for expected in [r#""user";r=1;t=60"#, "", "", ""] {
        let answer = call(&service, request(ANN));
        assert_eq!((answer.status(), header(&answer, "ratelimit")), (StatusCode::OK, expected));
    }
}

#[test]
fn what_was_taken_before_a_failure_is_refunded() {
    // It is peeked at, and down when it is checked.
    let failing = OnServer::new(per_minute(9), 1);
    let clock = FakeClock::new();
    let limiter = Arc::new(Funnels::new(per_minute(5)).with_clock(clock));
    let local =
        Policy::new("local", limiter.clone(), Extension::<&'static str>::new(), MissingKey::Allow);
    let service = RateLimitLayer::new(local.unwrap())
        .with_policy(failing.policy("server", OnFailure::ServiceUnavailable))
        .layer(Inner);
    let failed = call(&service, request(ANN));
    assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(header(&failed, "ratelimit"), r#""local";r=5;t=12"#);
    assert_eq!(KeyedLimiter::peek(&limiter, &ANN, 0).remaining, 5);
}

/// Allows a peek, and denies the check after it, as if another request had come first.
struct Racing(Mutex<Vec<u32>>);

impl AsyncKeyedLimiter<()> for Racing {
    type Error = Infallible;

    async fn check_n(&self, (): &(), _: u32) -> Result<Decision, Infallible> {
        let verdict = Verdict::Denied { retry_after: Duration::ZERO };
        Ok(Decision { verdict, limit: 3, remaining: 0, reset_after: Duration::MAX })
    }

    async fn peek(&self, (): &(), n: u32) -> Result<Decision, Infallible> {
        let verdict = Verdict::Allowed;
        Ok(Decision { verdict, limit: 3, remaining: 3 - n, reset_after: minute() })
    }

    async fn refund(&self, (): &(), n: u32) -> Result<u32, Infallible> {
        self.0.lock().unwrap().push(n);
        Ok(n)
    }
}

#[test]
fn a_lost_race_is_refunded_and_denied() {
    let clock = FakeClock::new();
    let racing = Racing(Mutex::default());
    let policy = Policy::new_async("race", racing, Global, MissingKey::Allow, OnFailure::Pass);
    let service = RateLimitLayer::new(per_user("user", per_minute(2), &clock))
        .with_policy(policy.unwrap())
        .layer(Inner);
    for _ in 0..3 {
        let denied = call(&service, request(ANN));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
        // Never zero, although the limiter says so.
        assert_eq!(header(&denied, "retry-after"), "1");
        assert_eq!(header(&denied, "ratelimit"), r#""user";r=2;t=1, "race";r=0;t=1"#);
        assert_eq!(problem(denied.body()).1, ["race"]);
    }
}

#[test]
fn keys_that_are_awaited_are_limited_too() {
    let key = key::from_async_fn(|parts| {
        let user = parts.extensions.get::<&'static str>().copied();
        async move {
            Yield::default().await;
            user
        }
    });
    let missing_key = MissingKey::Deny(StatusCode::UNAUTHORIZED);
    let policy = Policy::window("user", per_minute(1), key, missing_key).unwrap();
    let service = RateLimitLayer::new(policy).layer(Inner);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(call(&service, Request::new(String::new())).status(), StatusCode::UNAUTHORIZED);
}

#[test]
fn headers_and_the_response_can_be_replaced() {
    let policy = || per_user("user", per_minute(1), &FakeClock::new());
    let service = RateLimitLayer::new(policy()).without_headers().layer(Inner);
    assert!(call(&service, request(ANN)).headers().is_empty());
    let denied = call(&service, request(ANN));
    assert_eq!((header(&denied, "retry-after"), header(&denied, "ratelimit")), ("60", ""));

    let service = RateLimitLayer::new(policy())
        .with_response(|rejection, parts| {
            assert!(matches!(rejection, Rejection::QuotaExceeded { .. }));
            let text = format!("{} {}", rejection.status(), parts.uri);
            Response::new(text.into())
        })
        .layer(Inner);
    assert_eq!(call(&service, request(ANN)).body(), "hello");
    let denied = call(&service, request(ANN));
    assert_eq!(
        (denied.status(), denied.body().as_str()),
        (StatusCode::OK, "429 Too Many Requests /")
    );
    assert_eq!(
        (header(&denied, "retry-after"), header(&denied, "ratelimit")),
        ("60", r#""user";r=0;t=60"#)
    );
}

#[test]
fn layers_in_layers_both_show_their_limits() {
    let outer = RateLimitLayer::new(per_user("outer", per_minute(5), &FakeClock::new()));
    let inner = RateLimitLayer::new(per_user("inner", per_minute(2), &FakeClock::new()));
    let service = outer.with_legacy_headers().layer(inner.with_legacy_headers().layer(Inner));
    let answer = block_on(service.oneshot(request(ANN))).unwrap();
    let all: Vec<_> = answer.headers().get_all("ratelimit").iter().collect();
    assert_eq!(all, [r#""inner";r=1;t=60"#, r#""outer";r=4;t=60"#]);
    assert_eq!(answer.headers()["x-ratelimit-limit"], "2");
}

#[test]
fn names_must_fit_into_a_header() {
    let policy = |name: &str| Policy::window(name, per_minute(1), Global, MissingKey::Allow);
    for name in ["", "é", "a\r\nset-cookie: b"] {
        assert_eq!(policy(name).unwrap_err(), PolicyError::InvalidName);
    }
    assert_eq!(policy("a").unwrap().with_quota_unit("é").unwrap_err(), PolicyError::InvalidUnit);
    let service = RateLimitLayer::new(policy(r#"a "b" \c"#).unwrap()).layer(Inner);
    let answer = call(&service, request(ANN));
    let limits = parameters(header(&answer, "ratelimit"), ["r", "t"]);
    assert_eq!(limits, [(r#"a "b" \c"#.to_owned(), [0, 60])]);
    assert_eq!(problem(call(&service, request(ANN)).body()).1, [r#"a "b" \c"#]);
}

#[test]
fn of_many_requests_at_once_the_limit_passes() {
    let clock = FakeClock::new();
    for service in [
        RateLimitLayer::new(per_user("user", per_minute(100), &clock)).layer(Inner),
        // Several policies are decided in two steps, between which other requests come.
        RateLimitLayer::new(per_user("user", per_minute(100), &clock))
            .with_policy(per_user("other", per_minute(100), &clock))
            .layer(Inner),
    ] {
        let policies = service_policies(&service);
        let passed = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let is_allowed = call(&service, request(ANN)).status() == StatusCode::OK;
                        passed.fetch_add(is_allowed.into(), Ordering::Relaxed);
                    }
                });
            }
        });
        let passed = passed.into_inner();
        assert!(passed <= 100, "{passed}");
        if policies == 1 {
            assert_eq!(passed, 100);
        } else {
            // Denied too much at worst: what is left still passes.
            for _ in passed..100 {
                assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
            }
        }
        assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    }
}

fn service_policies(service: &RateLimit<Inner>) -> usize {
    let answer = call(service, request(BOB));
    parameters(header(&answer, "ratelimit"), ["r", "t"]).len()
}

/// A service that is ready once, as a concurrency limit may be.
struct ReadyOnce {
    is_ready: bool,
}

impl Clone for ReadyOnce {
    fn clone(&self) -> Self {
        ReadyOnce { is_ready: false }
    }
}

impl Service<Request<String>> for ReadyOnce {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = future::Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<String>) -> Self::Future {
        assert!(self.is_ready, "a clone that is not ready is called");
        self.is_ready = false;
        future::ready(Ok(Response::new(String::new())))
    }
}

#[test]
fn the_service_that_was_ready_is_called() {
    let policy = OnServer::new(per_minute(9), u32::MAX).policy("user", OnFailure::Pass);
    for policy in [policy, per_user("user", per_minute(9), &FakeClock::new())] {
        let mut service = RateLimitLayer::new(policy).layer(ReadyOnce { is_ready: false });
        block_on(async {
            for _ in 0..3 {
                let response = service.ready().await.unwrap().call(request(ANN)).await.unwrap();
                assert_eq!(response.status(), StatusCode::OK);
            }
        });
    }
}

#[test]
fn a_service_of_grpc_can_be_limited() {
    fn is_grpc_service<S>(_: &S)
    where
        S: Service<Request<tonic::body::Body>, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send,
        S: Service<
                Request<tonic::body::Body>,
                Response = Response<zset_tower::ResponseBody<tonic::body::Body>>,
            >,
    {
    }

    let policy = Policy::window("all", per_minute(1), Global, MissingKey::Allow).unwrap();
    let service = RateLimitLayer::new(policy)
        .with_response(|rejection, _| rejection.to_grpc())
        .layer(service_fn(|_: Request<tonic::body::Body>| async {
            Ok::<_, Infallible>(Response::new(tonic::body::Body::empty()))
        }));
    is_grpc_service(&service);
    block_on(async {
        for expected in [None, Some(tonic::Code::ResourceExhausted)] {
            let request = Request::new(tonic::body::Body::empty());
            let response = service.clone().oneshot(request).await.unwrap();
            let status = tonic::Status::from_header_map(response.headers());
            assert_eq!(status.map(|status| status.code()), expected);
            // What follows in a layer of tonic.
            let body = tonic::body::Body::new(response.into_body());
            assert!(body.collect().await.unwrap().to_bytes().is_empty());
        }
    });
}
