//! The layer as a tower service, without a socket: policies, keys, failures and responses.

#[path = "../common/mod.rs"]
mod common;
mod denials;
pub mod documentation;
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
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use pollster::block_on;
use tower::{Service, ServiceExt};
use zset_std::{FakeClock, Keyed, Quota, SlidingWindow};
use zset_tower::key::Extension;
use zset_tower::{MissingKey, Policy, RateLimit};

const ANN: &str = "ann";
const BOB: &str = "bob";

fn minute() -> Duration {
    Duration::from_secs(60)
}

fn per_minute(count: u32) -> Quota {
    Quota::new(count, minute()).unwrap()
}

/// Requests with a user in their extensions.
fn request(user: &'static str) -> Request<String> {
    Request::builder().extension(user).body(String::new()).unwrap()
}

fn per_user(name: &str, quota: Quota, clock: &FakeClock) -> Policy {
    let limiter = Keyed::new(SlidingWindow::new(quota)).with_clock(clock.clone());
    let missing_key = MissingKey::deny();
    let key = Extension::<&'static str>::new();
    Policy::new(name, limiter, key, missing_key).unwrap()
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

/// Is ready at the second poll.
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
