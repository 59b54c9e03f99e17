//! Tests policies that charge by outcome. The random tests in `requests` cover most cases. This
//! module has an example, and the remaining cases.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use http::{Request, StatusCode};
use pollster::block_on;
use tower::{Layer, Service, service_fn};
use zset_std::{FakeClock, KeyedLimiter, Quota};
use zset_tower::{FailedLimiter, RateLimitLayer};

use crate::flight::{Answer, Flight, answer};
use crate::limiters_on_a_server::OnServer;
use crate::{
    ANN, BOB, by_user, call, failing, header, is_failure, left, limited, per_day, per_minute,
    per_user, request, statuses, window,
};

#[test]
fn only_failures_count() {
    let on_server = OnServer::new(per_day(3), u32::MAX).policy("user", FailedLimiter::Deny);
    for policy in [per_user("user", 3, &FakeClock::new()), on_server] {
        let service = limited(policy.charge_if(is_failure));
        for remaining in [2, 1, 0] {
            // Requests that succeed take no units.
            assert_eq!(statuses(&service, [ANN; 5]), [200; 5]);
            let failure = call(&service, failing(ANN));
            assert_eq!((failure.status(), left(&failure)), (StatusCode::NOT_FOUND, remaining));
        }
        assert_eq!(statuses(&service, [ANN, BOB]), [429, 200]);
    }
}

#[test]
fn requests_in_flight_count_for_every_policy_of_their_limiter() {
    let limiter = Arc::new(window(2, &FakeClock::new()));
    let policy = || by_user("user", Arc::clone(&limiter));
    let charging = RateLimitLayer::new(policy().charge_if(is_failure)).layer(service_fn(answer));
    let other = limited(policy());
    let [mut success, mut failure] = [(); 2].map(|()| Flight::start(&charging, request(ANN)));
    assert_eq!([success.rejected(), failure.rejected()], [None, None]);
    let rejected = call(&other, request(ANN));
    assert_eq!(rejected.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&rejected, "retry-after"), "1");
    success.end(Answer::Success);
    assert_eq!(statuses(&other, [ANN, ANN]), [200, 429]);
    failure.end(Answer::Failure);
    assert_eq!(limiter.refund(&ANN, 9), 2);
}

#[test]
fn a_service_that_panics_before_it_returns_a_future_is_charged() {
    let policy = per_user("user", 2, &FakeClock::new()).charge_if(is_failure);
    let service = RateLimitLayer::new(policy).layer(service_fn(|request: Request<String>| {
        assert!(request.uri().path() != "/absent");
        answer(request)
    }));
    for _ in 0..2 {
        let future = service.clone().call(failing(ANN));
        assert!(catch_unwind(AssertUnwindSafe(|| block_on(future))).is_err());
    }
    let rejected = Flight::start(&service, request(ANN)).rejected();
    assert_eq!(rejected, Some(StatusCode::TOO_MANY_REQUESTS));
}

#[test]
fn a_predicate_that_panics_charges() {
    let policy = per_user("user", 1, &FakeClock::new());
    let service = limited(policy.charge_if(|_| std::panic::panic_any("a predicate")));
    let panicked = catch_unwind(AssertUnwindSafe(|| call(&service, request(ANN))));
    assert!(panicked.is_err());
    assert_eq!(statuses(&service, [ANN]), [429]);
}

#[test]
fn a_server_is_not_asked_to_refund_a_slow_request() {
    for (period, expected) in [(Duration::from_secs(100_000), 2), (Duration::from_millis(20), 1)] {
        let quota = Quota::new(2, period).unwrap();
        let policy = OnServer::new(quota, u32::MAX).policy("user", FailedLimiter::Deny);
        let layer = RateLimitLayer::new(policy.charge_if(is_failure));
        let mut flight = Flight::start(&layer.layer(service_fn(answer)), request(ANN));
        assert_eq!(flight.rejected(), None);
        // Sleeps for longer than a tenth of the shorter period. After that, its units are not
        // refunded.
        sleep(Duration::from_millis(5));
        let answer = flight.end(Answer::Success).unwrap();
        let left = answer.headers()["ratelimit"].to_str().unwrap();
        assert!(left.starts_with(&format!(r#""user";r={expected};"#)), "{left}");
    }
}

#[test]
fn a_refund_that_fails_leaves_the_units_taken() {
    let policy = OnServer::new(per_minute(2), 1).policy("user", FailedLimiter::Allow);
    let answer = call(&limited(policy.charge_if(is_failure)), request(ANN));
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(header(&answer, "ratelimit"), r#""user";r=1;t=60"#);
}
