//! Policies that charge by outcome.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread::sleep;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use tower::{Layer, Service, service_fn};
use zset_std::{
    FakeClock, Funnel, Keyed, KeyedLimiter, Quota, SlidingWindow, WhenFull, WindowCounter,
};
use zset_tower::key::{Extension, Global, from_async_fn};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::flight::{Answer, Flight, answer};
use crate::limiters_on_a_server::OnServer;
use crate::{ANN, BOB, Inner, Yield, call, header, minute, per_minute, per_user, request};

/// For limiters on a server, which refund only within a tenth of the period.
fn per_day(count: u32) -> Quota {
    Quota::new(count, Duration::from_secs(86_400)).unwrap()
}

fn is_failure(response: &Response<()>) -> bool {
    response.status() == StatusCode::NOT_FOUND
}

/// A request that the service answers with 404.
fn failing(user: &'static str) -> Request<String> {
    let mut request = request(user);
    *request.uri_mut() = "/absent".parse().unwrap();
    request
}

/// Calls a service for a user.
fn start<S, F, R, E>(service: &S, user: &'static str) -> Flight<F>
where
    S: Service<Request<String>, Future = F> + Clone,
    F: Future<Output = Result<Response<R>, E>>,
{
    Flight::start(service, request(user))
}

#[test]
fn only_failures_count() {
    let clock = FakeClock::new();
    let quota = per_minute(3);
    let user = Extension::<&'static str>::new;
    let funnel = Keyed::new(Funnel::new(quota)).with_clock(clock.clone());
    let funnel = Policy::new("user", funnel, user(), MissingKey::deny()).unwrap();
    let counter = zset_std::Keyed::new(WindowCounter::new(quota)).with_clock(clock.clone());
    let counter = Policy::new("user", counter, user(), MissingKey::deny()).unwrap();
    let awaited_key = from_async_fn(|head| {
        let user = head.extensions.get::<&'static str>().copied();
        async move {
            Yield::default().await;
            user
        }
    });
    let awaited = Keyed::new(SlidingWindow::new(quota)).with_clock(clock.clone());
    let awaited = Policy::new("user", awaited, awaited_key, MissingKey::deny()).unwrap();
    let on_server = OnServer::new(per_day(3), u32::MAX).policy("user", FailedLimiter::Deny);
    for policy in [per_user("user", quota, &clock), funnel, counter, awaited, on_server] {
        let policy = policy.charge_if(is_failure);
        let service = RateLimitLayer::new(policy).layer(Inner);
        let left = |answer: &crate::Answer| {
            let text = header(answer, "ratelimit").strip_prefix(r#""user";r="#).unwrap();
            text.split(';').next().unwrap().parse::<u32>().unwrap()
        };
        for failures in 1..=3 {
            // Any number of requests, as long as they succeed.
            for _ in 0..5 {
                let answer = call(&service, request(ANN));
                assert_eq!((answer.status(), left(&answer)), (StatusCode::OK, 4 - failures));
            }
            let answer = call(&service, failing(ANN));
            assert_eq!((answer.status(), left(&answer)), (StatusCode::NOT_FOUND, 3 - failures));
        }
        for request in [request(ANN), failing(ANN)] {
            let answer = call(&service, request);
            assert_eq!((answer.status(), left(&answer)), (StatusCode::TOO_MANY_REQUESTS, 0));
            assert!(header(&answer, "retry-after").parse::<u64>().unwrap() > 1);
        }
        assert_eq!(call(&service, failing(BOB)).status(), StatusCode::NOT_FOUND);
        assert_eq!(call(&service, Request::new(String::new())).status(), StatusCode::FORBIDDEN);
    }
}

#[test]
fn requests_in_flight_count_for_every_policy_of_their_limiter() {
    let keyed = Keyed::new(SlidingWindow::new(per_minute(2))).with_clock(FakeClock::new());
    let limiter = Arc::new(keyed);
    let policy = || {
        let user = Extension::<&'static str>::new();
        Policy::new("user", Arc::clone(&limiter), user, MissingKey::deny()).unwrap()
    };
    let charging = RateLimitLayer::new(policy().charge_if(is_failure)).layer(service_fn(answer));
    let other = RateLimitLayer::new(policy()).layer(Inner);
    let [mut success, mut failure] = [start(&charging, ANN), start(&charging, ANN)];
    assert_eq!([success.rejected(), failure.rejected()], [None, None]);
    let rejected = call(&other, request(ANN));
    assert_eq!(rejected.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&rejected, "retry-after"), "1");
    success.end(Answer::Success);
    assert_eq!(call(&other, request(ANN)).status(), StatusCode::OK);
    assert_eq!(call(&other, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    failure.end(Answer::Failure);
    assert_eq!(limiter.refund(&ANN, 9), 2);
}

#[test]
fn a_request_without_a_response_is_charged() {
    for answer_with in [Answer::Error, Answer::Panic] {
        for on_server in [false, true] {
            let service = charging(on_server).layer(service_fn(answer));
            for _ in 0..2 {
                let mut flight = start(&service, ANN);
                assert_eq!(flight.rejected(), None);
                assert!(flight.end(answer_with).is_none());
            }
            let rejected = start(&service, ANN).rejected();
            assert_eq!(rejected, Some(StatusCode::TOO_MANY_REQUESTS), "{answer_with:?}");
        }
    }
    // Dropped, as if the client had disconnected.
    for on_server in [false, true] {
        let service = charging(on_server).layer(service_fn(answer));
        for _ in 0..2 {
            let mut flight = start(&service, ANN);
            assert_eq!(flight.rejected(), None);
        }
        let rejected = start(&service, ANN).rejected();
        assert_eq!(rejected, Some(StatusCode::TOO_MANY_REQUESTS));
    }
    // A service that panics before it returns a future.
    let service = charging(false).layer(service_fn(|request: Request<String>| {
        assert!(request.uri().path() != "/absent");
        answer(request)
    }));
    for _ in 0..2 {
        let future = service.clone().call(failing(ANN));
        assert!(catch_unwind(AssertUnwindSafe(|| pollster::block_on(future))).is_err());
    }
    let rejected = start(&service, ANN).rejected();
    assert_eq!(rejected, Some(StatusCode::TOO_MANY_REQUESTS));
}

/// A layer that allows two failures.
fn charging(on_server: bool) -> RateLimitLayer {
    let policy = if on_server {
        OnServer::new(per_day(2), u32::MAX).policy("user", FailedLimiter::Deny)
    } else {
        per_user("user", per_minute(2), &FakeClock::new())
    };
    RateLimitLayer::new(policy.charge_if(is_failure))
}

#[test]
fn a_predicate_that_panics_charges() {
    let policy = per_user("user", per_minute(1), &FakeClock::new());
    let layer = RateLimitLayer::new(policy.charge_if(|_| std::panic::panic_any("a predicate")));
    let service = layer.layer(Inner);
    let panicked = catch_unwind(AssertUnwindSafe(|| call(&service, request(ANN))));
    assert!(panicked.is_err());
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
}

#[test]
fn requests_in_flight_hold_their_units() {
    for on_server in [false, true] {
        let service = charging(on_server).layer(service_fn(answer));
        let mut flights: Vec<_> = (0..20).map(|_| start(&service, ANN)).collect();
        let rejected: Vec<_> = flights.iter_mut().filter_map(Flight::rejected).collect();
        assert_eq!(rejected, [StatusCode::TOO_MANY_REQUESTS; 18]);
        // One success makes room for another request.
        let mut flights = flights.into_iter();
        assert!(flights.next().unwrap().end(Answer::Success).is_some());
        let mut next = start(&service, ANN);
        assert_eq!(next.rejected(), None);
        assert!(start(&service, ANN).rejected().is_some());
        for flight in [flights.next().unwrap(), next] {
            assert!(flight.end(Answer::Failure).is_some());
        }
        assert!(start(&service, ANN).rejected().is_some());
        assert!(start(&service, BOB).rejected().is_none());
    }
}

/// With room for one key, three requests of others share the bucket, whoever came first.
#[test]
fn requests_in_flight_of_keys_without_room_share_a_bucket() {
    const USERS: [&str; 20] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r",
        "s", "t",
    ];
    for in_use in [false, true] {
        for beside_another in [false, true] {
            let clock = FakeClock::new();
            let limiter = Keyed::new(SlidingWindow::new(per_minute(3))).with_clock(clock.clone());
            let limiter = limiter.with_max_keys(1, WhenFull::SharedBucket);
            if in_use {
                assert!(limiter.check(&ANN).is_allowed());
            }
            let user = Extension::<&'static str>::new();
            let policy = Policy::new("user", limiter, user, MissingKey::deny()).unwrap();
            let mut layer = RateLimitLayer::new(policy.charge_if(is_failure));
            if beside_another {
                layer = layer.with_policy(per_user("other", per_minute(99), &clock));
            }
            let service = layer.layer(service_fn(answer));
            let mut flights = Vec::from(USERS.map(|user| start(&service, user)));
            flights.retain_mut(|flight| flight.rejected().is_none());
            assert_eq!(flights.len(), if in_use { 3 } else { 4 });
            for flight in flights {
                assert!(flight.end(Answer::Failure).is_some());
            }
            // All failures were charged, to the shared bucket but for one.
            assert!(start(&service, BOB).rejected().is_some());
            clock.advance(minute());
            assert_eq!(start(&service, BOB).rejected(), None);
        }
    }
}

#[test]
fn a_client_whose_units_are_held_is_asked_to_retry_soon() {
    let service = charging(false).layer(service_fn(answer));
    let mut held = [start(&service, ANN), start(&service, ANN)];
    assert!(held.iter_mut().all(|flight| flight.rejected().is_none()));
    let mut denied = start(&service, ANN);
    let Poll::Ready(Ok(denied)) = denied.poll() else { panic!() };
    // Not 413, although one more would exceed the limit.
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(denied.headers()["retry-after"], "1");
    assert_eq!(denied.headers()["ratelimit"], r#""user";r=0;t=1"#);
}

/// The failures of the last minute and the requests in flight never exceed the limit, and a
/// request is denied only if they would.
#[test]
fn random_calls_agree_with_a_count_of_failures() {
    const LIMIT: usize = 4;
    let clock = FakeClock::new();
    let quota = Quota::new(4, minute()).unwrap();
    let policy = per_user("user", quota, &clock).charge_if(is_failure);
    let service = RateLimitLayer::new(policy).layer(service_fn(answer));
    let mut seconds = 0_u64;
    let mut flights = Vec::new();
    let mut failures = VecDeque::<u64>::new();
    let (mut allowed, mut denied) = (0, 0);
    let mut random = 7_u64;
    for step in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040);
        let choice = random >> 33;
        while failures.front().is_some_and(|time| time + 60 <= seconds) {
            failures.pop_front();
        }
        match choice % 8 {
            0..4 => {
                let mut flight = start(&service, ANN);
                let is_denied = flight.rejected().is_some();
                assert_eq!(is_denied, failures.len() + flights.len() >= LIMIT, "step {step}");
                if is_denied {
                    denied += 1;
                } else {
                    allowed += 1;
                    flights.push(flight);
                }
            }
            4..7 if !flights.is_empty() => {
                let place = usize::try_from(choice / 8).unwrap() % flights.len();
                let flight = flights.swap_remove(place);
                match choice % 5 {
                    0 => drop(flight),
                    1 => drop(flight.end(Answer::Error)),
                    2 => drop(flight.end(Answer::Failure)),
                    _ => {
                        flight.end(Answer::Success);
                        continue;
                    }
                }
                failures.push_back(seconds);
            }
            _ => {
                let step = choice % 30;
                seconds += step;
                clock.advance(Duration::from_secs(step));
            }
        }
    }
    assert!(allowed > 1000 && denied > 1000, "{allowed} {denied}");
}

#[test]
fn a_slow_success_does_not_refund_failures() {
    let clock = FakeClock::new();
    let policy = per_user("user", per_minute(3), &clock).charge_if(is_failure);
    let service = RateLimitLayer::new(policy).layer(service_fn(answer));
    let mut slow = [start(&service, ANN), start(&service, ANN)];
    assert!(slow.iter_mut().all(|flight| flight.rejected().is_none()));
    clock.advance(Duration::from_secs(59));
    let mut failure = start(&service, ANN);
    assert_eq!(failure.rejected(), None);
    failure.end(Answer::Failure);
    for flight in slow {
        flight.end(Answer::Success);
    }
    // The failure is a second old; the units of the other requests would be a minute old.
    clock.advance(Duration::from_secs(1));
    for _ in 0..2 {
        let mut failure = start(&service, ANN);
        assert_eq!(failure.rejected(), None);
        failure.end(Answer::Failure);
    }
    assert!(start(&service, ANN).rejected().is_some());
}

#[test]
fn a_server_is_not_asked_to_refund_a_slow_request() {
    for (period, expected) in [(Duration::from_secs(100_000), 2), (Duration::from_millis(20), 1)] {
        let quota = Quota::new(2, period).unwrap();
        let policy = OnServer::new(quota, u32::MAX).policy("user", FailedLimiter::Deny);
        let layer = RateLimitLayer::new(policy.charge_if(is_failure));
        let service = layer.layer(service_fn(answer));
        let mut flight = start(&service, ANN);
        assert_eq!(flight.rejected(), None);
        // Longer than a tenth of the shorter period.
        sleep(Duration::from_millis(5));
        let answer = flight.end(Answer::Success).unwrap();
        let left = answer.headers()["ratelimit"].to_str().unwrap();
        assert!(left.starts_with(&format!(r#""user";r={expected};"#)), "{left}");
    }
}

#[test]
fn a_refund_that_fails_leaves_the_units_taken() {
    let policy = OnServer::new(per_minute(2), 1).policy("user", FailedLimiter::Allow);
    let service = RateLimitLayer::new(policy.charge_if(is_failure)).layer(Inner);
    let answer = call(&service, request(ANN));
    assert_eq!(
        (answer.status(), header(&answer, "ratelimit")),
        (StatusCode::OK, r#""user";r=1;t=60"#)
    );
}

#[test]
fn policies_by_outcome_and_others_are_decided_together() {
    let clock = FakeClock::new();
    let all = Arc::new(Keyed::new(SlidingWindow::new(per_minute(5))).with_clock(clock.clone()));
    let every = Policy::new("all", all.clone(), Global::new(), MissingKey::Allow).unwrap();
    let on_server = OnServer::new(per_day(4), u32::MAX).policy("server", FailedLimiter::Allow);
    let service =
        RateLimitLayer::new(per_user("user", per_minute(1), &clock).charge_if(is_failure))
            .with_policy(every)
            .with_policy(on_server.charge_if(is_failure))
            .layer(Inner);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    let answer = call(&service, failing(ANN));
    let limits = header(&answer, "ratelimit");
    assert_eq!(limits, r#""user";r=0;t=60, "all";r=3;t=60, "server";r=3;t=86400"#);
    // Denied by one policy: nothing is taken or held.
    for _ in 0..9 {
        assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(KeyedLimiter::peek_n(&all, &String::new(), 0).remaining, 3);
    for left in [2, 1, 0] {
        let answer = call(&service, request(BOB));
        let expected = format!(r#""user";r=1;t=60, "all";r={left};t=60, "server";r=4;t=86400"#);
        assert_eq!(header(&answer, "ratelimit"), expected);
    }
    clock.advance(minute());
    // The units of a denied request are not held.
    for _ in 0..9 {
        assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
        clock.advance(minute());
    }
}

#[test]
fn a_cost_is_held_and_charged_as_a_whole() {
    let policy = per_user("user", per_minute(5), &FakeClock::new())
        .with_cost(|head| head.headers.get("cost").map_or(3, |_| 0))
        .charge_if(is_failure);
    let service = RateLimitLayer::new(policy).layer(service_fn(answer));
    let mut held = start(&service, ANN);
    assert_eq!(held.rejected(), None);
    assert_eq!(start(&service, ANN).rejected(), Some(StatusCode::TOO_MANY_REQUESTS));
    let free = Request::builder().extension(ANN).header("cost", "none");
    let free = free.extension(Arc::new(Mutex::new(Some(Answer::Failure))));
    let free = free.body(String::new()).unwrap();
    let response = pollster::block_on(service.clone().call(free)).unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let response = held.end(Answer::Failure).unwrap();
    assert_eq!(response.headers()["ratelimit"], r#""user";r=2;t=60"#);
}
