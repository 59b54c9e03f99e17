//! Tests that a limiter counts a denial for each request that its policy denies, whether or not
//! there are other policies, and whether or not the charge depends on the response. The random
//! tests in `requests` cover policies with the same keys.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::StatusCode;
use tower::{Layer, ServiceExt};
use zset_std::limit::Block;
use zset_std::{Decision, FakeClock, Penalty, Quota, SlidingWindow, Verdict};
use zset_tower::key::{Extension, Header};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::common::redis::{Redis, keyed};
use crate::limiters_on_a_server::{Call, OnServer, Replies};
use crate::{
    ANN, Counts, Inner, by_user, call, header, minute, per_minute, per_user, request, statuses,
    window, without_user,
};

/// Tests a penalty on a real server.
#[tokio::test]
async fn a_penalty_in_redis_blocks_in_every_composition() {
    let Some(server) = Redis::start() else { return };
    let connection = server.connect().await;
    let hour = Quota::new(2, 60 * minute()).unwrap();
    let block = Block::after(3.try_into().unwrap(), 600 * minute());
    for by_response in [false, true] {
        let policy = |name: &str| {
            let name = format!("{name} {by_response}");
            let limiter = keyed(&connection, &name, Penalty::new(SlidingWindow::new(hour), block));
            let (user, missing_key) = (Extension::<&'static str>::new(), MissingKey::deny());
            let policy = Policy::new_async("user", limiter, user, missing_key, FailedLimiter::Deny);
            if by_response { policy.unwrap().charge_if(|_| true) } else { policy.unwrap() }
        };
        let other = || per_user("other", 999, &FakeClock::new());
        for (name, layer) in [
            ("alone", RateLimitLayer::new(policy("alone"))),
            ("first", RateLimitLayer::new(policy("first")).with_policy(other())),
            ("last", RateLimitLayer::new(other()).with_policy(policy("last"))),
        ] {
            let service = layer.layer(Inner);
            let mut waits = Vec::new();
            for _ in 0..8 {
                let response = service.clone().oneshot(request(ANN)).await.unwrap();
                let wait = response.headers().get("retry-after").map(|it| it.to_str().unwrap());
                waits.push(wait.map_or(0, |it| it.parse::<u64>().unwrap()));
            }
            let are_in =
                |waits: &[u64], least, most| waits.iter().all(|wait| (least..=most).contains(wait));
            let is_expected = waits[..2] == [0; 2]
                && are_in(&waits[2..4], 3500, 3600)
                && are_in(&waits[4..], 35_900, 36_000);
            assert!(is_expected, "{name}, by response: {by_response}, {waits:?}");
        }
    }
}

#[test]
fn a_denial_counts_if_another_policy_has_no_key() {
    for (on_server, by_response) in [(false, false), (false, true), (true, false), (true, true)] {
        let counts = Arc::<Counts>::default();
        let limiter = Arc::new(window(1, &FakeClock::new()).with_observer(counts.clone()));
        let policy = if on_server {
            OnServer::of(limiter.clone()).policy("user", FailedLimiter::Deny)
        } else {
            by_user("user", limiter.clone())
        };
        let policy = if by_response { policy.charge_if(|_| true) } else { policy };
        let key = Header::new(http::header::AUTHORIZATION);
        let keyless = Policy::window("keyless", per_minute(9), key, MissingKey::deny());
        let service = RateLimitLayer::new(keyless.unwrap()).with_policy(policy).layer(Inner);
        assert_eq!(statuses(&service, [ANN; 3]), [403; 3]);
        assert_eq!(counts.get(), [0, 0, 0], "it would have allowed the requests");
        assert!(limiter.check(&ANN).is_allowed());
        assert_eq!(statuses(&service, [ANN; 3]), [403; 3]);
        assert_eq!(counts.get(), [1, 3, 0], "on a server: {on_server}, {by_response}");
    }
}

#[test]
fn a_check_that_allows_after_a_peek_that_denied_counts_unless_another_policy_denies() {
    for (cost, status) in [(1, StatusCode::OK), (2, StatusCode::PAYLOAD_TOO_LARGE)] {
        // This limiter denies the peek and allows the check, as if units had become available in
        // between.
        let taken = Arc::new(AtomicU32::new(0));
        let late = Arc::clone(&taken);
        let late = Replies(move |call, n: u32| {
            let retry_after = Duration::from_nanos(1);
            let (verdict, reset_after) = (Verdict::Allowed, minute());
            let mut decision = Decision { verdict, limit: 9, remaining: 9 - n, reset_after };
            match call {
                Call::Check => _ = late.fetch_add(n, Ordering::Relaxed),
                Call::Refund => _ = late.fetch_sub(n, Ordering::Relaxed),
                Call::Peek => decision.verdict = Verdict::Denied { retry_after },
            }
            ready(Ok::<_, Infallible>(decision))
        });
        let (key, deny) = (Extension::<&'static str>::new(), MissingKey::deny());
        let late = Policy::new_async("late", late, key, deny, FailedLimiter::Allow).unwrap();
        let other = per_user("other", 1, &FakeClock::new()).with_cost(move |_| cost);
        let service = RateLimitLayer::new(late).with_policy(other).layer(Inner);
        let answer = call(&service, request(ANN));
        assert_eq!(answer.status(), status);
        let expected = u32::from(status == StatusCode::OK);
        assert_eq!(taken.load(Ordering::Relaxed), expected);
        let shown = format!("\"late\";r={};t=60", 9 - expected);
        assert!(header(&answer, "ratelimit").starts_with(&shown));
    }
}

#[test]
fn a_denial_stands_if_its_check_fails() {
    let limiter = Arc::new(window(1, &FakeClock::new()));
    assert!(limiter.check(&ANN).is_allowed());
    let on_server = OnServer::of(limiter).down_after(1).policy("server", FailedLimiter::Allow);
    let user = per_user("user", 9, &FakeClock::new());
    let service = RateLimitLayer::new(user).with_policy(on_server).layer(Inner);
    let denied = call(&service, request(ANN));
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&denied, "retry-after"), "60");
    // The server is down by now. Even the peek fails, so the policy does not apply.
    assert_eq!(statuses(&service, [ANN]), [200]);
    assert_eq!(call(&service, without_user()).status(), StatusCode::FORBIDDEN);
}
