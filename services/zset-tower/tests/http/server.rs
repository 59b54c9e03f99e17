//! The layer on an axum server, with hyper's client over sockets.

use std::convert::Infallible;
use std::future::pending;
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
use zset_std::{
    AsyncKeyedLimiter, Decision, FakeClock, Funnel, Keyed, KeyedLimiter, Quota, SlidingWindow,
};
use zset_tower::key::{self, ForwardedFor, Global, Header, Key, PeerIp};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::common::{parameters, problem};
use crate::per_minute;
use crate::redis::Redis;

type Body = Empty<Bytes>;

fn peer_ip() -> PeerIp<ConnectInfo<SocketAddr>> {
    PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()))
}

/// A policy whose clock does not advance.
fn window<E: Key<Key: Eq + std::hash::Hash>>(
    name: &str,
    count: u32,
    key: E,
    missing_key: MissingKey<E::Key>,
) -> Policy {
    let limiter = Keyed::new(SlidingWindow::new(per_minute(count))).with_clock(FakeClock::new());
    Policy::new(name, limiter, key, missing_key).unwrap()
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
        let mut request = Request::builder().uri(path).header("host", "localhost");
        for (name, value) in lines {
            request = request.header(*name, *value);
        }
        self.0.ready().await?;
        let response = self.0.send_request(request.body(Body::new()).unwrap()).await?;
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
    let policy = window("per-ip", 5, peer_ip(), MissingKey::deny());
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
    // The connection still works, and other paths count as well.
    assert_eq!(kept.status("/absent", &[]).await, 429);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_requests_at_once_exactly_the_limit_passes() {
    let policy = window("per-ip", 50, peer_ip(), MissingKey::deny());
    let address = serve(RateLimitLayer::new(policy)).await;
    let clients = (0..20).map(|_| {
        tokio::spawn(async move {
            let mut client = Client::connect(address).await;
            let mut allowed = 0;
            for _ in 0..10 {
                allowed += u32::from(client.status("/", &[]).await == 200);
            }
            allowed
        })
    });
    let mut allowed = 0;
    for client in clients.collect::<Vec<_>>() {
        allowed += client.await.unwrap();
    }
    assert_eq!(allowed, 50);
}

#[tokio::test]
async fn a_client_cannot_choose_its_address() {
    let policy = window("per-ip", 2, ForwardedFor::x_forwarded_for(1), MissingKey::deny());
    let address = serve(RateLimitLayer::new(policy)).await;
    let mut client = Client::connect(address).await;
    // The last entry is the proxy's, whatever the client has sent before it.
    for (sent, expected) in [("1.1.1.1", 200), ("2.2.2.2", 200), ("3.3.3.3", 429), ("x\"y", 429)] {
        let line = format!("{sent}, 192.0.2.1");
        assert_eq!(client.status("/", &[("x-forwarded-for", &line)]).await, expected, "{line}");
        let lines = [("x-forwarded-for", sent), ("x-forwarded-for", "192.0.2.2")];
        assert_eq!(client.status("/", &lines).await, expected, "{sent}");
        // The other header is not read.
        let lines = [("forwarded", "for=4.4.4.4"), ("x-forwarded-for", "192.0.2.3")];
        assert_eq!(client.status("/", &lines).await, expected, "{sent}");
    }
    // Addresses in the same /64 are one client.
    for (host, expected) in [("1", 200), ("2", 200), ("3", 429)] {
        let line = format!("2001:db8::{host}");
        assert_eq!(client.status("/", &[("x-forwarded-for", &line)]).await, expected, "{line}");
    }
    for line in ["", "unknown", "_hidden", "192.0.2.1, "] {
        let expected = if line.starts_with("192") { 429 } else { 403 };
        assert_eq!(client.status("/", &[("x-forwarded-for", line)]).await, expected, "{line}");
    }
    assert_eq!(client.status("/", &[]).await, 403);
}

#[tokio::test]
async fn fewer_entries_than_proxies_are_no_key() {
    let policy = window("per-ip", 1, ForwardedFor::forwarded(2), MissingKey::deny());
    let address = serve(RateLimitLayer::new(policy)).await;
    let mut client = Client::connect(address).await;
    let mut status = async |line: &str| client.status("/", &[("forwarded", line)]).await;
    assert_eq!(status("for=192.0.2.1").await, 403);
    assert_eq!(status("for=192.0.2.1, for=10.0.0.1").await, 200);
    assert_eq!(status("for=9.9.9.9, for=192.0.2.1, for=10.0.0.2").await, 429);
    // A client's quote does not hide entries appended by the proxies.
    assert_eq!(status(r#"for="9.9.9.9, for=192.0.2.1, for=10.0.0.2"#).await, 429);
    // A proxy's quote does: the start of its entry is unknown.
    assert_eq!(status(r#"for=192.0.2.1, for="10.0.0.2"#).await, 403);
}

#[tokio::test]
async fn several_policies_limit_together() {
    let header_key = || Header::new(HeaderName::from_static("x-api-key"));
    let global = window("all", 6, Global::new(), MissingKey::Allow);
    let per_key = window("per-key", 2, header_key(), MissingKey::Shared(String::new()));
    let address = serve(RateLimitLayer::new(global).with_policy(per_key)).await;
    let mut client = Client::connect(address).await;
    let mut get = async |key: &str| client.get("/", &[("x-api-key", key)]).await;
    for (key, expected) in [
        ("a", [5, 1]),
        ("a", [4, 0]),
        // Denied, so nothing is taken from either policy.
        ("a", [4, 0]),
        ("a", [4, 0]),
        ("b", [3, 1]),
        ("b", [2, 0]),
        ("c", [1, 1]),
        ("c", [0, 0]),
        ("d", [0, 2]),
    ] {
        let response = get(key).await;
        let limits = parameters(header(&response, "ratelimit"), ["r", "t"]);
        assert_eq!([limits[0].1[0], limits[1].1[0]], expected, "{key}");
    }
    assert_eq!(problem(get("d").await.body()).1, ["all"]);
    assert_eq!(problem(get("a").await.body()).1, ["all", "per-key"]);
}

#[tokio::test]
async fn the_matched_path_is_a_key() {
    let path = key::from_fn(|head| {
        let path = head.extensions.get::<MatchedPath>()?;
        Some(path.as_str().to_owned())
    });
    let policy = window("per-route", 1, path, MissingKey::Allow);
    let address = serve(RateLimitLayer::new(policy)).await;
    let mut client = Client::connect(address).await;
    assert_eq!(client.status("/users/1", &[]).await, 200);
    assert_eq!(client.status("/users/2", &[]).await, 429);
    assert_eq!(client.status("/", &[]).await, 200);
}

#[tokio::test]
async fn units_come_back_as_time_passes() {
    let clock = FakeClock::new();
    let funnel = Funnel::new(per_minute(60)).with_capacity(2).unwrap();
    let limiter = Arc::new(Keyed::new(funnel).with_clock(clock.clone()));
    let policy = Policy::new("per-ip", limiter, peer_ip(), MissingKey::deny()).unwrap();
    let address = serve(RateLimitLayer::new(policy)).await;
    let mut client = Client::connect(address).await;
    assert_eq!(client.status("/", &[]).await, 200);
    assert_eq!(client.status("/", &[]).await, 200);
    let denied = client.get("/", &[]).await;
    assert_eq!((denied.status().as_u16(), header(&denied, "retry-after")), (429, "1"));
    assert_eq!(header(&denied, "ratelimit"), r#""per-ip";r=0;t=1"#);
    clock.advance(Duration::from_secs(1));
    let allowed = client.get("/", &[]).await;
    assert_eq!(header(&allowed, "ratelimit"), r#""per-ip";r=0;t=2"#);
    assert_eq!(header(&allowed, "ratelimit-policy"), r#""per-ip";q=2;w=2"#);
}

/// The calls of the handlers of [`logins`].
#[derive(Clone, Default)]
struct Calls(Arc<AtomicU32>);

impl Calls {
    fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Serves logins. After three failures in a minute of `clock`, a captcha is required.
async fn logins(
    clock: &FakeClock,
) -> (SocketAddr, Calls, Arc<Keyed<&'static str, SlidingWindow, FakeClock>>) {
    let limiter = Keyed::new(SlidingWindow::new(per_minute(3))).with_clock(clock.clone());
    let limiter = Arc::new(limiter);
    let all = key::from_fn(|_| Some("all"));
    let policy = Policy::new("failed-logins", limiter.clone(), all, MissingKey::deny()).unwrap();
    let policy = policy
        .when(|head| !head.headers.contains_key("x-captcha"))
        .charge_if(|response| response.status() == StatusCode::UNAUTHORIZED);
    let layer = RateLimitLayer::new(policy).with_response(|rejection, _| {
        let mut captcha = Response::new(Bytes::from_static(b"three and four?"));
        *captcha.status_mut() = rejection.status();
        captcha
    });
    let calls = Calls::default();
    let counted = |calls: &Calls| {
        let calls = calls.clone();
        move || calls.0.fetch_add(1, Ordering::Relaxed)
    };
    let (right, wrong, panics, hangs) =
        (counted(&calls), counted(&calls), counted(&calls), counted(&calls));
    let router = Router::new()
        .route("/right", get(async move || format!("the {}th", right())))
        .route(
            "/wrong",
            get(async move || {
                wrong();
                // Yield, so that other requests run in the meantime.
                tokio::time::sleep(Duration::from_millis(20)).await;
                StatusCode::UNAUTHORIZED
            }),
        )
        .route(
            "/panics",
            get(async move || -> StatusCode {
                panics();
                std::panic::panic_any("a handler panics")
            }),
        )
        .route(
            "/hangs",
            get(async move || {
                hangs();
                pending::<()>().await;
            }),
        )
        .layer(layer);
    (serve_router(router).await, calls, limiter)
}

#[tokio::test]
async fn after_three_failed_logins_in_a_minute_there_is_a_captcha() {
    let clock = FakeClock::new();
    let (address, calls, _) = logins(&clock).await;
    let mut client = Client::connect(address).await;
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
    let before = calls.count();
    for path in ["/right", "/wrong"] {
        let captcha = client.get(path, &[]).await;
        assert_eq!((captcha.status().as_u16(), captcha.body().as_str()), (429, "three and four?"));
        // The first failure was two seconds ago.
        assert_eq!(header(&captcha, "retry-after"), "58");
    }
    assert_eq!(calls.count(), before);
    assert_eq!(client.status("/right", &[("x-captcha", "seven")]).await, 200);
    assert_eq!(client.status("/right", &[]).await, 429);
    clock.advance(Duration::from_secs(58));
    assert_eq!(client.status("/right", &[]).await, 200);
    assert_eq!(client.status("/wrong", &[]).await, 401);
    assert_eq!(client.status("/right", &[]).await, 429);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_logins_at_once_three_fail() {
    let (address, calls, _) = logins(&FakeClock::new()).await;
    let clients = (0..40).map(|_| {
        tokio::spawn(async move {
            let mut client = Client::connect(address).await;
            let mut failed = 0;
            for _ in 0..5 {
                failed += u32::from(client.status("/wrong", &[]).await == 401);
            }
            failed
        })
    });
    let mut failed = 0;
    for client in clients.collect::<Vec<_>>() {
        failed += client.await.unwrap();
    }
    assert_eq!((failed, calls.count()), (3, 3));
}

#[tokio::test]
async fn a_handler_that_panics_and_a_client_that_disconnects_are_charged() {
    let (address, calls, limiter) = logins(&FakeClock::new()).await;
    // The connection is closed without a response.
    assert!(Client::connect(address).await.try_get("/panics", &[]).await.is_err());
    let on_record = || {
        let units = limiter.refund(&"all", 3);
        limiter.record(&"all", units).unwrap();
        units
    };
    for left in [1, 0] {
        let mut client = Client::connect(address).await;
        let request = Request::builder().uri("/hangs").header("host", "localhost");
        let request = request.body(Body::new()).unwrap();
        let response = tokio::spawn(client.0.send_request(request));
        while calls.count() < 3 - left {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // In flight: the unit is held, but not recorded.
        assert_eq!((limiter.peek_n(&"all", 0).remaining, on_record()), (left, 2 - left));
        response.abort();
        drop(client);
        while on_record() < 3 - left {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let mut client = Client::connect(address).await;
    assert_eq!(client.status("/right", &[]).await, 429);
    assert_eq!(calls.count(), 3);
}

/// A limiter whose server never replies.
struct Slow;

impl AsyncKeyedLimiter<String> for Slow {
    type Error = Infallible;

    async fn check_n(&self, _: &String, _: u32) -> Result<Decision, Infallible> {
        pending().await
    }

    async fn peek_n(&self, _: &String, _: u32) -> Result<Decision, Infallible> {
        pending().await
    }

    async fn refund(&self, _: &String, _: u32) -> Result<u32, Infallible> {
        pending().await
    }
}

#[tokio::test]
async fn a_policy_in_shadow_mode_neither_delays_nor_shows() {
    let limiter =
        Arc::new(Keyed::new(SlidingWindow::new(per_minute(4))).with_clock(FakeClock::new()));
    let local = Policy::new("local", limiter.clone(), Global::new(), MissingKey::Allow).unwrap();
    let deny = FailedLimiter::Deny;
    let slow = Policy::new_async("slow", Slow, Global::new(), MissingKey::Allow, deny).unwrap();
    let layer = RateLimitLayer::new(slow.shadow(|check| drop(tokio::spawn(check))))
        .with_policy(local.shadow(drop))
        .with_policy(window("per-ip", 6, peer_ip(), MissingKey::deny()));
    let address = serve(layer).await;
    let mut client = Client::connect(address).await;
    for left in (0..6).rev() {
        let response = client.get("/", &[]).await;
        assert_eq!((response.status(), response.body().as_str()), (StatusCode::OK, "hello"));
        assert_eq!(header(&response, "ratelimit"), format!(r#""per-ip";r={left};t=60"#));
        assert_eq!(header(&response, "ratelimit-policy"), r#""per-ip";q=6;w=60"#);
        assert_eq!(header(&response, "retry-after"), "");
    }
    let denied = client.get("/", &[]).await;
    assert_eq!(problem(denied.body()), (429, vec!["per-ip".to_owned()]));
    // Four of the six would have been allowed.
    assert_eq!(KeyedLimiter::peek_n(&limiter, &String::new(), 0).remaining, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_services_share_failures_and_a_trial_in_redis() {
    let Some(server) = Redis::start() else { return };
    let client = zset_redis::redis::Client::open(server.url.as_str()).unwrap();
    let connection = client.get_connection_manager().await.unwrap();
    // A period longer than the test.
    let quota = |count| Quota::new(count, Duration::from_secs(100_000)).unwrap();
    let limiter = |name, count| {
        let on_failure = zset_redis::OnFailure::Error;
        zset_redis::Keyed::new(
            connection.clone(),
            name,
            SlidingWindow::new(quota(count)),
            on_failure,
        )
        .unwrap()
        .with_deadline(Duration::from_secs(60))
    };
    let key = || key::from_fn(|_| Some("all"));
    let deny = FailedLimiter::Deny;
    let calls = Arc::new(AtomicU32::new(0));
    let mut addresses = Vec::new();
    for _ in 0..2 {
        let by = |name, count| {
            Policy::new_async(name, limiter(name, count), key(), MissingKey::deny(), deny).unwrap()
        };
        let failures = by("failures", 3).charge_if(|it| it.status() == StatusCode::UNAUTHORIZED);
        let trial = by("trial", 5).shadow(|check| drop(tokio::spawn(check)));
        let calls = Arc::clone(&calls);
        let wrong = async move || {
            calls.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(20)).await;
            StatusCode::UNAUTHORIZED
        };
        let router = Router::new()
            .route("/right", get(async || "welcome"))
            .route("/wrong", get(wrong))
            .layer(RateLimitLayer::new(failures).with_policy(trial));
        addresses.push(serve_router(router).await);
    }
    for _ in 0..2 {
        for address in &addresses {
            let response = Client::connect(*address).await.get("/right", &[]).await;
            assert_eq!(response.status(), StatusCode::OK);
            let limits = parameters(header(&response, "ratelimit"), ["r"]);
            assert_eq!(limits, [("failures".to_owned(), [3])]);
        }
    }
    let clients = (0..20).map(|place| {
        let address = addresses[place % 2];
        tokio::spawn(async move { Client::connect(address).await.status("/wrong", &[]).await })
    });
    let mut failed = 0;
    for client in clients.collect::<Vec<_>>() {
        failed += u32::from(client.await.unwrap() == 401);
    }
    assert_eq!((failed, calls.load(Ordering::Relaxed)), (3, 3));
    for address in addresses {
        assert_eq!(Client::connect(address).await.status("/right", &[]).await, 429);
    }
    // The trial allowed five of the seven allowed requests.
    let trial = limiter("trial", 5);
    while trial.peek_n("all", 0).await.unwrap().remaining > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quotas_by_key_and_a_limit_of_the_whole_service_are_shared_in_redis() {
    let Some(server) = Redis::start() else { return };
    let client = zset_redis::redis::Client::open(server.url.as_str()).unwrap();
    let connection = client.get_connection_manager().await.unwrap();
    // A period longer than the test.
    let period = Duration::from_secs(100_000);
    let funnel = move |count| Funnel::new(Quota::new(count, period).unwrap());
    let name = HeaderName::from_static("x-user");
    let plan = move |user: &String| match user.as_str() {
        "ann" => funnel(2),
        "bob" => funnel(1).with_capacity(4).unwrap(),
        // Not exact on a server.
        _ => Funnel::new(Quota::new(1, Duration::from_nanos(1)).unwrap()),
    };
    let mut addresses = Vec::new();
    for _ in 0..2 {
        let limiter = |name, count| {
            let on_failure = zset_redis::OnFailure::Error;
            zset_redis::Keyed::new(connection.clone(), name, funnel(count), on_failure)
                .unwrap()
                .with_deadline(Duration::from_secs(60))
        };
        let deny = FailedLimiter::Deny;
        let (all, user) = (limiter("all", 7), limiter("user", 9));
        let all = Policy::new_async("all", all, Global::new(), MissingKey::Allow, deny).unwrap();
        let user =
            Policy::new_async("user", user, Header::new(name.clone()), MissingKey::deny(), deny);
        let user = user.unwrap().with_quota_by(plan).unwrap();
        addresses.push(serve(RateLimitLayer::new(user).with_policy(all)).await);
    }
    let mut clients = [Client::connect(addresses[0]).await, Client::connect(addresses[1]).await];
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
    // Four requests have passed.
    assert_eq!(parameters(header(&denied, "ratelimit"), ["r"])[1].1, [3]);
    assert_eq!(clients[0].status("/", &[("x-user", "cid")]).await, 503);
}
