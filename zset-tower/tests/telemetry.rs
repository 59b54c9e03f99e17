//! Events and counters.

#![cfg(all(feature = "metrics", feature = "tracing"))]

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderName, Request, Response};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use pollster::block_on;
use tower::{Layer, ServiceExt, service_fn};
use tracing_subscriber::fmt::MakeWriter;
use zset_std::{AsyncKeyedLimiter, Decision, Quota};
use zset_tower::key::{Global, Header};
use zset_tower::{MissingKey, OnFailure, Policy, RateLimitLayer};

/// A limiter that always fails.
struct Down;

impl AsyncKeyedLimiter<()> for Down {
    type Error = io::Error;

    async fn check_n(&self, (): &(), _: u32) -> io::Result<Decision> {
        Err(io::Error::other("the server is down"))
    }

    async fn peek_n(&self, (): &(), _: u32) -> io::Result<Decision> {
        Err(io::Error::other("the server is down"))
    }

    async fn refund(&self, (): &(), _: u32) -> io::Result<u32> {
        Err(io::Error::other("the server is down"))
    }
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Lines;

    fn make_writer(&self) -> Lines {
        self.clone()
    }
}

#[test]
fn outcomes_are_counted_and_rejections_are_events() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let key = Header::new(HeaderName::from_static("x-api-key"));
    let per_key = Policy::window("per-key", quota, key, MissingKey::Challenge("ApiKey"));
    let failing =
        Policy::new_async("failing", Down, Global, MissingKey::Allow, OnFailure::Pass).unwrap();
    let tried = Policy::window("tried", quota, Global, MissingKey::Allow).unwrap();
    let absent = Header::new(HeaderName::from_static("x-absent"));
    let tried_keyless = Policy::window("tried", quota, absent, MissingKey::deny()).unwrap();
    let deny = OnFailure::ServiceUnavailable;
    let tried_failing = Policy::new_async("tried", Down, Global, MissingKey::Allow, deny).unwrap();
    let service = RateLimitLayer::new(per_key.unwrap())
        .with_policy(failing.when(|head| head.uri.path() == "/both"))
        .with_policy(tried.shadow(drop))
        .with_policy(tried_keyless.shadow(drop))
        .with_policy(tried_failing.shadow(block_on))
        .layer(service_fn(async |_: Request<String>| {
            Ok::<_, Infallible>(Response::new(String::new()))
        }));
    let call = |path: &str, api_key: Option<&str>| {
        let mut request = Request::builder().uri(path);
        if let Some(api_key) = api_key {
            request = request.header("x-api-key", api_key);
        }
        let request = request.body(String::new()).unwrap();
        block_on(service.clone().oneshot(request)).unwrap().status().as_u16()
    };

    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(lines.clone())
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .finish();
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        tracing::subscriber::with_default(subscriber, || {
            assert_eq!(call("/", Some("a")), 200);
            assert_eq!(call("/", Some("a")), 429);
            assert_eq!(call("/", None), 401);
            assert_eq!(call("/both", Some("b")), 200);
            // The limiter that fails lets pass; the other one denies.
            assert_eq!(call("/both", Some("b")), 429);
        });
    });

    let mut counted = Vec::new();
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let (_, key) = key.into_parts();
        let labels: Vec<_> = key.labels().map(|label| label.value().to_owned()).collect();
        let DebugValue::Counter(count) = value else { panic!() };
        assert_eq!(key.name(), "zset_tower_requests_total");
        if count > 0 {
            counted.push(format!("{} {count}", labels.join(" ")));
        }
    }
    counted.sort_unstable();
    let expected = [
        "failing failed 2",
        "per-key allowed 2",
        "per-key denied 2",
        "per-key missing_key 1",
        // Two requests are allowed by the others.
        "tried shadow_allowed 1",
        "tried shadow_denied 1",
        "tried shadow_failed 2",
        "tried shadow_missing_key 2",
    ];
    assert_eq!(counted, expected);

    let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for (text, count) in [
        ("DEBUG zset_tower", 6),
        ("shadow=true", 5),
        ("request denied policy=\"tried\"", 1),
        ("on_failure=ServiceUnavailable shadow=true", 2),
        ("request has no key policy=\"tried\" status=403 shadow=true", 2),
        ("request denied policy=\"per-key\"", 2),
        ("request has no key policy=\"per-key\" status=401", 1),
        ("limiter failed policy=\"failing\" error=the server is down on_failure=Pass", 2),
    ] {
        assert_eq!(lines.matches(text).count(), count, "{text}\n{lines}");
    }
}
