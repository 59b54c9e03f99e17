//! Tests policies in shadow mode. The random tests in `requests` combine them with other policies,
//! and with charges that depend on the response.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use pollster::block_on;
use tower::Layer;
use zset_std::{Decision, FakeClock};
use zset_tower::key::Extension;
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::limiters_on_a_server::{OnServer, Replies};
use crate::{
    ANN, BOB, Inner, awaited, by_user, call, header, limited, per_minute, per_user, request,
    statuses, window, without_user,
};

#[test]
fn a_policy_in_shadow_mode_counts_and_never_shows() {
    let limiter = Arc::new(window(2, &FakeClock::new()));
    let policy = by_user("shadow", limiter.clone()).shadow(drop);
    let service = RateLimitLayer::new(policy).with_legacy_headers().layer(Inner);
    for expected in [1, 0, 0, 0] {
        let answer = call(&service, request(ANN));
        assert_eq!((answer.status(), answer.body().as_str()), (StatusCode::OK, "hello"));
        assert!(answer.headers().is_empty(), "{:?}", answer.headers());
        assert_eq!(limiter.peek_n(&ANN, 0).remaining, expected);
    }
    assert_eq!(limiter.peek_n(&BOB, 0).remaining, 2);
    // A request without a key passes, and so does one whose cost is too high.
    assert_eq!(call(&service, without_user()).status(), StatusCode::OK);
    let policy = by_user("shadow", limiter).shadow(drop).with_cost(|_| 3);
    assert_eq!(statuses(&limited(policy), [ANN]), [200]);
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

#[test]
fn a_request_waits_for_nothing_and_what_has_to_be_awaited_is_spawned() {
    let tasks = Arc::new(Mutex::new(Vec::<Task>::new()));
    let spawn = || {
        let tasks = Arc::clone(&tasks);
        move |task| tasks.lock().unwrap().push(task)
    };
    // The server of this limiter never replies.
    let frozen = Replies(|_, _| pending::<Result<Decision, Infallible>>());
    let (user, missing_key) = (Extension::<&'static str>::new(), MissingKey::deny());
    let frozen = Policy::new_async("frozen", frozen, user, missing_key, FailedLimiter::Deny);
    let down = OnServer::new(per_minute(1), 0).policy("down", FailedLimiter::Deny);
    let limiter = Arc::new(window(9, &FakeClock::new()));
    let user = awaited(|head| head.extensions.get::<&'static str>().copied());
    let awaited = Policy::new("key", limiter.clone(), user, MissingKey::deny());
    let service = RateLimitLayer::new(frozen.unwrap().shadow(spawn()))
        .with_policy(per_user("current", 2, &FakeClock::new()))
        .with_policy(down.shadow(spawn()))
        .with_policy(awaited.unwrap().shadow(spawn()))
        .layer(Inner);
    for remaining in [1, 0] {
        let answer = call(&service, request(ANN));
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(header(&answer, "ratelimit"), format!(r#""current";r={remaining};t=60"#));
    }
    assert_eq!(statuses(&service, [ANN]), [429]);
    let mut tasks = std::mem::take(&mut *tasks.lock().unwrap());
    assert_eq!(tasks.len(), 6);
    assert_eq!(limiter.peek_n(&ANN, 0).remaining, 9);
    for place in [5, 4, 2, 1] {
        block_on(tasks.remove(place));
    }
    assert_eq!(limiter.peek_n(&ANN, 0).remaining, 7);
}
