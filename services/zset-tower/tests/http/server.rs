//! Tests the layer on an axum server, with hyper's client, over sockets.

use std::future::pending;
use std::hash::Hash;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, MatchedPath};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderName, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tower::util::MapRequestLayer;
use zset_std::{FakeClock, Funnel, Keyed, Quota, SlidingWindow};
use zset_tower::key::{self, Global, Header, Key, PeerIp};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::common::redis::{Redis, keyed};
use crate::common::{parameters, problem};
use crate::per_minute;

type Body = Empty<Bytes>;

/// A policy whose clock does not advance.
fn window<E: Key<Key: Eq + Hash>>(name: &str, count: u32, key: E) -> Policy {
    let limiter = Keyed::new(SlidingWindow::new(per_minute(count))).with_clock(FakeClock::new());
    Policy::new(name, limiter, key, MissingKey::deny()).unwrap()
}

/// Serves two routes, limited by a layer; returns the address.
async fn serve(layer: RateLimitLayer) -> SocketAddr {
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/users/{id}", get(async || "a user"))
        .layer(layer);
    serve_router(router).await
}

async fn serve_router(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async { axum::serve(listener, service).await.unwrap() });
    address
}

fn request(path: &str, lines: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().uri(path).header("host", "localhost");
    for (name, value) in lines {
        request = request.header(*name, *value);
    }
    request.body(Body::new()).unwrap()
}

/// A connection that is kept alive.
struct Client(SendRequest<Body>);

impl Client {
    async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Client(sender)
    }

    async fn get(&mut self, path: &str, lines: &[(&str, &str)]) -> Response<String> {
        self.try_get(path, lines).await.unwrap()
    }

    async fn try_get(
        &mut self,
        path: &str,
        lines: &[(&str, &str)],
    ) -> hyper::Result<Response<String>> {
        self.0.ready().await?;
        let response = self.0.send_request(request(path, lines)).await?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(Response::from_parts(parts, String::from_utf8(body.to_vec()).unwrap()))
    }

    async fn status(&mut self, path: &str, lines: &[(&str, &str)]) -> u16 {
        self.get(path, lines).await.status().as_u16()
    }
}

fn header<'a>(response: &'a Response<String>, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_limit_holds_over_one_connection_and_over_many() {
    let peer = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
    let policy = window("per-ip", 5, peer);
    let address = serve(RateLimitLayer::new(policy).with_legacy_headers()).await;
    let mut kept = Client::connect(address).await;
    for left in [4, 3, 2] {
        let response = kept.get("/", &[]).await;
        assert_eq!((response.status(), response.body().as_str()), (StatusCode::OK, "hello"));
        let policies = parameters(header(&response, "ratelimit-policy"), ["q", "w"]);
        assert_eq!(policies, [("per-ip".to_owned(), [5, 60])]);
        let limits = parameters(header(&response, "ratelimit"), ["r", "t"]);
        assert_eq!(limits, [("per-ip".to_owned(), [left, 60])]);
        assert_eq!(header(&response, "x-ratelimit-remaining"), left.to_string());
    }
    for expected in [200, 200, 429, 429] {
        assert_eq!(Client::connect(address).await.status("/", &[]).await, expected);
    }
    let denied = kept.get("/", &[]).await;
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&denied, "retry-after"), "60");
    assert_eq!(header(&denied, "content-type"), "application/problem+json");
    assert_eq!(header(&denied, "content-length"), denied.body().len().to_string());
    assert_eq!(problem(denied.body()), (429, vec!["per-ip".to_owned()]));
    let limits = parameters(header(&denied, "ratelimit"), ["r", "t"]);
    assert_eq!(limits, [("per-ip".to_owned(), [0, 60])]);
    // The connection still works after a denial. A request for a path without a route is counted,
    // too.
    assert_eq!(kept.status("/absent", &[]).await, 429);
}

#[tokio::test]
async fn the_matched_path_is_a_key() {
    let path = key::from_fn(|head| {
        let path = head.extensions.get::<MatchedPath>()?;
        Some(path.as_str().to_owned())
    });
    let policy = window("per-route", 1, path);
    let address = serve(RateLimitLayer::new(policy)).await;
    let mut client = Client::connect(address).await;
    assert_eq!(client.status("/users/1", &[]).await, 200);
    assert_eq!(client.status("/users/2", &[]).await, 429);
    assert_eq!(client.status("/", &[]).await, 200);
}

async fn wrong() -> StatusCode {
    // Sleeps, so that other requests run in the meantime.
    sleep(Duration::from_millis(20)).await;
    StatusCode::UNAUTHORIZED
}

async fn panics() -> StatusCode {
    std::panic::panic_any("a handler panics")
}

/// Returns a router of logins that counts the calls of its handlers.
fn logins(calls: &Arc<AtomicU32>) -> Router {
    let calls = Arc::clone(calls);
    Router::new()
        .route("/right", get(async || "welcome"))
        .route("/wrong", get(wrong))
        .route("/panics", get(panics))
        .route("/hangs", get(async || pending::<()>().await))
        .layer(MapRequestLayer::new(move |request: axum::extract::Request| {
            calls.fetch_add(1, Ordering::Relaxed);
            request
        }))
}

/// Returns the policy, charging only failed logins.
fn charge_failures(policy: Policy) -> Policy {
    policy.charge_if(|response| response.status() == StatusCode::UNAUTHORIZED)
}

/// Logins that require a captcha after three failures in a minute of the clock.
struct Logins {
    address: SocketAddr,
    calls: Arc<AtomicU32>,
    limiter: Arc<Keyed<String, SlidingWindow, FakeClock>>,
}

impl Logins {
    async fn serve(clock: &FakeClock) -> Self {
        let limiter = Keyed::new(SlidingWindow::new(per_minute(3))).with_clock(clock.clone());
        let (limiter, calls) = (Arc::new(limiter), Arc::default());
        let policy =
            Policy::new("failed-logins", limiter.clone(), Global::new(), MissingKey::Allow);
        let policy = charge_failures(policy.unwrap());
        let policy = policy.when(|head| !head.headers.contains_key("x-captcha"));
        let layer = RateLimitLayer::new(policy).with_response(|rejection, _| {
            let mut captcha = Response::new(Bytes::from_static(b"three and four?"));
            *captcha.status_mut() = rejection.status();
            captcha
        });
        Logins { address: serve_router(logins(&calls).layer(layer)).await, calls, limiter }
    }

    fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

/// Sends wrong passwords over many connections at once; returns how many are checked.
async fn guess(addresses: &[SocketAddr]) -> u32 {
    let clients = addresses.iter().cycle().take(40).map(|&address| {
        tokio::spawn(async move {
            let mut client = Client::connect(address).await;
            let mut checked = 0;
            for _ in 0..5 {
                checked += u32::from(client.status("/wrong", &[]).await == 401);
            }
            checked
        })
    });
    let mut checked = 0;
    for client in clients.collect::<Vec<_>>() {
        checked += client.await.unwrap();
    }
    checked
}

#[tokio::test]
async fn after_three_failed_logins_in_a_minute_there_is_a_captcha() {
    let clock = FakeClock::new();
    let logins = Logins::serve(&clock).await;
    let mut client = Client::connect(logins.address).await;
    for failed in 1..=3 {
        for _ in 0..4 {
            let response = client.get("/right", &[]).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(header(&response, "ratelimit-policy"), r#""failed-logins";q=3;w=60"#);
            let limits = parameters(header(&response, "ratelimit"), ["r"]);
            assert_eq!(limits[0].1, [4 - failed]);
        }
        clock.advance(Duration::from_secs(1));
        assert_eq!(client.status("/wrong", &[]).await, 401);
    }
    let before = logins.calls();
    for path in ["/right", "/wrong"] {
        let captcha = client.get(path, &[]).await;
        assert_eq!((captcha.status().as_u16(), captcha.body().as_str()), (429, "three and four?"));
        // The first failure was two seconds ago, and stops counting in 58 seconds.
        assert_eq!(header(&captcha, "retry-after"), "58");
    }
    assert_eq!(logins.calls(), before);
    assert_eq!(client.status("/right", &[("x-captcha", "seven")]).await, 200);
    assert_eq!(client.status("/right", &[]).await, 429);
    clock.advance(Duration::from_secs(58));
    assert_eq!(client.status("/right", &[]).await, 200);
    assert_eq!(client.status("/wrong", &[]).await, 401);
    assert_eq!(client.status("/right", &[]).await, 429);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_logins_at_once_three_fail() {
    let logins = Logins::serve(&FakeClock::new()).await;
    assert_eq!((guess(&[logins.address]).await, logins.calls()), (3, 3));
}

#[tokio::test]
async fn a_handler_that_panics_and_a_client_that_disconnects_are_charged() {
    let logins = Logins::serve(&FakeClock::new()).await;
    // The panic closes the connection without a response.
    assert!(Client::connect(logins.address).await.try_get("/panics", &[]).await.is_err());
    let limiter = &logins.limiter;
    let on_record = || {
        let units = limiter.refund("", 3);
        limiter.record("", units).unwrap();
        units
    };
    for left in [1, 0] {
        let mut client = Client::connect(logins.address).await;
        let response = tokio::spawn(client.0.send_request(request("/hangs", &[])));
        while logins.calls() < 3 - left {
            sleep(Duration::from_millis(1)).await;
        }
        // While the request is in flight, its unit is held, but not recorded.
        assert_eq!((limiter.peek_n("", 0).remaining, on_record()), (left, 2 - left));
        response.abort();
        drop(client);
        while on_record() < 3 - left {
            sleep(Duration::from_millis(1)).await;
        }
    }
    assert_eq!(Client::connect(logins.address).await.status("/right", &[]).await, 429);
    assert_eq!(logins.calls(), 3);
}

/// A quota with a period longer than the test.
fn long(count: u32) -> Quota {
    Quota::new(count, Duration::from_secs(100_000)).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_services_share_failures_and_a_trial_in_redis() {
    let Some(server) = Redis::start() else { return };
    let connection = server.connect().await;
    let limiter = |name, count| keyed(&connection, name, SlidingWindow::new(long(count)));
    let policy = |name, count| {
        let (limiter, all) = (limiter(name, count), Global::new());
        let policy = Policy::new_async(name, limiter, all, MissingKey::Allow, FailedLimiter::Deny);
        policy.unwrap()
    };
    let calls = Arc::new(AtomicU32::new(0));
    let mut addresses = Vec::new();
    for _ in 0..2 {
        let trial = policy("trial", 5).shadow(|check| drop(tokio::spawn(check)));
        let layer = RateLimitLayer::new(charge_failures(policy("failures", 3))).with_policy(trial);
        addresses.push(serve_router(logins(&calls).layer(layer)).await);
    }
    for address in [addresses[0], addresses[1], addresses[0], addresses[1]] {
        let response = Client::connect(address).await.get("/right", &[]).await;
        assert_eq!(response.status(), StatusCode::OK);
        let limits = parameters(header(&response, "ratelimit"), ["r"]);
        assert_eq!(limits, [("failures".to_owned(), [3])]);
    }
    let before = calls.load(Ordering::Relaxed);
    assert_eq!((guess(&addresses).await, calls.load(Ordering::Relaxed) - before), (3, 3));
    for address in addresses {
        assert_eq!(Client::connect(address).await.status("/right", &[]).await, 429);
    }
    // Seven requests were allowed, but the trial allows only five, so its units will be used up.
    // Its last checks may still be running.
    let trial = limiter("trial", 5);
    while trial.peek_n("", 0).await.unwrap().remaining > 0 {
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quotas_by_key_and_a_limit_of_the_whole_service_are_shared_in_redis() {
    let Some(server) = Redis::start() else { return };
    let connection = server.connect().await;
    let funnel = |count| Funnel::new(long(count));
    let plan = move |user: &String| match user.as_str() {
        "ann" => funnel(2),
        "bob" => funnel(1).with_capacity(4).unwrap(),
        // A limiter on a server does not support such a short interval, and returns an error.
        _ => Funnel::new(Quota::new(1, Duration::from_nanos(1)).unwrap()),
    };
    let mut clients = Vec::new();
    for _ in 0..2 {
        let key = Header::new(HeaderName::from_static("x-user"));
        let [all, user] =
            [("all", 7), ("user", 9)].map(|(name, count)| keyed(&connection, name, funnel(count)));
        let deny = FailedLimiter::Deny;
        let all = Policy::new_async("all", all, Global::new(), MissingKey::Allow, deny).unwrap();
        let user = Policy::new_async("user", user, key, MissingKey::deny(), deny).unwrap();
        let layer = RateLimitLayer::new(user.with_quota_by(plan).unwrap()).with_policy(all);
        clients.push(Client::connect(serve(layer).await).await);
    }
    for (user, left, shown) in [
        ("ann", 1, r#""user";q=2;w=100000, "all";q=7;w=100000"#),
        ("bob", 3, r#""user";q=4;w=400000, "all";q=7;w=100000"#),
        ("ann", 0, r#""user";q=2;w=100000, "all";q=7;w=100000"#),
        ("bob", 2, r#""user";q=4;w=400000, "all";q=7;w=100000"#),
    ] {
        clients.swap(0, 1);
        let response = clients[0].get("/", &[("x-user", user)]).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, "ratelimit-policy"), shown);
        assert_eq!(parameters(header(&response, "ratelimit"), ["r"])[0].1, [left]);
    }
    let denied = clients[0].get("/", &[("x-user", "ann")]).await;
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    // Four requests have passed, so three of the seven units remain.
    assert_eq!(parameters(header(&denied, "ratelimit"), ["r"])[1].1, [3]);
    assert_eq!(clients[0].status("/", &[("x-user", "cid")]).await, 503);
}
