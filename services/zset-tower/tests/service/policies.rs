//! Limits of one policy and of several, tiers and costs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use http::StatusCode;
use tower::Layer;
use zset_std::{FakeClock, Keyed, KeyedLimiter, WindowCounter};
use zset_tower::key::Global;
use zset_tower::{MissingKey, Policy, RateLimit, RateLimitLayer, RequestHead};

use crate::common::{parameters, problem};
use crate::{ANN, BOB, Inner, call, header, per_minute, per_user, request};

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
fn a_request_denied_by_one_policy_takes_nothing_from_the_others() {
    let clock = FakeClock::new();
    let global = Keyed::new(WindowCounter::new(per_minute(10))).with_clock(clock.clone());
    let global = Arc::new(global);
    let all = Policy::new("all", global.clone(), Global::new(), MissingKey::Allow).unwrap();
    let service = RateLimitLayer::new(all)
        .with_policy(per_user("user", per_minute(1), &clock))
        .with_legacy_headers()
        .layer(Inner);
    let allowed = call(&service, request(ANN));
    assert_eq!(header(&allowed, "ratelimit-policy"), r#""all";q=10;w=60, "user";q=1;w=60"#);
    let limits = parameters(header(&allowed, "ratelimit"), ["r", "t"]);
    assert_eq!((limits[0].1[0], limits[1].1[0]), (9, 0));
    for _ in 0..5 {
        let denied = call(&service, request(ANN));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
        let limits = parameters(header(&denied, "ratelimit"), ["r", "t"]);
        assert_eq!((limits[0].1[0], limits[1].1), (9, [0, 60]));
        assert_eq!(problem(denied.body()).1, ["user"]);
        // The headers of the policy that denies.
        assert_eq!(header(&denied, "x-ratelimit-limit"), "1");
        assert_eq!(header(&denied, "x-ratelimit-remaining"), "0");
        assert_eq!(header(&denied, "x-ratelimit-reset"), "60");
    }
    assert_eq!(KeyedLimiter::peek_n(&global, &String::new(), 0).remaining, 9);

    // Both deny: the longer wait counts.
    let _ = KeyedLimiter::check_n(&global, &String::new(), 9);
    let denied = call(&service, request(ANN));
    assert_eq!(problem(denied.body()).1, ["all", "user"]);
    assert!(header(&denied, "retry-after").parse::<u64>().unwrap() >= 60);
}

#[test]
fn a_policy_applies_to_the_requests_of_its_tier() {
    let clock = FakeClock::new();
    let is_paying = |head: &RequestHead<'_>| head.headers.contains_key("paying");
    let service = RateLimitLayer::new(
        per_user("free", per_minute(1), &clock).when(move |head| !is_paying(head)),
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
        .with_cost(|head| head.uri.path()[1..].parse().unwrap());
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
fn of_many_requests_at_once_the_limit_passes() {
    let clock = FakeClock::new();
    for service in [
        RateLimitLayer::new(per_user("user", per_minute(100), &clock)).layer(Inner),
        // Several policies are decided in two steps, between which other requests may run.
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
            // At worst too many were denied: the remaining units can still be used.
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
