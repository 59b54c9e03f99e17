//! Tests keys, and requests without a key.

use std::net::SocketAddr;

use bytes::Bytes;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use pollster::block_on;
use tower::Layer;
use zset_std::FakeClock;
use zset_tower::key::{self, Extension, ForwardedFor, Global, Header, Key, Path, PeerIp};
use zset_tower::{
    FailedLimiter, MissingKey, Policy, PolicyError, RateLimitLayer, Rejection, RequestHead,
};

use crate::common::problem;
use crate::limiters_on_a_server::OnServer;
use crate::{
    ANN, BOB, Inner, awaited, call, header, limited, per_minute, statuses, window, without_user,
};

#[test]
fn a_request_without_a_key_is_handled_as_chosen() {
    let service = |missing_key| {
        let key = Header::new(HeaderName::from_static("x-api-key"));
        limited(Policy::window("key", per_minute(1), key, missing_key).unwrap())
    };
    for (denying, status, challenge) in [
        (MissingKey::deny(), StatusCode::FORBIDDEN, ""),
        (MissingKey::Deny(StatusCode::BAD_REQUEST), StatusCode::BAD_REQUEST, ""),
        // RFC 9110: a response with status 401 must have a challenge.
        (MissingKey::Challenge("Bearer"), StatusCode::UNAUTHORIZED, "Bearer"),
    ] {
        let answer = call(&service(denying), without_user());
        assert_eq!(answer.status(), status);
        assert_eq!(header(&answer, "www-authenticate"), challenge);
        assert_eq!((header(&answer, "ratelimit"), header(&answer, "retry-after")), ("", ""));
        assert_eq!(problem(answer.body()), (status.as_u16().into(), vec![]));
    }

    let allowing = service(MissingKey::Allow);
    for _ in 0..3 {
        let answer = call(&allowing, without_user());
        assert_eq!((answer.status(), header(&answer, "ratelimit")), (StatusCode::OK, ""));
    }

    let sharing = service(MissingKey::Shared("anonymous".to_owned()));
    assert_eq!(statuses(&sharing, [ANN, BOB]), [200, 429]);
}

#[test]
fn a_status_without_a_key_is_an_error_that_requires_no_header() {
    for status in (100..1000).map(|code| StatusCode::from_u16(code).unwrap()) {
        let missing_key = MissingKey::Deny(status);
        let expected = match status.as_u16() {
            401 | 405 | 407 | 426 => Some(PolicyError::StatusRequiresHeader),
            400..600 => None,
            _ => Some(PolicyError::InvalidStatus),
        };
        let limiter = OnServer::new(per_minute(1), 1);
        let user = Extension::<&'static str>::new;
        for policy in [
            Policy::window("key", per_minute(1), user(), missing_key),
            Policy::funnel("key", per_minute(1), Path::new(), MissingKey::Deny(status)),
            Policy::new("key", window(1, &FakeClock::new()), user(), missing_key),
            Policy::new_async("key", limiter, user(), missing_key, FailedLimiter::Allow),
        ] {
            assert_eq!(policy.err(), expected, "{status}");
        }
    }
    assert!(PolicyError::StatusRequiresHeader.to_string().contains("MissingKey::Challenge"));
}

#[test]
fn a_challenge_begins_with_a_scheme() {
    for (challenge, is_valid) in [
        ("Bearer", true),
        (r#"Basic realm="a b", charset="UTF-8""#, true),
        (r#"Bearer error="invalid_token", ApiKey"#, true),
        ("", false),
        (" Bearer", false),
        ("realm=\"a\"", false),
        ("Bearer,", false),
        ("Bearer realm=\"é\"", false),
        ("Bearer\r\nset-cookie: a", false),
        ("Bearer \n", false),
    ] {
        let policy =
            Policy::window("key", per_minute(1), Path::new(), MissingKey::Challenge(challenge));
        let expected = (!is_valid).then_some(PolicyError::InvalidChallenge);
        assert_eq!(policy.err(), expected, "{challenge:?}");
    }
}

#[test]
fn a_replaced_response_has_the_challenge_if_its_status_is_401() {
    let challenging = || {
        let policy = |name, challenge| {
            let key = Extension::<&'static str>::new();
            Policy::window(name, per_minute(1), key, MissingKey::Challenge(challenge)).unwrap()
        };
        // A request without a user has no key in either policy. The first policy determines the
        // challenge.
        RateLimitLayer::new(policy("first", "Bearer")).with_policy(policy("second", "Basic"))
    };
    let answer = call(&challenging().layer(Inner), without_user());
    assert_eq!(header(&answer, "www-authenticate"), "Bearer");
    for (status, own, expected) in [
        (StatusCode::UNAUTHORIZED, None, "Bearer"),
        (StatusCode::UNAUTHORIZED, Some("A"), "A"),
        (StatusCode::SEE_OTHER, None, ""),
    ] {
        let layer = challenging().with_response(move |rejection, _| {
            let Rejection::MissingKey { challenge: Some(_), .. } = rejection else { panic!() };
            let own = own.map(|challenge| (WWW_AUTHENTICATE, HeaderValue::from_static(challenge)));
            let mut response = Response::new(Bytes::new());
            *response.status_mut() = status;
            response.headers_mut().extend(own);
            response
        });
        let answer = call(&layer.layer(Inner), without_user());
        assert_eq!(header(&answer, "www-authenticate"), expected, "{status} {own:?}");
    }

    let grpc = challenging().with_response(|rejection, _| rejection.to_grpc()).layer(Inner);
    let answer = call(&grpc, without_user());
    assert_eq!((header(&answer, "grpc-status"), header(&answer, "www-authenticate")), ("16", ""));
}

#[test]
fn no_byte_of_a_client_hides_the_address_that_a_proxy_has_added() {
    for missing_key in
        [MissingKey::Allow, MissingKey::Shared("192.0.2.1".parse().unwrap()), MissingKey::deny()]
    {
        for (name, key, appended) in [
            ("x-forwarded-for", ForwardedFor::x_forwarded_for(1), "9.9.9.9"),
            ("forwarded", ForwardedFor::forwarded(1), "for=9.9.9.9"),
        ] {
            let policy = Policy::window("ip", per_minute(1), key, missing_key).unwrap();
            let service = limited(policy);
            let statuses = [&b"\xff, "[..], b"=\", ", b";\\, "].map(|sent| {
                let line = [sent, appended.as_bytes()].concat();
                let request = Request::builder().header(name, line).body(String::new());
                call(&service, request.unwrap()).status().as_u16()
            });
            assert_eq!(statuses, [200, 429, 429], "{name} {missing_key:?}");
        }
    }
}

/// The third address is in another /64 of the same /56.
#[test]
fn addresses_of_one_ipv6_network_share_a_limit() {
    const ADDRESSES: [&str; 3] = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"];
    let statuses = |policy: Policy| {
        let service = limited(policy);
        ADDRESSES.map(|address| {
            let peer = SocketAddr::new(address.parse().unwrap(), 80);
            let request = Request::builder().extension(peer).header("x-forwarded-for", address);
            call(&service, request.body(String::new()).unwrap()).status().as_u16()
        })
    };
    for (bits, expected) in [(None, [200, 429, 200]), (Some(56), [200, 429, 429])] {
        let peer = bits.map_or(PeerIp::new(), |bits| PeerIp::new().with_ipv6_prefix(bits));
        let policy = Policy::window("ip", per_minute(1), peer, MissingKey::deny()).unwrap();
        assert_eq!(statuses(policy), expected, "peer, {bits:?}");

        let forwarded = ForwardedFor::x_forwarded_for(1);
        let forwarded = bits.map_or(forwarded, |bits| forwarded.with_ipv6_prefix(bits));
        let policy = Policy::window("ip", per_minute(1), forwarded, MissingKey::deny()).unwrap();
        assert_eq!(statuses(policy), expected, "forwarded, {bits:?}");
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
    let longest = "k".repeat(1024);
    for (lines, expected) in [
        (&["k"][..], Some("k")),
        (&[], None),
        (&["k", "k"], None),
        (&["é"], None),
        (&[&longest], Some(longest.as_str())),
        (&[&format!("{longest}k")], None),
    ] {
        assert_eq!(found(&header, lines).as_deref(), expected, "{lines:?}");
    }

    let sync = (api_key(), Path::new(), Global::new()).map(|(key, path, all)| key + &path + &all);
    let sync = |head: &RequestHead<'_>| text(sync.key(head));
    let slow = awaited(|head| Some(head.uri.path().to_owned()));
    let slow = (api_key(), slow).map(|(key, path)| key + &path);
    let slow = |head: &RequestHead<'_>| text(slow.key(head));
    for key in [&sync as KeyOf<'_>, &slow] {
        assert_eq!(found(key, &["k"]).as_deref(), Some("k/a"));
        assert_eq!(found(key, &[]), None);
    }
}
