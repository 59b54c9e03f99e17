//! A request that a policy denies is a denial for its limiter: alone, beside other policies, and if
//! the response is charged.

#[path = "../common/redis.rs"]
mod redis;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{Request, StatusCode};
use tower::{Layer, ServiceExt};
use zset_std::limit::Block;
use zset_std::{
    AsyncKeyedLimiter, Decision, FakeClock, Keyed, KeyedLimiter, Observer, Penalty, Quota,
    SlidingWindow, Verdict, WhenFull,
};
use zset_tower::key::{Extension, Header};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::limiters_on_a_server::{Down, OnServer};
use crate::{ANN, Answer, Inner, call, header, minute, per_minute, per_user, request};

#[derive(Default)]
struct Counts {
    allowed: AtomicU32,
    denied: AtomicU32,
    refused: AtomicU32,
}

impl Observer for Counts {
    fn allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    fn denied(&self) {
        self.denied.fetch_add(1, Ordering::Relaxed);
    }

    fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// The compositions of a policy with others.
#[derive(Clone, Copy, Debug)]
enum Beside {
    Nothing,
    /// One that allows each request.
    First,
    Last,
    /// One that denies each request, and is charged by the response.
    Denying,
    /// One whose requests have no key.
    Keyless,
}

fn layer(policy: Policy, beside: Beside, clock: &FakeClock) -> RateLimitLayer {
    let other = |count| per_user("other", per_minute(count), clock);
    match beside {
        Beside::Nothing => RateLimitLayer::new(policy),
        Beside::First => RateLimitLayer::new(policy).with_policy(other(999)),
        Beside::Last => RateLimitLayer::new(other(999)).with_policy(policy),
        Beside::Denying => {
            let denying = other(1).with_cost(|_| 2).charge_if(|_| true);
            RateLimitLayer::new(denying).with_policy(policy)
        }
        Beside::Keyless => {
            let key = Header::new(http::header::AUTHORIZATION);
            let deny = MissingKey::deny();
            let keyless = Policy::window("keyless", per_minute(9), key, deny).unwrap();
            RateLimitLayer::new(keyless).with_policy(policy)
        }
    }
}

/// A limiter in this process or on a server, charged by request or by response.
const PLACES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

fn policy(
    (on_server, by_response): (bool, bool),
    limiter: &Arc<impl KeyedLimiter<&'static str> + Send + Sync + 'static>,
) -> Policy {
    let policy = if on_server {
        OnServer::of(limiter.clone()).policy("user", FailedLimiter::Deny)
    } else {
        let key = Extension::<&'static str>::new();
        Policy::new("user", Arc::clone(limiter), key, MissingKey::deny()).unwrap()
    };
    if by_response { policy.charge_if(|_| true) } else { policy }
}

fn seconds(answer: &Answer) -> u64 {
    header(answer, "retry-after").parse().unwrap()
}

#[test]
fn a_penalty_blocks_in_every_composition() {
    for beside in [Beside::Nothing, Beside::First, Beside::Last] {
        for place in PLACES {
            let clock = FakeClock::new();
            let counts = Arc::<Counts>::default();
            let quota = Quota::new(2, Duration::from_millis(100)).unwrap();
            let block = Block::after(3.try_into().unwrap(), minute());
            let limiter = Keyed::new(Penalty::new(SlidingWindow::new(quota), block))
                .with_clock(clock.clone())
                .with_observer(counts.clone());
            let policy = policy(place, &Arc::new(limiter));
            let service = layer(policy, beside, &clock).layer(Inner);
            let what = format!("{beside:?}, {place:?}");
            let statuses: Vec<_> = (0..12).map(|_| call(&service, request(ANN)).status()).collect();
            assert_eq!(statuses[..2], [StatusCode::OK; 2], "{what}");
            assert_eq!(statuses[2..], [StatusCode::TOO_MANY_REQUESTS; 10], "{what}");
            clock.advance(Duration::from_millis(400));
            let denied = call(&service, request(ANN));
            assert_eq!((denied.status(), seconds(&denied)), (statuses[2], 60), "{what}");
            assert_eq!(counts.denied.load(Ordering::Relaxed), 11, "{what}");
            assert_eq!(counts.allowed.load(Ordering::Relaxed), 2, "{what}");
            clock.advance(minute());
            assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK, "{what}");
        }
    }
}

/// The same with a penalty on a real server.
#[tokio::test]
async fn a_penalty_in_redis_blocks_in_every_composition() {
    let Some(server) = redis::Redis::start() else { return };
    let client = zset_redis::redis::Client::open(server.url.as_str()).unwrap();
    let connection = client.get_connection_manager().await.unwrap();
    let hour = Quota::new(2, 60 * minute()).unwrap();
    let block = Block::after(3.try_into().unwrap(), 600 * minute());
    for beside in [Beside::Nothing, Beside::First, Beside::Last] {
        for by_response in [false, true] {
            let what = format!("{beside:?} {by_response}");
            let on_failure = zset_redis::OnFailure::Error;
            let limiter = zset_redis::Keyed::new(
                connection.clone(),
                &what,
                Penalty::new(SlidingWindow::new(hour), block),
                on_failure,
            );
            let limiter = limiter.unwrap().with_deadline(minute());
            let user = Extension::<&'static str>::new();
            let (no_key, failed) = (MissingKey::deny(), FailedLimiter::Deny);
            let policy = Policy::new_async("user", limiter, user, no_key, failed).unwrap();
            let policy = if by_response { policy.charge_if(|_| true) } else { policy };
            let service = layer(policy, beside, &FakeClock::new()).layer(Inner);
            let mut waits = Vec::new();
            for _ in 0..8 {
                let response = service.clone().oneshot(request(ANN)).await.unwrap();
                let wait = response.headers().get("retry-after").map(|it| it.to_str().unwrap());
                waits.push(wait.map_or(0, |it| it.parse::<u64>().unwrap()));
            }
            assert_eq!(waits[..2], [0; 2], "{what}");
            assert!(
                waits[2..4].iter().all(|wait| (3500..=3600).contains(wait)),
                "{what} {waits:?}"
            );
            assert!(
                waits[4..].iter().all(|wait| (35_900..=36_000).contains(wait)),
                "{what} {waits:?}"
            );
        }
    }
}

#[test]
fn a_denial_counts_if_another_policy_rejects_too() {
    for beside in [Beside::Denying, Beside::Keyless] {
        for place in PLACES {
            let clock = FakeClock::new();
            let counts = Arc::<Counts>::default();
            let limiter = Keyed::new(SlidingWindow::new(per_minute(1))).with_clock(clock.clone());
            let limiter = Arc::new(limiter.with_observer(counts.clone()));
            let policy = policy(place, &limiter);
            let service = layer(policy, beside, &clock).layer(Inner);
            for _ in 0..3 {
                assert!(call(&service, request(ANN)).status().is_client_error());
            }
            let told = || [&counts.allowed, &counts.denied].map(|it| it.load(Ordering::Relaxed));
            assert_eq!(told(), [0, 0], "it would have allowed the requests");
            assert!(limiter.check(&ANN).is_allowed());
            for _ in 0..3 {
                assert!(call(&service, request(ANN)).status().is_client_error());
            }
            assert_eq!(told(), [1, 3], "{beside:?}, {place:?}");
        }
    }
}

#[test]
fn a_key_without_room_is_refused_in_every_composition() {
    for beside in [Beside::Nothing, Beside::First, Beside::Last] {
        for place in PLACES {
            let clock = FakeClock::new();
            let counts = Arc::<Counts>::default();
            let limiter = Keyed::new(SlidingWindow::new(per_minute(1))).with_clock(clock.clone());
            let limiter = limiter.with_max_keys(1, WhenFull::SharedBucket);
            let policy = policy(place, &Arc::new(limiter.with_observer(counts.clone())));
            let service = layer(policy, beside, &clock).layer(Inner);
            let users = ["a", "b", "c", "d", "e", "f", "g", "h"];
            let statuses = users.map(|user| call(&service, request(user)).status().as_u16());
            assert_eq!(statuses, [200, 200, 429, 429, 429, 429, 429, 429]);
            let told = [&counts.allowed, &counts.denied, &counts.refused];
            let told = told.map(|count| count.load(Ordering::Relaxed));
            assert_eq!(told, [2, 6, 7], "{beside:?}, {place:?}");
        }
    }
}

#[test]
fn a_denial_takes_nothing_from_policies_that_would_allow_the_request() {
    let clock = FakeClock::new();
    let allowing =
        Arc::new(Keyed::new(SlidingWindow::new(per_minute(9))).with_clock(clock.clone()));
    let left = || allowing.peek_n(&ANN, 0).remaining;
    for place in PLACES {
        let policy = policy(place, &allowing);
        let denying = per_user("denying", per_minute(1), &clock).with_cost(|_| 2);
        let service = RateLimitLayer::new(policy).with_policy(denying).layer(Inner);
        for _ in 0..3 {
            assert_eq!(call(&service, request(ANN)).status(), StatusCode::PAYLOAD_TOO_LARGE);
        }
        assert_eq!(left(), 9);
    }
}

/// A limiter that denies when it is peeked at, and allows the check, as if units had come back.
struct Late(Arc<AtomicU32>);

impl AsyncKeyedLimiter<&'static str> for Late {
    type Error = Down;

    async fn check_n(&self, _: &&'static str, n: u32) -> Result<Decision, Down> {
        self.0.fetch_add(n, Ordering::Relaxed);
        let verdict = Verdict::Allowed;
        Ok(Decision { verdict, limit: 9, remaining: 9 - n, reset_after: minute() })
    }

    async fn peek_n(&self, _: &&'static str, _: u32) -> Result<Decision, Down> {
        let verdict = Verdict::Denied { retry_after: Duration::from_nanos(1) };
        Ok(Decision { verdict, limit: 9, remaining: 0, reset_after: minute() })
    }

    async fn refund(&self, _: &&'static str, n: u32) -> Result<u32, Down> {
        self.0.fetch_sub(n, Ordering::Relaxed);
        Ok(n)
    }
}

#[test]
fn a_check_that_allows_after_a_peek_that_denied_counts_unless_another_policy_denies() {
    for (cost, status) in [(1, StatusCode::OK), (2, StatusCode::PAYLOAD_TOO_LARGE)] {
        let taken = Arc::new(AtomicU32::new(0));
        let (key, deny) = (Extension::<&'static str>::new(), MissingKey::deny());
        let late = Late(Arc::clone(&taken));
        let late = Policy::new_async("late", late, key, deny, FailedLimiter::Allow).unwrap();
        let other = per_user("other", per_minute(1), &FakeClock::new()).with_cost(move |_| cost);
        let service = RateLimitLayer::new(late).with_policy(other).layer(Inner);
        let answer = call(&service, request(ANN));
        assert_eq!(answer.status(), status);
        let expected = u32::from(status == StatusCode::OK);
        assert_eq!(taken.load(Ordering::Relaxed), expected);
        let shown = format!("\"late\";r={};t=60", if expected == 1 { 8 } else { 9 });
        assert!(header(&answer, "ratelimit").starts_with(&shown));
    }
}

#[test]
fn a_denial_stands_if_its_check_fails() {
    let limiter =
        Arc::new(Keyed::new(SlidingWindow::new(per_minute(1))).with_clock(FakeClock::new()));
    assert!(limiter.check(&ANN).is_allowed());
    let on_server = OnServer::of(limiter).down_after(1).policy("server", FailedLimiter::Allow);
    let service = RateLimitLayer::new(per_user("user", per_minute(9), &FakeClock::new()))
        .with_policy(on_server)
        .layer(Inner);
    let denied = call(&service, request(ANN));
    assert_eq!((denied.status(), seconds(&denied)), (StatusCode::TOO_MANY_REQUESTS, 60));
    // A server that is down from the start denies nothing.
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    assert_eq!(call(&service, Request::new(String::new())).status(), StatusCode::FORBIDDEN);
}
