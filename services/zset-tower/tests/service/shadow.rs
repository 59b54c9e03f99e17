//! Policies in shadow mode.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use http::{Request, StatusCode};
use pollster::block_on;
use tower::Layer;
use zset_std::{
    AsyncKeyedLimiter, Decision, FakeClock, Keyed, KeyedLimiter, Observer, SlidingWindow,
};
use zset_tower::key::{Extension, Global, from_async_fn};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::limiters_on_a_server::OnServer;
use crate::{ANN, BOB, Inner, Yield, call, header, per_minute, per_user, request};

type Window = Arc<Keyed<&'static str, SlidingWindow, FakeClock>>;

/// A window of one minute, and a policy in shadow mode over it.
fn shadow(count: u32) -> (Window, Policy) {
    let limiter = Keyed::new(SlidingWindow::new(per_minute(count))).with_clock(FakeClock::new());
    let limiter = Arc::new(limiter);
    let key = Extension::<&'static str>::new();
    let policy = Policy::new("shadow", limiter.clone(), key, MissingKey::deny()).unwrap();
    (limiter, policy.shadow(drop))
}

fn left(limiter: &Window, user: &'static str) -> u32 {
    KeyedLimiter::peek_n(limiter, &user, 0).remaining
}

#[test]
fn a_policy_in_shadow_mode_counts_and_never_shows() {
    let (limiter, policy) = shadow(2);
    let service = RateLimitLayer::new(policy).with_legacy_headers().layer(Inner);
    for expected in [1, 0, 0, 0] {
        let answer = call(&service, request(ANN));
        assert_eq!((answer.status(), answer.body().as_str()), (StatusCode::OK, "hello"));
        assert!(answer.headers().is_empty(), "{:?}", answer.headers());
        assert_eq!(left(&limiter, ANN), expected);
    }
    assert_eq!(left(&limiter, BOB), 2);
    // A request without a key, and one whose cost is too high.
    assert_eq!(call(&service, Request::new(String::new())).status(), StatusCode::OK);
    let policy = shadow(2).1.with_cost(|_| 3);
    let service = RateLimitLayer::new(policy).layer(Inner);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
}

#[test]
fn beside_others_it_counts_what_they_allow() {
    let (first, one) = shadow(1);
    let (second, two) = shadow(9);
    let clock = FakeClock::new();
    let current = per_user("current", per_minute(3), &clock);
    for several in [false, true] {
        let (third, three) = shadow(5);
        let (_, unused) = shadow(1);
        let current = RateLimitLayer::new(per_user("current", per_minute(3), &clock));
        let mut layer = current.with_policy(three).with_policy(unused.when(|_| false));
        if several {
            layer = layer.with_policy(per_user("other", per_minute(4), &clock));
        }
        let service = layer.layer(Inner);
        for remaining in [2, 1, 0] {
            let answer = call(&service, request(ANN));
            let limits = header(&answer, "ratelimit");
            assert!(limits.starts_with(&format!(r#""current";r={remaining};t=60"#)), "{limits}");
            assert!(!limits.contains("shadow"));
        }
        for _ in 0..5 {
            let denied = call(&service, request(ANN));
            assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
            assert!(!denied.body().contains("shadow"));
        }
        // Three requests were allowed.
        assert_eq!(left(&third, ANN), 2);
    }
    // A request that one of them would deny is still counted by the other.
    let layer = RateLimitLayer::new(one).with_policy(current).with_policy(two);
    let service = layer.layer(Inner);
    for _ in 0..3 {
        assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    }
    assert_eq!((left(&first, ANN), left(&second, ANN)), (0, 6));
}

/// A limiter whose server never replies.
struct Frozen;

impl AsyncKeyedLimiter<&'static str> for Frozen {
    type Error = Infallible;

    async fn check_n(&self, _: &&'static str, _: u32) -> Result<Decision, Infallible> {
        pending().await
    }

    async fn peek_n(&self, _: &&'static str, _: u32) -> Result<Decision, Infallible> {
        pending().await
    }

    async fn refund(&self, _: &&'static str, _: u32) -> Result<u32, Infallible> {
        pending().await
    }
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

#[test]
fn a_request_waits_for_nothing_and_what_has_to_be_awaited_is_spawned() {
    let tasks = Arc::new(Mutex::new(Vec::<Task>::new()));
    let spawn = || {
        let tasks = Arc::clone(&tasks);
        move |task| tasks.lock().unwrap().push(task)
    };
    let user = Extension::<&'static str>::new;
    let deny = FailedLimiter::Deny;
    let frozen = Policy::new_async("frozen", Frozen, user(), MissingKey::deny(), deny).unwrap();
    let down = OnServer::new(per_minute(1), 0).policy("down", deny);
    let limiter =
        Arc::new(Keyed::new(SlidingWindow::new(per_minute(9))).with_clock(FakeClock::new()));
    let awaited_key = from_async_fn(|head| {
        let user = head.extensions.get::<&'static str>().copied();
        async move {
            Yield::default().await;
            user
        }
    });
    let awaited = Policy::new("key", limiter.clone(), awaited_key, MissingKey::deny()).unwrap();
    let service = RateLimitLayer::new(frozen.shadow(spawn()))
        .with_policy(per_user("current", per_minute(2), &FakeClock::new()))
        .with_policy(down.shadow(spawn()))
        .with_policy(awaited.shadow(spawn()))
        .layer(Inner);
    for remaining in [1, 0] {
        let answer = call(&service, request(ANN));
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(header(&answer, "ratelimit"), format!(r#""current";r={remaining};t=60"#));
    }
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    let mut tasks = std::mem::take(&mut *tasks.lock().unwrap());
    assert_eq!(tasks.len(), 6);
    assert_eq!(left(&limiter, ANN), 9);
    for place in [5, 4, 2, 1] {
        block_on(tasks.remove(place));
    }
    assert_eq!(left(&limiter, ANN), 7);
}

/// Counts denials.
#[derive(Default)]
struct Denials(AtomicU32);

impl Observer for Denials {
    fn denied(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn by_outcome_it_decides_when_the_response_is_there() {
    let denials = Arc::<Denials>::default();
    let limiter = Keyed::new(SlidingWindow::new(per_minute(2))).with_clock(FakeClock::new());
    let limiter = Arc::new(limiter.with_observer(denials.clone()));
    let key = Extension::<&'static str>::new();
    let policy = Policy::new("shadow", limiter.clone(), key, MissingKey::deny()).unwrap();
    let policy =
        policy.shadow(drop).charge_if(|response| response.status() == StatusCode::NOT_FOUND);
    let service = RateLimitLayer::new(policy)
        .with_policy(per_user("current", per_minute(99), &FakeClock::new()))
        .layer(Inner);
    let failing = || {
        let mut request = request(ANN);
        *request.uri_mut() = "/absent".parse().unwrap();
        request
    };
    for expected in [1, 0, 0] {
        assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
        assert_eq!(call(&service, failing()).status(), StatusCode::NOT_FOUND);
        assert_eq!(left(&limiter, ANN), expected);
    }
    let answer = call(&service, request(ANN));
    assert_eq!(header(&answer, "ratelimit"), r#""current";r=92;t=60"#);
    // An observer of the limiter receives the third failure.
    assert_eq!(denials.0.load(Ordering::Relaxed), 1);

    // A request without a response is charged.
    let (limiter, policy) = shadow(2);
    let called = Arc::new(AtomicU32::new(0));
    let service = RateLimitLayer::new(policy.charge_if(|_| false)).layer(tower::service_fn({
        let called = Arc::clone(&called);
        move |_: Request<String>| {
            called.fetch_add(1, Ordering::Relaxed);
            pending::<Result<http::Response<String>, Infallible>>()
        }
    }));
    drop(tower::Service::call(&mut service.clone(), request(ANN)));
    assert_eq!((called.load(Ordering::Relaxed), left(&limiter, ANN)), (1, 1));
}

#[test]
fn a_layer_with_only_such_policies_has_no_limit() {
    let key = Global::new();
    let policy = Policy::window("all", per_minute(1), key, MissingKey::Allow).unwrap();
    let service = RateLimitLayer::new(policy.shadow(drop)).layer(Inner);
    for _ in 0..9 {
        let answer = call(&service, request(ANN));
        assert_eq!(answer.status(), StatusCode::OK);
        assert!(answer.headers().is_empty());
    }
}
