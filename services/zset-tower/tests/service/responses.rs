//! Tests headers, and responses to rejected requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use pollster::block_on;
use tower::{Layer, Service, ServiceExt, service_fn};
use zset_std::{FakeClock, Funnel, Keyed, Quota, SlidingWindow};
use zset_tower::key::Global;
use zset_tower::{MissingKey, Policy, PolicyError, RateLimitLayer, Rejection};

use crate::common::{parameters, problem};
use crate::{ANN, Inner, call, global, header, limited, per_minute, per_user, request, statuses};

#[test]
fn a_full_funnel_resets_in_one_period_whatever_its_count() {
    for count in [3, 7, 11, 59] {
        let limiter = Keyed::new(Funnel::new(per_minute(count))).with_clock(FakeClock::new());
        let layer = RateLimitLayer::new(global("all", limiter)).with_legacy_headers();
        let service = layer.layer(Inner);
        for used in 1..=count {
            let answer = call(&service, request(ANN));
            let (left, reset) = (count - used, (60 * used).div_ceil(count));
            assert_eq!(header(&answer, "ratelimit"), format!(r#""all";r={left};t={reset}"#));
            assert_eq!(header(&answer, "x-ratelimit-reset"), reset.to_string());
        }
        let denied = call(&service, request(ANN));
        assert_eq!(header(&denied, "retry-after"), 60_u32.div_ceil(count).to_string());
    }
}

#[test]
fn headers_and_the_response_can_be_replaced() {
    let layer = || RateLimitLayer::new(per_user("user", 1, &FakeClock::new()));
    let service = layer().without_headers().layer(Inner);
    assert!(call(&service, request(ANN)).headers().is_empty());
    let denied = call(&service, request(ANN));
    assert_eq!((header(&denied, "retry-after"), header(&denied, "ratelimit")), ("60", ""));

    let with_response = layer().with_response(|rejection, head| {
        assert!(matches!(rejection, Rejection::QuotaExceeded { .. }));
        let text = format!("{} {}", rejection.status(), head.uri);
        Response::new(text.into())
    });
    let service = with_response.layer(Inner);
    assert_eq!(call(&service, request(ANN)).body(), "hello");
    let denied = call(&service, request(ANN));
    assert_eq!(denied.status(), StatusCode::OK);
    assert_eq!(denied.body(), "429 Too Many Requests /");
    assert_eq!(header(&denied, "retry-after"), "60");
    assert_eq!(header(&denied, "ratelimit"), r#""user";r=0;t=60"#);
}

/// Returns parameters of the only policy in a header.
fn shown<const N: usize>(answer: &crate::Answer, name: &str, of: [&str; N]) -> [i64; N] {
    let [(_, numbers)] = parameters(header(answer, name), of).try_into().unwrap();
    numbers
}

#[test]
fn what_a_client_may_plan_with_is_shown() {
    let second = Duration::from_secs(1);
    for (count, period, capacity, expected) in [
        // Bursts that are larger than, equal to, and smaller than the count of a period.
        (10, second, 50, [50, 5]),
        (10, second, 10, [10, 1]),
        (60, 60 * second, 2, [2, 2]),
        // Windows that are rounded up to whole seconds.
        (10, second, 3, [3, 1]),
        (7, 10 * second, 12, [12, 18]),
        (3, second, 10, [10, 4]),
        (1000, Duration::from_millis(1500), 1000, [1000, 2]),
        (1, Duration::from_millis(1), u32::MAX, [i64::from(u32::MAX), 4_294_968]),
        (1, Duration::from_secs(4_000_000_000), 1, [1, 4_000_000_000]),
    ] {
        let quota = Quota::new(count, period).unwrap();
        let funnel = Funnel::new(quota).with_capacity(capacity).unwrap();
        let clock = FakeClock::new();
        let funnel = limited(global("all", Keyed::new(funnel).with_clock(clock.clone())));
        let window = limited(global("all", Keyed::new(SlidingWindow::new(quota))));
        let planned = |service| shown(&call(service, request(ANN)), "ratelimit-policy", ["q", "w"]);
        assert_eq!(planned(&funnel), expected, "{quota:?}");
        // A window has no capacity, so its limit is the count of its quota.
        let seconds = i64::try_from(period.as_millis().div_ceil(1000)).unwrap();
        assert_eq!(planned(&window), [count.into(), seconds], "{quota:?}");

        // A client that follows the header is not denied, and can use its whole limit at once.
        if expected[0] > 1000 {
            continue;
        }
        clock.advance(Duration::from_secs(expected[1].unsigned_abs()));
        for _ in 0..3 {
            for left in (0..expected[0]).rev() {
                let answer = call(&funnel, request(ANN));
                assert_eq!(answer.status(), StatusCode::OK, "{quota:?}");
                assert_eq!(shown(&answer, "ratelimit", ["r"]), [left], "{quota:?}");
            }
            assert_eq!(statuses(&funnel, [ANN]), [429]);
            clock.advance(Duration::from_secs(expected[1].unsigned_abs()));
        }
    }
}

#[test]
fn a_quota_that_is_changed_is_shown() {
    let funnel = |capacity| Funnel::new(per_minute(100)).with_capacity(capacity).unwrap();
    let limiter = Arc::new(Keyed::new(funnel(5)).with_clock(FakeClock::new()));
    let service = limited(global("all", limiter.clone()));
    let planned = || shown(&call(&service, request(ANN)), "ratelimit-policy", ["q", "w"]);
    assert_eq!(planned(), [5, 3]);
    limiter.set_quota(funnel(50));
    assert_eq!(planned(), [50, 30]);
}

#[test]
fn partition_keys_are_shown_as_byte_sequences() {
    let pk = |answer: &crate::Answer| -> Vec<Option<Vec<u8>>> {
        let of = |name| {
            let list: sfv::List = sfv::Parser::new(header(answer, name)).parse().unwrap();
            let keys = list.into_iter().map(|entry| {
                let sfv::ListEntry::Item(item) = entry else { panic!() };
                let key = item.params.iter().find(|(key, _)| key.as_str() == "pk");
                key.map(|(_, value)| value.as_byte_sequence().unwrap().to_vec())
            });
            keys.collect()
        };
        let keys: Vec<_> = of("ratelimit-policy");
        assert_eq!(keys, of("ratelimit"));
        keys
    };
    let clock = FakeClock::new();
    let tenant = || {
        per_user("tenant", 1, &clock)
            .with_partition_key(|head| Some(head.headers.get("x-tenant")?.as_bytes().to_vec()))
    };
    let with_tenant = |tenant: &[u8]| {
        let mut request = request(ANN);
        request.headers_mut().insert("x-tenant", http::HeaderValue::from_bytes(tenant).unwrap());
        request
    };
    let one = limited(tenant());
    assert_eq!(pk(&call(&one, with_tenant(b"acme"))), [Some(b"acme".to_vec())]);
    let denied = call(&one, with_tenant(b"\xff, \"\t;r=9"));
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(pk(&denied), [Some(b"\xff, \"\t;r=9".to_vec())]);
    assert_eq!(pk(&call(&one, request(ANN))), [None]);
    clock.advance(crate::minute());
    let two = RateLimitLayer::new(per_user("user", 2, &clock))
        .with_policy(tenant().with_partition_key(|_| Some("a tenant")))
        .layer(Inner);
    assert_eq!(pk(&call(&two, with_tenant(b"acme"))), [None, Some(b"a tenant".to_vec())]);
}

#[test]
fn layers_in_layers_both_show_their_limits() {
    let outer = RateLimitLayer::new(per_user("outer", 5, &FakeClock::new()));
    let inner = RateLimitLayer::new(per_user("inner", 2, &FakeClock::new()));
    let service = outer.with_legacy_headers().layer(inner.with_legacy_headers().layer(Inner));
    let answer = block_on(service.oneshot(request(ANN))).unwrap();
    let all: Vec<_> = answer.headers().get_all("ratelimit").iter().collect();
    assert_eq!(all, [r#""inner";r=1;t=60"#, r#""outer";r=4;t=60"#]);
    assert_eq!(answer.headers()["x-ratelimit-limit"], "2");
}

#[test]
fn names_must_fit_into_a_header() {
    let policy = |name: &str| Policy::window(name, per_minute(1), Global::new(), MissingKey::Allow);
    for name in ["", "é", "a\r\nset-cookie: b"] {
        assert_eq!(policy(name).unwrap_err(), PolicyError::InvalidName);
    }
    assert_eq!(policy("a").unwrap().with_quota_unit("é").unwrap_err(), PolicyError::InvalidUnit);
    let service = limited(policy(r#"a "b" \c"#).unwrap());
    let answer = call(&service, request(ANN));
    let limits = parameters(header(&answer, "ratelimit"), ["r", "t"]);
    assert_eq!(limits, [(r#"a "b" \c"#.to_owned(), [0, 60])]);
    assert_eq!(problem(call(&service, request(ANN)).body()).1, [r#"a "b" \c"#]);
}

#[test]
fn the_unit_of_a_quota_is_shown() {
    let policy = per_user("user", 5, &FakeClock::new()).with_quota_unit("content-bytes").unwrap();
    let answer = call(&limited(policy), request(ANN));
    assert_eq!(header(&answer, "ratelimit-policy"), r#""user";q=5;qu="content-bytes";w=60"#);
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

    let policy = Policy::window("all", per_minute(1), Global::new(), MissingKey::Allow).unwrap();
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
            // Wraps the body in tonic's type. It must still be empty.
            let body = tonic::body::Body::new(response.into_body());
            assert!(body.collect().await.unwrap().to_bytes().is_empty());
        }
    });
}
