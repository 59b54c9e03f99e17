//! Tests inner services that must be ready before they are called.

use std::convert::Infallible;
use std::future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

use http::{Request, Response, StatusCode};
use pollster::block_on;
use tower::limit::ConcurrencyLimit;
use tower::{Layer, Service, ServiceExt};
use zset_std::FakeClock;
use zset_tower::key::Extension;
use zset_tower::{
    FailedLimiter, MissingKey, Policy, RateLimit, RateLimitLayer, RequestHead, ResponseBody,
};

use crate::limiters_on_a_server::OnServer;
use crate::{ANN, BOB, Inner, awaited, call, per_minute, per_user, request};

/// What the clones of a service have done.
#[derive(Default)]
struct Counts {
    clones: AtomicU32,
    calls: AtomicU32,
    /// The clones that are ready but have not been called.
    reserved: AtomicU32,
}

/// A service whose `poll_ready` reserves one call of the same clone.
struct Reserving {
    is_ready: bool,
    counts: Arc<Counts>,
}

impl Reserving {
    fn new() -> (Self, Arc<Counts>) {
        let counts = Arc::<Counts>::default();
        (Reserving { is_ready: false, counts: Arc::clone(&counts) }, counts)
    }

    fn release(&mut self) -> bool {
        let was_ready = std::mem::take(&mut self.is_ready);
        self.counts.reserved.fetch_sub(was_ready.into(), Ordering::Relaxed);
        was_ready
    }
}

impl Clone for Reserving {
    fn clone(&self) -> Self {
        self.counts.clones.fetch_add(1, Ordering::Relaxed);
        Reserving { is_ready: false, counts: Arc::clone(&self.counts) }
    }
}

impl Drop for Reserving {
    fn drop(&mut self) {
        self.release();
    }
}

impl Service<Request<String>> for Reserving {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = future::Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        let was_ready = std::mem::replace(&mut self.is_ready, true);
        self.counts.reserved.fetch_add((!was_ready).into(), Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<String>) -> Self::Future {
        assert!(self.release(), "a clone that is not ready is called");
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        future::ready(Ok(Response::new(String::new())))
    }
}

/// Calls the service itself, instead of a clone, once it is ready.
fn call_ready<S>(service: &mut RateLimit<S>, user: &'static str) -> Response<ResponseBody<String>>
where
    S: Service<Request<String>, Response = Response<String>, Error = Infallible> + Clone,
{
    block_on(async { service.ready().await.unwrap().call(request(user)).await.unwrap() })
}

/// Returns layers that reject Bob's requests, with the status. Some await the limiter or the key.
fn layers_that_reject_bob() -> Vec<(u16, RateLimitLayer)> {
    let denied = || per_user("user", 1, &FakeClock::new());
    let without_key =
        Policy::window("user", per_minute(1), Extension::<u64>::new(), MissingKey::deny());
    let awaited_key = awaited(|_| None::<u64>);
    let awaited_key = Policy::window("user", per_minute(1), awaited_key, MissingKey::deny());
    let on_server =
        |calls: u32| OnServer::new(per_minute(1), calls).policy("user", FailedLimiter::Deny);
    let layer = |policy: Policy| {
        let is_bob = |head: &RequestHead<'_>| head.extensions.get() == Some(&BOB);
        RateLimitLayer::new(policy.when(is_bob))
    };
    let layers = vec![
        (429, layer(denied())),
        (413, layer(denied().with_cost(|_| 2))),
        (403, layer(without_key.unwrap())),
        (403, layer(awaited_key.unwrap())),
        (429, layer(denied().charge_if(|_| true))),
        (429, layer(on_server(u32::MAX))),
        (429, layer(on_server(u32::MAX).charge_if(|_| true))),
        (503, layer(on_server(0))),
        (429, layer(denied()).with_policy(per_user("all", 99, &FakeClock::new()))),
    ];
    for (_, layer) in &layers {
        // This request uses up Bob's unit, if the layer allows it.
        call(&layer.layer(Inner), request(BOB));
    }
    layers
}

#[test]
fn a_rejection_releases_what_was_reserved_in_the_inner_service() {
    let mut context = Context::from_waker(Waker::noop());
    for (status, layer) in layers_that_reject_bob() {
        let mut rejected = layer.layer(ConcurrencyLimit::new(Inner, 1));
        let mut other = rejected.clone();
        for _ in 0..3 {
            let response = call_ready(&mut rejected, BOB);
            assert_eq!(response.status(), status);
            // The only permit is free, although the rejected service and its response still exist.
            assert!(other.poll_ready(&mut context).is_ready(), "{status}");
            assert_eq!(call_ready(&mut other, ANN).status(), StatusCode::OK);
        }
    }
}

#[test]
fn a_service_is_called_once_for_each_time_it_was_ready() {
    for (status, layer) in layers_that_reject_bob() {
        let (inner, counts) = Reserving::new();
        let mut service = layer.layer(inner);
        let mut allowed = 0;
        for user in [ANN, BOB, BOB, ANN, ANN, BOB, ANN] {
            // Waits until the service is ready, as `call_ready` does again. That must not reserve a
            // second call.
            block_on(service.ready()).unwrap();
            let response = call_ready(&mut service, user);
            let expected = if user == ANN { 200 } else { status };
            assert_eq!(response.status(), expected);
            allowed += u32::from(user == ANN);
            assert_eq!(counts.calls.load(Ordering::Relaxed), allowed, "{status}");
            assert_eq!(counts.reserved.load(Ordering::Relaxed), 0, "{status}");
        }
        // Each of Bob's three requests clones the service. Ann's requests, which are allowed
        // without waiting, do not.
        assert_eq!(counts.clones.load(Ordering::Relaxed), 3, "{status}");
    }
}

#[test]
fn a_decision_that_is_no_longer_awaited_releases_the_inner_service() {
    let policy = OnServer::new(per_minute(9), u32::MAX).policy("user", FailedLimiter::Allow);
    let (inner, counts) = Reserving::new();
    let mut service = RateLimitLayer::new(policy).layer(inner);
    let response = block_on(service.ready()).unwrap().call(request(ANN));
    assert_eq!(counts.reserved.load(Ordering::Relaxed), 1);
    drop(response);
    assert_eq!(counts.reserved.load(Ordering::Relaxed), 0);
}

#[test]
fn the_service_that_was_ready_is_called() {
    let policy = OnServer::new(per_minute(9), u32::MAX).policy("user", FailedLimiter::Allow);
    for policy in [policy, per_user("user", 9, &FakeClock::new())] {
        let mut service = RateLimitLayer::new(policy).layer(Reserving::new().0);
        for _ in 0..3 {
            assert_eq!(call_ready(&mut service, ANN).status(), StatusCode::OK);
        }
    }
}
