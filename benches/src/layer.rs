//! `layer`: what a layer that limits requests adds to a service, without a socket.
//!
//! The layers of `zset_tower` and of the `tower_governor` crate limit by the peer's address, both
//! by leaky buckets. Requests are made in advance, a batch at a time; a call takes one, and drops
//! its response.

use std::future::Future;
use std::hint::black_box;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Request, Response, StatusCode};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use tower::{Layer, Service, service_fn};
use tower_governor::GovernorLayer;
use tower_governor::governor::GovernorConfigBuilder;
use zset_std::Quota;
use zset_tower::key::PeerIp;
use zset_tower::{MissingKey, Policy, RateLimitLayer};

use crate::arguments::{calls, keys, rounds};
use crate::record;
use crate::rounds::{Measured, Rounds};
use crate::table::write_header;
use crate::tables::draw;

/// The legend of the table.
const LEGEND: &str = "\
By default, zset-tower writes headers (RateLimit-Policy and RateLimit) and tower_governor does not; with
headers, it writes X-RateLimit-Limit and X-RateLimit-Remaining.
";

/// The name of the table.
const TABLE: &str = "layer";

/// The contenders, the subject first.
const NAMES: [&str; 3] = ["zset-tower", "tower_governor", "no layer"];

/// The number of requests made in advance: few enough to stay in the cache.
const BATCH: usize = 500;

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Addresses, 1 to 10000000.
    #[arg(long, default_value_t = 1_000, value_parser = keys)]
    pub n: usize,
    /// Requests in a round, 1 to 100000000.
    #[arg(long, default_value_t = 50_000, value_parser = calls)]
    pub requests: usize,
    /// Rounds to take the medians of, 1 to 1000.
    #[arg(long, default_value_t = 15, value_parser = rounds)]
    pub rounds: usize,
    /// Adds the results to a CSV file, where they replace those of the same tables and contenders.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Whether the quota is so large that every request is allowed, or so small that none is.
    pub verdict: Verdict,
    /// Whether responses have headers about the limit.
    pub headers: Headers,
}

/// What happens to the requests of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All are allowed.
    Allowed,
    /// All are denied, but the first of each address.
    Denied,
}

/// Whether responses have headers about the limit; a denied one always has `Retry-After`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Headers {
    /// They have.
    Written,
    /// They have not.
    Absent,
}

impl Row {
    /// All rows, from top to bottom.
    pub const ALL: [Row; 4] = [
        Row { verdict: Verdict::Allowed, headers: Headers::Written },
        Row { verdict: Verdict::Allowed, headers: Headers::Absent },
        Row { verdict: Verdict::Denied, headers: Headers::Written },
        Row { verdict: Verdict::Denied, headers: Headers::Absent },
    ];

    /// Returns the label of the row.
    pub fn label(self) -> &'static str {
        match (self.verdict, self.headers) {
            (Verdict::Allowed, Headers::Written) => "allowed, with headers",
            (Verdict::Allowed, Headers::Absent) => "allowed, without headers",
            (Verdict::Denied, Headers::Written) => "denied, with headers",
            (Verdict::Denied, Headers::Absent) => "denied, without headers",
        }
    }

    /// Returns the time between two units, and how many are allowed at once.
    fn quota(self) -> (Duration, u32) {
        match self.verdict {
            // No address recovers meanwhile, so that all of them stay in the limiter.
            Verdict::Allowed => (Duration::from_secs(1), 1_000_000_000),
            Verdict::Denied => (Duration::from_hours(1), 1),
        }
    }
}

/// Measures and prints the table.
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if the results cannot be saved.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let Options { n, requests, rounds, save } = options;
    write_header(out)?;
    writeln!(out, "- addresses: {n}, requests a round: {requests}, rounds: {rounds}")?;
    let row = |row: Row| {
        let rounds = Rounds::measure(
            NAMES.len(),
            *rounds,
            |seed| seed,
            |place, seed| measure(place, row, *n, *requests, *seed),
        );
        rounds.records(&NAMES, TABLE, *n, row.label())
    };
    let records: Vec<_> = Row::ALL.into_iter().flat_map(row).collect();
    write!(out, "\n{}\n{LEGEND}", draw(&records))?;
    record::save(save.as_deref(), &records)
}

/// Measures a contender; the answer is the number of allowed requests.
pub fn measure(place: usize, row: Row, n: usize, requests: usize, seed: u64) -> Measured<usize> {
    let inner = service_fn(async |_: Request<()>| {
        Ok::<_, std::convert::Infallible>(Response::new(Body::empty()))
    });
    let (interval, burst) = row.quota();
    match (place, row.headers) {
        (0, headers) => {
            let quota = Quota::new(1, interval).and_then(|quota| quota.with_capacity(burst));
            let quota = quota.expect("neither is zero");
            let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
            let policy =
                Policy::funnel("per-ip", quota, key, MissingKey::Deny(StatusCode::FORBIDDEN));
            let mut layer = RateLimitLayer::new(policy.expect("the name is valid"));
            if headers == Headers::Absent {
                layer = layer.without_headers();
            }
            call_all(layer.layer(inner), n, requests, seed)
        }
        (1, headers) => {
            let mut builder = GovernorConfigBuilder::default();
            let builder = builder.period(interval).burst_size(burst);
            match headers {
                Headers::Absent => {
                    let config = builder.finish().expect("neither is zero");
                    call_all(GovernorLayer::new(config).layer(inner), n, requests, seed)
                }
                Headers::Written => {
                    let config = builder.use_headers().finish().expect("neither is zero");
                    call_all(GovernorLayer::new(config).layer(inner), n, requests, seed)
                }
            }
        }
        _ => call_all(inner, n, requests, seed),
    }
}

/// Calls a service from random addresses, each of which has made a request before.
fn call_all<S, B>(mut service: S, n: usize, requests: usize, seed: u64) -> Measured<usize>
where
    S: Service<Request<()>, Response = Response<B>, Error = std::convert::Infallible>,
{
    let addresses = 0..u32::try_from(n).expect("there are as many addresses");
    call_batch(&mut service, addresses.map(request).collect());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut measured = Measured { calls: requests, ..Measured::default() };
    let mut left = requests;
    while left > 0 {
        let batch = left.min(BATCH);
        let batch: Vec<_> = (0..batch).map(|_| request(rng.random_range(0..n) as u32)).collect();
        left -= batch.len();
        let part = Measured::of(batch.len(), || call_batch(&mut service, batch));
        measured.time += part.time;
        measured.answer += part.answer;
    }
    measured
}

/// Calls a service that never waits; returns how many responses are successful.
fn call_batch<S, B>(service: &mut S, batch: Vec<Request<()>>) -> usize
where
    S: Service<Request<()>, Response = Response<B>, Error = std::convert::Infallible>,
{
    let mut context = Context::from_waker(Waker::noop());
    let mut allowed = 0;
    for request in batch {
        let Poll::Ready(Ok(())) = service.poll_ready(&mut context) else { continue };
        let future = pin!(service.call(request));
        if let Poll::Ready(Ok(response)) = future.poll(&mut context) {
            allowed += usize::from(response.status().is_success());
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
