//! Quotas by key.

use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use tower::Layer;
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, AsyncKeyedLimiter, Decision, FakeClock, Funnel, Keyed, KeyedLimiter, Limits,
    Penalty, Quota, SlidingWindow, WhenFull, WindowCounter,
};
use zset_tower::key::{Extension, Global, from_async_fn};
use zset_tower::{FailedLimiter, MissingKey, Policy, PolicyError, RateLimitLayer};

use crate::limiters_on_a_server::OnServer;
use crate::{ANN, Inner, Yield, call, header, per_minute, request};

/// A user, found by authentication together with the quota of its plan.
#[derive(Clone, Debug)]
struct User {
    id: u64,
    plan: Funnel,
}

impl PartialEq for User {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for User {}

impl Hash for User {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

fn user(id: u64, plan: impl Into<Funnel>) -> Request<String> {
    Request::builder().extension(User { id, plan: plan.into() }).body(String::new()).unwrap()
}

fn plan(user: &User) -> Funnel {
    user.plan
}

fn by_plan<L>(limiter: L) -> Policy
where
    L: KeyedLimiter<User> + Send + Sync + 'static,
{
    let key = Extension::<User>::new();
    let policy = Policy::new("user", limiter, key, MissingKey::Challenge("Bearer")).unwrap();
    policy.with_quota_by(plan).unwrap()
}

#[test]
fn users_have_the_quotas_of_their_plans_and_a_request_without_a_user_is_rejected() {
    let limiter = Keyed::new(SlidingWindow::new(per_minute(1))).with_clock(FakeClock::new());
    let service = RateLimitLayer::new(by_plan(limiter)).layer(Inner);
    for (id, count) in [(1, 1), (2, 3), (3, 2)] {
        for left in (0..count).rev() {
            let answer = call(&service, user(id, per_minute(count)));
            assert_eq!(header(&answer, "ratelimit"), format!(r#""user";r={left};t=60"#));
            let shown = format!(r#""user";q={count};w=60"#);
            assert_eq!(header(&answer, "ratelimit-policy"), shown);
        }
        let denied = call(&service, user(id, per_minute(count)));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    }
    let unknown = call(&service, request(ANN));
    assert_eq!(unknown.status(), StatusCode::UNAUTHORIZED);
}

#[test]
fn a_plan_that_changes_counts_at_once_with_the_units_on_record() {
    let clock = FakeClock::new();
    let minute = Duration::from_secs(60);
    let twice = Quota::new(4, minute / 2).unwrap();
    let limiters: [Arc<dyn KeyedLimiter<User> + Send + Sync>; 3] = [
        Arc::new(Keyed::new(SlidingWindow::new(per_minute(9))).with_clock(clock.clone())),
        Arc::new(
            Keyed::new(AnyLimiter::from(SlidingWindow::new(per_minute(9))))
                .with_clock(clock.clone()),
        ),
        Arc::new(Keyed::new(WindowCounter::new(per_minute(9))).with_clock(clock.clone())),
    ];
    for limiter in limiters {
        let service = RateLimitLayer::new(by_plan(limiter)).layer(Inner);
        assert_eq!(call(&service, user(1, per_minute(1))).status(), StatusCode::OK);
        let denied = call(&service, user(1, per_minute(1)));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
        let upgraded = call(&service, user(1, per_minute(3)));
        assert_eq!(header(&upgraded, "ratelimit-policy"), r#""user";q=3;w=60"#);
        assert!(header(&upgraded, "ratelimit").starts_with(r#""user";r=1;"#));
        let upgraded = call(&service, user(1, twice));
        assert_eq!(header(&upgraded, "ratelimit-policy"), r#""user";q=4;w=30"#);
        assert!(header(&upgraded, "ratelimit").starts_with(r#""user";r=1;"#));
        let denied = call(&service, user(1, per_minute(1)));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    }
}

#[test]
fn a_plan_has_a_capacity() {
    let key = Extension::<User>::new();
    let policy = Policy::funnel("user", per_minute(60), key, MissingKey::deny()).unwrap();
    let service = RateLimitLayer::new(policy.with_quota_by(plan).unwrap()).layer(Inner);
    let burst = Funnel::new(per_minute(60)).with_capacity(90).unwrap();
    let answer = call(&service, user(1, burst));
    assert_eq!(header(&answer, "ratelimit-policy"), r#""user";q=90;w=90"#);
    // As shown without a quota of its own.
    let answer = call(&service, user(2, per_minute(60)));
    assert_eq!(header(&answer, "ratelimit-policy"), r#""user";q=60;w=60"#);
}

#[test]
fn quotas_by_key_are_decided_together_with_other_policies_and_in_shadow_mode() {
    let clock = FakeClock::new();
    let limiter = || Keyed::new(SlidingWindow::new(per_minute(9))).with_clock(clock.clone());
    let all = Keyed::new(SlidingWindow::new(per_minute(3))).with_clock(clock.clone());
    let all = Policy::new("all", all, Global::new(), MissingKey::Allow).unwrap();
    let shadow = Arc::new(limiter());
    let service = RateLimitLayer::new(by_plan(limiter()))
        .with_policy(all)
        .with_policy(by_plan(Arc::clone(&shadow)).shadow(drop))
        .layer(Inner);
    let answer = call(&service, user(1, per_minute(1)));
    assert_eq!(header(&answer, "ratelimit-policy"), r#""user";q=1;w=60, "all";q=3;w=60"#);
    assert_eq!(header(&answer, "ratelimit"), r#""user";r=0;t=60, "all";r=2;t=60"#);
    let denied = call(&service, user(1, per_minute(1)));
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&denied, "ratelimit"), r#""user";r=0;t=60, "all";r=2;t=60"#);
    let answer = call(&service, user(2, per_minute(5)));
    assert_eq!(header(&answer, "ratelimit"), r#""user";r=4;t=60, "all";r=1;t=60"#);
    assert_eq!(shadow.peek_n(&User { id: 2, plan: per_minute(9).into() }, 0).remaining, 8);
}

#[test]
fn denials_under_a_quota_by_key_are_penalized() {
    let clock = FakeClock::new();
    let block = Block::after(NonZeroU32::new(2).unwrap(), Duration::from_secs(600));
    let penalty = Penalty::new(SlidingWindow::new(per_minute(9)), block);
    let service = RateLimitLayer::new(by_plan(Keyed::new(penalty).with_clock(clock))).layer(Inner);
    assert_eq!(call(&service, user(1, per_minute(1))).status(), StatusCode::OK);
    assert_eq!(header(&call(&service, user(1, per_minute(1))), "retry-after"), "60");
    assert_eq!(header(&call(&service, user(1, per_minute(1))), "retry-after"), "600");
    // An upgrade does not end the block.
    assert_eq!(header(&call(&service, user(1, per_minute(8))), "retry-after"), "600");
}

#[test]
fn keys_that_are_awaited_and_limiters_on_a_server_have_quotas_by_key() {
    let minute = Duration::from_secs(60);
    let awaited_key = || {
        from_async_fn(|head| {
            let user = head.extensions.get::<User>().cloned();
            async move {
                Yield::default().await;
                user.map(|user| user.id)
            }
        })
    };
    let quota = move |id: &u64| Quota::new(u32::try_from(*id).unwrap(), minute).unwrap();
    let limiter = || Keyed::new(Funnel::new(per_minute(9))).with_clock(FakeClock::new());
    let deny = FailedLimiter::Deny;
    let here = Policy::new("user", limiter(), awaited_key(), MissingKey::deny());
    let there = OnServer::<u64>::of(Arc::new(limiter()));
    let there = Policy::new_async("user", there, awaited_key(), MissingKey::deny(), deny);
    for policy in [here, there] {
        let policy = policy.unwrap().with_quota_by(quota).unwrap();
        let service = RateLimitLayer::new(policy).layer(Inner);
        for (id, left) in [(2, 1), (5, 4), (2, 0), (5, 3)] {
            let answer = call(&service, user(id, per_minute(1)));
            assert!(header(&answer, "ratelimit").starts_with(&format!(r#""user";r={left};"#)));
            let shown = format!(r#""user";q={id};w=60"#);
            assert_eq!(header(&answer, "ratelimit-policy"), shown);
        }
        let denied = call(&service, user(2, per_minute(1)));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    }
}

#[test]
fn units_are_charged_and_refunded_under_the_quota_of_their_key() {
    let day = |count| Quota::new(count, Duration::from_secs(86_400)).unwrap();
    let funnel = Funnel::new(day(1));
    let limiter = || Keyed::new(funnel).with_clock(FakeClock::new());
    let any = || Keyed::new(AnyLimiter::from(funnel)).with_clock(FakeClock::new());
    let key = Extension::<User>::new;
    let there = |limiter| {
        let deny = MissingKey::deny();
        let policy = Policy::new_async("user", limiter, key(), deny, FailedLimiter::Deny);
        policy.unwrap().with_quota_by(plan).unwrap()
    };
    for policy in [
        by_plan(limiter()),
        by_plan(any()),
        there(OnServer::of(Arc::new(limiter()))),
        there(OnServer::of(Arc::new(any()))),
    ] {
        let is_failure = |response: &Response<()>| response.status() == StatusCode::NOT_FOUND;
        let service = RateLimitLayer::new(policy.charge_if(is_failure)).layer(Inner);
        // A unit of the limiter's own quota would be four.
        for left in [3, 2] {
            let mut failure = user(1, day(4));
            *failure.uri_mut() = "/absent".parse().unwrap();
            let failure = call(&service, failure);
            assert_eq!(failure.status(), StatusCode::NOT_FOUND);
            assert!(header(&failure, "ratelimit").starts_with(&format!(r#""user";r={left};"#)));
        }
        for _ in 0..9 {
            let success = call(&service, user(1, day(4)));
            assert!(header(&success, "ratelimit").starts_with(r#""user";r=2;"#));
        }
    }
}

#[test]
fn a_quota_function_is_called_once_for_each_request_with_a_key() {
    let calls = Arc::new(AtomicU32::new(0));
    let policy = |name| {
        let counted = Arc::clone(&calls);
        let key = Extension::<User>::new();
        let policy = Policy::window(name, per_minute(9), key, MissingKey::Allow).unwrap();
        let quota = move |user: &User| {
            counted.fetch_add(1, Ordering::Relaxed);
            user.plan
        };
        policy.with_quota_by(quota).unwrap()
    };
    let alone = RateLimitLayer::new(policy("alone")).layer(Inner);
    // Peeked at, checked and refunded.
    let racing = OnServer::new(per_minute(1), 1).policy("down", FailedLimiter::Deny);
    let together = RateLimitLayer::new(policy("together")).with_policy(racing).layer(Inner);
    for (service, status) in [(alone, StatusCode::OK), (together, StatusCode::SERVICE_UNAVAILABLE)]
    {
        let mut both = user(1, per_minute(2));
        both.extensions_mut().insert(ANN);
        assert_eq!(call(&service, both).status(), status);
        assert_eq!(calls.swap(0, Ordering::Relaxed), 1);
    }
}

#[test]
fn a_quota_function_that_panics_leaves_the_layer_usable() {
    let minute = Duration::from_secs(60);
    // Users divide by zero.
    let quota = move |user: &User| Quota::new(6 / (user.id as u32), minute).unwrap();
    let key = Extension::<User>::new;
    let here = || Keyed::new(SlidingWindow::new(per_minute(9))).with_clock(FakeClock::new());
    let alone = || Policy::new("user", here(), key(), MissingKey::deny()).unwrap();
    let there = || {
        let limiter = OnServer::of(Arc::new(here()));
        Policy::new_async("user", limiter, key(), MissingKey::deny(), FailedLimiter::Deny).unwrap()
    };
    let all = Arc::new(Keyed::new(SlidingWindow::new(per_minute(9))).with_clock(FakeClock::new()));
    let beside = Policy::new("all", Arc::clone(&all), Global::new(), MissingKey::Allow).unwrap();
    let by_quota = |policy: Policy| RateLimitLayer::new(policy.with_quota_by(quota).unwrap());
    for layer in [
        by_quota(alone()),
        by_quota(there()),
        by_quota(alone().charge_if(|_| true)),
        by_quota(alone()).with_policy(beside),
    ] {
        let service = layer.layer(Inner);
        for _ in 0..3 {
            let panicking = || call(&service, user(0, per_minute(1)));
            assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
        }
        for left in [1, 0] {
            let answer = call(&service, user(3, per_minute(1)));
            assert!(header(&answer, "ratelimit").starts_with(&format!(r#""user";r={left};"#)));
        }
        let denied = call(&service, user(3, per_minute(1)));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    }
    // The requests that panicked have taken nothing.
    assert_eq!(all.peek_n("", 0).remaining, 7);
}

#[test]
fn keys_without_room_share_a_bucket_under_their_own_quotas() {
    let limiter = Keyed::new(SlidingWindow::new(per_minute(9)))
        .with_clock(FakeClock::new())
        .with_max_keys(1, WhenFull::SharedBucket);
    let service = RateLimitLayer::new(by_plan(limiter)).layer(Inner);
    assert_eq!(call(&service, user(1, per_minute(1))).status(), StatusCode::OK);
    for (id, count, left) in [(2, 3, 2), (3, 5, 3), (2, 3, 0)] {
        let answer = call(&service, user(id, per_minute(count)));
        assert!(header(&answer, "ratelimit").starts_with(&format!(r#""user";r={left};"#)));
    }
}

/// A limiter that takes no quota with a call.
struct Own;

impl AsyncKeyedLimiter<User> for Own {
    type Error = Infallible;

    async fn check_n(&self, _: &User, _: u32) -> Result<Decision, Infallible> {
        unreachable!()
    }

    async fn peek_n(&self, _: &User, _: u32) -> Result<Decision, Infallible> {
        unreachable!()
    }

    async fn refund(&self, _: &User, _: u32) -> Result<u32, Infallible> {
        unreachable!()
    }

    fn terms(&self) -> Option<Funnel> {
        Some(per_minute(1).into())
    }
}

#[test]
fn a_policy_that_cannot_have_quotas_by_key_is_an_error() {
    let key = Extension::<User>::new;
    let policy = Policy::window("user", per_minute(1), key(), MissingKey::deny()).unwrap();
    let error = policy.with_quota_by(|id: &u64| per_minute(*id as u32)).unwrap_err();
    assert_eq!(error, PolicyError::OtherKey);
    assert_eq!(error.to_string(), "quota by key is a function of another type than the keys");

    let limits = Limits::new([SlidingWindow::new(per_minute(1))]);
    let policy = Policy::new("user", Keyed::new(limits), key(), MissingKey::deny()).unwrap();
    let error = policy.with_quota_by(plan).unwrap_err();
    assert_eq!(error, PolicyError::QuotaNotByKey);
    assert_eq!(error.to_string(), "limiter does not take a quota by key");

    let policy = Policy::new_async("user", Own, key(), MissingKey::deny(), FailedLimiter::Deny);
    let error = policy.unwrap().with_quota_by(plan).unwrap_err();
    assert_eq!(error, PolicyError::QuotaNotByKey);
}
