//! Headers, and responses to rejected requests.

use std::convert::Infallible;

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use pollster::block_on;
use tower::{Layer, Service, ServiceExt, service_fn};
use zset_std::{FakeClock, Funnels};
use zset_tower::key::Global;
use zset_tower::{MissingKey, Policy, PolicyError, RateLimitLayer, Rejection};

use crate::common::{parameters, problem};
use crate::{ANN, Inner, call, header, per_minute, per_user, request};

#[test]
fn errors_of_the_service_have_the_headers_too() {
    let policy = per_user("user", per_minute(2), &FakeClock::new());
    let service = RateLimitLayer::new(policy).layer(Inner);
    let mut absent = request(ANN);
    *absent.uri_mut() = "/absent".parse().unwrap();
    let answer = call(&service, absent);
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(header(&answer, "ratelimit"), r#""user";r=1;t=60"#);
}

#[test]
fn a_full_funnel_resets_in_one_period_whatever_its_count() {
    for count in [3, 7, 11, 59] {
        let quota = per_minute(count);
        let limiter = Funnels::new(quota).with_clock(FakeClock::new());
        let missing_key = MissingKey::Deny(StatusCode::FORBIDDEN);
        let policy = Policy::new("user", limiter, Global, missing_key).unwrap().with_quota(quota);
        let service = RateLimitLayer::new(policy).with_legacy_headers().layer(Inner);
        for used in 1..=count {
            let answer = call(&service, request(ANN));
            let (left, reset) = (count - used, (60 * used).div_ceil(count));
            assert_eq!(header(&answer, "ratelimit"), format!(r#""user";r={left};t={reset}"#));
            assert_eq!(header(&answer, "x-ratelimit-reset"), reset.to_string());
        }
        assert_eq!(
            header(&call(&service, request(ANN)), "retry-after"),
            60_u32.div_ceil(count).to_string()
        );
    }
}

#[test]
fn headers_and_the_response_can_be_replaced() {
    let policy = || per_user("user", per_minute(1), &FakeClock::new());
    let service = RateLimitLayer::new(policy()).without_headers().layer(Inner);
    assert!(call(&service, request(ANN)).headers().is_empty());
    let denied = call(&service, request(ANN));
    assert_eq!((header(&denied, "retry-after"), header(&denied, "ratelimit")), ("60", ""));

    let service = RateLimitLayer::new(policy())
        .with_response(|rejection, head| {
            assert!(matches!(rejection, Rejection::QuotaExceeded { .. }));
            let text = format!("{} {}", rejection.status(), head.uri);
            Response::new(text.into())
        })
        .layer(Inner);
    assert_eq!(call(&service, request(ANN)).body(), "hello");
    let denied = call(&service, request(ANN));
    assert_eq!(
        (denied.status(), denied.body().as_str()),
        (StatusCode::OK, "429 Too Many Requests /")
    );
    assert_eq!(
        (header(&denied, "retry-after"), header(&denied, "ratelimit")),
        ("60", r#""user";r=0;t=60"#)
    );
}

#[test]
fn layers_in_layers_both_show_their_limits() {
    let outer = RateLimitLayer::new(per_user("outer", per_minute(5), &FakeClock::new()));
    let inner = RateLimitLayer::new(per_user("inner", per_minute(2), &FakeClock::new()));
    let service = outer.with_legacy_headers().layer(inner.with_legacy_headers().layer(Inner));
    let answer = block_on(service.oneshot(request(ANN))).unwrap();
    let all: Vec<_> = answer.headers().get_all("ratelimit").iter().collect();
    assert_eq!(all, [r#""inner";r=1;t=60"#, r#""outer";r=4;t=60"#]);
    assert_eq!(answer.headers()["x-ratelimit-limit"], "2");
}

#[test]
fn names_must_fit_into_a_header() {
    let policy = |name: &str| Policy::window(name, per_minute(1), Global, MissingKey::Allow);
    for name in ["", "é", "a\r\nset-cookie: b"] {
        assert_eq!(policy(name).unwrap_err(), PolicyError::InvalidName);
    }
    assert_eq!(policy("a").unwrap().with_quota_unit("é").unwrap_err(), PolicyError::InvalidUnit);
    let service = RateLimitLayer::new(policy(r#"a "b" \c"#).unwrap()).layer(Inner);
    let answer = call(&service, request(ANN));
    let limits = parameters(header(&answer, "ratelimit"), ["r", "t"]);
    assert_eq!(limits, [(r#"a "b" \c"#.to_owned(), [0, 60])]);
    assert_eq!(problem(call(&service, request(ANN)).body()).1, [r#"a "b" \c"#]);
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

    let policy = Policy::window("all", per_minute(1), Global, MissingKey::Allow).unwrap();
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
            // What follows in a layer of tonic.
            let body = tonic::body::Body::new(response.into_body());
            assert!(body.collect().await.unwrap().to_bytes().is_empty());
        }
    });
}
