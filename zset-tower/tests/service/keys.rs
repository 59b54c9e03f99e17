//! Keys, and requests without one.

use http::{HeaderName, HeaderValue, Request, StatusCode};
use pollster::block_on;
use tower::Layer;
use zset_tower::key::{self, ForwardedFor, Global, Header, Key, Path};
use zset_tower::{MissingKey, Policy, RateLimitLayer, RequestHead};

use crate::common::problem;
use crate::{ANN, Inner, Yield, call, header, per_minute, request};

#[test]
fn a_request_without_a_key_is_handled_as_chosen() {
    let without_key = || Request::new(String::new());
    let service = |missing_key| {
        let key = Header::new(HeaderName::from_static("x-api-key"));
        let policy = Policy::window("key", per_minute(1), key, missing_key).unwrap();
        RateLimitLayer::new(policy).layer(Inner)
    };
    let denying = service(MissingKey::Deny(StatusCode::UNAUTHORIZED));
    let answer = call(&denying, without_key());
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!((header(&answer, "ratelimit"), header(&answer, "retry-after")), ("", ""));
    assert_eq!(problem(answer.body()), (401, vec![]));

    let allowing = service(MissingKey::Allow);
    for _ in 0..3 {
        let answer = call(&allowing, without_key());
        assert_eq!((answer.status(), header(&answer, "ratelimit")), (StatusCode::OK, ""));
    }

    let sharing = service(MissingKey::Shared("anonymous".to_owned()));
    assert_eq!(call(&sharing, without_key()).status(), StatusCode::OK);
    assert_eq!(call(&sharing, without_key()).status(), StatusCode::TOO_MANY_REQUESTS);
}

#[test]
fn no_byte_of_a_client_hides_the_address_that_a_proxy_has_added() {
    for missing_key in [
        MissingKey::Allow,
        MissingKey::Shared("192.0.2.1".parse().unwrap()),
        MissingKey::Deny(StatusCode::FORBIDDEN),
    ] {
        for (name, key, appended) in [
            ("x-forwarded-for", ForwardedFor::x_forwarded_for(1), "9.9.9.9"),
            ("forwarded", ForwardedFor::forwarded(1), "for=9.9.9.9"),
        ] {
            let policy = Policy::window("ip", per_minute(1), key, missing_key).unwrap();
            let service = RateLimitLayer::new(policy).layer(Inner);
            let mut statuses = Vec::new();
            for sent in [&b"\xff, "[..], b"=\", ", b";\\, "] {
                let mut request = Request::new(String::new());
                let line = HeaderValue::from_bytes(&[sent, appended.as_bytes()].concat()).unwrap();
                request.headers_mut().append(name, line);
                statuses.push(call(&service, request).status().as_u16());
            }
            assert_eq!(statuses, [200, 429, 429], "{name} {missing_key:?}");
        }
    }
}

/// Finds the key of a request.
type KeyOf<'a> = &'a dyn Fn(&RequestHead<'_>) -> Option<String>;

#[test]
fn keys_are_headers_paths_tuples_and_functions() {
    let api_key = || Header::new(HeaderName::from_static("x-api-key"));
    let found = |key: KeyOf<'_>, lines: &[&str]| {
        let mut request = Request::builder().uri("/a?b");
        for line in lines {
            request = request.header("x-api-key", *line);
        }
        key(&RequestHead::from(&request.body(()).unwrap()))
    };
    let text = |key: key::Found<String>| match key {
        key::Found::Ready(key) => key,
        key::Found::Later(future) => block_on(future),
    };
    let header = |head: &RequestHead<'_>| text(api_key().key(head));
    assert_eq!(found(&header, &["k"]).as_deref(), Some("k"));
    assert_eq!(found(&header, &[]), None);
    assert_eq!(found(&header, &["k", "k"]), None);
    assert_eq!(found(&header, &["é"]), None);
    assert_eq!(found(&header, &[&"k".repeat(1024)]).unwrap().len(), 1024);
    assert_eq!(found(&header, &[&"k".repeat(1025)]), None);

    let sync = (api_key(), Path, Global).map(|(key, path, ())| key + &path);
    let sync = |head: &RequestHead<'_>| text(sync.key(head));
    let slow = key::from_async_fn(|head| {
        let path = head.uri.path().to_owned();
        async move {
            Yield::default().await;
            Some(path)
        }
    });
    let slow = (api_key(), slow).map(|(key, path)| key + &path);
    let slow = |head: &RequestHead<'_>| text(slow.key(head));
    for key in [&sync as KeyOf<'_>, &slow] {
        assert_eq!(found(key, &["k"]).as_deref(), Some("k/a"));
        assert_eq!(found(key, &[]), None);
    }
}

#[test]
fn keys_that_are_awaited_are_limited_too() {
    let key = key::from_async_fn(|head| {
        let user = head.extensions.get::<&'static str>().copied();
        async move {
            Yield::default().await;
            user
        }
    });
    let missing_key = MissingKey::Deny(StatusCode::UNAUTHORIZED);
    let policy = Policy::window("user", per_minute(1), key, missing_key).unwrap();
    let service = RateLimitLayer::new(policy).layer(Inner);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::OK);
    assert_eq!(call(&service, request(ANN)).status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(call(&service, Request::new(String::new())).status(), StatusCode::UNAUTHORIZED);
}
