//! Tests layers with one policy and with several. The random tests in `requests` cover tiers,
//! costs, and requests that only some of the policies deny.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use http::StatusCode;
use tower::Layer;
use zset_std::FakeClock;
use zset_tower::RateLimitLayer;

use crate::common::problem;
use crate::{ANN, BOB, Inner, call, header, limited, per_user, request, statuses};

#[test]
fn limits_hold_across_clones_and_a_denied_request_says_when_to_retry() {
    let clock = FakeClock::new();
    let service = limited(per_user("user", 2, &clock));
    let first = call(&service, request(ANN));
    assert_eq!((first.status(), first.body().as_str()), (StatusCode::OK, "hello"));
    assert_eq!(header(&first, "ratelimit-policy"), r#""user";q=2;w=60"#);
    assert_eq!(header(&first, "ratelimit"), r#""user";r=1;t=60"#);
    clock.advance(Duration::from_millis(1500));
    assert_eq!(statuses(&service, [ANN]), [200]);

    let denied = call(&service, request(ANN));
    assert_eq!(denied.status(), StatusCode::TOO_MANY_REQUESTS);
    // The wait of 58.5 s is rounded up. `t` in `RateLimit` is not greater than `Retry-After`.
    assert_eq!(header(&denied, "retry-after"), "59");
    assert_eq!(header(&denied, "ratelimit"), r#""user";r=0;t=59"#);
    assert_eq!(header(&denied, "x-ratelimit-limit"), "");
    assert_eq!(problem(denied.body()), (429, vec!["user".to_owned()]));

    clock.advance(Duration::from_millis(58_500));
    assert_eq!(statuses(&service, [BOB, ANN]), [200, 200]);
}

#[test]
fn of_many_requests_at_once_the_limit_passes() {
    let clock = FakeClock::new();
    let one = || RateLimitLayer::new(per_user("user", 100, &clock));
    // With several policies, a request first peeks and then checks. Other requests may run in
    // between.
    let two = one().with_policy(per_user("other", 100, &clock));
    for (layer, is_exact) in [(one(), true), (two, false)] {
        let service = layer.layer(Inner);
        let passed = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let is_allowed = statuses(&service, [ANN]) == [200];
                        passed.fetch_add(is_allowed.into(), Ordering::Relaxed);
                    }
                });
            }
        });
        let passed = passed.into_inner();
        assert!(if is_exact { passed == 100 } else { passed <= 100 }, "{passed}");
        // Requests may have been denied although units remained, but never the reverse. The
        // remaining units can still be used.
        for _ in passed..100 {
            assert_eq!(statuses(&service, [ANN]), [200]);
        }
        assert_eq!(statuses(&service, [ANN]), [429]);
    }
}
