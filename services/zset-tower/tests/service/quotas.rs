//! Tests per-key quotas. The random tests in `requests` combine them with other policies, shadow
//! mode, penalties, bounds on keys, and charges that depend on the response.

use std::convert::Infallible;
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http::{Request, StatusCode};
use tower::Layer;
use zset_std::{
    AnyLimiter, Decision, FakeClock, Funnel, Keyed, KeyedLimiter, Limits, Quota, SlidingWindow,
    WindowCounter,
};
use zset_tower::key::{Extension, Key};
use zset_tower::{FailedLimiter, MissingKey, Policy, PolicyError, RateLimitLayer};

use crate::limiters_on_a_server::{OnServer, Replies};
use crate::{
    ANN, Account, Inner, call, failing, global, header, is_failure, left, limited, minute, per_day,
    per_minute, request, window, without_user,
};

/// A user with the quota of its plan.
type User = Account<Funnel>;

fn key() -> impl Key<Key = User> {
    Extension::<User>::new()
}

fn from_user(id: u64, plan: impl Into<Funnel>, mut request: Request<String>) -> Request<String> {
    request.extensions_mut().insert(User { id, plan: plan.into() });
    request
}

fn user(id: u64, plan: impl Into<Funnel>) -> Request<String> {
    from_user(id, plan, without_user())
}

fn plan(user: &User) -> Funnel {
    user.plan
}

fn by_plan(limiter: impl KeyedLimiter<User> + Send + Sync + 'static) -> Policy {
    let policy = Policy::new("user", limiter, key(), MissingKey::deny()).unwrap();
    policy.with_quota_by(plan).unwrap()
}

#[test]
fn users_have_the_quotas_of_their_plans() {
    let service = limited(by_plan(window(1, &FakeClock::new())));
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
}

#[test]
fn a_plan_that_changes_counts_at_once_with_the_units_on_record() {
    let clock = FakeClock::new();
    let any = AnyLimiter::from(SlidingWindow::new(per_minute(9)));
    let counter = WindowCounter::new(per_minute(9));
    for policy in [
        by_plan(window(9, &clock)),
        by_plan(Keyed::new(any).with_clock(clock.clone())),
        by_plan(Keyed::new(counter).with_clock(clock.clone())),
    ] {
        let service = limited(policy);
        let twice = Quota::new(4, minute() / 2).unwrap();
        for (plan, status, shown, remaining) in [
            (per_minute(1), 200, r#""user";q=1;w=60"#, 0),
            (per_minute(1), 429, r#""user";q=1;w=60"#, 0),
            (per_minute(3), 200, r#""user";q=3;w=60"#, 1),
            (twice, 200, r#""user";q=4;w=30"#, 1),
            (per_minute(1), 429, r#""user";q=1;w=60"#, 0),
        ] {
            let answer = call(&service, user(1, plan));
            assert_eq!((answer.status().as_u16(), left(&answer)), (status, remaining), "{plan:?}");
            assert_eq!(header(&answer, "ratelimit-policy"), shown);
        }
    }
}

#[test]
fn units_are_charged_and_refunded_under_the_quota_of_their_key() {
    let any = || Keyed::new(AnyLimiter::from(Funnel::new(per_day(1)))).with_clock(FakeClock::new());
    let there = OnServer::of(Arc::new(any()));
    let there =
        Policy::new_async("user", there, key(), MissingKey::deny(), FailedLimiter::Deny).unwrap();
    for policy in [by_plan(any()), there.with_quota_by(plan).unwrap()] {
        let service = limited(policy.charge_if(is_failure));
        // Under the limiter's own quota, one unit would count as much as four units of the plan.
        for remaining in [3, 2] {
            let failure = call(&service, from_user(1, per_day(4), failing(ANN)));
            assert_eq!((failure.status(), left(&failure)), (StatusCode::NOT_FOUND, remaining));
        }
        for _ in 0..9 {
            assert_eq!(left(&call(&service, user(1, per_day(4)))), 2);
        }
    }
}

#[test]
fn a_quota_function_is_called_once_for_each_request_with_a_key() {
    let calls = Arc::new(AtomicU32::new(0));
    let policy = |name| {
        let counted = Arc::clone(&calls);
        let policy = Policy::window(name, per_minute(9), key(), MissingKey::Allow).unwrap();
        let quota = move |user: &User| {
            counted.fetch_add(1, Ordering::Relaxed);
            user.plan
        };
        policy.with_quota_by(quota).unwrap()
    };
    let alone = limited(policy("alone"));
    // The first policy peeks, checks and refunds, because the check of the second one fails.
    let racing = OnServer::new(per_minute(1), 1).policy("down", FailedLimiter::Deny);
    let together = RateLimitLayer::new(policy("together")).with_policy(racing).layer(Inner);
    for (service, status) in [(alone, StatusCode::OK), (together, StatusCode::SERVICE_UNAVAILABLE)]
    {
        let both = from_user(1, per_minute(2), request(ANN));
        assert_eq!(call(&service, both).status(), status);
        assert_eq!(calls.swap(0, Ordering::Relaxed), 1);
    }
}

#[test]
fn a_quota_function_that_panics_leaves_the_layer_usable() {
    // For user 0, the function divides by zero.
    let quota = |user: &User| per_minute(6 / (user.id as u32));
    let here = || window(9, &FakeClock::new());
    let alone = || Policy::new("user", here(), key(), MissingKey::deny()).unwrap();
    let there = OnServer::of(Arc::new(here()));
    let there = Policy::new_async("user", there, key(), MissingKey::deny(), FailedLimiter::Deny);
    let all = Arc::new(window(9, &FakeClock::new()));
    let by_quota = |policy: Policy| RateLimitLayer::new(policy.with_quota_by(quota).unwrap());
    for layer in [
        by_quota(alone()),
        by_quota(there.unwrap()),
        by_quota(alone().charge_if(|_| true)),
        by_quota(alone()).with_policy(global("all", Arc::clone(&all))),
    ] {
        let service = layer.layer(Inner);
        for _ in 0..3 {
            let panicking = || call(&service, user(0, per_minute(1)));
            assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
        }
        for remaining in [1, 0] {
            assert_eq!(left(&call(&service, user(3, per_minute(1)))), remaining);
        }
        let denied = call(&service, user(3, per_minute(1)));
        assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    }
    // Two requests have taken a unit each, and those that panicked have taken none.
    assert_eq!(all.peek_n("", 0).remaining, 7);
}

#[test]
fn a_policy_that_cannot_have_quotas_by_key_is_an_error() {
    let policy = Policy::window("user", per_minute(1), key(), MissingKey::deny()).unwrap();
    let error = policy.with_quota_by(|id: &u64| per_minute(*id as u32)).unwrap_err();
    assert_eq!(error, PolicyError::OtherKey);
    assert_eq!(error.to_string(), "quota by key is a function of another type than the keys");

    let several = Keyed::new(Limits::new([SlidingWindow::new(per_minute(1))]));
    let several = Policy::new("user", several, key(), MissingKey::deny());
    // `Replies` accepts no quota with a call.
    let own = Replies(|_, _| pending::<Result<Decision, Infallible>>());
    let own = Policy::new_async("user", own, key(), MissingKey::deny(), FailedLimiter::Deny);
    for policy in [several, own] {
        let error = policy.unwrap().with_quota_by(plan).unwrap_err();
        assert_eq!(error, PolicyError::QuotaNotByKey);
        assert_eq!(error.to_string(), "limiter does not take a quota by key");
    }
}
