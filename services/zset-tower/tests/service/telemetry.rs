//! Events and metrics.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use std::{mem, thread};

use http::{HeaderName, Request, Response};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use pollster::block_on;
use tower::{Layer, ServiceExt, service_fn};
use tracing_subscriber::fmt::MakeWriter;
use zset_std::{AsyncKeyedLimiter, Decision, Quota, Verdict};
use zset_tower::key::{Global, Header, Path};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer};

/// A limiter that always fails.
struct Down;

impl AsyncKeyedLimiter<String> for Down {
    type Error = io::Error;

    async fn check_n(&self, _: &String, _: u32) -> io::Result<Decision> {
        Err(io::Error::other("the server is down"))
    }

    async fn peek_n(&self, _: &String, _: u32) -> io::Result<Decision> {
        Err(io::Error::other("the server is down"))
    }

    async fn refund(&self, _: &String, _: u32) -> io::Result<u32> {
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

struct Metric {
    kind: String,
    name: String,
    /// The names of the labels.
    keys: Vec<String>,
    /// Their values.
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
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let key = Header::new(HeaderName::from_static("x-api-key"));
    let per_key = Policy::window("per-key", quota, key, MissingKey::Challenge("ApiKey"));
    let failing =
        Policy::new_async("failing", Down, Global::new(), MissingKey::Allow, FailedLimiter::Allow)
            .unwrap();
    let tried = Policy::window("tried", quota, Global::new(), MissingKey::Allow).unwrap();
    let absent = Header::new(HeaderName::from_static("x-absent"));
    let tried_keyless = Policy::window("tried", quota, absent, MissingKey::deny()).unwrap();
    let deny = FailedLimiter::Deny;
    let tried_failing =
        Policy::new_async("tried", Down, Global::new(), MissingKey::Allow, deny).unwrap();
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
    assert_eq!(call("/", Some("a")), 200);
    assert_eq!(call("/", Some("a")), 429);
    assert_eq!(call("/", None), 401);
    assert_eq!(call("/both", Some("b")), 200);
    // The failing limiter lets the request pass; the other one denies it.
    assert_eq!(call("/both", Some("b")), 429);
}

#[test]
fn outcomes_are_counted_and_rejections_are_events() {
    // An event that another test's thread registers just while a subscriber is added would stay
    // disabled. After these calls, all are registered.
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
        // Two requests are allowed by the other policies.
        "tried shadow_allowed 1",
        "tried shadow_denied 1",
        "tried shadow_failed 2",
        "tried shadow_missing_key 2",
    ];
    assert_eq!(counted, expected);
    // All outcomes except a missing key have a time.
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
        ("limiter failed policy=\"failing\" error=the server is down failed_limiter=Allow", 2),
    ] {
        assert_eq!(lines.matches(text).count(), count, "{text}\n{lines}");
    }
}

/// Returns the names, types and labels in the table of the crate's documentation.
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

/// Calls a service with one policy, once for each path.
fn call_paths(policy: Policy, paths: impl IntoIterator<Item = String>) {
    let service = RateLimitLayer::new(policy)
        .layer(service_fn(async |_: Request<()>| Ok::<_, Infallible>(Response::new(()))));
    for path in paths {
        let request = Request::builder().uri(path).body(()).unwrap();
        block_on(service.clone().oneshot(request)).unwrap();
    }
}

/// Returns the metrics reported in the meantime.
fn recorded(report: impl FnOnce()) -> Vec<Metric> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, report);
    metrics(&snapshotter)
}

#[test]
fn the_documentation_lists_the_metrics_that_are_reported() {
    let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
    let policy = Policy::funnel("all", quota, Global::new(), MissingKey::Allow).unwrap();
    let metrics = recorded(|| call_paths(policy, ["/".to_owned()]));
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
    /// A limiter whose calls take this long after their first poll.
    struct Slow;

    impl AsyncKeyedLimiter<String> for Slow {
        type Error = Infallible;

        async fn check_n(&self, key: &String, n: u32) -> Result<Decision, Infallible> {
            self.peek_n(key, n).await
        }

        async fn peek_n(&self, _: &String, _: u32) -> Result<Decision, Infallible> {
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
            Ok(Decision { verdict, limit: 1, remaining: 1, reset_after })
        }

        async fn refund(&self, _: &String, _: u32) -> Result<u32, Infallible> {
            Ok(0)
        }
    }

    let slow =
        || Policy::new_async("slow", Slow, Global::new(), MissingKey::Allow, FailedLimiter::Allow);
    let alone = recorded(|| call_paths(slow().unwrap(), ["/".to_owned()]));
    let with_another = recorded(|| {
        let quota = Quota::new(1, Duration::from_secs(60)).unwrap();
        let another = Policy::window("another", quota, Global::new(), MissingKey::Allow).unwrap();
        let layer = RateLimitLayer::new(slow().unwrap()).with_policy(another);
        let service =
            layer.layer(service_fn(async |_: Request<()>| Ok::<_, Infallible>(Response::new(()))));
        block_on(service.oneshot(Request::new(()))).unwrap();
    });
    for (metrics, calls) in [(alone, 1), (with_another, 2)] {
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
    let value = |metrics: &[Metric], name: &str| {
        let metric = metrics.iter().find(|it| it.name == name).unwrap();
        assert_eq!(metric.labels, "by-path");
        let value = match metric.value {
            DebugValue::Counter(count) => count.to_string(),
            DebugValue::Gauge(value) => value.to_string(),
            DebugValue::Histogram(_) => panic!("{name} is a histogram"),
        };
        value.parse::<u64>().unwrap()
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
        call_paths(short, pauses);
    });
    let [held, swept, refused] = ["keys", "keys_swept_total", "keys_refused_total"]
        .map(|name| value(&metrics, &format!("zset_tower_{name}")));
    assert!(swept > 0);
    assert_eq!((held + swept, refused), (400, 0));

    let quota = Quota::new(1, Duration::from_secs(3600)).unwrap();
    let long = Policy::funnel("by-path", quota, Path::new(), MissingKey::deny()).unwrap();
    let metrics = recorded(|| call_paths(long, paths(0..100_003)));
    assert_eq!(value(&metrics, "zset_tower_keys"), 100_000);
    assert_eq!(value(&metrics, "zset_tower_keys_swept_total"), 0);
    assert_eq!(value(&metrics, "zset_tower_keys_refused_total"), 3);
}
