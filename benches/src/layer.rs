//! `layer` measures how much time a rate-limiting layer adds to a service, which is called
//! directly, without a socket.
//!
//! The layers of `zset_tower` and of the `tower_governor` crate limit requests by the peer's
//! address, both with leaky buckets. Requests are created in batches, before the calls of a batch
//! are timed. Each call consumes a request and drops its response.

use std::convert::Infallible;
use std::future::Future;
use std::hint::black_box;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Request, Response, StatusCode};
use rand::RngExt;
use tower::{Layer, Service, service_fn};
use tower_governor::GovernorLayer;
use tower_governor::governor::GovernorConfigBuilder;
use zset_std::{Funnel, Quota};
use zset_tower::key::PeerIp;
use zset_tower::{MissingKey, Policy, RateLimitLayer};

use crate::comparison::{Comparison, Contender, Plan, measured};
use crate::measure::Measured;
use crate::options::{Common, MAX_CALLS, MAX_KEYS, within};
use crate::random::generator;
use crate::record::Record;

/// The legend of the table.
pub const LEGEND: &str = "\
By default, zset-tower writes headers (RateLimit-Policy and RateLimit) and tower_governor does not; with
headers, it writes X-RateLimit-Limit and X-RateLimit-Remaining.
";

/// The number of requests created in advance: few enough to stay in the cache.
const BATCH: usize = 500;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Addresses, 1 to 10000000.
    #[arg(long, default_value_t = 1_000, value_parser = within(1, MAX_KEYS))]
    n: usize,
    /// Requests in a round, 1 to 100000000.
    #[arg(long, default_value_t = 50_000, value_parser = within(1, MAX_CALLS))]
    requests: usize,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The label.
    pub label: &'static str,
    /// Whether responses have headers about the limit; a denied one always has `Retry-After`.
    pub headers: Headers,
    /// The time between two units.
    interval: Duration,
    /// How many units are allowed at once.
    burst: u32,
}

/// Whether responses have headers about the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Headers {
    /// Responses have headers.
    Written,
    /// Responses have no headers.
    Absent,
}

impl Row {
    /// All rows, from top to bottom: all requests are allowed, or all but the first of each address
    /// are denied.
    pub const ALL: [Row; 4] = [
        Row::allowed("allowed, with headers", Headers::Written),
        Row::allowed("allowed, without headers", Headers::Absent),
        Row::denied("denied, with headers", Headers::Written),
        Row::denied("denied, without headers", Headers::Absent),
    ];

    const fn allowed(label: &'static str, headers: Headers) -> Self {
        // Units become available so slowly that no address becomes idle during a usual measurement,
        // so the limiter keeps all addresses.
        Row { label, headers, interval: Duration::from_secs(1), burst: 1_000_000_000 }
    }

    const fn denied(label: &'static str, headers: Headers) -> Self {
        Row { label, headers, interval: Duration::from_hours(1), burst: 1 }
    }
}

/// The requests of one round.
#[derive(Clone, Copy, Debug)]
pub struct Requests {
    /// The number of addresses.
    pub n: usize,
    /// The number of requests.
    pub count: usize,
    /// The seed with which addresses are chosen.
    pub seed: u64,
}

/// Measures the table.
pub fn measure(options: &Options) -> Vec<Record> {
    let table = table(options.n);
    let rounds = options.common.rounds_or(15);
    table.measure(&Plan { count: options.requests, ..table.plan(options.n, rounds) })
}

/// Returns the table for a number of addresses.
pub fn table(n: usize) -> Comparison {
    let contenders = vec![
        contender("zset-tower", zset_tower),
        contender("tower_governor", tower_governor),
        contender("no layer", no_layer),
    ];
    Comparison::new("layer", move |count, seed| Requests { n, count, seed }, contenders)
}

/// Returns a contender with all rows.
fn contender(name: &'static str, measure: fn(Row, &Requests) -> Measured) -> Contender<Requests> {
    let operation = |row: Row| measured(row.label, move |requests| measure(row, requests));
    Contender::new(name, |_| (), |_, ()| 0, Row::ALL.map(operation))
}

/// The service that the layers limit.
async fn empty(_: Request<()>) -> Result<Response<Body>, Infallible> {
    Ok(Response::new(Body::empty()))
}

/// Measures the layer of `zset_tower`; the answer is the number of allowed requests.
pub fn zset_tower(row: Row, requests: &Requests) -> Measured {
    let funnel = Quota::new(1, row.interval)
        .and_then(|quota| Funnel::new(quota).with_capacity(row.burst))
        .expect("neither is zero");
    let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
    let policy = Policy::funnel("per-ip", funnel, key, MissingKey::Deny(StatusCode::FORBIDDEN));
    let mut layer = RateLimitLayer::new(policy.expect("the name is valid"));
    if row.headers == Headers::Absent {
        layer = layer.without_headers();
    }
    call_all(layer.layer(service_fn(empty)), requests)
}

/// Measures the layer of the `tower_governor` crate.
pub fn tower_governor(row: Row, requests: &Requests) -> Measured {
    let mut builder = GovernorConfigBuilder::default();
    let builder = builder.period(row.interval).burst_size(row.burst);
    // The type of `config` depends on whether headers are written.
    match row.headers {
        Headers::Absent => {
            let config = builder.finish().expect("neither is zero");
            call_all(GovernorLayer::new(config).layer(service_fn(empty)), requests)
        }
        Headers::Written => {
            let config = builder.use_headers().finish().expect("neither is zero");
            call_all(GovernorLayer::new(config).layer(service_fn(empty)), requests)
        }
    }
}

/// Measures the service alone.
pub fn no_layer(_: Row, requests: &Requests) -> Measured {
    call_all(service_fn(empty), requests)
}

/// Calls a service from random addresses, each of which has made a request before.
fn call_all<S, B>(mut service: S, requests: &Requests) -> Measured
where
    S: Service<Request<()>, Response = Response<B>, Error = Infallible>,
{
    let Requests { n, count, seed } = *requests;
    let addresses = 0..u32::try_from(n).expect("there are as many addresses");
    call_batch(&mut service, addresses.map(request).collect());
    let mut rng = generator(seed);
    let mut measured = Measured::default();
    let mut left = count;
    while left > 0 {
        let batch = left.min(BATCH);
        let batch: Vec<_> = (0..batch).map(|_| request(rng.random_range(0..n) as u32)).collect();
        left -= batch.len();
        measured += Measured::of(batch.len(), || call_batch(&mut service, batch));
    }
    measured
}

/// Calls a service that never waits; returns how many responses are successful.
fn call_batch<S, B>(service: &mut S, batch: Vec<Request<()>>) -> u64
where
    S: Service<Request<()>, Response = Response<B>, Error = Infallible>,
{
    let mut context = Context::from_waker(Waker::noop());
    let mut allowed = 0;
    for request in batch {
        let Poll::Ready(Ok(())) = service.poll_ready(&mut context) else { continue };
        let future = pin!(service.call(request));
        if let Poll::Ready(Ok(response)) = future.poll(&mut context) {
            allowed += u64::from(response.status().is_success());
            black_box(&response);
        }
    }
    allowed
}

fn request(address: u32) -> Request<()> {
    let address = IpAddr::from((0x0a00_0000 + address).to_be_bytes());
    let mut request = Request::new(());
    request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address, 50_000)));
    request
}
