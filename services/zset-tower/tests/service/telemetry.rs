//! Tests events and metrics.

use std::convert::Infallible;
use std::error::Error;
use std::future::{poll_fn, ready};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use std::{mem, thread};

use http::{HeaderName, Request};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use pollster::block_on;
use tower::Layer;
use tracing_subscriber::fmt::MakeWriter;
use zset_std::{AsyncKeyedLimiter, Decision, Quota, Verdict};
use zset_tower::key::{Global, Header, Path};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

use crate::limiters_on_a_server::{Replies, down};
use crate::{Inner, call, per_minute};

/// A policy that counts all requests together.
fn all(name: &str) -> Policy {
    Policy::window(name, per_minute(1), Global::new(), MissingKey::Allow).unwrap()
}

/// A policy that counts all requests together, on a server.
fn on_server<L>(name: &str, limiter: L, failed_limiter: FailedLimiter) -> Policy
where
    L: AsyncKeyedLimiter<String, Error: Error + Send + Sync + 'static> + Send + Sync + 'static,
{
    let (key, missing_key) = (Global::new(), MissingKey::Allow);
    Policy::new_async(name, limiter, key, missing_key, failed_limiter).unwrap()
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

struct Metric {
    kind: String,
    name: String,
    /// The names of the labels.
    keys: Vec<String>,
    /// The values of the labels, separated by spaces.
    labels: String,
    value: DebugValue,
}

fn metrics(snapshotter: &Snapshotter) -> Vec<Metric> {
    let snapshot = snapshotter.snapshot().into_vec().into_iter();
    let metrics = snapshot.map(|(key, _, _, value)| {
        let (kind, key) = key.into_parts();
        let labels = || key.labels();
        Metric {
            kind: format!("{kind:?}").to_lowercase(),
            name: key.name().to_owned(),
            keys: labels().map(|label| label.key().to_owned()).collect(),
            labels: labels().map(metrics::Label::value).collect::<Vec<_>>().join(" "),
            value,
        }
    });
    metrics.collect()
}

/// Makes calls with each outcome, in shadow mode and otherwise.
fn calls_of_all_outcomes() {
    let header = |name| Header::new(HeaderName::from_static(name));
    let (per_key, absent) = (header("x-api-key"), header("x-absent"));
    let challenge = MissingKey::Challenge("ApiKey");
    let per_key = Policy::window("per-key", per_minute(1), per_key, challenge).unwrap();
    let keyless = Policy::window("tried", per_minute(1), absent, MissingKey::deny()).unwrap();
    let failing = |name, failed_limiter| {
        let limiter = Replies(|_, _| ready(Err::<Decision, _>(down())));
        on_server(name, limiter, failed_limiter)
    };
    let allowing = failing("failing", FailedLimiter::Allow);
    let service = RateLimitLayer::new(per_key)
        .with_policy(allowing.when(|head| head.uri.path() == "/both"))
        .with_policy(all("tried").shadow(drop))
        .with_policy(keyless.shadow(drop))
        .with_policy(failing("tried", FailedLimiter::Deny).shadow(block_on))
        .layer(Inner);
    // The policy `failing` lets requests pass. `per-key` allows one request for each API key.
    for (path, api_key, status) in [
        ("/", Some("a"), 200),
        ("/", Some("a"), 429),
        ("/", None, 401),
        ("/both", Some("b"), 200),
        ("/both", Some("b"), 429),
    ] {
        let mut request = Request::builder().uri(path);
        if let Some(api_key) = api_key {
            request = request.header("x-api-key", api_key);
        }
        let answer = call(&service, request.body(String::new()).unwrap());
        assert_eq!(answer.status().as_u16(), status, "{path} {api_key:?}");
    }
}

#[test]
fn outcomes_are_counted_and_rejections_are_events() {
    // These calls register all events beforehand. Otherwise, an event would stay disabled if the
    // thread of another test registered it while this test adds its subscriber.
    calls_of_all_outcomes();
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(lines.clone())
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .finish();
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        tracing::subscriber::with_default(subscriber, calls_of_all_outcomes);
    });

    let mut counted = Vec::new();
    let mut decided = Vec::new();
    for Metric { name, labels, value, .. } in metrics(&snapshotter) {
        match value {
            DebugValue::Counter(count) if name == "zset_tower_requests_total" && count > 0 => {
                counted.push(format!("{labels} {count}"));
            }
            DebugValue::Histogram(times) if !times.is_empty() => {
                assert_eq!(name, "zset_tower_decision_seconds");
                assert!(times.iter().all(|time| time.into_inner() >= 0.0));
                decided.push(format!("{labels} {}", times.len()));
            }
            _ => {}
        }
    }
    counted.sort_unstable();
    let expected = [
        "failing failed 2",
        "per-key allowed 2",
        "per-key denied 2",
        "per-key missing_key 1",
        // Policies in shadow mode see only the two requests that the other policies allow.
        "tried shadow_allowed 1",
        "tried shadow_denied 1",
        "tried shadow_failed 2",
        "tried shadow_missing_key 2",
    ];
    assert_eq!(counted, expected);
    // A time is reported for every outcome except a missing key.
    let mut expected = expected.to_vec();
    expected.retain(|line| !line.contains("missing_key"));
    decided.sort_unstable();
    assert_eq!(decided, expected);

    let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for (text, count) in [
        ("DEBUG zset_tower", 6),
        ("shadow=true", 5),
        ("request denied policy=\"tried\"", 1),
        ("failed_limiter=Deny shadow=true", 2),
        ("request has no key policy=\"tried\" status=403 shadow=true", 2),
        ("request denied policy=\"per-key\"", 2),
        ("request has no key policy=\"per-key\" status=401", 1),
        (
            "limiter failed policy=\"failing\" error=connection refused at redis.internal failed_limiter=Allow",
            2,
        ),
    ] {
        assert_eq!(lines.matches(text).count(), count, "{text}\n{lines}");
    }
}

/// Returns the names, types and labels of the metrics in the crate's documentation.
fn documented() -> Vec<String> {
    let rows = include_str!("../../src/lib.rs").lines();
    let rows = rows.filter_map(|line| line.strip_prefix("//! | `zset_tower_"));
    let rows = rows.map(|row| {
        let cells = row.replace('`', "");
        let mut cells = cells.split('|').map(str::trim);
        let mut cell = || cells.next().unwrap();
        format!("zset_tower_{} {} {}", cell(), cell(), cell())
    });
    rows.collect()
}

/// Calls a service once for each path.
fn call_paths(layer: &RateLimitLayer, paths: impl IntoIterator<Item = String>) {
    let service = layer.layer(Inner);
    for path in paths {
        call(&service, Request::builder().uri(path).body(String::new()).unwrap());
    }
}

/// Calls a function, and returns the metrics that it reports.
fn recorded(report: impl FnOnce()) -> Vec<Metric> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, report);
    metrics(&snapshotter)
}

#[test]
fn the_documentation_lists_the_metrics_that_are_reported() {
    let policy = Policy::funnel("all", per_minute(1), Global::new(), MissingKey::Allow).unwrap();
    let metrics = recorded(|| call_paths(&RateLimitLayer::new(policy), ["/".to_owned()]));
    let mut reported: Vec<_> = metrics
        .iter()
        .map(|it| format!("{} {} {}", it.name, it.kind, it.keys.join(", ")))
        .collect();
    reported.sort_unstable();
    reported.dedup();
    let mut documented = documented();
    documented.sort_unstable();
    assert_eq!(reported, documented);
}

#[test]
fn the_time_of_a_decision_includes_what_is_awaited() {
    const AWAITED: Duration = Duration::from_millis(20);
    // The first poll of each call sleeps for `AWAITED`.
    let reply = |_, _| async {
        let mut is_polled = false;
        poll_fn(|context| {
            if mem::replace(&mut is_polled, true) {
                return Poll::Ready(());
            }
            thread::sleep(AWAITED);
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        let (verdict, reset_after) = (Verdict::Allowed, Duration::ZERO);
        Ok::<_, Infallible>(Decision { verdict, limit: 1, remaining: 1, reset_after })
    };
    let slow = || RateLimitLayer::new(on_server("slow", Replies(reply), FailedLimiter::Allow));
    for (layer, calls) in [(slow(), 1), (slow().with_policy(all("another")), 2)] {
        let metrics = recorded(|| call_paths(&layer, ["/".to_owned()]));
        let times = metrics.iter().find_map(|it| match &it.value {
            DebugValue::Histogram(times) if it.labels == "slow allowed" => Some(times.clone()),
            _ => None,
        });
        let [time] = times.unwrap()[..] else { panic!("one time for a request") };
        assert!(time.into_inner() >= (calls * AWAITED).as_secs_f64(), "{time}");
    }
}

#[test]
fn keys_are_held_until_they_are_swept_and_new_ones_beyond_the_bound_are_refused() {
    // Returns the numbers of keys that are held, were swept, and were refused.
    let values = |metrics: &[Metric]| {
        ["keys", "keys_swept_total", "keys_refused_total"].map(|name| {
            let name = format!("zset_tower_{name}");
            let metric = metrics.iter().find(|it| it.name == name).unwrap();
            assert_eq!(metric.labels, "by-path");
            match metric.value {
                DebugValue::Counter(count) => count,
                DebugValue::Gauge(value) => value.to_string().parse().unwrap(),
                DebugValue::Histogram(_) => panic!("{name} is a histogram"),
            }
        })
    };
    let paths = |keys: std::ops::Range<u32>| keys.map(|key| format!("/{key}"));

    let quota = Quota::new(1, Duration::from_millis(1)).unwrap();
    let short = Policy::window("by-path", quota, Path::new(), MissingKey::deny()).unwrap();
    let metrics = recorded(|| {
        let pauses = paths(0..400).inspect(|path| {
            if path == "/200" {
                thread::sleep(Duration::from_millis(2));
            }
        });
        call_paths(&RateLimitLayer::new(short), pauses);
    });
    let [held, swept, refused] = values(&metrics);
    assert!(swept > 0);
    assert_eq!((held + swept, refused), (400, 0));

    let quota = Quota::new(1, Duration::from_secs(3600)).unwrap();
    let long = Policy::funnel("by-path", quota, Path::new(), MissingKey::deny()).unwrap();
    let metrics = recorded(|| call_paths(&RateLimitLayer::new(long), paths(0..100_003)));
    assert_eq!(values(&metrics), [100_000, 0, 3]);
}
