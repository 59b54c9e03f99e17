//! Tests the layer as a tower service, without a socket: policies, keys, failures and responses.

#[path = "../common/mod.rs"]
mod common;
mod denials;
mod documentation;
mod flight;
mod forwarded;
mod keys;
mod limiters_on_a_server;
mod outcomes;
mod policies;
mod quotas;
mod readiness;
mod requests;
mod responses;
mod shadow;
#[cfg(all(feature = "metrics", feature = "tracing"))]
mod telemetry;

use std::convert::Infallible;
use std::future;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use pollster::block_on;
use tower::{Layer, Service, ServiceExt};
use zset_std::{FakeClock, Keyed, KeyedLimiter, Observer, Quota, SlidingWindow};
use zset_tower::key::{Extension, Global, Key, from_async_fn};
use zset_tower::{MissingKey, Policy, RateLimit, RateLimitLayer, RequestHead, ResponseBody};

use crate::common::parameters;

const ANN: &str = "ann";
const BOB: &str = "bob";

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn per_minute(count: u32) -> Quota {
    Quota::new(count, minute()).unwrap()
}

/// A quota with a long period, since limiters on a server refund only within a tenth of it.
fn per_day(count: u32) -> Quota {
    Quota::new(count, Duration::from_secs(86_400)).unwrap()
}

/// A request with a user in its extensions.
fn request(user: &'static str) -> Request<String> {
    Request::builder().extension(user).body(String::new()).unwrap()
}

/// A request that the service answers with 404.
fn failing(user: &'static str) -> Request<String> {
    let mut request = request(user);
    *request.uri_mut() = "/absent".parse().unwrap();
    request
}

fn without_user() -> Request<String> {
    Request::new(String::new())
}

fn is_failure(response: &Response<()>) -> bool {
    response.status() == StatusCode::NOT_FOUND
}

/// A window of a minute for each key.
fn window<K: Eq + Hash>(count: u32, clock: &FakeClock) -> Keyed<K, SlidingWindow, FakeClock> {
    Keyed::new(SlidingWindow::new(per_minute(count))).with_clock(clock.clone())
}

fn by_user(name: &str, limiter: impl KeyedLimiter<&'static str> + Send + Sync + 'static) -> Policy {
    Policy::new(name, limiter, Extension::new(), MissingKey::deny()).unwrap()
}

fn per_user(name: &str, count: u32, clock: &FakeClock) -> Policy {
    by_user(name, window(count, clock))
}

fn global(name: &str, limiter: impl KeyedLimiter<String> + Send + Sync + 'static) -> Policy {
    Policy::new(name, limiter, Global::new(), MissingKey::Allow).unwrap()
}

/// A key that is awaited.
fn awaited<K: Clone + Send + Sync + 'static>(
    find: impl Fn(&RequestHead<'_>) -> Option<K> + Send + Sync + 'static,
) -> impl Key<Key = K> {
    from_async_fn(move |head| {
        let key = find(head);
        async move {
            Yield::default().await;
            key
        }
    })
}

/// A user and its plan, as found by authentication. The plan may change with each request.
#[derive(Clone, Copy, Debug)]
struct Account<T> {
    id: u64,
    plan: T,
}

impl<T> PartialEq for Account<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for Account<T> {}

impl<T> Hash for Account<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// What an observer of a limiter has received.
#[derive(Default)]
struct Counts {
    allowed: AtomicU32,
    denied: AtomicU32,
    refused: AtomicU32,
}

impl Counts {
    /// Returns how often units were allowed and denied, and how often a key had no room.
    fn get(&self) -> [u32; 3] {
        [&self.allowed, &self.denied, &self.refused].map(|count| count.load(Ordering::Relaxed))
    }
}

impl Observer for Counts {
    fn allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    fn denied(&self) {
        self.denied.fetch_add(1, Ordering::Relaxed);
    }

    fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
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
    read(block_on(service.clone().oneshot(request)).unwrap())
}

/// Reads the body of a response.
fn read(response: Response<ResponseBody<String>>) -> Answer {
    let (parts, body) = response.into_parts();
    let body = block_on(body.collect()).unwrap().to_bytes();
    Response::from_parts(parts, String::from_utf8(body.to_vec()).unwrap())
}

/// Returns [`Inner`], limited by a policy.
fn limited(policy: Policy) -> RateLimit<Inner> {
    RateLimitLayer::new(policy).layer(Inner)
}

/// Sends a request of each user; returns the statuses.
fn statuses<const N: usize>(service: &RateLimit<Inner>, users: [&'static str; N]) -> [u16; N] {
    users.map(|user| call(service, request(user)).status().as_u16())
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// Returns the units left, as the headers show them for the first policy.
fn left(answer: &Answer) -> i64 {
    parameters(header(answer, "ratelimit"), ["r"])[0].1[0]
}

/// A future that is ready at the second poll.
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
