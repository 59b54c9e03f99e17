//! The layer on an axum server, with hyper's client over sockets.

mod common;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, MatchedPath};
use axum::routing::get;
use http::{HeaderName, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use zset_std::{FakeClock, Funnels, Quota, SlidingWindow};
use zset_tower::key::{self, ForwardedFor, Global, Header, Key, PeerIp};
use zset_tower::{MissingKey, Policy, RateLimitLayer};

use common::{parameters, problem};

type Body = Empty<bytes::Bytes>;

fn per_minute(count: u32) -> Quota {
    Quota::new(count, Duration::from_secs(60)).unwrap()
}

fn peer_ip() -> PeerIp<ConnectInfo<SocketAddr>> {
    PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()))
}

/// A policy on time that does not pass.
fn window<E: Key<Key: Eq + std::hash::Hash>>(
    name: &str,
    count: u32,
    key: E,
    missing_key: MissingKey<E::Key>,
) -> Policy {
    let limiter = SlidingWindow::new(per_minute(count)).with_clock(FakeClock::new());
    Policy::new(name, limiter, key, missing_key).unwrap().with_quota(per_minute(count))
}

/// Serves two routes, limited by a layer; returns the address.
async fn serve(layer: RateLimitLayer) -> SocketAddr {
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/users/{id}", get(async || "a user"))
        .layer(layer);
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
        let mut request = Request::builder().uri(path).header("host", "localhost");
        for (name, value) in lines {
            request = request.header(*name, *value);
        }
        self.0.ready().await.unwrap();
        let response = self.0.send_request(request.body(Body::new()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Response::from_parts(parts, String::from_utf8(body.to_vec()).unwrap())
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
    // The connection is still good, and other paths count as well.
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
    // A quote of the client does not hide what the proxies have appended.
    assert_eq!(status(r#"for="9.9.9.9, for=192.0.2.1, for=10.0.0.2"#).await, 429);
    // One of a proxy does: where its entry begins is not known.
    assert_eq!(status(r#"for=192.0.2.1, for="10.0.0.2"#).await, 403);
}

#[tokio::test]
async fn several_policies_limit_together() {
    let header_key = || Header::new(HeaderName::from_static("x-api-key"));
    let global = window("all", 6, Global, MissingKey::Allow);
    let per_key = window("per-key", 2, header_key(), MissingKey::Shared(String::new()));
    let address = serve(RateLimitLayer::new(global).with_policy(per_key)).await;
    let mut client = Client::connect(address).await;
    let mut get = async |key: &str| client.get("/", &[("x-api-key", key)]).await;
    for (key, expected) in [
        ("a", [5, 1]),
        ("a", [4, 0]),
        // Denied, so that nothing is taken from both.
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
    let quota = per_minute(60).with_capacity(2).unwrap();
    let limiter = Arc::new(Funnels::new(quota).with_clock(clock.clone()));
    let policy = Policy::new("per-ip", limiter, peer_ip(), MissingKey::deny()).unwrap();
    let address = serve(RateLimitLayer::new(policy.with_quota(quota))).await;
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
